// How many jobs may be in flight (P26): few at first, and more when as many have ended and no step waits for long. A limit that is fixed is right for
// one speed of the engine: on a slower one, the steps of what is admitted at once wait past their start-by. Slow start, as in TCP (RFC 5681).

export interface AdaptiveLimit {
  readonly current: number;
  /** A new count of the jobs in flight; `before`: as this process saw them until now; `admitted`: by it since the last count. */
  counted(jobs: { readonly held: number; readonly before: number; readonly admitted: number }, now: number): void;
  /** Whether it would widen, if few steps are late. */
  mayWiden(now: number): boolean;
  /** @param late of `looked` jobs in flight: those with a step that should have been taken up. @param isStopped no new job needs their agents */
  saw(looked: number, late: number, isStopped: boolean, now: number): void;
}

/** An agent that is away has some late steps too. */
const LATE_SHARE = 0.1;
/** What was admitted is not in the count until it is claimed, and looks as if it had ended. So as many must have ended twice. */
const ROUNDS = 2;
/** What was admitted before it changed is taken up meanwhile, or late. */
const SHOWN_AFTER_MS = 6000;
/** Counts of a burst go up and down. */
const UNUSED_AFTER_MS = 2000;
/** What was seen of the engine's speed says little after such a time of few jobs. */
const FORGETS_AFTER_MS = 60_000;

/** @param least it begins with, and is never below that. @param most for an engine that keeps up */
export function createAdaptiveLimit(least: number, most: number): AdaptiveLimit {
  const lowest = Math.min(least, most);
  let limit = lowest;
  let inFlight = 0;
  /** Since the limit has been the same, and more than half of it in use. */
  let usedSince: number | undefined;
  let ended = 0;
  let usedAt = Number.NEGATIVE_INFINITY;

  const isShown = (now: number) => usedSince !== undefined && now - usedSince > SHOWN_AFTER_MS;
  const mayWiden = (now: number) =>
    limit < most && usedSince !== undefined && (ended >= limit * ROUNDS || isShown(now));

  function set(jobs: number): void {
    limit = Math.max(lowest, Math.min(most, Math.floor(jobs)));
    usedSince = undefined;
  }

  return {
    get current() {
      return limit;
    },
    mayWiden,
    counted({ held, before, admitted }, now) {
      if (Math.max(held, before) > limit / 2) usedAt = now;
      if (now - usedAt > FORGETS_AFTER_MS) set(lowest);
      if (now - usedAt > UNUSED_AFTER_MS) usedSince = undefined;
      else if (usedSince === undefined) [usedSince, ended] = [now, 0];
      else ended += admitted + inFlight - held;
      inFlight = held;
    },
    saw(looked, late, isStopped, now) {
      if (late > looked * LATE_SHARE) {
        if (!isStopped && limit > lowest && isShown(now)) set(limit / 2);
      } else if (mayWiden(now)) set(Math.max(limit, inFlight) * 2);
      // Other processes have admitted them, and the engine keeps up.
      else if (inFlight > limit) set(inFlight);
    },
  };
}
