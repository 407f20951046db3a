// A record that the supervisor could not recover steps back, so that a sweep reaches the other overdue records (P10).
import { after } from "../duration.ts";
import type { StateRecord, Unrecovered } from "../record/state-record.ts";

const SHORTEST_MS = 10_000;
/** The alert `outbox-stuck` needs two looks in its window, and a redeployed version should not wait long. */
const LONGEST_MS = 5 * 60_000;
/** A temporary outage: what waits for its end must not wait much longer. */
const LONGEST_IN_OUTAGE_MS = 30_000;
const FAULT_LIMIT = 300;

/** It is still overdue. The time until the next look grows with the time since the first: each is twice the one before. */
export function steppedBack(record: StateRecord, fault: string, isOutage: boolean, now: string): StateRecord {
  const since = unrecoveredOf(record)?.since ?? now;
  const longest = isOutage ? LONGEST_IN_OUTAGE_MS : LONGEST_MS;
  const waitMs = Math.min(Math.max(Date.parse(now) - Date.parse(since), SHORTEST_MS), longest);
  return { ...record, unrecovered: { since, lookAgainAt: after(now, waitMs), fault: fault.slice(0, FAULT_LIMIT) } };
}

/** Undefined if an attempt or an operator has changed the record since. */
export function unrecoveredOf({
  unrecovered,
  updatedAt,
}: Pick<StateRecord, "unrecovered" | "updatedAt">): Unrecovered | undefined {
  return unrecovered && updatedAt <= unrecovered.since ? unrecovered : undefined;
}

export function isToBeLookedAt({ unrecovered }: StateRecord, before: string): boolean {
  return unrecovered === undefined || unrecovered.lookAgainAt < before;
}
