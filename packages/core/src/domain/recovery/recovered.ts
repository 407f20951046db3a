// How the supervisor changes an overdue record (P10, P11, P13, P21, P35): each row of verdicts.ts names one of these functions.

import { counted } from "../counted.ts";
import { after } from "../duration.ts";
import { withoutDeadline } from "../record/deadline.ts";
import { pausesOf, timesOf } from "../record/due.ts";
import { OUTBOX_GRACE_MS } from "../record/outbox.ts";
import { type RunInHand, runOf, runsInHand } from "../record/plan.ts";
import { type Reminder, reminded, reminderMessages } from "../record/reminder.ts";
import type { Direction, JobError, StateRecord, StepRecord } from "../record/state-record.ts";
import { answeredInWords, type Failed, MOST_ANSWERS } from "../steps/failure-budget.ts";
import { pollsAfter, waitingOn, waitsForCode } from "../steps/poll.ts";
import { skippedFor } from "../steps/skip.ts";
import { restarted, withRun } from "../steps/step-run.ts";
import { attemptInWords, claimableFrom, errorOf, toBeCompensated } from "./next-attempt.ts";
import { isFailed, isOwn, overdueRuns } from "./overdue.ts";

/** The time at which a sweep reads a record, and the times that it sets. */
export interface Sweeping {
  readonly now: string;
  /** A step that expires at this instant or later may still be in progress, by some clock. */
  readonly overdueBefore: string;
  /** How long a Pending record may wait for its claim. */
  readonly claimWithinMs: number;
}

/** Of a next attempt: which step failed, if that is why, and how long it waits. */
export interface NextAttempt extends Partial<Failed> {
  readonly waitMs?: number;
}

/**
 * For its next attempt. Steps that are not overdue continue: their agents record their results, and the next attempt waits for them. If there are such
 * steps, the record is claimed at once, and only the overdue step is paused.
 */
export function again(record: StateRecord, verdict: NextAttempt, sweeping: Sweeping): StateRecord {
  const { now, overdueBefore } = sweeping;
  const until = verdict.waitMs === undefined ? undefined : after(now, verdict.waitMs);
  const overdue = overdueRuns(record.steps, overdueBefore);
  const goesOn =
    overdue.length < runsInHand(record.steps).length || pausesOf(record.steps, record.direction).length > 0;
  const notBefore = goesOn ? until : undefined;
  const steps = { ...pollsAfter(record.steps, overdueBefore, now) };
  for (const each of overdue) {
    const { step, direction, run } = each;
    const known = steps[step] as StepRecord;
    if (isOwn(record, each) && waitsForCode(run)) steps[step] = waitingOn(known, direction, run, until ?? now);
    else {
      const next = restarted(known, direction, isFailed(record, each, verdict), now, notBefore);
      steps[step] = verdict.skips?.includes(step) ? goneOnWithout(next, direction, now) : next;
    }
  }
  const next = { ...record, lockedBy: null, attempt: record.attempt + 1, steps };
  return claimableFrom(next, notBefore === undefined ? (until ?? now) : now, sweeping);
}

/** A step whose tries are used up while its job continues. */
function goneOnWithout(record: StepRecord, direction: Direction, now: string): StepRecord {
  const { expiry, failureCount = 0, answerCount = 0 } = runOf(record, direction) ?? {};
  const last = expiry?.message;
  const message =
    answerCount >= MOST_ANSWERS
      ? answeredInWords(answerCount, last)
      : `${counted(failureCount, "attempt")} ran out of time${last ? `, the last: ${last}` : ""}`;
  if (direction === "forward") return skippedFor(record, { cause: "expired", message }, true, now);
  return withRun(record, "compensate", { state: "Failed", error: message, endedAt: now });
}

/** Its next attempt compensates what is done of it, with no failure counted: as if an operator had asked for it. */
export function compensatedAtDeadline(record: StateRecord, deadlineAt: string, sweeping: Sweeping): StateRecord {
  const { now, overdueBefore, claimWithinMs } = sweeping;
  const clockSkewMs = Date.parse(now) - Date.parse(overdueBefore);
  const words = `its deadline ${deadlineAt} has passed, to be compensated, ${attemptInWords(record)}`;
  const why = { error: deadlineError(record, deadlineAt, sweeping), to: "Pending", words } as const;
  return toBeCompensated(record, why, { by: "supervisor", now, claimWithinMs, clockSkewMs });
}

/** An operator must act. */
export function givenUp(record: StateRecord, error: JobError, { now }: Sweeping): StateRecord {
  const { thenForward: _intended, ...rest } = withoutDeadline(record);
  return { ...rest, lockedBy: null, completeBy: null, dueAt: after(now, OUTBOX_GRACE_MS), error };
}

/** It names the steps that were in progress: of those the outcome may be unknown. */
export function deadlineError({ steps }: StateRecord, deadlineAt: string, { now }: Sweeping): JobError {
  const open = runsInHand(steps).map(({ step }) => step);
  const where = open.length > 0 ? `, in progress: ${open.join(", ")}` : "";
  return errorOf("deadlinePassed", `it was not done by its deadline ${deadlineAt}${where}`, { now });
}

/** Its waits go on, each as its run says. */
export function waitingLonger(record: StateRecord, waits: readonly RunInHand[]): StateRecord {
  const steps = { ...record.steps };
  for (const { step, direction, run } of waits) steps[step] = withRun(steps[step] as StepRecord, direction, run);
  return { ...record, steps, ...timesOf(steps, record) };
}

export function withReminders(record: StateRecord, due: readonly Reminder[], { now }: Sweeping): StateRecord {
  const steps = reminded(record.steps, due, now);
  // If they can't be sent now, the sweep finds them again by then.
  const latest = after(now, OUTBOX_GRACE_MS);
  const { dueAt = latest } = timesOf(steps, record);
  const outbox = [...record.outbox, ...reminderMessages(due, record.attempt, now)];
  return { ...record, steps, dueAt: dueAt < latest ? dueAt : latest, outbox };
}
