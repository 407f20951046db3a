// The writes of a step's task about its step, each one guarded write: its run still belongs to the task (P4, P8, P13).

import { counted } from "../counted.ts";
import type { Decided } from "../definition/skipped.ts";
import { after } from "../duration.ts";
import { expiresAt } from "../record/due.ts";
import { append, type Change, type Closing, type Guard, type GuardedWrite, set } from "../record/guarded-write.ts";
import { runOf } from "../record/plan.ts";
import { asEntry, expiryWithinLimits } from "../record/record-limits.ts";
import type { Direction, Expiry, StateRecord, StepRecord, StepState } from "../record/state-record.ts";
import type { StepTask } from "./attempt.ts";
import type { Mark, NextStep } from "./step-run.ts";
import { concluding, scheduling, transitions } from "./transitions.ts";

/**
 * Records that an agent has taken a step up late, takes longer than most, or has passed it to its service. From then on `completeBy` governs the
 * record. Rejected if the record is due later than the step explains: see `takeUpOnly`.
 */
export function takeUp(task: StepTask, mark: Mark, now: string): GuardedWrite {
  const { completeBy } = mark;
  const { guard, changes } = takeUpOnly(task, mark, now);
  const run = runOf(task.record, task.direction);
  const scheduledUntil = run ? expiresAt(run) : "";
  return {
    guard: {
      ...guard,
      processStates: [transitions.stepTakenUp.from],
      dueBy: scheduledUntil > completeBy ? scheduledUntil : completeBy,
    },
    changes: [...changes, set(["completeBy"], completeBy), set(["dueAt"], mark.dueAt ?? completeBy)],
  };
}

/** The same if an operator has extended the time, or steps are in progress beside it: the record keeps its due time. */
export function takeUpOnly(task: StepTask, { from, change, isLater }: Mark, now: string): GuardedWrite {
  const { step, record } = task;
  const changes = [set(["steps", step], change(record)), set(["updatedAt"], now)];
  return { guard: inHand(task, from), changes: isLater ? [...changes, set(["hasWaited"], true)] : changes };
}

/**
 * Records why an agent will not be done in time: the step's own run keeps the latest reason, the history keeps each. Nothing else changes: if the
 * step is not done, the supervisor finds it overdue.
 * @param isHistoryFull an agent of another team may note as often as it likes: then only its run contains the reason
 */
export function noteExpiry(task: StepTask, noted: Expiry, isHistoryFull = false): GuardedWrite {
  const { step, direction, lockedBy: by } = task;
  const expiry = expiryWithinLimits(noted);
  const { at } = expiry;
  const noting =
    direction === "forward"
      ? set(["steps", step, "expiry"], expiry)
      : set(["steps", step, "compensation", "expiry"], expiry);
  const changes = [noting, set(["updatedAt"], at)];
  const entry = append(["history"], { at, what: expiryInWords(step, direction, expiry), by });
  return { guard: inHand(task), changes: isHistoryFull ? changes : [...changes, entry] };
}

/** The limit for the many errors of an attempt's tries. */
const ERROR_LIMIT = 300;

function expiryInWords(step: string, direction: Direction, { attempt, tries, endpoint, message }: Expiry): string {
  const which = direction === "forward" ? step : `compensation of ${step}`;
  const where = endpoint === null ? "" : ` (${endpoint})`;
  const words = counted(tries, "try", "tries");
  return asEntry(
    `${which}: attempt ${attempt} runs out of time, after ${words}${where}: ${message.slice(0, ERROR_LIMIT)}`,
  );
}

/** The record with the result of a step's condition. */
export function withDecision(record: StateRecord, name: string, decided: Decided): StateRecord {
  const own = record.steps[name];
  return own ? { ...record, steps: { ...record.steps, [name]: { ...own, decided } }, updatedAt: decided.at } : record;
}

/** The consequences of the write of a step's end. */
export interface LedTo {
  /** It ended the job, or changed the job's direction. */
  readonly isTurn: boolean;
  /** Steps can begin that could not before. */
  readonly isNews: boolean;
}

/**
 * The writes of a step's end whose effect is known without a read, each to be tried if the record rejects the previous one: other steps beside it
 * continue, or the next steps begin, or the job is over. The end of a compensation depends on every step: it needs a read.
 * @param closing if a job that is over is closed at once
 */
export function endsOf(
  task: StepTask,
  siblings: readonly string[],
  ended: StepRecord,
  next: readonly NextStep[],
  now: string,
  closing: Closing | null,
): ({ readonly write: GuardedWrite } & LedTo)[] {
  const among = { write: completeAmong(task, siblings, ended, now), isTurn: false, isNews: false };
  const first = siblings.length > 0 ? [among] : [];
  if (next.length > 0)
    return [...first, { write: completeJoin(task, siblings, ended, next, now), isTurn: false, isNews: true }];
  if (task.direction === "compensate") return first;
  return [...first, { write: completeJob(task, siblings, ended, now, closing), isTurn: true, isNews: true }];
}

/** Records that a step is done while others beside it are not. */
export function completeAmong(
  task: StepTask,
  siblings: readonly string[],
  done: StepRecord,
  now: string,
): GuardedWrite {
  const guard = { ...holding(task), siblings: siblingsOf(task, siblings, false) };
  return { guard, changes: [...recorded(task, done, now)] };
}

/** Records that a step and all steps beside it are done, and schedules the next steps in the same write. */
export function completeJoin(
  task: StepTask,
  siblings: readonly string[],
  done: StepRecord,
  next: readonly NextStep[],
  now: string,
): GuardedWrite {
  const guard = holding(task);
  return {
    guard: siblings.length > 0 ? { ...guard, siblings: siblingsOf(task, siblings, true) } : guard,
    changes: [...recorded(task, done, now), ...scheduling(next, task.direction)],
  };
}

/**
 * Records that the last step is done, and that the job is Processed, in the same write.
 * @param closing if a job that is over is closed at once
 */
export function completeJob(
  task: StepTask,
  siblings: readonly string[],
  done: StepRecord,
  now: string,
  closing: Closing | null = null,
): GuardedWrite {
  const { from, to } = transitions.lastStepCompleted;
  const last = completeJoin(task, siblings, done, [], now);
  const guard = { ...last.guard, processStates: [from] };
  const changes = [...last.changes, ...concluding(to, { processState: to }, task.attempt, now)];
  if (closing === null) return { guard, changes: [...changes, set(["overAt"], now)] };
  const lifetime = { revisions: task.jobRevision, ...closing };
  return { guard, changes: [...changes, set(["keptUntil"], after(now, closing.keepMs))], lifetime };
}

/** The step's run belongs to this task, whatever the job's state is now (P4): in Error too what is in progress goes on, for an operator may resubmit it. */
function inHand({ attempt, step: name, direction }: StepTask, states: readonly StepState[] = AT_WORK): Guard {
  return { processStates: GOES_ON, step: { name, direction, attempt, states } };
}

const AT_WORK = ["Scheduled", "Running", "Awaiting"] as const;
const GOES_ON = ["Processing", "Pending", "Error"] as const;

/** The same, and its attempt holds the job. */
function holding(task: StepTask): Guard {
  return { ...inHand(task), processStates: [transitions.stepCompleted.from], attempt: task.attempt };
}

function siblingsOf(
  { direction }: StepTask,
  names: readonly string[],
  allDone: boolean,
): NonNullable<Guard["siblings"]> {
  return { names, direction, allDone };
}

function recorded({ step, lockedBy, direction }: StepTask, record: StepRecord, now: string): Change[] {
  const what = endInWords(step, direction, record);
  return [set(["steps", step], record), set(["updatedAt"], now), append(["history"], { at: now, what, by: lockedBy })];
}

/** The history's words for the outcome of a step; of a failure with its reason, which a later attempt replaces in the step itself. */
export function endInWords(step: string, direction: Direction, record: StepRecord): string {
  const [which, run] = direction === "forward" ? [step, record] : [`compensation of ${step}`, record.compensation];
  const why = run?.state === "Failed" && run.error ? `: ${run.error.slice(0, ERROR_LIMIT)}` : "";
  return asEntry(`${which}: ${run?.state}${why}`);
}
