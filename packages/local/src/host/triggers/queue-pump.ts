// Takes the messages of a storage queue for a function: polls at growing intervals, deletes after success, and after the last failure
// puts the message into the poison queue. (Functions documentation, "Azure Queue storage trigger": polling algorithm, concurrency, poison messages.)
import { setTimeout as pause } from "node:timers/promises";
import type { QueueSettings } from "../host-json.ts";
import { describeFault } from "../invocation.ts";
import type { QueueMessage, StorageQueue } from "../storage/storage-queue.ts";
import type { hostLine } from "./listener.ts";

/** How long a message that is worked on is hidden, and when that is prolonged. */
const HIDDEN_MS = 10 * 60_000;
const PROLONG_AFTER_MS = HIDDEN_MS / 2;
const FIRST_PAUSE_MS = 100;

export interface QueuePumpOptions {
  readonly queue: StorageQueue;
  readonly poison: StorageQueue;
  readonly settings: QueueSettings;
  readonly say: ReturnType<typeof hostLine>;
  /** Whether the message is done with. Never rejects. */
  handle(message: QueueMessage): Promise<boolean>;
}

export class QueuePump {
  readonly #options: QueuePumpOptions;
  readonly #stopped = new AbortController();
  readonly #underWay = new Map<QueueMessage, Promise<void>>();
  #polling: Promise<void> = Promise.resolve();

  constructor(options: QueuePumpOptions) {
    this.#options = options;
  }

  start(): void {
    this.#polling = this.#poll();
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#polling;
  }

  async ended(): Promise<void> {
    await Promise.all(this.#underWay.values());
  }

  async handBack(): Promise<void> {
    await Promise.allSettled([...this.#underWay.keys()].map((message) => this.#options.queue.hide(message, 0)));
  }

  async #poll(): Promise<void> {
    const { batchSize, newBatchThreshold, maxPollingIntervalMs } = this.#options.settings;
    const { signal } = this.#stopped;
    for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; ) {
      const messages = this.#underWay.size <= newBatchThreshold ? await this.#receive(batchSize) : [];
      for (const message of messages) this.#take(message);
      pauseMs = messages.length > 0 ? FIRST_PAUSE_MS : Math.min(pauseMs * 2, maxPollingIntervalMs);
      if (messages.length > 0 && this.#underWay.size <= newBatchThreshold) continue;
      // What has ended makes room for more, and more may be there.
      const room = this.#underWay.size > 0 ? [...this.#underWay.values()] : [];
      await Promise.race([pause(pauseMs, undefined, { signal }).catch(() => undefined), ...room]);
    }
  }

  async #receive(count: number): Promise<QueueMessage[]> {
    try {
      return await this.#options.queue.receive(count, HIDDEN_MS);
    } catch (cause) {
      this.#options.say("warning", describeFault(cause));
      return [];
    }
  }

  #take(message: QueueMessage): void {
    const work = this.#settle(message).finally(() => this.#underWay.delete(message));
    this.#underWay.set(message, work);
  }

  /** Never rejects: what cannot be settled comes again when it is visible. */
  async #settle(message: QueueMessage): Promise<void> {
    const { queue, say, handle } = this.#options;
    const prolong = setInterval(() => {
      queue.hide(message, HIDDEN_MS).catch((cause: unknown) => say("warning", describeFault(cause)));
    }, PROLONG_AFTER_MS).unref();
    const succeeded = await handle(message);
    clearInterval(prolong);
    try {
      await (succeeded ? queue.delete(message) : this.#failed(message));
    } catch (cause) {
      say("warning", `message ${message.id} comes again: ${describeFault(cause)}`);
    }
  }

  async #failed(message: QueueMessage): Promise<void> {
    const { queue, poison, say, settings } = this.#options;
    if (message.dequeueCount < settings.maxDequeueCount) return await queue.hide(message, settings.visibilityTimeoutMs);
    say("warning", `message ${message.id} failed ${message.dequeueCount} times: it goes to ${poison.name}`);
    await poison.send(message.text);
    await queue.delete(message);
  }
}
