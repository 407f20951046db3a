// The effect of a step's end on the whole record, if it can't be known without a read: other steps are in progress beside it, its attempt is over
// and its run continues in the next one, or its consequences depend on other steps too (P8, P9, P13, P14).

import { policyFor, type Workflow } from "../definition/workflow.ts";
import { after } from "../duration.ts";
import { applyChanges } from "../record/apply-changes.ts";
import { withoutDeadline } from "../record/deadline.ts";
import { timesAmong } from "../record/due.ts";
import { owed } from "../record/outbox.ts";
import {
  directionOf,
  isClosed,
  isInHand,
  isWholeDone,
  mayHaveHadEffect,
  planOf,
  readySteps,
  runOf,
  runsInHand,
} from "../record/plan.ts";
import { hasEnded, type JobError, type StateRecord, type StepRecord } from "../record/state-record.ts";
import type { StepTask } from "./attempt.ts";
import { toSchedule } from "./attempt.ts";
import { endingOf } from "./ending.ts";
import { forwardAgain } from "./forward-again.ts";
import { settledSteps, skippedFor } from "./skip.ts";
import { type Answer, withAnswer } from "./step-answer.ts";
import { type Scheduling, scheduled } from "./step-run.ts";
import { endInWords, type LedTo } from "./step-writes.ts";
import { concluding, LAST_STEP, transitions } from "./transitions.ts";

/** The other inputs of the new record. */
export interface Circumstances {
  readonly workflow: Workflow;
  readonly now: string;
  readonly scheduling: Scheduling;
  readonly claimWithinMs: number;
}

/** Whether the record still waits for the result of that task. */
export function awaits(record: StateRecord, { step, direction, attempt }: StepTask): boolean {
  const run = runOf(record.steps[step], direction);
  return isInHand(run) && run.attempt === attempt && record.processState !== "Processed";
}

/** Whether what an agent or a service says of it before its end is recorded: also in Error, for an operator may resubmit the job. */
export function goesOn(record: StateRecord, task: StepTask): boolean {
  const { processState } = record;
  return awaits(record, task) && (processState === "Error" || !hasEnded(processState));
}

/** The record after the step's agent has answered; undefined if it does not wait for that. */
export function afterStep(
  record: StateRecord,
  task: StepTask,
  answer: Answer,
  within: Circumstances,
): StateRecord | undefined {
  const own = record.steps[task.step];
  if (!own || !awaits(record, task)) return undefined;
  const ended = withAnswer(own, task, answer, within.now);
  const isRejected = task.direction === "forward" && answer.kind === "rejected";
  return (isRejected ? stepRejected : stepClosed)(record, task, ended, within);
}

/**
 * The record after a service has said that it does that step later, if its job is being compensated: nobody waits for the step (P13). Undefined if
 * nothing follows from that.
 */
export function withoutWaiting(record: StateRecord, task: StepTask, within: Circumstances): StateRecord | undefined {
  const isWaitedFor = task.direction !== "forward" || record.direction !== "compensate";
  if (isWaitedFor || record.processState !== "Processing" || !awaits(record, task)) return undefined;
  const next = goneOn(record, { ...record, updatedAt: within.now }, within);
  return ledTo(record, next).isNews ? next : undefined;
}

/** The differences between one record and the other. */
export function ledTo(before: StateRecord, next: StateRecord): LedTo {
  const isTurn = hasEnded(next.processState) !== hasEnded(before.processState) || next.direction !== before.direction;
  const known = toBegin(before);
  return { isTurn, isNews: isTurn || toBegin(next).some((step) => !known.includes(step)) };
}

/**
 * The possible consequences of a step's end that the record already contains: they can't be distinguished from later changes by others. Undefined
 * if it contains none, or that of another run.
 */
export function foundEnd(record: StateRecord, { step, direction, attempt }: StepTask): LedTo | undefined {
  const own = record.steps[step];
  const run = runOf(own, direction);
  const isFailed = run?.state === "Failed";
  if (run?.attempt !== attempt || !(isFailed || isClosed(own, direction))) return undefined;
  const { processState } = record;
  const isOver = hasEnded(processState);
  const isCompensated = record.direction === "compensate";
  const isOtherWay =
    direction === "forward"
      ? isFailed && (isOver || (isCompensated && processState === "Pending"))
      : isCompensated && isOver;
  const isTurn = processState === "Processed" || isOtherWay;
  return { isTurn, isNews: isTurn || toBegin(record).length > 0 };
}

/** The steps that wait to begin, or to be taken up. */
function toBegin({ steps, attempt }: StateRecord): readonly string[] {
  const inHand = runsInHand(steps).filter(({ run }) => run.state === "Scheduled" && run.attempt === attempt);
  return inHand.map(({ step, direction }) => `${direction} ${step}`);
}

/**
 * The record after that step is done, or after its compensation is rejected permanently. Steps that can begin then are scheduled for the attempt
 * that holds the job; if none does, the next attempt's claim schedules them.
 */
function stepClosed(record: StateRecord, task: StepTask, ended: StepRecord, within: Circumstances): StateRecord {
  const { now } = within;
  const known = withStep(record, task, ended, now);
  switch (record.processState) {
    case "Processing":
      return goneOn(record, known, within);
    case "Pending":
      return { ...known, processState: transitions.stepCompletedWhilePending.to };
    case "Error":
      return { ...known, processState: transitions.stepEndedInError.to };
    case "Compensated":
      return { ...known, processState: transitions.stepEndedInCompensated.to };
    case "Cancelled":
      return { ...known, processState: transitions.stepEndedInCancelled.to };
    case "Processed":
      return record;
    default:
      return record.processState satisfies never;
  }
}

/** The record after an agent has rejected that step permanently. */
function stepRejected(record: StateRecord, task: StepTask, failed: StepRecord, within: Circumstances): StateRecord {
  const { now, workflow, claimWithinMs } = within;
  const known = { ...withStep(record, task, failed, now), outbox: owed(record) };
  // It is being compensated already, and this step needs no compensation; or it waits for a person.
  if (record.direction === "compensate" || hasEnded(record.processState))
    return stepClosed(record, task, failed, within);
  const { step, agent, attempt } = task;
  const { onRejected } = policyFor(workflow, step);
  if (onRejected === "skip") {
    const cause = { cause: "rejected", message: failed.error ?? "" } as const;
    return stepClosed(record, task, skippedFor(failed, cause, mayHaveHadEffect(failed), now), within);
  }
  const error: JobError = { kind: "rejected", message: failed.error ?? "", step, agent, at: now };
  const isPending = record.processState === "Pending";
  if (onRejected === "fail") {
    const { to } = transitions[isPending ? "stepRejectedWhilePending" : "stepRejected"];
    return applyChanges(withoutDeadline(known), concluding(to, { processState: "Error", error }, record.attempt, now));
  }
  const { to } = transitions[isPending ? "stepRejectedAndCompensatedWhilePending" : "stepRejectedAndCompensated"];
  const claimBy = after(now, claimWithinMs);
  return {
    ...withoutDeadline(known),
    processState: to,
    lockedBy: null,
    completeBy: claimBy,
    dueAt: claimBy,
    direction: "compensate",
    attempt: Math.max(record.attempt, attempt) + 1,
    error,
  };
}

function withStep(
  record: StateRecord,
  { step, direction, lockedBy }: StepTask,
  ended: StepRecord,
  now: string,
): StateRecord {
  const entry = { at: now, what: endInWords(step, direction, ended), by: lockedBy };
  return { ...record, steps: { ...record.steps, [step]: ended }, history: [...record.history, entry], updatedAt: now };
}

function goneOn(before: StateRecord, known: StateRecord, within: Circumstances): StateRecord {
  const { workflow, now, scheduling, claimWithinMs } = within;
  const { direction, attempt, error: cause } = known;
  const steps = direction === "forward" ? settledSteps(workflow, known.steps, now) : known.steps;
  const record = { ...known, steps };
  const plan = planOf(workflow, steps, direction);
  if (isWholeDone(plan, steps, direction)) {
    const { thenForward: _intended, ...rest } = record;
    const forward = forwardAgain(record, { now, claimWithinMs, by: known.lockedBy ?? "", workflow });
    if (forward) return { ...forward, processState: transitions.lastStepCompensatedThenForward.to };
    const ending = endingOf(workflow, direction === "compensate" ? { steps, cause } : null, now);
    const { to } = transitions[LAST_STEP[ending.processState]];
    const concluded = applyChanges(withoutDeadline(rest), concluding(to, ending, attempt, now));
    return ending.processState === "Processed" ? { ...concluded, overAt: now } : concluded;
  }
  const next = readySteps(plan, steps, direction, now).map((step) =>
    scheduled(toSchedule(step, steps), attempt, directionOf(step, direction), now, scheduling),
  );
  const all = { ...steps, ...Object.fromEntries(next.map(({ name, record: begun }) => [name, begun])) };
  return { ...record, processState: transitions.stepCompleted.to, steps: all, ...timesAmong(before, all) };
}

/** The record after an agent has taken a step up beside others: from then on the agent's time applies to it. */
export function takenAmong(before: StateRecord, name: string, record: StepRecord, now: string): StateRecord {
  const steps = { ...before.steps, [name]: record };
  const times = before.processState === "Processing" ? timesAmong(before, steps) : {};
  const isLater = record.state === "Awaiting" || record.compensation?.state === "Awaiting";
  return { ...before, steps, ...times, ...(isLater && { hasWaited: true as const }), updatedAt: now };
}
