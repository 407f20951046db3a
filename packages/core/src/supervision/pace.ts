// How fast a sweep goes: how many records it deals with at once, and how long it pauses where store or bus asks for less (429).

export interface Pace {
  /** How many records may be under way now. */
  atOnce(): number;
  /** Store or bus asked for less: fewer at once, and waits. False, at once, where the pause would outlast the sweep's time. */
  slowDown(): Promise<boolean>;
  /** A record was dealt with and nobody asked for less. */
  goOn(): void;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 3000;
/** A recovery takes five to ten calls one after the other; so many side by side are several hundred recoveries a second. */
const MOST_AT_ONCE = 64;

export interface Clock {
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<void>;
}

/**
 * As TCP avoids congestion (RFC 5681): from one at a time it doubles with each round while all goes well; at a rejection it halves, and
 * from there on grows by one a round.
 * @param endAt when the sweep has to be over, in milliseconds since 1970
 */
export function createPace({ now, pause }: Clock, endAt: number): Pace {
  let next = FIRST_PAUSE_MS;
  let atOnce = 1;
  let doublesUpTo = MOST_AT_ONCE;
  return {
    atOnce: () => Math.floor(atOnce),
    async slowDown() {
      atOnce = Math.max(1, atOnce / 2);
      doublesUpTo = atOnce;
      const ms = next;
      next = Math.min(next * 2, LONGEST_PAUSE_MS);
      if (now() + ms > endAt) return false;
      await pause(ms);
      return true;
    },
    goOn() {
      atOnce = Math.min(MOST_AT_ONCE, atOnce + (atOnce < doublesUpTo ? 1 : 1 / atOnce));
      next = Math.max(FIRST_PAUSE_MS, next / 2);
    },
  };
}

const TOO_MANY_REQUESTS = 429;
/** What Service Bus says then; its SDK's code for it. */
const SERVICE_BUSY = "ServiceBusy";

/** Whether an error, or what caused it, is an answer of store or bus that it gets too much to do. */
export function isThrottled(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (!("code" in error)) return isThrottled(error.cause);
  return error.code === SERVICE_BUSY || Number(error.code) === TOO_MANY_REQUESTS || isThrottled(error.cause);
}
