// The next attempt that an operator requests for a job (P9, P11, P13): who asks and when, and what follows for the record.

import { after } from "../duration.ts";
import { withoutDeadline } from "../record/deadline.ts";
import { owed } from "../record/outbox.ts";
import { isInHand } from "../record/plan.ts";
import { asEntry } from "../record/record-limits.ts";
import { reopened } from "../record/retention.ts";
import type { Direction, JobError, ProcessState, StateRecord, StepRecord } from "../record/state-record.ts";
import { forgiven, mapSteps, readyForCompensation } from "../steps/operator-steps.ts";

/** The number of entries that a record keeps; the oldest are removed first. */
const HISTORY_LIMIT = 100;

/** The operator, the time, and the times for a new attempt. */
export interface DecisionContext {
  readonly by: string;
  readonly now: string;
  readonly claimWithinMs: number;
  readonly clockSkewMs: number;
}

export type Decision =
  | { readonly kind: "allowed"; readonly record: StateRecord }
  | { readonly kind: "rejected"; readonly reason: string };

export const allowed = (record: StateRecord): Decision => ({ kind: "allowed", record });

export const rejection = (reason: string): Decision => ({ kind: "rejected", reason });

/** Pending for its next attempt, with no failures counted. What is in progress goes on, and that attempt waits for it. */
export function nextAttempt(record: StateRecord, processState: ProcessState, context: DecisionContext): StateRecord {
  const { now } = context;
  const { thenForward: _intended, ...rest } = reopened(record);
  return {
    ...claimableFrom(rest, now, context),
    processState,
    lockedBy: null,
    failureCount: 0,
    attempt: record.attempt + 1,
    outbox: owed(record),
    updatedAt: now,
  };
}

/** It is due again if nobody claims it in time. */
export function claimableFrom(
  record: StateRecord,
  at: string,
  { claimWithinMs }: Pick<DecisionContext, "claimWithinMs">,
): StateRecord {
  const claimBy = after(at, claimWithinMs);
  return { ...record, completeBy: claimBy, dueAt: claimBy };
}

/** The job in its next attempt, backwards. Steps in progress continue, and that attempt waits for their results. */
export function toBeCompensated(
  record: StateRecord,
  { error, to, words, isTried = () => true }: Backwards,
  context: DecisionContext,
): StateRecord {
  const overdueBefore = overdueBeforeOf(context);
  const ready = (step: StepRecord) => {
    const again = isTried(step) ? readyForCompensation(step, overdueBefore) : step;
    // An agent at work writes the run as it took it: what is changed here would come back.
    return isInHand(again.compensation) ? again : forgiven(again);
  };
  return {
    ...withoutDeadline(nextAttempt(record, to, context)),
    direction: "compensate",
    steps: mapSteps(record.steps, ready),
    error,
    history: historyWith(record, context, words),
  };
}

/** A step that expires at this instant or later may still be in progress, by some clock. */
export const overdueBeforeOf = ({ now, clockSkewMs }: DecisionContext): string => after(now, -clockSkewMs);

interface Backwards {
  /** The client is notified of it at the end. */
  readonly error: JobError;
  readonly to: ProcessState;
  /** For the history. */
  readonly words: string;
  /** Whether a failed compensation is tried again; each if absent. */
  readonly isTried?: (step: StepRecord) => boolean;
}

/** Why the job is, or is to be, compensated: of a compensation that was left incomplete, what led to it. */
export function causeOfCompensation({ error }: StateRecord, reason: string, context: DecisionContext): JobError {
  const asked = `${context.by} asked for it: ${reason}`;
  if (!error) return errorOf("compensationRequested", asked, context);
  return error.cause ?? error;
}

/** The next attempt in the history's words. It counts failures from zero, and says so if there were any. */
export function attemptInWords({ attempt, failureCount }: StateRecord): string {
  return `attempt ${attempt + 1}${failureCount > 0 ? `, failureCount ${failureCount} set to 0` : ""}`;
}

/** The direction in which the job goes on, at the latest when its compensation is finished. */
export function courseOf({ direction, thenForward }: StateRecord): Direction {
  return thenForward ? "forward" : direction;
}

/** The error is not a step's fault. */
export function errorOf(kind: JobError["kind"], message: string, { now: at }: Pick<DecisionContext, "now">): JobError {
  return { kind, message, step: null, agent: null, at };
}

export function historyWith(
  record: StateRecord,
  { by, now }: Pick<DecisionContext, "by" | "now">,
  what: string,
): StateRecord["history"] {
  return [...record.history, { at: now, what: asEntry(what), by }].slice(-HISTORY_LIMIT);
}
