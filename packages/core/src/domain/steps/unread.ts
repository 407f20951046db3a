// What a step's task writes to its record without a read (P4, P8, P13): decided on what the task knows, if that holds of the stored record.

import type { Unread } from "../record/difference.ts";
import { expiresAt } from "../record/due.ts";
import type { Closing, Guard } from "../record/guarded-write.ts";
import { runOf } from "../record/plan.ts";
import { closed } from "../record/retention.ts";
import { type Expiry, RECORD_VERSION, type StateRecord, type StepState } from "../record/state-record.ts";
import type { StepTask } from "./attempt.ts";
import type { Circumstances, Following } from "./following.ts";
import type { Answer } from "./step-answer.ts";
import { afterKnownStep, marked, noted } from "./step-end.ts";
import { type Mark, scheduled } from "./step-run.ts";
import { transitions } from "./transitions.ts";

/** What a step's end depends on besides its task. */
interface Around extends Pick<Circumstances, "now" | "scheduling"> {
  /** If a job that is over is closed at once. */
  readonly closing: Closing | null;
  readonly hasDeadline: boolean;
}

/**
 * The end of a step, by what is true of the steps beside it: others go on, or it is the last of them, and the next steps begin, or the job is over.
 * None if it depends on more than the task knows: a rejection, or the end of a compensation.
 */
export function endsUnread(task: StepTask, answer: Answer, around: Around): Unread[] {
  const { join, direction, attempt, jobRevision } = task;
  if (!join || (answer.kind !== "done" && direction === "forward")) return [];
  const { siblings: names, next } = join;
  const { now, scheduling, closing, hasDeadline } = around;
  const before = { ...knownTo(task), ...(hasDeadline && { deadlineAt: "" }) };
  const decided = (following: Following, guard: Guard): Unread[] => {
    const after = afterKnownStep(before, task, answer, following, now);
    return after ? [{ before, after, guard }] : [];
  };
  const isBeside = names.length > 0;
  const beside = (allDone: boolean) => (isBeside ? { siblings: { names, direction, allDone } } : {});
  const held = { ...inHand(task), processStates: [transitions.stepCompleted.from], attempt };
  const among = isBeside ? decided([], { ...held, ...beside(false) }) : [];
  const last = { ...held, ...beside(true) };
  if (next.length > 0) {
    const begun = next.map((step) => scheduled(step, attempt, direction, now, scheduling));
    return [...among, ...decided(begun, last)];
  }
  if (direction === "compensate") return among;
  const over = decided("over", last).map((end) => {
    if (!closing) return end;
    return { ...end, after: closed(end.after, now, closing.keepMs), lifetime: { revisions: jobRevision, ...closing } };
  });
  return [...among, ...over];
}

/** A report of a step that is alone. None if the record is due later than the step explains: an operator has extended its time. */
export function markUnread(task: StepTask, mark: Mark, now: string): Unread[] {
  const before = knownTo(task);
  const after = marked(before, task, mark, now);
  const run = runOf(task.record, task.direction);
  const scheduledUntil = run ? expiresAt(run) : "";
  const dueBy = scheduledUntil > mark.completeBy ? scheduledUntil : mark.completeBy;
  const guard = { ...inHand(task, mark.from), processStates: [transitions.stepTakenUp.from], dueBy };
  return after ? [{ before, after, guard }] : [];
}

/** Why an agent will not be done in time: the only change that no read follows, for shortly before complete-by there is no time for one. */
export function expiryUnread(task: StepTask, expiry: Expiry, isHistoryFull = false): Unread {
  const before = knownTo(task);
  return { before, after: noted(before, task, expiry, isHistoryFull), guard: inHand(task) };
}

/** The step's run belongs to this task, whatever the job's state is now: in Error too what is in progress goes on, for an operator may resubmit it. */
function inHand({ attempt, step: name, direction }: StepTask, states: readonly StepState[] = AT_WORK): Guard {
  return { processStates: GOES_ON, step: { name, direction, attempt, states } };
}

const AT_WORK = ["Scheduled", "Running", "Awaiting"] as const;
const GOES_ON = ["Processing", "Pending", "Error"] as const;

/** The record as far as the task knows it. */
function knownTo(task: StepTask): StateRecord {
  const { jobId, attempt, lockedBy, direction, workflow, jobRevision, priority, reply, step, record } = task;
  const held = { jobId, attempt, lockedBy, direction, workflow, jobRevision, priority, ...reply };
  return { ...UNKNOWN, ...held, processState: "Processing", steps: { [step]: record } };
}

/** No change of a step depends on these, and whatever it makes of them differs. A job that goes forward has no error. */
const UNKNOWN = {
  ...{ schemaVersion: RECORD_VERSION, keys: {}, contentDigest: "", failureCount: 0, error: null },
  ...{ completeBy: "", dueAt: "", createdAt: "", updatedAt: "", history: [], outbox: [] },
} as const;
