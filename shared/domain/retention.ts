// When an order is over for good (P29): then its secrets and, after a time, its documents may go.
import { after } from "./duration.ts";
import type { OrderError, StateRecord } from "./state-record.ts";

/** Kinds of error in which nothing is left to do, by anybody. */
const AT_REST: ReadonlySet<OrderError["kind"] | undefined> = new Set(["undone", "cancelled", "settled"]);

/** Nothing is owed: no step, no undo, no decision of a person's and no message. */
export function isOver({ processState, error, notices }: StateRecord): boolean {
  if (notices.length > 0) return false;
  return processState === "Processed" || (processState === "Error" && AT_REST.has(error?.kind));
}

/** What a record says once it is over. Each has an index of its own, of what is over and not closed: nothing has to be passed over. */
export function over(record: StateRecord, now: string): Pick<StateRecord, "overAt" | "overInErrorAt"> {
  if (!isOver(record)) return {};
  return record.processState === "Processed" ? { overAt: now } : { overInErrorAt: now };
}

/** Undefined where it is not over, or closed. */
export function overSince({ overAt, overInErrorAt }: StateRecord): string | undefined {
  return overAt ?? overInErrorAt ?? undefined;
}

/** The record without a word of its being over or closed. */
export function reopened(record: StateRecord): StateRecord {
  const { overAt: _over, overInErrorAt: _inError, keptUntil: _closed, ...rest } = record;
  return rest;
}

/** The record as it is once the order is closed. */
export function closed(record: StateRecord, now: string, keepMs: number): StateRecord {
  return { ...reopened(record), keptUntil: after(now, keepMs), updatedAt: now };
}
