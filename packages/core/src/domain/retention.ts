// When a job is over for good (P29): then its secrets and, after a time, its documents may go.
import { after } from "./duration.ts";
import { hasEnded, type StateRecord } from "./state-record.ts";

/** Nothing is owed: no step, no compensation, no decision of a person's and no message. */
export function isOver({ processState, error, outbox }: StateRecord): boolean {
  if (outbox.length > 0) return false;
  return processState === "Error" ? error?.kind === "resolved" : hasEnded(processState);
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

/** The record as it is once the job is closed. */
export function closed(record: StateRecord, now: string, keepMs: number): StateRecord {
  return { ...reopened(record), keptUntil: after(now, keepMs), updatedAt: now };
}
