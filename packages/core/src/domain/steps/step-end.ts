// The effect of a step's report, and of its end, on the whole record: other steps may be in progress beside it, its attempt may be over and its run
// continue in the next one (P8, P9, P13, P14).

import { counted } from "../counted.ts";
import type { Decided } from "../definition/skipped.ts";
import { policyFor } from "../definition/workflow.ts";
import { after } from "../duration.ts";
import { withoutDeadline } from "../record/deadline.ts";
import { timesAmong } from "../record/due.ts";
import { owed } from "../record/outbox.ts";
import { isClosed, isInHand, mayHaveHadEffect, runOf, runsInHand } from "../record/plan.ts";
import { asEntry } from "../record/record-limits.ts";
import {
  type Direction,
  type Expiry,
  hasEnded,
  type JobError,
  type StateRecord,
  type StepRecord,
  type StepRun,
} from "../record/state-record.ts";
import type { StepTask } from "./attempt.ts";
import { type Circumstances, type Following, followingIn, jobEnded, settled } from "./following.ts";
import { skippedFor } from "./skip.ts";
import { type Answer, withAnswer } from "./step-answer.ts";
import { type Mark, type NextStep, withRun } from "./step-run.ts";
import { concluded, transitions } from "./transitions.ts";

/** Whether the record still waits for the result of that task. */
export function awaits(record: StateRecord, { step, direction, attempt }: StepTask): boolean {
  const run = runOf(record.steps[step], direction);
  return isInHand(run) && run.attempt === attempt && record.processState !== "Processed";
}

/** Whether what an agent or a service says of it before its end is recorded: also in Error, for an operator may resubmit the job. */
function goesOn(record: StateRecord, task: StepTask): boolean {
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
 * The same of a step that is done, where what follows is known: without the whole record, and in an app that does not have the workflow, because the
 * plan travels with the attempt.
 */
export function afterKnownStep(
  record: StateRecord,
  task: StepTask,
  answer: Answer,
  following: Following,
  now: string,
): StateRecord | undefined {
  const own = record.steps[task.step];
  if (!own || !awaits(record, task)) return undefined;
  const known = withStep(record, task, withAnswer(own, task, answer, now), now);
  return following === "over" ? processed(known, now) : withBegun(record, known, following);
}

/** The record after its agent has taken it up, or its service has accepted it; undefined if it was marked so before, or has ended. */
export function marked(record: StateRecord, task: StepTask, mark: Mark, now: string): StateRecord | undefined {
  return reported(record, task, now, (run, own) => (mark.from.includes(run.state) ? mark.change(own) : undefined));
}

/** The record after news of a step in progress; undefined if there is none, or the step has ended. */
export function withNews(
  record: StateRecord,
  task: StepTask,
  now: string,
  news: (run: StepRun) => Partial<StepRun> | undefined,
): StateRecord | undefined {
  return reported(record, task, now, (run, own) => {
    const change = news(run);
    return change && withRun(own, task.direction, change);
  });
}

/** From then on the time of its agent, or of its service, applies to it. */
function reported(
  before: StateRecord,
  task: StepTask,
  now: string,
  change: (run: StepRun, own: StepRecord) => StepRecord | undefined,
): StateRecord | undefined {
  const own = before.steps[task.step];
  const run = runOf(own, task.direction);
  const record = own && run && goesOn(before, task) ? change(run, own) : undefined;
  if (!record) return undefined;
  const steps = { ...before.steps, [task.step]: record };
  const times = before.processState === "Processing" ? timesAmong(before, steps) : {};
  const isLater = record.state === "Awaiting" || record.compensation?.state === "Awaiting";
  return { ...before, steps, ...times, ...(isLater && { hasWaited: true as const }), updatedAt: now };
}

/**
 * The record after an agent has said why it will not be done in time: the step's own run keeps the latest reason, the history keeps each. Nothing else
 * changes: if the step is not done, the supervisor finds it overdue.
 * @param isHistoryFull an agent of another team may note as often as it likes: then only its run contains the reason
 */
export function noted(record: StateRecord, task: StepTask, expiry: Expiry, isHistoryFull: boolean): StateRecord {
  const { step, direction, lockedBy: by } = task;
  const own = record.steps[step] ?? task.record;
  const { at } = expiry;
  const steps = { ...record.steps, [step]: withRun(own, direction, { expiry }) };
  const entry = { at, what: expiryInWords(step, direction, expiry), by };
  const history = isHistoryFull ? record.history : [...record.history, entry];
  return { ...record, steps, history, updatedAt: at };
}

/** The record with the result of a step's condition. */
export function withDecision(record: StateRecord, name: string, decided: Decided): StateRecord {
  const own = record.steps[name];
  return own ? { ...record, steps: { ...record.steps, [name]: { ...own, decided } }, updatedAt: decided.at } : record;
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

/** The consequences of a step's end. */
export interface LedTo {
  /** It ended the job, or changed the job's direction. */
  readonly isTurn: boolean;
  /** Steps can begin that could not before. */
  readonly isNews: boolean;
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
  const { onRejected, onUnknown } = policyFor(workflow, step);
  if (onRejected === "skip") {
    const cause = { cause: "rejected", message: failed.error ?? "" } as const;
    return stepClosed(record, task, skippedFor(failed, cause, mayHaveHadEffect(failed), now), within);
  }
  const error: JobError = { kind: "rejected", message: failed.error ?? "", step, agent, at: now };
  const isPending = record.processState === "Pending";
  if (onRejected === "fail" || (onUnknown === "fail" && mayHaveHadEffect(failed))) {
    const { to } = transitions[isPending ? "stepRejectedWhilePending" : "stepRejected"];
    return concluded(known, to, { processState: "Error", error }, now);
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

const LAST_STEP = {
  Processed: "lastStepCompleted",
  Compensated: "lastStepCompensated",
  Cancelled: "lastStepCancelled",
  Error: "lastStepNotCompensated",
  thenForward: "lastStepCompensatedThenForward",
} as const;

function goneOn(before: StateRecord, known: StateRecord, within: Circumstances): StateRecord {
  const record = settled(known, within);
  const next = followingIn(record, within);
  if (next !== "over") return withBegun(before, record, next);
  if (record.direction === "forward") return processed(record, within.now);
  return jobEnded(record, record.lockedBy ?? "", LAST_STEP, within);
}

function processed(record: StateRecord, now: string): StateRecord {
  const ending = { processState: "Processed" } as const;
  return { ...concluded(record, transitions[LAST_STEP.Processed].to, ending, now), overAt: now };
}

function withBegun(before: StateRecord, record: StateRecord, next: readonly NextStep[]): StateRecord {
  const steps = { ...record.steps, ...Object.fromEntries(next.map(({ name, record: begun }) => [name, begun])) };
  return { ...record, processState: transitions.stepCompleted.to, steps, ...timesAmong(before, steps) };
}

/** The limit for the many errors of an attempt's tries. */
const ERROR_LIMIT = 300;

/** The history's words for the outcome of a step; of a failure with its reason, which a later attempt replaces in the step itself. */
function endInWords(step: string, direction: Direction, record: StepRecord): string {
  const run = runOf(record, direction);
  const why = run?.state === "Failed" && run.error ? `: ${run.error.slice(0, ERROR_LIMIT)}` : "";
  return asEntry(`${inDirection(step, direction)}: ${run?.state}${why}`);
}

function expiryInWords(step: string, direction: Direction, { attempt, tries, endpoint, message }: Expiry): string {
  const where = endpoint === null ? "" : ` (${endpoint})`;
  const after = `after ${counted(tries, "try", "tries")}${where}: ${message.slice(0, ERROR_LIMIT)}`;
  return asEntry(`${inDirection(step, direction)}: attempt ${attempt} runs out of time, ${after}`);
}

const inDirection = (step: string, direction: Direction) =>
  direction === "forward" ? step : `compensation of ${step}`;
