// The pace of a sweep: the number of records in parallel, and the pauses if store or bus limit the rate (429).

export interface Pace {
  /** The number of records that may be in progress now. */
  atOnce(): number;
  /** Store or bus limited the rate: fewer in parallel, and waits. False, at once, if the pause would outlast the sweep's time. */
  slowDown(): Promise<boolean>;
  /** A record was handled and its rate was not limited. */
  goOn(): void;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 3000;
/** A recovery takes five to ten calls one after the other; this number in parallel is several hundred recoveries a second. */
const MOST_AT_ONCE = 64;

export interface Clock {
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<void>;
}

/**
 * As TCP avoids congestion (RFC 5681): it starts with one at a time and doubles with each round without a rejection; at a rejection it halves, and
 * from then on increases by one with each round.
 * @param endAt the end of the sweep's time, in milliseconds since 1970
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
/** Service Bus's code for this case, in its SDK. */
const SERVICE_BUSY = "ServiceBusy";

/** Whether an error, or its cause, is an answer of store or bus that the rate is too high. */
export function isThrottled(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (!("code" in error)) return isThrottled(error.cause);
  return error.code === SERVICE_BUSY || Number(error.code) === TOO_MANY_REQUESTS || isThrottled(error.cause);
}
