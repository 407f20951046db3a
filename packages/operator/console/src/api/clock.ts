// Two clocks: the app's, in which all its instants are, and the browser's, which may be wrong, set anew, or have slept.
import { ANSWERED_MS, FRESH_MS, isOfNow } from "@scheduler-agent-supervisor/operator/domain";

/** The browser's may differ by so much: the app says its own in whole seconds, and an answer is under way for a while. */
const TOLERATED_MS = 30_000;
/** Of an answer that took longer it is not known when it was given. */
const SOON_MS = 5_000;
/** After a request without an answer: the next one may have gone to another host, which is well. Each query of the first view is made within this time. */
const UNANSWERED_MS = 60_000;

export interface Clock {
  /** @param date the header of an answer that no cache has kept */
  compare(date: string | null, askedAt: number): void;
  /** How far the app's clock is ahead of the browser's; 0 for what is tolerated. */
  aheadMs(): number;
}

export function createClock(): Clock {
  let aheadMs = 0;
  /** The latest time that the app has said, and when, by a clock that nobody sets. */
  let latest: { readonly said: number; readonly atMs: number } | undefined;
  return {
    compare(date, askedAt) {
      const answeredAt = Date.now();
      const said = Date.parse(date ?? "");
      if (Number.isNaN(said) || answeredAt < askedAt || answeredAt - askedAt > SOON_MS) return;
      const atMs = performance.now();
      // Something between gives an answer again, with the time that it had then: what is not later says nothing of now.
      if (latest && (said <= latest.said || said < latest.said + (atMs - latest.atMs) - TOLERATED_MS)) return;
      latest = { said, atMs };
      const ahead = said - answeredAt;
      aheadMs = Math.abs(ahead) > TOLERATED_MS ? ahead : 0;
    },
    aheadMs: () => aheadMs,
  };
}

const clock = createClock();
export const compareClocks = clock.compare;

/** Now, as the app's clock says it. */
export const appNow = (): number => inAppTime(Date.now());

/** @param at in the browser's time, as an answer's arrival is */
export const inAppTime = (at: number): number => at + clock.aheadMs();

/** Whether an answer is recent. One from the future is not: the browser's clock was set back, and nobody knows how old it is. */
export function isRecent(arrivedAt: number, withinMs = FRESH_MS): boolean {
  const ageMs = Date.now() - arrivedAt;
  return ageMs <= withinMs && ageMs >= -TOLERATED_MS;
}

/** Whether an answer arrived recently, and says what was so recently. */
export function isCurrent(asked: Asked): boolean {
  return isAnswered(asked, FRESH_MS) && isOfNow(asked.data, appNow());
}

/** The same for what is asked often: whether the app answers at all. */
export function isAnswering(asked: Asked): boolean {
  if (isRecent(triedAgainAt, UNANSWERED_MS)) return false;
  return isAnswered(asked, TOLERATED_MS) && isOfNow(asked.data, appNow(), ANSWERED_MS);
}

function isAnswered({ dataUpdatedAt, errorUpdatedAt }: Asked, withinMs: number): boolean {
  return isRecent(dataUpdatedAt, withinMs) && !isRecent(errorUpdatedAt, UNANSWERED_MS);
}

let triedAgainAt = 0;

/** A request was answered well only when it was made again: by another host maybe, and nothing else would say that one of them is ill. */
export function noteTriedAgain(): void {
  triedAgainAt = Date.now();
}

interface Asked {
  readonly data: unknown;
  readonly dataUpdatedAt: number;
  /** When a request last got no answer, or a poor one; 0 for never. */
  readonly errorUpdatedAt: number;
}
