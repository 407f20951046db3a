// For tests: a slow disk. What is committed in `full` durability is not flushed before the test says so.
import { vi } from "vitest";
import { WriteAheadLog } from "./write-ahead-log.ts";

export class HeldFlushes {
  readonly #held: ((fault: Error | null) => void)[] = [];
  readonly #flush = vi.spyOn(WriteAheadLog.prototype, "flush").mockImplementation((done) => void this.#held.push(done));

  /** How many were asked for. */
  get begun(): number {
    return this.#flush.mock.calls.length;
  }

  /** Waits for a flush that is under way. */
  async next(): Promise<void> {
    await vi.waitUntil(() => this.#held.length > 0, { interval: 1 });
  }

  /** Ends the oldest one. Throws what the database throws. */
  end(fault: Error | null = null): void {
    this.#held.shift()?.(fault);
  }

  [Symbol.dispose](): void {
    this.#flush.mockRestore();
    while (this.#held.length > 0) this.end();
  }
}
