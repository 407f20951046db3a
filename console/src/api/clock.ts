// Two clocks: the app's, in which all its instants are, and the browser's, which may be wrong, set anew, or have slept.
import { FRESH_MS, isOfNow } from "@scheduler-agent-supervisor/operator/internal/domain/freshness";

/** The browser's may differ by so much: the app says its own in whole seconds, and an answer is under way for a while. */
const TOLERATED_MS = 30_000;
/** Of an answer that took longer it is not known when it was given. */
const SOON_MS = 5_000;

let aheadMs = 0;

/** @param date the header of an answer that no cache has kept */
export function compareClocks(date: string | null, askedAt: number): void {
  const answeredAt = Date.now();
  const said = Date.parse(date ?? "");
  if (Number.isNaN(said) || answeredAt < askedAt || answeredAt - askedAt > SOON_MS) return;
  const ahead = said - answeredAt;
  aheadMs = Math.abs(ahead) > TOLERATED_MS ? ahead : 0;
}

/** Now, as the app's clock says it. */
export const appNow = (): number => Date.now() + aheadMs;

/** @param at in the browser's time, as an answer's arrival is */
export const inAppTime = (at: number): number => at + aheadMs;

/** Whether an answer is recent. One from the future is not: the browser's clock was set back, and nobody knows how old it is. */
export function isRecent(arrivedAt: number, withinMs = FRESH_MS): boolean {
  const ageMs = Date.now() - arrivedAt;
  return ageMs <= withinMs && ageMs >= -TOLERATED_MS;
}

/** Whether an answer arrived recently, and says what was so recently. */
export function isCurrent({ data, dataUpdatedAt }: Arrived, withinMs?: number): boolean {
  return isRecent(dataUpdatedAt, withinMs) && isOfNow(data, appNow());
}

interface Arrived {
  readonly data: unknown;
  readonly dataUpdatedAt: number;
}
