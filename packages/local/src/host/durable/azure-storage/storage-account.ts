// The storage account as a shared capacity: so many requests at a time, each of the same length, in the order in which they are made.
import type { AzureStorageProfile } from "../engine-profile.ts";
import type { Timers } from "../timers.ts";

export class StorageAccount {
  requests = 0;
  readonly #requestMs: number;
  readonly #timers: Timers;
  /** When each lane is free, in epoch milliseconds with fractions. */
  readonly #freeAt: number[];

  constructor({ requestMs, requestsAtOnce }: AzureStorageProfile, timers: Timers) {
    this.#requestMs = requestMs;
    this.#timers = timers;
    this.#freeAt = Array.from({ length: requestsAtOnce }, () => 0);
  }

  /** Makes requests one after the other. */
  async sequence(count: number): Promise<void> {
    let endedAt = Date.now();
    for (let left = count; left > 0; left -= 1) endedAt = await this.#request(endedAt);
  }

  /** Makes requests all at once; resolves when the last has ended. */
  async parallel(count: number): Promise<void> {
    const now = Date.now();
    await Promise.all(Array.from({ length: count }, () => this.#request(now)));
  }

  /**
   * @param from when it is made. Handed on from request to request, for a timer fires late by up to a few milliseconds, and a chain of
   * requests would add that up.
   * @returns when it ended.
   */
  #request(from: number): Promise<number> {
    this.requests += 1;
    const lane = this.#freeAt.indexOf(Math.min(...this.#freeAt));
    const endsAt = Math.max(from, this.#freeAt[lane] ?? 0) + this.#requestMs;
    this.#freeAt[lane] = endsAt;
    return new Promise((resolve) => {
      if (endsAt <= Date.now()) resolve(endsAt);
      else this.#timers.add(Math.ceil(endsAt), () => resolve(endsAt));
    });
  }
}
