// How late the durable engine begins what it is given (P26), as this process sees it: a step that passes through a slow engine needs more time.

/** What was seen is used for this time at least, and for twice this time at most. */
const KEPT_MS = 120_000;

export interface EngineDelay {
  /** An activity begins, so long after its step was scheduled. */
  saw(lateMs: number): void;
  /** The longest of the last minutes; none if nothing began. */
  readonly longestMs: number;
}

export function createEngineDelay(now: () => number): EngineDelay {
  let [since, longest, before] = [Number.NEGATIVE_INFINITY, 0, 0];
  const turn = () => {
    const age = now() - since;
    if (age < KEPT_MS) return;
    [since, longest, before] = [now(), 0, age < 2 * KEPT_MS ? longest : 0];
  };
  return {
    saw(lateMs) {
      turn();
      longest = Math.max(longest, lateMs);
    },
    get longestMs() {
      turn();
      return Math.max(longest, before);
    },
  };
}
