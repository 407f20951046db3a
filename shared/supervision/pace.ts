// How fast a sweep goes: on a store that asks for less (429) it pauses, longer each time, and speeds up again.

export interface Pace {
  /** The store asked for less: waits. False, at once, where the pause would outlast the sweep's time. */
  slowDown(): Promise<boolean>;
  /** The store kept up. */
  goOn(): void;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 3000;

export interface Clock {
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<void>;
}

/** @param endAt when the sweep has to be over, in milliseconds since 1970 */
export function createPace({ now, pause }: Clock, endAt: number): Pace {
  let next = FIRST_PAUSE_MS;
  return {
    async slowDown() {
      const ms = next;
      next = Math.min(next * 2, LONGEST_PAUSE_MS);
      if (now() + ms > endAt) return false;
      await pause(ms);
      return true;
    },
    goOn() {
      next = Math.max(FIRST_PAUSE_MS, next / 2);
    },
  };
}

const TOO_MANY_REQUESTS = 429;

/** Whether an error, or what caused it, is a store's answer that it gets too much to do. */
export function isThrottled(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ("code" in error && Number(error.code) === TOO_MANY_REQUESTS) || isThrottled(error.cause);
}
