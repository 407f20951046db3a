// One queue or dead-letter queue: takes messages in, lines them up and hands them out; nothing is acknowledged or delivered before its commit.
import { encodeDelivery } from "../encoded/encoded-delivery.ts";
import type { Incoming } from "../encoded/encoded-message.ts";
import { ACTIVE, DEFERRED, type Lock, type Message, SCHEDULED } from "../encoded/message.ts";
import { type PropertyChanges, withProperties } from "../encoded/message-changes.ts";
import { newMessage, SequenceNumbers, sentAgain } from "./admission.ts";
import { Arrivals, type ReceivingQueue } from "./arrivals.ts";
import { DuplicateWindow } from "./duplicate-window.ts";
import { type Forwarding, findObstacle } from "./forwarding.ts";
import { type Consumer, Lane } from "./lane.ts";
import { LockTable, lockToken } from "./lock-table.ts";
import { MessageShelf, type StateCounts } from "./message-shelf.ts";
import type { PassingQueue } from "./passing.ts";
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

interface QueueIdentity {
  readonly number: number;
  /** The path by which clients find it. */
  readonly name: string;
  readonly nextSequence: number;
}

const FORGET_LIMIT = 500;

export class Queue implements ReceivingQueue, PassingQueue {
  readonly name: string;
  readonly number: number;
  settings: QueueSettings;
  /** Undefined for a dead-letter queue. */
  readonly deadLetter: Queue | undefined;
  readonly sessions: Sessions | undefined;
  /** Where messages go that are not to stay. */
  #forwarding: Forwarding | undefined;
  readonly #around: Surroundings;
  readonly #lane = new Lane();
  readonly #shelf = new MessageShelf((message) => this.#laneOf(message));
  readonly #locks = new LockTable();
  readonly settler: Settler;
  readonly #duplicates = new DuplicateWindow();
  readonly #sequences: SequenceNumbers;

  constructor(around: Surroundings, identity: QueueIdentity, settings: QueueSettings, deadLetter?: Queue) {
    this.#around = around;
    this.number = identity.number;
    this.name = identity.name;
    this.settings = settings;
    this.#sequences = new SequenceNumbers(identity.nextSequence);
    this.deadLetter = deadLetter;
    this.settler = new Settler(around, this, this.#shelf, this.#locks);
    if (deadLetter && settings.requiresSession) {
      this.sessions = new Sessions(around.store, identity.number, {
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
    const arrivals = new Arrivals();
    const sequences = incoming.map((one) => this.admit(one, now, arrivals));
    const { store, counts } = this.#around;
    await store.commit(() => arrivals.write(store));
    counts.sends += incoming.length;
    arrivals.lineUp();
    return sequences;
  }

  admit(incoming: Incoming, now: number, arrivals: Arrivals): number {
    const message = this.#newMessage(incoming, now, arrivals);
    if (this.#isDuplicate(incoming, now, arrivals)) return message.sequence;
    const { sequence, ttlMs } = message;
    if (this.#passes && message.state === ACTIVE) this.#forwarding?.pass({ incoming, sequence, ttlMs, now }, arrivals);
    else if (this.sessions && incoming.sessionId === undefined) {
      const description = "The message has no session id, and the entity requires one.";
      const reason = { DeadLetterReason: "Session ID is null.", DeadLetterErrorDescription: description };
      this.admitDead(incoming, reason, now, arrivals);
    } else arrivals.add(this, message, incoming.bytes);
    return sequence;
  }

  admitDead(incoming: Incoming, reason: PropertyChanges, now: number, arrivals: Arrivals): void {
    const dead = { ...incoming, bytes: withProperties(incoming.bytes, reason), scheduledFor: undefined };
    this.#around.counts.deadLetters += 1;
    if (this.#forwardDead(dead, now, arrivals)) return;
    const message = { ...this.#newMessage(dead, now, arrivals), expiresAt: Number.POSITIVE_INFINITY };
    arrivals.add(this, message, dead.bytes, true);
  }

  /** Plans where a dead letter of this queue goes, if it does not stay. @param bytes if they were changed. @returns whether it goes. */
  forwardDeadLetter(message: Message, bytes: Buffer | undefined, arrivals: Arrivals): boolean {
    if (this.settings.forwardDeadLettersTo === undefined) return false;
    const incoming = sentAgain(message, bytes ?? this.#around.bodies.bytes(this.number, message));
    return this.#forwardDead(incoming, this.#around.now(), arrivals);
  }

  #forwardDead(incoming: Incoming, now: number, arrivals: Arrivals): boolean {
    const { forwardDeadLettersTo } = this.settings;
    if (forwardDeadLettersTo === undefined) return false;
    const hops = (incoming.hops ?? 0) + 1;
    const target = this.#around.find(forwardDeadLettersTo);
    if (!target || findObstacle(target, hops)) return false;
    target.admit({ ...incoming, hops, deadLetterSource: this.name }, now, arrivals);
    return true;
  }

  /** @param forwarding where messages go from now on, those too that wait. */
  change(settings: QueueSettings, forwarding: Forwarding | undefined): void {
    this.settings = settings;
    this.#forwarding = forwarding;
    if (this.deadLetter) this.deadLetter.settings = settings;
    if (!this.#passes) return;
    for (let message = this.#lane.take(); message; message = this.#lane.take()) void this.#forward(message);
  }

  /** Whether messages go on instead of staying. From an entity that nobody may receive from they do not go either. */
  get #passes(): boolean {
    return this.isForwarding && this.settings.canReceive;
  }

  /** Whether receivers are refused because messages are forwarded. */
  get isForwarding(): boolean {
    return this.#forwarding !== undefined;
  }

  /** Where the reserved block of sequence numbers ends. */
  get reservedTo(): number {
    return this.#sequences.reservedTo;
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
    if (this.#passes) {
      void this.#forward(message);
      return;
    }
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
    const graveyardOf = this.deadLetter ? undefined : this.name.slice(0, this.name.lastIndexOf("/"));
    return encodeDelivery(this.#around.bodies.bytes(this.number, message), {
      deliveryCount: message.deliveryCount,
      ttlMs: message.ttlMs,
      enqueuedAt: message.enqueuedAt,
      sequence: message.sequence,
      enqueuedSequence: message.enqueuedSequence ?? message.sequence,
      // Service Bus leaves it said of a message that it was scheduled.
      state: message.state === ACTIVE && message.dueAt > 0 ? SCHEDULED : message.state,
      lockedUntil: lock && (this.sessions?.lockedUntil(message.sessionId ?? "") ?? lock.until),
      deadLetterSource: message.deadLetterSource ?? graveyardOf,
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

  /** For what was read from the store: resolves when it is kept. */
  flushed(): Promise<void> {
    return this.#around.store.flushed();
  }

  /** Resolves when what was asked for before is stored. */
  stored(): Promise<void> {
    return this.#around.store.commit(() => {});
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

  #newMessage(incoming: Incoming, now: number, arrivals: Arrivals): Message {
    arrivals.numbered(this);
    return newMessage(incoming, this.#sequences.next(), this.settings, now);
  }

  /** Remembers the message's id, if duplicates are detected. */
  #isDuplicate({ messageId }: Incoming, now: number, arrivals: Arrivals): boolean {
    const { duplicateWindowMs } = this.settings;
    // A message that came without an id has one of the broker's own making: it is nobody's duplicate.
    if (duplicateWindowMs === 0 || messageId === "") return false;
    if (this.#duplicates.hasSeen(messageId, now, duplicateWindowMs)) return true;
    arrivals.remember(this.number, this.#duplicates.remember(this.#around.newDuplicateId(), messageId, now));
    return false;
  }

  /** Moves a message that nobody holds to where it is forwarded. */
  async #forward(message: Message): Promise<void> {
    message.gone = true;
    const arrivals = new Arrivals();
    const { store, bodies, now } = this.#around;
    const incoming = sentAgain(message, bodies.bytes(this.number, message));
    const { sequence, ttlMs } = message;
    this.#forwarding?.pass({ incoming, sequence, ttlMs, now: now() }, arrivals);
    await store.commit(() => {
      store.remove(this.number, sequence);
      arrivals.write(store);
    });
    this.#shelf.remove(message);
    bodies.drop(message);
    arrivals.lineUp();
  }

  reserve(): number {
    return this.#sequences.reserve();
  }

  get hasOneLane(): boolean {
    return this.sessions === undefined;
  }

  lineUp(message: Message, bytes: Buffer): void {
    this.#around.bodies.keep(message, bytes);
    this.#shelf.place(message);
  }

  pumpFor(message: Message): void {
    this.#pump(this.#laneOf(message));
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
    message.sequence = this.#sequences.next();
    message.state = ACTIVE;
    message.enqueuedAt = now;
    message.expiresAt = now + (message.ttlMs ?? Number.POSITIVE_INFINITY);
    const reserved = this.reserve();
    await store.commit(() => {
      if (reserved > 0) store.entities.reserveSequences(this.number, reserved);
      store.activate(this.number, scheduledSequence, message);
    });
    this.#shelf.place(message);
    if (this.#passes) await this.#forward(message);
    else this.#pump(this.#laneOf(message));
  }
}
