// Keeps the bytes of messages in memory up to a budget; beyond it, and after a restart, they are read from the store when needed.
import type { Message } from "../encoded/message.ts";
import type { Store } from "./store.ts";

const BUDGET_BYTES = 128 * 1024 * 1024;

export class BodyCache {
  #held = 0;
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  keep(message: Message, bytes: Buffer): void {
    this.drop(message);
    if (this.#held + bytes.length > BUDGET_BYTES) return;
    this.#held += bytes.length;
    message.bytes = bytes;
  }

  drop(message: Message): void {
    this.#held -= message.bytes?.length ?? 0;
    message.bytes = undefined;
  }

  bytes(queue: number, message: Message): Buffer {
    const bytes = message.bytes ?? this.#store.bytes(queue, message.sequence);
    if (!bytes) throw new Error(`Message ${message.sequence} of queue ${queue} is in memory but not in the store`);
    return bytes;
  }
}
