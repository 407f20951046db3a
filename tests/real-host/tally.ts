// Where a number of orders stand: how many in which state, how often they were tried, how long they took.

import { isInHand, runOf, type StateRecord } from "@scheduler-agent-supervisor/core/domain";
import { percentile } from "../../bench/load.ts";

export interface Tally {
  readonly orders: number;
  /** Not yet in the store. */
  readonly waiting: number;
  /** By process state; an order that is being compensated, and one that is compensated, by these words. */
  readonly states: Readonly<Record<string, number>>;
  /** How many orders are in attempt 1, 2, 3 and so on. */
  readonly attempts: readonly number[];
  readonly ended: number;
  readonly compensated: number;
  /** Attempts beyond each order's first, without those that compensation. */
  readonly retries: number;
  /** Runs of steps that are in hand, by step and state. */
  readonly inHand: Readonly<Record<string, number>>;
}

export interface Latency {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const UNDER_WAY: ReadonlySet<string> = new Set(["Pending", "Processing"]);
const COMPENSATED = "compensated";
const COMPENSATING = "compensating";

export function tallyOf(orders: number, records: readonly StateRecord[]): Tally {
  const states: Record<string, number> = {};
  const attempts: number[] = [];
  const inHand: Record<string, number> = {};
  for (const record of records) {
    for (const [step, own] of Object.entries(record.steps)) {
      const run = runOf(own, record.direction);
      const what = `${step} ${run?.state}`;
      if (isInHand(run)) inHand[what] = (inHand[what] ?? 0) + 1;
    }
    const state = stateOf(record);
    states[state] = (states[state] ?? 0) + 1;
    for (let attempt = attempts.length; attempt < record.attempt; attempt += 1) attempts.push(0);
    attempts[record.attempt - 1] = (attempts[record.attempt - 1] ?? 0) + 1;
  }
  return {
    orders,
    waiting: orders - records.length,
    states,
    attempts,
    ended: records.filter(hasEnded).length,
    compensated: (states[COMPENSATED] ?? 0) + (states[COMPENSATING] ?? 0),
    retries: records.reduce((sum, { attempt, direction }) => sum + attempt - (direction === "compensate" ? 2 : 1), 0),
    inHand,
  };
}

export function hasEnded({ processState }: StateRecord): boolean {
  return !UNDER_WAY.has(processState);
}

function stateOf(record: StateRecord): string {
  if (record.direction !== "compensate") return record.processState;
  return hasEnded(record) ? COMPENSATED : COMPENSATING;
}

/** One line: where the orders stand, how many are in which attempt, and what is in hand. */
export function inWords({ waiting, states, attempts, inHand }: Tally): string {
  const named = Object.entries(states).sort(([one], [other]) => (one < other ? -1 : 1));
  const parts = [`in the queue ${waiting}`, ...named.map(([state, count]) => `${state} ${count}`)];
  const steps = Object.entries(inHand).map(([what, count]) => `${what} ${count}`);
  return [parts.join(", "), histogram(attempts), ...(steps.length > 0 ? [steps.join(", ")] : [])].join("; ");
}

export function histogram(attempts: readonly number[]): string {
  return `attempt ${attempts.map((count, index) => `${index + 1}: ${count}`).join(", ") || "1: 0"}`;
}

/** From each order's arrival in its queue, by the broker's clock, to the end of its last step; of those Processed. */
export function latencyOf(records: readonly StateRecord[]): Latency | undefined {
  const times = records.flatMap((record) => timeOf(record) ?? []).sort((one, other) => one - other);
  if (times.length === 0) return undefined;
  return { p50Ms: percentile(times, 0.5), p99Ms: percentile(times, 0.99) };
}

export function timeOf(record: StateRecord): number | undefined {
  if (record.processState !== "Processed") return undefined;
  return endOf(record) - Date.parse(record.enqueuedAt ?? record.createdAt);
}

/** When the last of its steps ended, in milliseconds since 1970; of one that has no such time, when it was last written. */
export function endOf({ steps, updatedAt }: StateRecord): number {
  const ends = Object.values(steps).flatMap(({ endedAt, compensation }) =>
    [endedAt ?? [], compensation?.endedAt ?? []].flat(),
  );
  return ends.length > 0 ? Math.max(...ends.map((at) => Date.parse(at))) : Date.parse(updatedAt);
}
