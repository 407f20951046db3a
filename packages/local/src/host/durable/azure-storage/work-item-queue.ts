// The one queue of all activities: fetched one at a time, first in, first out, while fewer run than may.
import { setTimeout as sleep } from "node:timers/promises";
import type { Activities } from "../activities.ts";
import { type AzureStorageProfile, REQUESTS } from "../engine-profile.ts";
import type { Timers } from "../timers.ts";
import type { Work, WorkOutcome } from "../work.ts";
import { MessageQueue, type QueueMessage } from "./message-queue.ts";
import { Polling } from "./polling.ts";
import type { StorageAccount } from "./storage-account.ts";

/** Before a full disk is tried again. */
const RETRY_MS = 1000;

export interface WorkMessage extends QueueMessage {
  readonly work: Work;
  /** Commits the answer and sends it. */
  readonly answer: (outcome: WorkOutcome) => Promise<void>;
}

interface WorkItemQueueParts {
  readonly profile: AzureStorageProfile;
  readonly account: StorageAccount;
  readonly timers: Timers;
  readonly activities: Activities;
  readonly maxActivities: number;
  readonly lease: (messages: readonly QueueMessage[], visibleAt: number) => Promise<void>;
}

export class WorkItemQueue {
  readonly #parts: WorkItemQueueParts;
  readonly #messages = new MessageQueue<WorkMessage>();
  readonly #running = new Set<WorkMessage>();
  readonly #polling: Polling;
  #isOpen = false;
  #slotIsFree: (() => void) | undefined;
  #renewing: NodeJS.Timeout | undefined;

  constructor(parts: WorkItemQueueParts) {
    this.#parts = parts;
    this.#polling = new Polling(parts.profile, parts.timers);
  }

  get size(): number {
    return this.#messages.size;
  }

  get running(): number {
    return this.#running.size;
  }

  add(message: WorkMessage): void {
    this.#messages.add(message);
    this.#polling.signal();
  }

  open(): void {
    this.#isOpen = true;
    this.#renewing = setInterval(() => this.#renew(), this.#parts.profile.renewEveryMs).unref();
    void this.#listen();
  }

  /** Fetches no more; what runs may end. */
  close(): void {
    this.#isOpen = false;
    clearInterval(this.#renewing);
  }

  async #listen(): Promise<void> {
    while (this.#isOpen) {
      if (this.#running.size >= this.#parts.maxActivities) await this.#slot();
      else await this.#poll();
    }
  }

  #slot(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#slotIsFree = resolve;
    return promise;
  }

  async #poll(): Promise<void> {
    const { profile, account, lease } = this.#parts;
    await account.sequence(REQUESTS.dequeue);
    const [message] = this.#isOpen ? this.#messages.take(1, Date.now()) : [];
    if (!message) {
      await this.#polling.wait();
      return;
    }
    this.#polling.signal();
    try {
      await lease([message], Date.now() + profile.workItemQueueVisibilityTimeoutMs);
      if (this.#isOpen) this.#run(message);
    } catch {
      // The disk refused the lease: the message is there as before.
      this.#messages.add(message);
      await this.#polling.wait();
    }
  }

  #run(message: WorkMessage): void {
    const { account, activities } = this.#parts;
    this.#running.add(message);
    activities.run(message.work, async (outcome) => {
      // At a stop there is no time left, and what has been done is not to be done again.
      if (this.#isOpen) await account.sequence(REQUESTS.send);
      await this.#answer(message, outcome);
      if (this.#isOpen) await account.sequence(REQUESTS.remove);
      this.#running.delete(message);
      this.#slotIsFree?.();
    });
  }

  /** What a full disk does not take is written when there is room. Not written, as when the engine is closed, it is done once more. */
  async #answer({ answer }: WorkMessage, outcome: WorkOutcome): Promise<void> {
    for (;;) {
      const isKept = await answer(outcome).then(
        () => true,
        () => false,
      );
      if (isKept || !this.#isOpen) return;
      await sleep(RETRY_MS, undefined, { ref: false });
    }
  }

  #renew(): void {
    const { profile, account, lease } = this.#parts;
    const running = [...this.#running];
    if (running.length === 0) return;
    void account.parallel(running.length * REQUESTS.update);
    void lease(running, Date.now() + profile.workItemQueueVisibilityTimeoutMs).catch(() => undefined);
  }
}
