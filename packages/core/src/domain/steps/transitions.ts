// The states of a job, as one table; and the record of a job that ends (P9, P13, P14, P16).

import { after } from "../duration.ts";
import { withoutDeadline } from "../record/deadline.ts";
import { OUTBOX_GRACE_MS } from "../record/outbox.ts";
import type { EndState, JobError, JobStatus, ProcessState, StateRecord } from "../record/state-record.ts";

/** The events of a job, with the states in which each is allowed and the state that follows. */
export const transitions = {
  claimed: { from: "Pending", to: "Processing" },
  claimedWithNothingToDo: { from: "Pending", to: "Processed" },
  claimedWithAllCompensated: { from: "Pending", to: "Compensated" },
  claimedWithAllCancelled: { from: "Pending", to: "Cancelled" },
  claimedWithManualWorkLeft: { from: "Pending", to: "Error" },
  claimedWithAllCompensatedThenForward: { from: "Pending", to: "Pending" },
  stepTakenUp: { from: "Processing", to: "Processing" },
  stepCompleted: { from: "Processing", to: "Processing" },
  lastStepCompleted: { from: "Processing", to: "Processed" },
  lastStepCompensated: { from: "Processing", to: "Compensated" },
  lastStepCancelled: { from: "Processing", to: "Cancelled" },
  lastStepNotCompensated: { from: "Processing", to: "Error" },
  lastStepCompensatedThenForward: { from: "Processing", to: "Pending" },
  stepRejected: { from: "Processing", to: "Error" },
  stepRejectedAndCompensated: { from: "Processing", to: "Pending" },
  stepCompletedWhilePending: { from: "Pending", to: "Pending" },
  stepRejectedWhilePending: { from: "Pending", to: "Error" },
  stepRejectedAndCompensatedWhilePending: { from: "Pending", to: "Pending" },
  stepEndedInError: { from: "Error", to: "Error" },
  stepEndedInCompensated: { from: "Compensated", to: "Compensated" },
  stepEndedInCancelled: { from: "Cancelled", to: "Cancelled" },
  resumed: { from: "Processing", to: "Pending" },
  retried: { from: "Processing", to: "Pending" },
  rescheduled: { from: "Processing", to: "Pending" },
  skipped: { from: "Processing", to: "Pending" },
  lookedAtEarly: { from: "Processing", to: "Processing" },
  waited: { from: "Processing", to: "Pending" },
  held: { from: "Processing", to: "Pending" },
  compensationBegun: { from: "Processing", to: "Pending" },
  givenUp: { from: "Processing", to: "Error" },
  deadlinePassed: { from: "Processing", to: "Error" },
  deadlinePassedWhilePending: { from: "Pending", to: "Error" },
  startRepeated: { from: "Pending", to: "Pending" },
  resubmitted: { from: "Error", to: "Pending" },
  resubmittedCompensated: { from: "Compensated", to: "Pending" },
  resubmittedCancelled: { from: "Cancelled", to: "Pending" },
  compensationRequested: { from: "Error", to: "Pending" },
  compensationRequestedWhileRunning: { from: "Processing", to: "Pending" },
  compensationRequestedWhilePending: { from: "Pending", to: "Pending" },
  resubmittedWhilePending: { from: "Pending", to: "Pending" },
  cancelled: { from: "Pending", to: "Cancelled" },
  markedResolved: { from: "Error", to: "Error" },
  outcomeRecorded: { from: "Error", to: "Pending" },
  outcomeRecordedInError: { from: "Error", to: "Error" },
  outcomeRecordedWhilePending: { from: "Pending", to: "Pending" },
  extended: { from: "Processing", to: "Processing" },
  extendedWhilePending: { from: "Pending", to: "Pending" },
} as const satisfies Record<string, { from: ProcessState; to: ProcessState }>;

/** How a job ends. */
export type Ending =
  | { readonly processState: "Processed" }
  | { readonly processState: Exclude<EndState, "Processed">; readonly error: JobError };

/** The status that notifies a requester of each end. */
export const STATUS_OF = {
  Processed: "Completed",
  Compensated: "Compensated",
  Cancelled: "Cancelled",
  Error: "Failed",
} as const satisfies Record<EndState, JobStatus>;

function isGood(ending: Ending): ending is Extract<Ending, { processState: "Processed" }> {
  return ending.processState === "Processed";
}

/** The record of a job that ends so: nobody holds it, and nothing is due of it but the status that its requester is owed. */
export function concluded(record: StateRecord, to: ProcessState, ending: Ending, now: string): StateRecord {
  const { dueAt: _due, thenForward: _intended, ...rest } = withoutDeadline(record);
  const released = { ...rest, processState: to, lockedBy: null, completeBy: null };
  if (isGood(ending)) return { ...released, error: null };
  const { attempt, outbox } = record;
  return {
    ...released,
    error: ending.error,
    dueAt: after(now, OUTBOX_GRACE_MS),
    outbox: [...outbox, { status: STATUS_OF[ending.processState], attempt, at: now }],
  };
}
