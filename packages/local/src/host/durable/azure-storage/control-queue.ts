// One partition: its queue of messages to instances, and the loop that dequeues them in batches.
import { type AzureStorageProfile, REQUESTS } from "../engine-profile.ts";
import type { Arrival, Instance } from "../instance.ts";
import type { Timers } from "../timers.ts";
import { MessageQueue, type QueueMessage } from "./message-queue.ts";
import { Polling } from "./polling.ts";
import type { StorageAccount } from "./storage-account.ts";

export interface ControlMessage extends QueueMessage {
  readonly instance: Instance;
  readonly generation: number;
  /** Undefined: the start of an instance, or of its next generation. */
  readonly arrival: Arrival | undefined;
  /** It came from this process, which wakes the queue. */
  readonly wakes: boolean;
}

interface ControlQueueParts {
  readonly profile: AzureStorageProfile;
  readonly account: StorageAccount;
  readonly timers: Timers;
  /** Keys of the messages of all partitions that were dequeued and not yet worked off. */
  readonly inHand: Set<string>;
  /** Keeps for a restart until when the messages are invisible. */
  readonly lease: (messages: readonly QueueMessage[], visibleAt: number) => Promise<void>;
  readonly receive: (message: ControlMessage) => void;
}

export class ControlQueue {
  readonly #parts: ControlQueueParts;
  readonly #messages = new MessageQueue<ControlMessage>();
  readonly #polling: Polling;
  #isOpen = false;
  /** The poll before had waited for as long as it ever does. */
  #wasIdle = false;

  constructor(parts: ControlQueueParts) {
    this.#parts = parts;
    this.#polling = new Polling(parts.profile, parts.timers);
  }

  get size(): number {
    return this.#messages.size;
  }

  /** What wakes the queue has it polled at once, whether it is visible by then or not. */
  add(message: ControlMessage): void {
    this.#messages.add(message);
    if (message.wakes) this.#polling.signal();
  }

  open(): void {
    this.#isOpen = true;
    void this.#listen();
  }

  close(): void {
    this.#isOpen = false;
  }

  async #listen(): Promise<void> {
    const { profile, inHand } = this.#parts;
    while (this.#isOpen) {
      if (inHand.size >= profile.controlQueueBufferThreshold) await this.#pause();
      else await this.#poll();
    }
  }

  async #poll(): Promise<void> {
    const { profile, account } = this.#parts;
    await account.sequence(REQUESTS.dequeue);
    const batch = this.#isOpen ? this.#messages.take(profile.controlQueueBatchSize, Date.now()) : [];
    if (batch.length === 0) {
      this.#wasIdle = this.#polling.isIdle;
      await this.#polling.wait();
      return;
    }
    this.#polling.signal();
    try {
      await this.#receive(this.#wasIdle ? await this.#putBack(batch) : batch);
      this.#wasIdle = false;
    } catch {
      // The disk refused the lease: the messages are there as before.
      for (const message of batch) this.#messages.add(message);
      await this.#pause();
    }
  }

  #pause(): Promise<void> {
    const { profile, timers } = this.#parts;
    return new Promise((resolve) => timers.add(Date.now() + profile.pauseMs, resolve));
  }

  async #receive(batch: readonly ControlMessage[]): Promise<void> {
    const { profile, account, inHand, lease, receive } = this.#parts;
    await lease(batch, Date.now() + profile.controlQueueVisibilityTimeoutMs);
    for (const { key } of batch) inHand.add(key);
    const starts = batch.filter(({ arrival, instance }) => !arrival && !instance.parent);
    if (starts.length > 0) await account.parallel(starts.length * REQUESTS.checkStart);
    for (const message of batch) receive(message);
  }

  /** Puts back the starts that came just now, and answers with the rest. */
  async #putBack(batch: readonly ControlMessage[]): Promise<ControlMessage[]> {
    const { profile, account, lease } = this.#parts;
    const isEarly = ({ arrival, instance, dequeued, wakes }: ControlMessage) =>
      !arrival && !instance.parent && dequeued === 1 && wakes;
    const early = batch.filter(isEarly);
    if (early.length > 0) {
      const visibleAt = Date.now() + profile.startDeferredMs;
      await lease(early, visibleAt);
      for (const message of early) this.#messages.add(Object.assign(message, { visibleAt }));
      await account.parallel(early.length * REQUESTS.update);
    }
    return batch.filter((message) => !early.includes(message));
  }
}
