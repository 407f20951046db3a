// Storage queue triggers: each message is an invocation, with what the queue says of it as metadata.
import { randomUUID } from "node:crypto";
import { textData } from "../bindings/typed-data.ts";
import type { TypedData } from "../contract.ts";
import type { QueueSettings } from "../host-json.ts";
import { describeFault } from "../invocation.ts";
import { StorageAccount } from "../storage/storage-account.ts";
import { type QueueMessage, StorageQueue } from "../storage/storage-queue.ts";
import { hostLine, type Listener, type ListenerContext } from "./listener.ts";
import { QueuePump } from "./queue-pump.ts";

/** Throws where the binding names no queue, or its connection is none. */
export function storageQueueListener(context: ListenerContext, settings: QueueSettings): Listener {
  return new StorageQueueListener(context, settings);
}

class StorageQueueListener implements Listener {
  readonly functionName: string;
  readonly #context: ListenerContext;
  readonly #say: ReturnType<typeof hostLine>;
  readonly #pump: QueuePump;

  constructor(context: ListenerContext, settings: QueueSettings) {
    const { queueName, connection } = context.registered.trigger;
    if (typeof queueName !== "string" || queueName === "") throw new Error("its queue trigger names no queue");
    const account = new StorageAccount(String(connection));
    this.functionName = context.registered.name;
    this.#context = context;
    this.#say = hostLine(context);
    this.#pump = new QueuePump({
      queue: new StorageQueue(account, queueName, settings.messageEncoding),
      poison: new StorageQueue(account, `${queueName}-poison`, settings.messageEncoding),
      settings,
      say: this.#say,
      handle: (message) => this.#invoke(textData(message.text), metadataOf(message)),
    });
  }

  start(): void {
    this.#pump.start();
  }

  stop(): Promise<void> {
    return this.#pump.stop();
  }

  ended(): Promise<void> {
    return this.#pump.ended();
  }

  handBack(): Promise<void> {
    return this.#pump.handBack();
  }

  async runByHand(input = ""): Promise<void> {
    await this.#invoke(textData(input), { QueueTrigger: { json: JSON.stringify(input) } });
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
