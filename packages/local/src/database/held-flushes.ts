// For tests: a slow disk. What is committed in `full` durability is not flushed before the test says so.
import { onTestFinished, vi } from "vitest";
import { WriteAheadLog } from "./write-ahead-log.ts";

const SETTLES_WITHIN_MS = 50;

interface HeldFlushes {
  /** How many were asked for. */
  readonly begun: number;
  /** Waits for one that is under way. */
  next(): Promise<void>;
  /** Ends the oldest one. Throws what the database throws. */
  end(fault?: Error): void;
  /** Ends them all, and holds no more. So does the end of the test. */
  release(): void;
}

/** Holds those of all databases in this process. */
export function holdFlushes(): HeldFlushes {
  const held: ((fault: Error | null) => void)[] = [];
  const flush = vi.spyOn(WriteAheadLog.prototype, "flush").mockImplementation((done) => void held.push(done));
  const release = () => {
    flush.mockRestore();
    for (const done of held.splice(0)) done(null);
  };
  onTestFinished(release);
  return {
    get begun() {
      return flush.mock.calls.length;
    },
    next: () => vi.waitUntil(() => held.length > 0, { interval: 1, timeout: 10_000 }).then(() => undefined),
    end: (fault) => held.shift()?.(fault ?? null),
    release,
  };
}

/** False where it is still pending after a time in which much happens that does not wait for the disk. */
export async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const waited = new Promise<false>((resolve) => setTimeout(resolve, SETTLES_WITHIN_MS, false));
  return Promise.race([promise.then(() => true), waited]);
}
