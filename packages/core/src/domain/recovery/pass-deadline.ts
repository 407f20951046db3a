// The supervisor's verdict on a job whose deadline has passed (P35), and its effect on the record. The compensation is that of a cancellation.

import type { Workflow } from "../definition/workflow.ts";
import { after } from "../duration.ts";
import { withoutDeadline } from "../record/deadline.ts";
import { OUTBOX_GRACE_MS, owed } from "../record/outbox.ts";
import { runsInHand } from "../record/plan.ts";
import { hasEnded, type JobError, type StateRecord } from "../record/state-record.ts";
import { STATUS_OF, transitions } from "../steps/transitions.ts";
import type { DeadlineVerdict } from "../steps/verdicts.ts";
import { attemptInWords, type DecisionContext, errorOf, historyWith, toBeCompensated } from "./next-attempt.ts";

/**
 * Undefined if its deadline has not passed. A job that is Pending or Processing and goes forward is hit, whatever it waits for: a retry, an agent, a
 * report, a person. Of a job that has ended or is being compensated the deadline is removed; so it is if the workflow has none any more.
 * @param overdueBefore by some clock, a later deadline has not passed yet
 */
export function decideDeadline(
  record: StateRecord,
  { deadline }: Workflow,
  overdueBefore: string,
): DeadlineVerdict | undefined {
  const { deadlineAt, processState, direction, dueAt = overdueBefore } = record;
  if (!deadlineAt || deadlineAt >= overdueBefore) return undefined;
  if (!deadline || hasEnded(processState) || direction === "compensate") {
    // What else is due of it comes first: the next sweep finds the deadline again.
    return dueAt < overdueBefore ? undefined : { kind: "dropDeadline" };
  }
  return { kind: deadline.onExpired === "fail" ? "failAtDeadline" : "compensateAtDeadline", deadlineAt };
}

/** The record after the verdict. */
export function passDeadline(record: StateRecord, verdict: DeadlineVerdict, context: DecisionContext): StateRecord {
  const { now } = context;
  if (verdict.kind === "dropDeadline") return { ...withoutDeadline(record), updatedAt: now };
  const isPending = record.processState === "Pending";
  const error = deadlineError(record, verdict.deadlineAt, context);
  const passed = `its deadline ${verdict.deadlineAt} has passed`;
  if (verdict.kind === "compensateAtDeadline") {
    const { to } = transitions[isPending ? "compensationRequestedWhilePending" : "compensationRequestedWhileRunning"];
    const words = `${passed}, to be compensated, ${attemptInWords(record)}`;
    return toBeCompensated(record, { error, to, words }, context);
  }
  const { to } = transitions[isPending ? "deadlinePassedWhilePending" : "deadlinePassed"];
  return {
    ...withoutDeadline(record),
    processState: to,
    lockedBy: null,
    completeBy: null,
    dueAt: after(now, OUTBOX_GRACE_MS),
    error,
    outbox: [...owed(record), { status: STATUS_OF[to], attempt: record.attempt, at: now }],
    history: historyWith(record, context, `${passed}, given up`),
    updatedAt: now,
  };
}

/** It names the steps that were in progress: of those the outcome may be unknown. */
function deadlineError({ steps }: StateRecord, deadlineAt: string, context: DecisionContext): JobError {
  const open = runsInHand(steps).map(({ step }) => step);
  const where = open.length > 0 ? `, in progress: ${open.join(", ")}` : "";
  return errorOf("deadlinePassed", `it was not done by its deadline ${deadlineAt}${where}`, context);
}
