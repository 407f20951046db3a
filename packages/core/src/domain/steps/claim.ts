// An attempt's claim (P4): it takes a Pending job that nobody holds, and schedules the steps that can begin in the same write.

import { after } from "../duration.ts";
import type { Unread } from "../record/difference.ts";
import { timesOf } from "../record/due.ts";
import { OUTBOX_GRACE_MS } from "../record/outbox.ts";
import { hasEnded, type StateRecord } from "../record/state-record.ts";
import { type Circumstances, followingIn, jobEnded, settled } from "./following.ts";
import type { NextStep } from "./step-run.ts";
import { STATUS_OF, transitions } from "./transitions.ts";

const WITH_NOTHING_LEFT = {
  Processed: "claimedWithNothingToDo",
  Compensated: "claimedWithAllCompensated",
  Cancelled: "claimedWithAllCancelled",
  Error: "claimedWithManualWorkLeft",
  thenForward: "claimedWithAllCompensatedThenForward",
} as const;

/** The record after the claim of its attempt. With nothing left to do the claim concludes the job. */
export function claimOf(pending: StateRecord, holder: string, within: Circumstances): StateRecord {
  const record = settled(pending, within);
  const next = followingIn(record, within);
  return next === "over" ? concludedAtOnce(record, holder, within) : claimed(record, next, holder, within.now);
}

/** What a first claim depends on no other writer changes, while the job waits for it and nobody holds the job. */
export function claimUnread(before: StateRecord, after: StateRecord): Unread {
  const { attempt } = before;
  return { before, after, guard: { processStates: [transitions.claimed.from], lockedBy: null, attempt } };
}

/** The record that its attempt holds, with these steps scheduled. */
export function claimed(record: StateRecord, next: readonly NextStep[], holder: string, now: string): StateRecord {
  const { attempt, direction, history } = record;
  const steps = { ...record.steps, ...Object.fromEntries(next.map(({ name, record: begun }) => [name, begun])) };
  const entry = { at: now, what: `claimed, attempt ${attempt}, ${direction}`, by: holder };
  return {
    ...record,
    processState: transitions.claimed.to,
    lockedBy: holder,
    steps,
    // In the past only if a step is overdue: a step that may still be taken up is not.
    ...timesOf(steps, record),
    updatedAt: now,
    history: [...history, entry],
  };
}

/** A compensation with no step to compensate, or a resubmitted job with all steps completed. */
function concludedAtOnce(record: StateRecord, by: string, within: Circumstances): StateRecord {
  const { attempt, direction, history, outbox } = record;
  const { now } = within;
  const over = jobEnded(record, by, WITH_NOTHING_LEFT, within);
  if (!hasEnded(over.processState)) return over;
  const entry = { at: now, what: `nothing left to do, attempt ${attempt}, ${direction}`, by };
  const known = { ...over, updatedAt: now, history: [...history, entry] };
  if (over.processState !== "Processed") return known;
  // No activity will run again to publish it: only the outbox message in the record makes sure that it is sent.
  const completed = { status: STATUS_OF.Processed, attempt, at: now };
  return { ...known, dueAt: after(now, OUTBOX_GRACE_MS), outbox: [...outbox, completed] };
}
