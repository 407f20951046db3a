// Storage queue triggers: polls at growing intervals, deletes after success, and after the last failure puts the message into the poison queue.
// (Functions documentation, "Azure Queue storage trigger": polling algorithm, concurrency, poison messages.)
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { TypedData } from "../contract.ts";
import type { QueueSettings } from "../host-json.ts";
import { describeFault } from "../invocation.ts";
import { StorageAccount } from "../storage/storage-account.ts";
import { type QueueMessage, StorageQueue } from "../storage/storage-queue.ts";
import { textData } from "../typed-data.ts";
import { hostLine, type Listener, type ListenerContext } from "./listener.ts";

/** How long a message that is worked on is hidden, and when that is prolonged. */
const HIDDEN_MS = 10 * 60_000;
const PROLONG_AFTER_MS = HIDDEN_MS / 2;
const FIRST_PAUSE_MS = 100;

/** Throws where the binding names no queue, or its connection is none. */
export function storageQueueListener(context: ListenerContext, settings: QueueSettings): Listener {
  return new StorageQueueListener(context, settings);
}

class StorageQueueListener implements Listener {
  readonly functionName: string;
  readonly #context: ListenerContext;
  readonly #settings: QueueSettings;
  readonly #say: ReturnType<typeof hostLine>;
  readonly #queue: StorageQueue;
  readonly #poison: StorageQueue;
  readonly #stopped = new AbortController();
  readonly #underWay = new Map<QueueMessage, Promise<void>>();
  #polling: Promise<void> = Promise.resolve();

  constructor(context: ListenerContext, settings: QueueSettings) {
    const { queueName, connection } = context.registered.trigger;
    if (typeof queueName !== "string" || queueName === "") throw new Error("its queue trigger names no queue");
    const account = new StorageAccount(String(connection));
    this.functionName = context.registered.name;
    this.#context = context;
    this.#settings = settings;
    this.#say = hostLine(context);
    this.#queue = new StorageQueue(account, queueName, settings.messageEncoding);
    this.#poison = new StorageQueue(account, `${queueName}-poison`, settings.messageEncoding);
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
    await Promise.allSettled([...this.#underWay.keys()].map((message) => this.#queue.hide(message, 0)));
  }

  async runByHand(input = ""): Promise<void> {
    await this.#invoke(textData(input), { QueueTrigger: { json: JSON.stringify(input) } });
  }

  async #poll(): Promise<void> {
    const { batchSize, newBatchThreshold, maxPollingIntervalMs } = this.#settings;
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
      return await this.#queue.receive(count, HIDDEN_MS);
    } catch (cause) {
      this.#say("warning", describeFault(cause));
      return [];
    }
  }

  #take(message: QueueMessage): void {
    const work = this.#handle(message).finally(() => this.#underWay.delete(message));
    this.#underWay.set(message, work);
  }

  /** Never rejects: what cannot be settled comes again when it is visible. */
  async #handle(message: QueueMessage): Promise<void> {
    const prolong = setInterval(() => {
      this.#queue.hide(message, HIDDEN_MS).catch((cause: unknown) => this.#say("warning", describeFault(cause)));
    }, PROLONG_AFTER_MS).unref();
    const succeeded = await this.#invoke(textData(message.text), metadataOf(message));
    clearInterval(prolong);
    try {
      await (succeeded ? this.#queue.delete(message) : this.#failed(message));
    } catch (cause) {
      this.#say("warning", `message ${message.id} comes again: ${describeFault(cause)}`);
    }
  }

  async #failed(message: QueueMessage): Promise<void> {
    const { maxDequeueCount, visibilityTimeoutMs } = this.#settings;
    if (message.dequeueCount < maxDequeueCount) return await this.#queue.hide(message, visibilityTimeoutMs);
    this.#say("warning", `message ${message.id} failed ${message.dequeueCount} times: it goes to ${this.#poison.name}`);
    await this.#poison.send(message.text);
    await this.#queue.delete(message);
  }

  async #invoke(data: TypedData, triggerMetadata: Readonly<Record<string, TypedData>>): Promise<boolean> {
    const { app, registered } = this.#context;
    try {
      const inputs = { [registered.triggerName]: data };
      await app.invoke(registered.name, { invocationId: randomUUID(), inputs, triggerMetadata });
      return true;
    } catch (cause) {
      this.#say("error", `failed: ${describeFault(cause)}`);
      return false;
    }
  }
}

function metadataOf(message: QueueMessage): Record<string, TypedData> {
  const metadata = {
    ...membersOf(message.text),
    QueueTrigger: message.text,
    Id: message.id,
    DequeueCount: message.dequeueCount,
    ExpirationTime: message.expiresAt,
    InsertionTime: message.insertedAt,
    NextVisibleTime: message.nextVisibleAt,
    PopReceipt: message.popReceipt,
  };
  return Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, { json: JSON.stringify(value) }]));
}

/** A JSON body's own members are metadata too. */
function membersOf(text: string): Record<string, unknown> {
  if (!/^\s*\{/.test(text)) return {};
  try {
    const members = Object.entries(JSON.parse(text) as Record<string, unknown>);
    return Object.fromEntries(members.filter(([, value]) => value !== null));
  } catch {
    return {};
  }
}
