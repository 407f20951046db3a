// The life of a job, as one table; and how an attempt takes it up and ends it (P4, P9, P13, P14, P16).
import type { NextStep, StartAttempt } from "./attempt.ts";
import { after } from "./duration.ts";
import { append, type Change, type GuardedWrite, remove, set } from "./guarded-write.ts";
import { runOf } from "./plan.ts";
import {
  type Direction,
  type EndState,
  hasEnded,
  type JobError,
  type JobStatus,
  type OutboxMessage,
  type ProcessState,
  type StateRecord,
} from "./state-record.ts";
import { expiresAt } from "./step-run.ts";

/** What may happen to a job, from which states, and where it leads. */
export const transitions = {
  claimed: { from: "Pending", to: "Processing" },
  claimedWithNothingToDo: { from: "Pending", to: "Processed" },
  claimedWithAllCompensated: { from: "Pending", to: "Compensated" },
  claimedWithAllCancelled: { from: "Pending", to: "Cancelled" },
  claimedWithManualWorkLeft: { from: "Pending", to: "Error" },
  stepTakenUp: { from: "Processing", to: "Processing" },
  stepCompleted: { from: "Processing", to: "Processing" },
  lastStepCompleted: { from: "Processing", to: "Processed" },
  lastStepCompensated: { from: "Processing", to: "Compensated" },
  lastStepCancelled: { from: "Processing", to: "Cancelled" },
  lastStepNotCompensated: { from: "Processing", to: "Error" },
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
  extended: { from: "Processing", to: "Processing" },
  extendedWhilePending: { from: "Pending", to: "Pending" },
} as const satisfies Record<string, { from: ProcessState; to: ProcessState }>;

/** How a job ends. */
export type Ending =
  | { readonly processState: "Processed" }
  | { readonly processState: Exclude<EndState, "Processed">; readonly error: JobError };

/** By how a job ends: what a claim makes of it that finds nothing left to do, and what its last step does. */
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

/** The status by which a requester learns of each end. */
export const STATUS_OF = {
  Processed: "Completed",
  Compensated: "Compensated",
  Cancelled: "Cancelled",
  Error: "Failed",
} as const satisfies Record<EndState, JobStatus>;

/** How long an ended job's outbox message may wait for the write that clears it before the sweep sends it again. */
export const OUTBOX_GRACE_MS = 30_000;

/** Takes a Pending, unlocked job for the start message's attempt, and schedules what can be begun in the same write. */
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

/** Takes a job that has nothing left to do, and concludes it in the same write. */
export function claimAndConclude(startAttempt: StartAttempt, ending: Ending, by: string, now: string): GuardedWrite {
  const { from, to } = transitions[WITH_NOTHING_LEFT[ending.processState]];
  const { attempt } = startAttempt;
  // No activity will be run again to say so: the outbox message is what remembers it.
  const completed = [
    set(["dueAt"], after(now, OUTBOX_GRACE_MS)),
    append(["outbox"], { status: "Completed", attempt, at: now }),
  ];
  return {
    guard: { processStates: [from], lockedBy: null, attempt },
    changes: [
      ...concluding(to, ending, attempt, now).filter(({ op }) => op !== "remove"),
      ...(isGood(ending) ? completed : []),
      set(["updatedAt"], now),
      append(["history"], { at: now, what: `nothing left to do, attempt ${attempt}, ${startAttempt.direction}`, by }),
    ],
  };
}

/**
 * A status message could not be sent: it goes with the next one, or the sweep sends it once the job has ended. Until then nothing
 * of the job goes.
 */
export function addToOutbox(seen: StateRecord, outboxMessage: OutboxMessage, now: string): GuardedWrite {
  const { processState, lockedBy, attempt, keptUntil, jobRevision } = seen;
  const over = processState === "Processed" ? "overAt" : "overInErrorAt";
  const ended = hasEnded(processState) ? [set(["dueAt"], after(now, OUTBOX_GRACE_MS)), set([over], null)] : [];
  const write = {
    guard: { processStates: [processState], lockedBy, attempt },
    changes: [append(["outbox"], outboxMessage), ...ended],
  };
  if (!keptUntil) return write;
  const changes = [...write.changes, set(["keptUntil"], null)];
  return { ...write, changes, lifetime: { revisions: jobRevision, keepMs: null, secrets: [] } };
}

/** The supervisor looks at the record when the first of them expires: what each of them still has, its own run says. */
export function scheduling(next: readonly NextStep[], direction: Direction): Change[] {
  if (next.length === 0) return [];
  const runs = next.flatMap(({ record }) => runOf(record, direction) ?? []);
  // All of them are UTC in one form, so their order as texts is their order in time.
  const [completeBy] = runs.map((run) => run.completeBy).sort();
  const [dueAt] = runs.map(expiresAt).sort();
  return [
    ...next.map(({ name, record }) => set(["steps", name], record)),
    set(["completeBy"], completeBy),
    set(["dueAt"], dueAt),
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
