// How a taken message ends: completed, given back, deferred, buried or expired; each step acknowledged after its commit only.

import { MessageFault, propertiesFault } from "../encoded/encoded-message.ts";
import { ACTIVE, DEFERRED, type Lock, type Message } from "../encoded/message.ts";
import { deadLetterFault, type PropertyChanges, withProperties } from "../encoded/message-changes.ts";
import { Arrivals } from "./arrivals.ts";
import type { LockTable } from "./lock-table.ts";
import type { BatchDeletion, MessageShelf } from "./message-shelf.ts";
import type { QueueSettings } from "./queue-settings.ts";
import type { Surroundings } from "./surroundings.ts";

/** `lost`: the lock ran out or was settled before. `refused`: not possible in a dead-letter queue; the message was given back. */
export type Settlement = "settled" | "lost" | "refused";

/** The queue, as far as a settlement is concerned. */
interface SettlingQueue {
  readonly number: number;
  readonly settings: QueueSettings;
  readonly deadLetter: { adopt(message: Message): void } | undefined;
  /** Plans where a dead letter goes, if it does not stay. @param bytes if they were changed. */
  forwardDeadLetter(message: Message, bytes: Buffer | undefined, arrivals: Arrivals): boolean;
  /** The message waits again, before younger ones. */
  giveBack(message: Message): void;
}

export class Settler {
  readonly #around: Surroundings;
  readonly #queue: SettlingQueue;
  readonly #shelf: MessageShelf;
  readonly #locks: LockTable;

  constructor(around: Surroundings, queue: SettlingQueue, shelf: MessageShelf, locks: LockTable) {
    this.#around = around;
    this.#queue = queue;
    this.#shelf = shelf;
    this.#locks = locks;
  }

  /** What the service would not take of these changes. Asked before any of them is made. */
  changeFault({ message }: Lock, changes: PropertyChanges): MessageFault | undefined {
    const tooLong = deadLetterFault(changes);
    if (tooLong !== undefined) return new MessageFault("argument-out-of-range", tooLong);
    const bytes = this.#changedBytes(message, changes);
    return bytes && propertiesFault(bytes);
  }

  async complete(lock: Lock): Promise<Settlement> {
    if (!this.#end(lock)) return "lost";
    await this.remove([lock.message]);
    this.#around.counts.completes += 1;
    return "settled";
  }

  /** Gives the message back and counts the attempt. */
  async abandon(lock: Lock, changes: PropertyChanges): Promise<Settlement> {
    const bytes = this.#changedBytes(lock.message, changes);
    if (!this.#end(lock)) return "lost";
    await this.countAttempt(lock.message, bytes);
    this.#around.counts.abandons += 1;
    return "settled";
  }

  /** Gives the message back as if it had not been delivered. */
  release(lock: Lock): Settlement {
    if (!this.#end(lock)) return "lost";
    this.#giveBack(lock.message);
    return "settled";
  }

  /** Puts the message aside; that counts as an attempt, but never as the last one. */
  async defer(lock: Lock, changes: PropertyChanges): Promise<Settlement> {
    const bytes = this.#changedBytes(lock.message, changes);
    if (!this.#end(lock)) return "lost";
    const { message } = lock;
    await this.#update(message, DEFERRED, message.deliveryCount + 1, bytes);
    message.lock = undefined;
    return "settled";
  }

  async moveToDeadLetter(lock: Lock, reason: PropertyChanges): Promise<Settlement> {
    const bytes = this.#changedBytes(lock.message, reason);
    if (!this.#end(lock)) return "lost";
    if (!this.#queue.deadLetter) {
      this.#giveBack(lock.message);
      return "refused";
    }
    await this.#bury(lock.message, lock.message.deliveryCount, bytes);
    return "settled";
  }

  /** An attempt failed, by abandonment or by the lock's running out; the last one buries the message. A dead letter has no last one. */
  async countAttempt(message: Message, bytes?: Buffer): Promise<void> {
    const deliveryCount = message.deliveryCount + (this.#queue.deadLetter ? 1 : 0);
    const { maxDeliveryCount } = this.#queue.settings;
    if (this.#queue.deadLetter && deliveryCount >= maxDeliveryCount) {
      const reason = {
        DeadLetterReason: "MaxDeliveryCountExceeded",
        DeadLetterErrorDescription: `None of ${maxDeliveryCount} deliveries was completed.`,
      };
      return this.#bury(message, deliveryCount, this.#changedBytes(message, reason, bytes));
    }
    await this.#update(message, message.state, deliveryCount, bytes);
    this.#giveBack(message);
  }

  async expire(message: Message): Promise<void> {
    message.gone = true;
    if (!this.#queue.deadLetter || !this.#queue.settings.deadLetterOnExpiration) return this.remove([message]);
    const reason = {
      DeadLetterReason: "TTLExpiredException",
      DeadLetterErrorDescription: "The message has outlived its time to live.",
    };
    return this.#bury(message, message.deliveryCount, this.#changedBytes(message, reason));
  }

  /** Removes messages that nobody has locked any more: nobody peeks at one whose bytes have left the store. */
  async remove(messages: readonly Message[]): Promise<void> {
    const { store } = this.#around;
    for (const message of messages) message.gone = true;
    await store.commit(() => {
      for (const message of messages) store.remove(this.#queue.number, message.sequence);
    });
    for (const message of messages) this.#forget(message);
  }

  /** Removes what waits, without a delivery. @returns how many messages. */
  async removeOldest(deletion: BatchDeletion): Promise<number> {
    const messages = this.#shelf.oldest(deletion, this.#around.now());
    if (messages.length > 0) await this.remove(messages);
    return messages.length;
  }

  #end(lock: Lock): boolean {
    return this.#locks.release(lock, this.#around.now());
  }

  #giveBack(message: Message): void {
    message.lock = undefined;
    if (message.state === ACTIVE) this.#queue.giveBack(message);
  }

  async #update(
    message: Message,
    state: Message["state"],
    deliveryCount: number,
    bytes: Buffer | undefined,
  ): Promise<void> {
    const { store, bodies } = this.#around;
    const { number } = this.#queue;
    await store.commit(() => {
      store.update(number, message.sequence, state, deliveryCount);
      if (bytes) store.updateBytes(number, message.sequence, bytes);
    });
    if (bytes) bodies.keep(message, bytes);
    message.state = state;
    message.deliveryCount = deliveryCount;
  }

  async #bury(message: Message, deliveryCount: number, bytes: Buffer | undefined): Promise<void> {
    const { store, bodies, counts } = this.#around;
    const { number, deadLetter } = this.#queue;
    counts.deadLetters += 1;
    const arrivals = new Arrivals();
    if (this.#queue.forwardDeadLetter(message, bytes, arrivals)) {
      message.gone = true;
      await store.commit(() => {
        store.remove(number, message.sequence);
        arrivals.write(store);
      });
      this.#forget(message);
      arrivals.lineUp();
      return;
    }
    await store.commit(() => {
      store.moveToDeadLetter(number, message.sequence, deliveryCount);
      if (bytes) store.updateBytes(number, message.sequence, bytes);
    });
    // A new object: the old one may still stand in this queue's line, where it must stay gone.
    const expiresAt = Number.POSITIVE_INFINITY;
    const buried: Message = {
      ...message,
      state: ACTIVE,
      deliveryCount,
      expiresAt,
      lock: undefined,
      gone: false,
      bytes: undefined,
    };
    const kept = bytes ?? message.bytes;
    this.#forget(message);
    if (kept) bodies.keep(buried, kept);
    deadLetter?.adopt(buried);
  }

  #forget(message: Message): void {
    this.#shelf.remove(message);
    this.#around.bodies.drop(message);
  }

  /** `undefined` when nothing changes. Asked before the lock ends: what a client wants changed may be no AMQP value. */
  #changedBytes(message: Message, changes: PropertyChanges, changed?: Buffer): Buffer | undefined {
    if (Object.keys(changes).length === 0) return changed;
    return withProperties(changed ?? this.#around.bodies.bytes(this.#queue.number, message), changes);
  }
}
