// When a job is over permanently (P29): then its secrets and, after a time, its documents may be removed.

import { after } from "../duration.ts";
import { withoutDeadline } from "./deadline.ts";
import { hasEnded, type JobError, type StateRecord } from "./state-record.ts";

/** Nothing is open: no step, no compensation, no decision by a person and no message. */
export function isOver({ processState, error, outbox }: StateRecord): boolean {
  if (outbox.length > 0) return false;
  return processState === "Error" ? error?.kind === "resolved" : hasEnded(processState);
}

/** The members of a record that is over. Each has its own index, of jobs that are over and not closed: a search reads no other record. */
export function over(record: StateRecord, now: string): Pick<StateRecord, "overAt" | "overInErrorAt"> {
  if (!isOver(record)) return {};
  return record.processState === "Processed" ? { overAt: now } : { overInErrorAt: now };
}

/** Undefined if it is not over, or is closed. */
export function overSince({ overAt, overInErrorAt }: StateRecord): string | undefined {
  return overAt ?? overInErrorAt ?? undefined;
}

/** The record without the members for over, closed and unrecovered. */
export function reopened(record: StateRecord): StateRecord {
  const { overAt: _over, overInErrorAt: _inError, keptUntil: _closed, unrecovered: _unrecovered, ...rest } = record;
  return rest;
}

/** The same, and whether it is over now. */
export function overAgain(record: StateRecord, now: string): StateRecord {
  const open = reopened(record);
  return { ...open, ...over(open, now) };
}

/** The record after the job is closed. */
export function closed(record: StateRecord, now: string, keepMs: number): StateRecord {
  return { ...reopened(withoutDeadline(record)), keptUntil: after(now, keepMs), updatedAt: now };
}

/** Why a job is in Error, and whether it then still needs a person. The others stay there permanently. */
const IS_OPEN = {
  rejected: true,
  expired: true,
  compensationIncomplete: true,
  deadlinePassed: true,
  compensationRequested: false,
  cancelled: false,
  resolved: false,
} as const satisfies Record<JobError["kind"], boolean>;

/** The kinds of error of jobs that still need a person. */
export const OPEN_ERRORS = (Object.keys(IS_OPEN) as JobError["kind"][]).filter((kind) => IS_OPEN[kind]);
