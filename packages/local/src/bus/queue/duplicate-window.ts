// Remembers which message ids a queue has seen lately, so that a message sent twice is accepted twice and enqueued once.
import type { StoredDuplicate } from "./store.ts";

export class DuplicateWindow {
  /** Insertion order is the order of forgetting, as every id is remembered equally long. */
  readonly #seen = new Map<string, StoredDuplicate>();

  restore(duplicate: StoredDuplicate): void {
    this.#seen.set(duplicate.messageId, duplicate);
  }

  hasSeen(messageId: string, now: number, windowMs: number): boolean {
    const seen = this.#seen.get(messageId);
    return seen !== undefined && seen.seenAt + windowMs > now;
  }

  remember(id: number, messageId: string, now: number): StoredDuplicate {
    const duplicate = { id, messageId, seenAt: now };
    this.#seen.delete(messageId);
    this.#seen.set(messageId, duplicate);
    return duplicate;
  }

  /** Forgets up to `limit` ids that left the window and returns their rows. */
  forget(now: number, windowMs: number, limit: number): number[] {
    const forgotten: number[] = [];
    for (const { id, messageId, seenAt } of this.#seen.values()) {
      if (seenAt + windowMs > now || forgotten.length === limit) break;
      this.#seen.delete(messageId);
      forgotten.push(id);
    }
    return forgotten;
  }
}
