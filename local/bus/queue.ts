// One queue or dead-letter queue: who waits, who holds what, and every step a message takes; acknowledged after the commit only.
import { type PropertyChanges, withProperties } from "./application-properties.ts";
import type { BodyCache } from "./body-cache.ts";
import { DuplicateWindow } from "./duplicate-window.ts";
import { encodeDelivery, type Incoming } from "./encoded-message.ts";
import { type Consumer, Lane } from "./lane.ts";
import { LockTable } from "./lock-table.ts";
import { ACTIVE, DEFERRED, type Lock, type Message, SCHEDULED } from "./message.ts";
import { MessageShelf, type StateCounts } from "./message-shelf.ts";
import type { QueueSettings } from "./queue-settings.ts";
import { Sessions } from "./sessions.ts";
import type { Store, StoredDuplicate, StoredMessage } from "./store.ts";

export interface OperationCounts {
  sends: number;
  deliveries: number;
  completes: number;
  abandons: number;
  deadLetters: number;
  renews: number;
  connections: number;
}

/** What all queues of a broker share. */
export interface Surroundings {
  readonly store: Store;
  readonly bodies: BodyCache;
  readonly counts: OperationCounts;
  now(): number;
  newDuplicateId(): number;
}

/** `lost`: the lock ran out or was settled before. `refused`: not possible in a dead-letter queue. */
export type Settlement = "settled" | "lost" | "refused";

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
      if (this.settings.duplicateWindowMs > 0) {
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
    for (const { message } of fresh) this.#pump(this.#laneOf(message));
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
    this.#shelf.clear();
  }

  /** Takes over a message from the queue whose dead-letter queue this is. */
  adopt(message: Message): void {
    this.#shelf.place(message);
    this.#pump(this.#lane);
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

  encode(message: Message, lock: Lock | undefined): Buffer {
    return encodeDelivery(this.#around.bodies.bytes(this.number, message), {
      deliveryCount: message.deliveryCount,
      ttlMs: message.ttlMs,
      enqueuedAt: message.enqueuedAt,
      sequence: message.sequence,
      state: message.state,
      lockedUntil: lock && (this.sessions?.lockedUntil(message.sessionId ?? "") ?? lock.until),
      deadLetterSource: this.deadLetter ? undefined : this.name.slice(0, this.name.lastIndexOf("/")),
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

  async complete(lock: Lock): Promise<Settlement> {
    if (!this.#locks.release(lock, this.#around.now())) return "lost";
    const { store, counts } = this.#around;
    await store.commit(() => store.remove(this.number, lock.message.sequence));
    counts.completes += 1;
    this.#forget(lock.message);
    return "settled";
  }

  /** Gives the message back and counts the attempt. */
  async abandon(lock: Lock, changes: PropertyChanges): Promise<Settlement> {
    if (!this.#locks.release(lock, this.#around.now())) return "lost";
    await this.#countAttempt(lock.message, changes);
    this.#around.counts.abandons += 1;
    return "settled";
  }

  /** Gives the message back as if it had not been delivered. */
  release(lock: Lock): Settlement {
    if (!this.#locks.release(lock, this.#around.now())) return "lost";
    this.#giveBack(lock.message);
    return "settled";
  }

  async defer(lock: Lock, changes: PropertyChanges): Promise<Settlement> {
    if (!this.#locks.release(lock, this.#around.now())) return "lost";
    const { message } = lock;
    const { store } = this.#around;
    const bytes = this.#changedBytes(message, changes);
    await store.commit(() => {
      store.update(this.number, message.sequence, DEFERRED, message.deliveryCount);
      if (bytes) store.updateBytes(this.number, message.sequence, bytes);
    });
    if (bytes) this.#around.bodies.keep(message, bytes);
    message.state = DEFERRED;
    message.lock = undefined;
    return "settled";
  }

  async moveToDeadLetter(lock: Lock, reason: PropertyChanges): Promise<Settlement> {
    if (!this.deadLetter) return "refused";
    if (!this.#locks.release(lock, this.#around.now())) return "lost";
    await this.#bury(lock.message, lock.message.deliveryCount, reason);
    return "settled";
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
        return { bytes: this.encode(message, lock), lock };
      });
    }
    const received = messages.map((message) => ({ bytes: this.encode(message, undefined), lock: undefined }));
    await this.#removeForGood(messages);
    return received;
  }

  /** `undefined` if one of them is not scheduled (any more). */
  async cancelScheduled(sequences: readonly number[]): Promise<Message[] | undefined> {
    const messages = this.#shelf.findAll(sequences, SCHEDULED);
    if (!messages) return undefined;
    await this.#removeForGood(messages);
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
      void this.#countAttempt(lock.message, {});
    }
    for (let due = this.#shelf.takeDue(now); due; due = this.#shelf.takeDue(now)) void this.#activate(due, now);
    for (let old = this.#shelf.takeExpired(now); old; old = this.#shelf.takeExpired(now)) void this.#expire(old);
    const { store } = this.#around;
    const forgotten = this.#duplicates.forget(now, this.settings.duplicateWindowMs, FORGET_LIMIT);
    if (forgotten.length > 0) void store.commit(() => forgotten.map((id) => store.removeDuplicate(id)));
    this.sessions?.tick(now);
    this.deadLetter?.tick();
  }

  /** Gives back what the holder of a session had not settled. */
  #releaseSession(sessionId: string): void {
    for (const lock of this.#locks.takeWhere((held) => held.message.sessionId === sessionId)) {
      void this.#countAttempt(lock.message, {});
    }
  }

  #newMessage(incoming: Incoming, now: number): Message {
    const ttlMs = Math.min(incoming.ttlMs ?? Number.POSITIVE_INFINITY, this.settings.defaultTtlMs);
    const scheduled = incoming.scheduledFor !== undefined && incoming.scheduledFor > now;
    return {
      sequence: this.#nextSequence++,
      state: scheduled ? SCHEDULED : ACTIVE,
      deliveryCount: 0,
      enqueuedAt: scheduled && incoming.scheduledFor ? incoming.scheduledFor : now,
      ttlMs: Number.isFinite(ttlMs) ? ttlMs : undefined,
      expiresAt: scheduled ? Number.POSITIVE_INFINITY : now + ttlMs,
      dueAt: scheduled && incoming.scheduledFor ? incoming.scheduledFor : 0,
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
        void this.#expire(message);
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
    await this.#removeForGood([message]);
    message.bytes = bytes;
    consumer.deliver(message, undefined);
    message.bytes = undefined;
  }

  async #removeForGood(messages: readonly Message[]): Promise<void> {
    const { store } = this.#around;
    for (const message of messages) message.gone = true;
    await store.commit(() => {
      for (const message of messages) store.remove(this.number, message.sequence);
    });
    for (const message of messages) this.#forget(message);
  }

  #forget(message: Message): void {
    this.#shelf.remove(message);
    this.#around.bodies.drop(message);
  }

  #giveBack(message: Message): void {
    message.lock = undefined;
    if (message.state !== ACTIVE) return;
    const lane = this.#laneOf(message);
    lane.giveBack(message);
    this.#pump(lane);
  }

  /** An attempt failed, by abandonment or by the lock's running out; the last one buries the message. */
  async #countAttempt(message: Message, changes: PropertyChanges): Promise<void> {
    const { store, bodies } = this.#around;
    const deliveryCount = message.deliveryCount + 1;
    if (this.deadLetter && deliveryCount >= this.settings.maxDeliveryCount) {
      return this.#bury(message, deliveryCount, {
        ...changes,
        DeadLetterReason: "MaxDeliveryCountExceeded",
        DeadLetterErrorDescription: `Message could not be consumed after ${this.settings.maxDeliveryCount} delivery attempts.`,
      });
    }
    const bytes = this.#changedBytes(message, changes);
    await store.commit(() => {
      store.update(this.number, message.sequence, message.state, deliveryCount);
      if (bytes) store.updateBytes(this.number, message.sequence, bytes);
    });
    if (bytes) bodies.keep(message, bytes);
    message.deliveryCount = deliveryCount;
    this.#giveBack(message);
  }

  async #expire(message: Message): Promise<void> {
    if (!this.deadLetter || !this.settings.deadLetterOnExpiration) return this.#removeForGood([message]);
    message.gone = true;
    return this.#bury(message, message.deliveryCount, {
      DeadLetterReason: "TTLExpiredException",
      DeadLetterErrorDescription: "The message expired and was dead lettered.",
    });
  }

  async #bury(message: Message, deliveryCount: number, reason: PropertyChanges): Promise<void> {
    const { store, bodies, counts } = this.#around;
    const bytes = this.#changedBytes(message, reason);
    await store.commit(() => {
      store.moveToDeadLetter(this.number, message.sequence, deliveryCount);
      if (bytes) store.updateBytes(this.number, message.sequence, bytes);
    });
    counts.deadLetters += 1;
    this.#forget(message);
    message.deliveryCount = deliveryCount;
    message.state = ACTIVE;
    message.expiresAt = Number.POSITIVE_INFINITY;
    if (bytes) bodies.keep(message, bytes);
    this.deadLetter?.adopt(message);
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

  /** `undefined` when nothing changes. */
  #changedBytes(message: Message, changes: PropertyChanges): Buffer | undefined {
    if (Object.keys(changes).length === 0) return undefined;
    return withProperties(this.#around.bodies.bytes(this.number, message), changes);
  }
}
