// How much a host completes, orders taken in and steps: of a few orders, without contention, and in each stretch of a burst compared with that.
import type { StateRecord } from "@scheduler-agent-supervisor/core/domain";

/** So many orders at once wait for little more than their own steps. */
export const CALM_ORDERS = 40;
/** A stretch takes as long as so many times as much took without contention. */
const TIMES = 2;
/** Of what is done without contention. */
const LEAST_PART = 0.5;

export interface Calm {
  readonly completions: number;
  readonly seconds: number;
}

/** When each order was taken in, and each of their steps ended, in milliseconds since 1970. */
function timesOf(records: readonly StateRecord[]): number[] {
  return records.flatMap(({ createdAt, steps }) =>
    [createdAt, ...Object.values(steps).map(({ endedAt }) => endedAt ?? "")].flatMap((at) => Date.parse(at) || []),
  );
}

/** From the first send to the last end. */
export function calmOf(records: readonly StateRecord[], begunAt: number): Calm {
  const times = timesOf(records);
  return { completions: times.length, seconds: (Math.max(...times) - begunAt) / 1000 };
}

/** Of each stretch in which as much was left to do as is done without contention: the part of that which was done. */
export function partsOf(records: readonly StateRecord[], begunAt: number, calm: Calm): number[] {
  const times = timesOf(records);
  const [wanted, stretchMs] = [TIMES * calm.completions, TIMES * calm.seconds * 1000];
  const parts: number[] = [];
  for (let from = begunAt, done = 0; times.length - done >= wanted; from += stretchMs) {
    const until = times.filter((at) => at < from + stretchMs).length;
    parts.push(Number(((until - done) / wanted).toFixed(2)));
    done = until;
  }
  return parts;
}

/** In words: a stretch in which too little was done. */
export function paceFaults(parts: readonly number[]): string[] {
  const low = parts.filter((part) => part < LEAST_PART);
  return low.map((part) => `for a while ${Math.round(part * 100)} % of what is done without contention`);
}
