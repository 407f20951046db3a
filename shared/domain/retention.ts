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

/** The record as it is once the order is closed. */
export function closed(record: StateRecord, now: string, keepMs: number): StateRecord {
  const { overAt: _over, ...rest } = record;
  return { ...rest, keptUntil: after(now, keepMs), updatedAt: now };
}
