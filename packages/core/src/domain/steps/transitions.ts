// The states of a job, as one table; and how an attempt takes a job up and ends it (P4, P9, P13, P14, P16).

import { after } from "../duration.ts";
import { expiresAt } from "../record/due.ts";
import { append, type Change, type GuardedWrite, remove, set } from "../record/guarded-write.ts";
import { OUTBOX_GRACE_MS } from "../record/outbox.ts";
import { runOf } from "../record/plan.ts";
import type { Direction, EndState, JobError, JobStatus, ProcessState, StateRecord } from "../record/state-record.ts";
import type { StartAttempt } from "./attempt.ts";
import type { NextStep } from "./step-run.ts";

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

/** For each end of a job: the transition by a claim that finds nothing left to do, and by its last step. */
const WITH_NOTHING_LEFT = {
  Processed: "claimedWithNothingToDo",
  Compensated: "claimedWithAllCompensated",
  Cancelled: "claimedWithAllCancelled",
  Error: "claimedWithManualWorkLeft",
} as const satisfies Record<EndState, keyof typeof transitions>;
export const LAST_STEP = {
  Processed: "lastStepCompleted",
  Compensated: "lastStepCompensated",
  Cancelled: "lastStepCancelled",
  Error: "lastStepNotCompensated",
} as const satisfies Record<EndState, keyof typeof transitions>;

/** The status that notifies a requester of each end. */
export const STATUS_OF = {
  Processed: "Completed",
  Compensated: "Compensated",
  Cancelled: "Cancelled",
  Error: "Failed",
} as const satisfies Record<EndState, JobStatus>;

/** Takes a Pending, unlocked job for the start message's attempt, and schedules the steps that can begin in the same write. */
export function claim(
  startAttempt: StartAttempt,
  next: readonly NextStep[],
  holder: string,
  now: string,
): GuardedWrite {
  return {
    guard: { processStates: [transitions.claimed.from], lockedBy: null, attempt: startAttempt.attempt },
    changes: [
      set(["processState"], transitions.claimed.to),
      set(["lockedBy"], holder),
      ...scheduling(next, startAttempt.direction),
      set(["updatedAt"], now),
      append(["history"], {
        at: now,
        what: `claimed, attempt ${startAttempt.attempt}, ${startAttempt.direction}`,
        by: holder,
      }),
    ],
  };
}

/** Takes a job with no step left to do, and concludes it in the same write. */
export function claimAndConclude(
  pending: StartAttempt & Pick<StateRecord, "thenForward" | "deadlineAt">,
  ending: Ending,
  by: string,
  now: string,
): GuardedWrite {
  const { from, to } = transitions[WITH_NOTHING_LEFT[ending.processState]];
  const { attempt, direction, thenForward, deadlineAt } = pending;
  // No activity will run again to publish it: only the outbox message in the record makes sure that it is sent.
  const completed = [
    set(["dueAt"], after(now, OUTBOX_GRACE_MS)),
    append(["outbox"], { status: "Completed", attempt, at: now }),
  ];
  return {
    guard: { processStates: [from], lockedBy: null, attempt },
    changes: [
      ...concluding(to, ending, attempt, now).filter(({ op }) => op !== "remove"),
      ...(isGood(ending) ? completed : []),
      ...(thenForward ? [remove(["thenForward"])] : []),
      // A member that is gone already can't be removed.
      ...(deadlineAt ? [set(["deadlineAt"], null)] : []),
      set(["updatedAt"], now),
      append(["history"], { at: now, what: `nothing left to do, attempt ${attempt}, ${direction}`, by }),
    ],
  };
}

/** The supervisor reads the record when the first of them expires: each step's own run contains its time. */
export function scheduling(next: readonly NextStep[], direction: Direction): Change[] {
  const runs = next.flatMap(({ record }) => runOf(record, direction) ?? []);
  // All are in UTC in one format, so their order as texts is their order in time.
  const [expiresBy] = runs.map(expiresAt).sort();
  if (expiresBy === undefined) return [];
  return [
    ...next.map(({ name, record }) => set(["steps", name], record)),
    // In the past only if a step is overdue: a step that may still be taken up is not.
    set(["completeBy"], expiresBy),
    set(["dueAt"], expiresBy),
  ];
}

function isGood(ending: Ending): ending is Extract<Ending, { processState: "Processed" }> {
  return ending.processState === "Processed";
}

/** How an ending changes the record. */
export function concluding(to: ProcessState, ending: Ending, attempt: number, now: string): Change[] {
  const released = [set(["processState"], to), set(["lockedBy"], null), set(["completeBy"], null)];
  if (isGood(ending)) return [...released, set(["error"], null), remove(["dueAt"])];
  return [
    ...released,
    set(["error"], ending.error),
    set(["dueAt"], after(now, OUTBOX_GRACE_MS)),
    append(["outbox"], { status: STATUS_OF[ending.processState], attempt, at: now }),
  ];
}
