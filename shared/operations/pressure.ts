// Whether this process has more work than it gets done in time: then orders wait in their queue, where waiting costs nothing.

export interface Pressure {
  /** How long a step that was marked Running waited for its activity. */
  note(waitedMs: number): void;
  /** Whether orders of this priority should stay in the queue for now. */
  isHigh(priority: "normal" | "high"): boolean;
}

/** What is looked at: this and the one before. */
const SPAN_MS = 1000;
/** Fewer steps than this say nothing: an engine that idles is slow to begin. */
const ENOUGH = 20;
/** Urgent orders are taken for longer. */
const URGENT_FACTOR = 2;

interface Span {
  readonly number: number;
  count: number;
  totalMs: number;
}

/**
 * A step's time begins when it is marked Running, so what waits for its activity may run out of time without having been tried.
 * Held back at the door, nothing expires for being many.
 * @param busyAboveMs steps wait longer than this on average: that is pressure
 */
export function createPressure(busyAboveMs: number, now: () => number): Pressure {
  let current: Span = { number: 0, count: 0, totalMs: 0 };
  let before: Span = current;

  function turn(): void {
    const number = Math.floor(now() / SPAN_MS);
    if (number === current.number) return;
    before = number === current.number + 1 ? current : { number: number - 1, count: 0, totalMs: 0 };
    current = { number, count: 0, totalMs: 0 };
  }

  return {
    note(waitedMs) {
      turn();
      current.count += 1;
      current.totalMs += waitedMs;
    },
    isHigh(priority) {
      turn();
      const count = current.count + before.count;
      const limit = priority === "high" ? busyAboveMs * URGENT_FACTOR : busyAboveMs;
      return count >= ENOUGH && (current.totalMs + before.totalMs) / count > limit;
    },
  };
}
