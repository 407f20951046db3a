// The life of a job, as one table; and each transition of an attempt as a guarded write (P4, P9, P13, P14, P16).
import type { NextStep, StartAttempt, StepTask } from "./attempt.ts";
import { after } from "./duration.ts";
import { runOf } from "./plan.ts";
import {
  type Decided,
  type Direction,
  type EndState,
  type Expiry,
  hasEnded,
  type JobError,
  type JobStatus,
  type OutboxMessage,
  type ProcessState,
  type StateRecord,
  type StepRecord,
  type StepState,
} from "./state-record.ts";
import { expiresAt, type Mark } from "./step-run.ts";

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

/** A write is taken only if all of this holds of the stored record. */
export interface Guard {
  /** One of these. */
  readonly processStates: readonly ProcessState[];
  /** Any if absent. */
  readonly lockedBy?: string | null;
  /** Any if absent: a step's run may outlive its attempt. */
  readonly attempt?: number;
  /** A step whose run in that direction has to be that attempt's, and in one of these states. */
  readonly step?: {
    readonly name: string;
    readonly direction: Direction;
    readonly attempt: number;
    readonly states: readonly StepState[];
  };
  /** Whether all of these steps have to be done in that direction, or not all of them. */
  readonly siblings?: { readonly names: readonly string[]; readonly direction: Direction; readonly allDone: boolean };
  /** The record has to be due by then: an operator may have given it more time. */
  readonly dueBy?: string;
}

export type Change =
  | { readonly op: "set"; readonly path: readonly string[]; readonly value: unknown }
  | { readonly op: "append"; readonly path: readonly string[]; readonly value: unknown }
  | { readonly op: "remove"; readonly path: readonly string[] };

export interface GuardedWrite {
  readonly guard: Guard;
  readonly changes: readonly Change[];
  /** What becomes of all documents of the job in the same write. */
  readonly lifetime?: Lifetime;
}

/** How long a job's documents stay after the write, all of them alike. */
export interface Lifetime {
  /** Of the job's content, each of which is a document. */
  readonly revisions: number;
  /** Null: for ever. Otherwise the job is closed, and its secrets are removed. */
  readonly keepMs: number | null;
  /** Members of the content that are removed with it. None where the job stays. */
  readonly secrets: readonly string[];
}

/** What a job that is over at once is closed with. */
export type Closing = Pick<Lifetime, "secrets"> & { readonly keepMs: number };

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
 * Records that an agent has taken a step up late, is at work for longer than most, or has handed it to its service. From then on `completeBy`
 * governs the record. Rejected where the record is due later than the step accounts for: see `takeUpOnly`.
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

/** The same where an operator has given more time, or steps are at work beside it: the record stays due when it is. */
export function takeUpOnly(task: StepTask, { from, change, isLater }: Mark, now: string): GuardedWrite {
  const { step, record } = task;
  const changes = [set(["steps", step], change(record)), set(["updatedAt"], now)];
  return { guard: inHand(task, from), changes: isLater ? [...changes, set(["hasWaited"], true)] : changes };
}

/**
 * Records why an agent was not done in time: the step's own run keeps the last one, the history each. Nothing else changes: the supervisor finds
 * the step overdue.
 */
export function noteExpiry(task: StepTask, expiry: Expiry): GuardedWrite {
  const { step, direction, lockedBy: by } = task;
  const run = direction === "forward" ? ["steps", step] : ["steps", step, "compensation"];
  const { at } = expiry;
  const entry = { at, what: expiryInWords(step, direction, expiry), by };
  const changes = [set([...run, "expiry"], expiry), set(["updatedAt"], at), append(["history"], entry)];
  return { guard: inHand(task), changes };
}

/** Of the many errors that an attempt's tries may meet. */
const ERROR_LIMIT = 300;

function expiryInWords(step: string, direction: Direction, { attempt, tries, endpoint, message }: Expiry): string {
  const which = direction === "forward" ? step : `compensation of ${step}`;
  const where = endpoint === null ? "" : ` (${endpoint})`;
  const words = tries === 1 ? "1 try" : `${tries} tries`;
  return `${which}: not done in time in attempt ${attempt}, after ${words}${where}: ${message.slice(0, ERROR_LIMIT)}`;
}

/** Records what a step's condition said, before its agent is asked. */
export function noteDecision(task: StepTask, decided: Decided): GuardedWrite {
  const changes = [set(["steps", task.step, "decided"], decided), set(["updatedAt"], decided.at)];
  return { guard: inHand(task), changes };
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

/** Records that a step is done, and all beside it, and schedules what is next in the same write. */
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
 * Records that the last step is done, and concludes the job in the same write.
 * @param closing where a job that is over is closed at once
 */
export function completeJob(
  task: StepTask,
  siblings: readonly string[],
  done: StepRecord,
  ending: Ending,
  now: string,
  closing: Closing | null = null,
): GuardedWrite {
  const { from, to } = transitions[LAST_STEP[ending.processState]];
  const last = completeJoin(task, siblings, done, [], now);
  const guard = { ...last.guard, processStates: [from] };
  const changes = [...last.changes, ...concluding(to, ending, task.attempt, now)];
  // The others have something to publish first.
  if (!isGood(ending)) return { guard, changes };
  if (closing === null) return { guard, changes: [...changes, set(["overAt"], now)] };
  const { keepMs } = closing;
  const lifetime = { revisions: task.jobRevision, ...closing };
  return { guard, changes: [...changes, set(["keptUntil"], after(now, keepMs))], lifetime };
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

/** The step's run is this task's, whatever has become of the job meanwhile (P4). */
function inHand({ attempt, step: name, direction }: StepTask, states: readonly StepState[] = AT_WORK): Guard {
  return { processStates: UNENDED, step: { name, direction, attempt, states } };
}

const AT_WORK = ["Scheduled", "Running", "Awaiting"] as const;
const UNENDED = ["Processing", "Pending"] as const;

/** And its attempt holds the job. */
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

/** How history says what came of a step. */
export function endInWords(step: string, direction: Direction, record: StepRecord): string {
  return direction === "forward"
    ? `${step}: ${record.state}`
    : `compensation of ${step}: ${record.compensation?.state}`;
}

/** The supervisor looks at the record when the first of them expires: what each of them still has, its own run says. */
function scheduling(next: readonly NextStep[], direction: Direction): Change[] {
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

const set = (path: readonly string[], value: unknown): Change => ({ op: "set", path, value });
const append = (path: readonly string[], value: unknown): Change => ({ op: "append", path, value });
const remove = (path: readonly string[]): Change => ({ op: "remove", path });
