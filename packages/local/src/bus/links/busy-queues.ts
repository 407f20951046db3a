// Whose sends the broker answers as a server that has too much to do: each nth of all, as `--like-azure` has it, and those of queues that a switch names.

export class BusyQueues {
  readonly #every: number | undefined;
  readonly #left = new Map<string, number>();
  #count = 0;

  /** @param every absent: only the queues that were named */
  constructor(every?: number) {
    this.#every = every;
  }

  /** @param sends how many of the next; 0 ends it */
  set(queue: string, sends: number): void {
    this.#left.set(queue.toLowerCase(), sends);
  }

  /** Of one more send to the queue. */
  isBusy(queue: string): boolean {
    this.#count += 1;
    const left = this.#left.get(queue.toLowerCase()) ?? 0;
    if (left > 0) this.#left.set(queue.toLowerCase(), left - 1);
    return left > 0 || (this.#every !== undefined && this.#count % this.#every === 0);
  }
}
