// One queue or dead-letter queue: takes messages in, lines them up and hands them out; nothing is acknowledged or delivered before its commit.
import { DuplicateWindow } from "./duplicate-window.ts";
import { encodeDelivery } from "./encoded-delivery.ts";
import type { Incoming } from "./encoded-message.ts";
import { type Consumer, Lane } from "./lane.ts";
import { LockTable, lockToken } from "./lock-table.ts";
import { ACTIVE, DEFERRED, type Lock, type Message, SCHEDULED } from "./message.ts";
import { MessageShelf, type StateCounts } from "./message-shelf.ts";
import type { QueueSettings } from "./queue-settings.ts";
import { Sessions } from "./sessions.ts";
import { Settler } from "./settlement.ts";
import type { StoredDuplicate, StoredMessage } from "./store.ts";
import type { Surroundings } from "./surroundings.ts";

export interface Received {
  readonly bytes: Buffer;
  readonly lock: Lock | undefined;
}

export interface QueueCounts extends StateCounts {
  deadLetter: number;
}

const SEQUENCE_BLOCK = 10_000;
const FORGET_LIMIT = 500;

export class Queue {
  readonly name: string;
  readonly number: number;
  settings: QueueSettings;
  /** Undefined for a dead-letter queue. */
  readonly deadLetter: Queue | undefined;
  readonly sessions: Sessions | undefined;
  readonly #around: Surroundings;
  readonly #lane = new Lane();
  readonly #shelf = new MessageShelf((message) => this.#laneOf(message));
  readonly #locks = new LockTable();
  readonly settler: Settler;
  readonly #duplicates = new DuplicateWindow();
  #nextSequence: number;
  #reservedTo: number;

  constructor(
    around: Surroundings,
    number: number,
    name: string,
    settings: QueueSettings,
    nextSequence: number,
    deadLetter?: Queue,
  ) {
    this.#around = around;
    this.number = number;
    this.name = name;
    this.settings = settings;
    this.#nextSequence = nextSequence;
    this.#reservedTo = nextSequence;
    this.deadLetter = deadLetter;
    this.settler = new Settler(around, this, this.#shelf, this.#locks);
    if (deadLetter && settings.requiresSession) {
      this.sessions = new Sessions(around.store, number, {
        now: around.now,
        lockDurationMs: () => this.settings.lockDurationMs,
        onReleased: (sessionId) => this.#releaseSession(sessionId),
      });
    }
  }

  restore(stored: Iterable<StoredMessage>, duplicates: Iterable<StoredDuplicate>): void {
    for (const { message, dead } of stored) (dead && this.deadLetter ? this.deadLetter : this).#shelf.place(message);
    for (const duplicate of duplicates) this.#duplicates.restore(duplicate);
    this.sessions?.restore();
  }

  /** Resolves with the sequence numbers once the messages are stored; a duplicate gets one too and vanishes. */
  async send(incoming: readonly Incoming[]): Promise<number[]> {
    const now = this.#around.now();
    const fresh: { message: Message; bytes: Buffer }[] = [];
    const seen: StoredDuplicate[] = [];
    const sequences = incoming.map((one) => {
      const message = this.#newMessage(one, now);
      // A message that came without an id has one of the broker's own making: it is nobody's duplicate.
      if (this.settings.duplicateWindowMs > 0 && one.messageId !== "") {
        if (this.#duplicates.hasSeen(one.messageId, now, this.settings.duplicateWindowMs)) return message.sequence;
        seen.push(this.#duplicates.remember(this.#around.newDuplicateId(), one.messageId, now));
      }
      fresh.push({ message, bytes: one.bytes });
      return message.sequence;
    });
    const reserved = this.#reserve();
    const { store, bodies } = this.#around;
    await store.commit(() => {
      if (reserved > 0) store.reserveSequences(this.number, reserved);
      for (const { message, bytes } of fresh) store.insert(this.number, message, bytes);
      for (const duplicate of seen) store.insertDuplicate(this.number, duplicate);
    });
    this.#around.counts.sends += incoming.length;
    for (const { message, bytes } of fresh) {
      bodies.keep(message, bytes);
      this.#shelf.place(message);
    }
    if (this.sessions) for (const { message } of fresh) this.#pump(this.#laneOf(message));
    else this.#pump(this.#lane);
    return sequences;
  }

  change(settings: QueueSettings): void {
    this.settings = settings;
    if (this.deadLetter) this.deadLetter.settings = settings;
  }

  /** Where the reserved block of sequence numbers ends. */
  get reservedTo(): number {
    return this.#reservedTo;
  }

  /** For a queue that is deleted: nothing falls due any more. */
  close(): void {
    for (const message of this.#shelf.clear()) this.#around.bodies.drop(message);
    this.deadLetter?.close();
  }

  /** Takes over a message from the queue whose dead-letter queue this is. */
  adopt(message: Message): void {
    this.#shelf.place(message);
    this.#pump(this.#lane);
  }

  giveBack(message: Message): void {
    const lane = this.#laneOf(message);
    lane.giveBack(message);
    this.#pump(lane);
  }

  join(consumer: Consumer, lane = this.#lane): void {
    lane.join(consumer);
    this.#pump(lane);
  }

  leave(consumer: Consumer, lane = this.#lane): void {
    lane.leave(consumer);
  }

  /** Delivers what waits to whoever has credit. */
  pump(lane = this.#lane): void {
    this.#pump(lane);
  }

  /** @param lockToken for a message that is not delivered over a link. */
  encode(message: Message, lock: Lock | undefined, lockToken?: Buffer): Buffer {
    return encodeDelivery(this.#around.bodies.bytes(this.number, message), {
      deliveryCount: message.deliveryCount,
      ttlMs: message.ttlMs,
      enqueuedAt: message.enqueuedAt,
      sequence: message.sequence,
      state: message.state,
      lockedUntil: lock && (this.sessions?.lockedUntil(message.sessionId ?? "") ?? lock.until),
      deadLetterSource: this.deadLetter ? undefined : this.name.slice(0, this.name.lastIndexOf("/")),
      lockToken,
    });
  }

  findLock(token: Buffer): Lock | undefined {
    return this.#locks.find(token, this.#around.now());
  }

  renew(lock: Lock): number {
    this.#around.counts.renews += 1;
    this.#locks.renew(lock, this.#around.now() + this.settings.lockDurationMs);
    return lock.until;
  }

  /** `undefined` if one of them is not deferred or is held. */
  async receiveDeferred(sequences: readonly number[], mode: Consumer["mode"]): Promise<Received[] | undefined> {
    const messages = this.#shelf.findAll(sequences, DEFERRED);
    if (!messages) return undefined;
    this.#around.counts.deliveries += messages.length;
    const until = this.#lockUntil(this.#around.now());
    if (mode === "peekLock") {
      return messages.map((message) => {
        const lock = this.#locks.grant(message, until);
        return { bytes: this.encode(message, lock, lockToken(lock)), lock };
      });
    }
    const received = messages.map((message) => ({ bytes: this.encode(message, undefined), lock: undefined }));
    await this.settler.remove(messages);
    return received;
  }

  /** `undefined` if one of them is not scheduled (any more). */
  async cancelScheduled(sequences: readonly number[]): Promise<Message[] | undefined> {
    const messages = this.#shelf.findAll(sequences, SCHEDULED);
    if (!messages) return undefined;
    await this.settler.remove(messages);
    return messages;
  }

  /** In the order of sequence numbers, without taking anything. */
  peek(fromSequence: number, limit: number, sessionId: string | undefined): Message[] {
    return this.#shelf.peek(fromSequence, limit, this.#around.now(), sessionId);
  }

  count(): QueueCounts {
    return { ...this.#shelf.count(), deadLetter: this.deadLetter?.count().active ?? 0 };
  }

  /** Does what has fallen due: locks run out, scheduled messages are enqueued, expired ones go. */
  tick(): void {
    const now = this.#around.now();
    for (let lock = this.#locks.takeExpired(now); lock; lock = this.#locks.takeExpired(now)) {
      void this.settler.countAttempt(lock.message);
    }
    for (let due = this.#shelf.takeDue(now); due; due = this.#shelf.takeDue(now)) void this.#activate(due, now);
    for (let old = this.#shelf.takeExpired(now); old; old = this.#shelf.takeExpired(now)) void this.settler.expire(old);
    const { store } = this.#around;
    const forgotten = this.#duplicates.forget(now, this.settings.duplicateWindowMs, FORGET_LIMIT);
    if (forgotten.length > 0) void store.commit(() => forgotten.map((id) => store.removeDuplicate(id)));
    this.sessions?.tick(now);
    this.deadLetter?.tick();
  }

  /** Gives back what the holder of a session had not settled. */
  #releaseSession(sessionId: string): void {
    for (const lock of this.#locks.takeWhere((held) => held.message.sessionId === sessionId)) {
      void this.settler.countAttempt(lock.message);
    }
  }

  #newMessage(incoming: Incoming, now: number): Message {
    const ttlMs = Math.min(incoming.ttlMs ?? Number.POSITIVE_INFINITY, this.settings.defaultTtlMs);
    const dueAt = incoming.scheduledFor !== undefined && incoming.scheduledFor > now ? incoming.scheduledFor : 0;
    return {
      sequence: this.#nextSequence++,
      state: dueAt > 0 ? SCHEDULED : ACTIVE,
      deliveryCount: 0,
      enqueuedAt: dueAt > 0 ? dueAt : now,
      ttlMs: Number.isFinite(ttlMs) ? ttlMs : undefined,
      expiresAt: dueAt > 0 ? Number.POSITIVE_INFINITY : now + ttlMs,
      dueAt,
      sessionId: incoming.sessionId,
      bytes: undefined,
      lock: undefined,
      gone: false,
    };
  }

  /** The end of a newly reserved block of sequence numbers, or 0: a restart goes on behind it, so that none is used twice. */
  #reserve(): number {
    if (this.#nextSequence <= this.#reservedTo) return 0;
    this.#reservedTo = this.#nextSequence + SEQUENCE_BLOCK;
    return this.#reservedTo;
  }

  #laneOf(message: Message): Lane {
    return this.sessions?.lane(message.sessionId ?? "") ?? this.#lane;
  }

  #pump(lane: Lane): void {
    this.sessions?.offer();
    const now = this.#around.now();
    for (let consumer = lane.nextConsumer(); consumer; consumer = lane.nextConsumer()) {
      const message = lane.take();
      if (!message) return;
      if (message.expiresAt <= now) {
        void this.settler.expire(message);
        continue;
      }
      this.#around.counts.deliveries += 1;
      if (consumer.mode === "receiveAndDelete") void this.#deleteThenDeliver(message, consumer);
      else consumer.deliver(message, this.#locks.grant(message, this.#lockUntil(now)));
    }
  }

  /** A message of a session is held as long as its session is. */
  #lockUntil(now: number): number {
    return this.sessions ? Number.POSITIVE_INFINITY : now + this.settings.lockDurationMs;
  }

  async #deleteThenDeliver(message: Message, consumer: Consumer): Promise<void> {
    consumer.reserve();
    const bytes = this.#around.bodies.bytes(this.number, message);
    await this.settler.remove([message]);
    message.bytes = bytes;
    consumer.deliver(message, undefined);
    message.bytes = undefined;
  }

  /** Service Bus enqueues a scheduled message as if it were sent now, under a new sequence number. */
  async #activate(message: Message, now: number): Promise<void> {
    const { store } = this.#around;
    const scheduledSequence = message.sequence;
    message.sequence = this.#nextSequence++;
    message.state = ACTIVE;
    message.enqueuedAt = now;
    message.expiresAt = now + (message.ttlMs ?? Number.POSITIVE_INFINITY);
    const reserved = this.#reserve();
    await store.commit(() => {
      if (reserved > 0) store.reserveSequences(this.number, reserved);
      store.activate(this.number, scheduledSequence, message);
    });
    this.#shelf.place(message);
    this.#pump(this.#laneOf(message));
  }
}
