// One attempt at a job, as the scheduler's orchestration carries it: the next steps, and the results so far.

import type { Priority } from "../content/job.ts";
import { itemOfRun, stepOfRun } from "../definition/items.ts";
import type { Transport, WorkflowRef } from "../definition/workflow.ts";
import { expiresAt } from "../record/due.ts";
import { MOST_CHANGES } from "../record/guarded-write.ts";
import {
  directionOf,
  isDone,
  isInHand,
  type Plan,
  type PlannedStep,
  type RunInHand,
  runOf,
  runsInHand,
  unbegun,
} from "../record/plan.ts";
import type {
  Direction,
  ReadResults,
  StateRecord,
  StepRecord,
  StepResult,
  StepRun,
  Steps,
} from "../record/state-record.ts";
import { isToBeListed, withRunsOfLists } from "./listed-runs.ts";
import { comparePolls } from "./poll.ts";
import type { ToSchedule } from "./step-run.ts";

/** The request for an attempt that a job waits for. Everything else is in the job's record. */
export interface StartAttempt {
  readonly jobId: string;
  readonly attempt: number;
  readonly direction: Direction;
  /** The trace that the attempt continues. */
  readonly traceparent?: string | null | undefined;
}

/** The address of the status messages. */
export interface Reply {
  readonly replyTo: string | null;
  readonly replyToSessionId: string | null;
  readonly correlationId: string;
  readonly traceparent: string | null;
}

export interface Attempt {
  readonly jobId: string;
  readonly attempt: number;
  readonly lockedBy: string;
  readonly direction: Direction;
  readonly workflow: WorkflowRef;
  readonly jobRevision: number;
  readonly priority: Priority;
  /** Carried in the attempt, so that a deployment does not change an attempt in progress. */
  readonly plan: Plan;
  readonly steps: Steps;
  readonly reply: Reply;
  /** About how long its history may become before it continues as new: see history-length.ts. Only in the input of its orchestration. */
  readonly historyBytes?: number;
  /** It was continued as new: the runs in progress that it has begun, by `runKey`. */
  readonly begun?: readonly string[];
  /** It was continued as new: an activity that it had begun failed. */
  readonly hasFailed?: boolean;
}

export type ClaimOutcome =
  | {
      readonly kind: "claimed";
      readonly attempt: Attempt;
      /** Other writers may change the record before the attempt runs: then it must be read again. */
      readonly isBehind: boolean;
    }
  /** There was no step left to do: the claim concluded the job. */
  | { readonly kind: "concluded" }
  /** Another attempt holds the job, or it has ended. */
  | { readonly kind: "taken" };

/** One step for one agent, with all the data that the agent's activity needs except the job itself. */
export interface StepTask extends Omit<Attempt, "plan" | "steps" | "historyBytes" | "begun" | "hasFailed"> {
  readonly step: string;
  readonly agent: string;
  readonly operation: string;
  readonly transport: Transport;
  readonly record: StepRecord;
  /** The latest instant at which its agent may take it up. */
  readonly startBy: string;
  /** An agent that ends before this takes it up without a write. */
  readonly completeBy: string;
  /** ISO 8601: how long its agent has after it takes the step up. */
  readonly completeWithin: string;
  /** ISO 8601: how long the step may wait for its completion after its service has accepted it; absent if it may not. */
  readonly awaitWithin?: string | undefined;
  /** A condition of the app, by name: the step begins only if it holds. */
  readonly when?: string | undefined;
  /** A list of the app, by name: the step runs for one of its items. */
  readonly forEach?: string | undefined;
  /** The results of the completed steps. */
  readonly results: ReadResults;
  /** The steps after it, if they are known before; null if the record must be read first. */
  readonly join: Join | null;
  /** Other steps run in parallel: the record may be due before this step is. */
  readonly isAlone: boolean;
  /** The orchestration waits for this activity to return. Otherwise it waits for events, of any step. */
  readonly isAwaited: boolean;
  /** If the activity may continue with the steps after it: see `runSteps`. */
  readonly plan?: Plan;
}

/** Steps in parallel that all must be done before any of the next ones, with no other step open. */
interface Join {
  /** The other steps: the last to end schedules the next ones, or concludes. */
  readonly siblings: readonly string[];
  /** Empty after the last step. */
  readonly next: readonly ToSchedule[];
}

export type StepOutcome =
  /** With the job's steps at that time: the scheduler begins those that are scheduled and not begun. See news.ts. */
  | {
      readonly kind: "completed";
      /** All steps, or those that changed. */
      readonly steps: Steps;
      readonly hasEnded: boolean;
      /** How far all runs are, if `steps` has only those that changed. */
      readonly progress?: number;
      /** It says nothing about other steps. */
      readonly isPart?: true;
    }
  | { readonly kind: "rejected" }
  /** Its time was over before it was done, or taken up: no outcome is recorded; the supervisor will find it. */
  | { readonly kind: "expired" }
  /** Another attempt holds the job, or none: this one has nothing more to do. `by`: the next one, and who made it has published what this one owed. */
  | { readonly kind: "superseded"; readonly by?: number };

type Completed = Extract<StepOutcome, { kind: "completed" }>;

/** The outcome of a step, and the attempt that must be notified of it by an event; null if it is notified in another way, or need not be. */
export interface StepEnd {
  readonly outcome: StepOutcome;
  readonly receiver: number | null;
}

/** The attempt that has begun the task, unless it waits for the activity itself. */
export function ownReceiver({ isAwaited, attempt }: StepTask): number | null {
  return isAwaited ? null : attempt;
}

/** The attempt that holds, or held, the job under `lockedBy`. */
export function attemptOf(record: StateRecord, lockedBy: string, plan: Plan): Attempt {
  const { jobId, attempt, direction, workflow, jobRevision, priority, steps } = record;
  const { replyTo, replyToSessionId, correlationId, traceparent } = record;
  return {
    jobId,
    attempt,
    lockedBy,
    direction,
    workflow,
    jobRevision,
    priority,
    plan,
    steps,
    reply: { replyTo, replyToSessionId, correlationId, traceparent },
  };
}

/**
 * The tasks of the steps that this attempt has scheduled. Open steps that an earlier attempt scheduled are in progress already: their results are
 * reported to this attempt.
 * @param begun the steps that it has begun, by `runKey`
 */
export function tasksToBegin(attempt: Attempt, begun: ReadonlySet<string>): StepTask[] {
  const { plan, steps } = attempt;
  const tasks = plan.flatMap((planned): StepTask[] => {
    const direction = directionOf(planned, attempt.direction);
    const run = runOf(steps[planned.name], direction);
    const isToBegin = isInHand(run) && run.state !== "Awaiting" && run.attempt === attempt.attempt;
    if (!isToBegin || begun.has(runKey({ step: planned.name, direction }))) return [];
    return [taskFor(attempt, planned.name, direction) ?? []].flat();
  });
  const own = new Set(tasks.map(({ step }) => step));
  const isAwaited =
    tasks.length === runsInHand(steps).length &&
    tasks.every(
      ({ transport, join }) => transport === "activity" && join?.siblings.every((sibling) => own.has(sibling)),
    );
  const [first] = tasks;
  const goesOn = isAwaited && tasks.length === 1 && first?.direction === attempt.direction;
  const rest = goesOn
    ? plan.filter((planned) => planned.direction || !isDone(steps[planned.name], attempt.direction))
    : plan;
  return tasks.map((task) => ({ ...task, isAwaited, ...(goesOn && { plan: rest }) }));
}

/**
 * The next step for the activity of that task, once it has the task's own result: one step that can begin, with no other step open; or one that an
 * earlier run of the activity did before it crashed, by the time when it was scheduled.
 */
export function followingTask(task: StepTask, outcome: StepOutcome): StepTask | undefined {
  if (!task.plan || outcome.kind !== "completed") return undefined;
  const { jobId, attempt, lockedBy, direction, workflow, jobRevision, priority, reply } = task;
  const plan = task.plan.filter(({ name }) => name !== task.step);
  const { steps } = outcome;
  const held = { jobId, attempt, lockedBy, direction, workflow, jobRevision, priority, reply, plan, steps };
  const [next, ...others] = tasksToBegin(held, NOTHING_BEGUN);
  if (next)
    return next.isAwaited && next.direction === direction && others.length === 0 ? { ...next, plan } : undefined;
  const ended = plan.flatMap(({ name }): StepTask[] => {
    const run = runOf(steps[name], direction);
    const isOwn = run?.attempt === attempt && run.state !== "NotStarted" && !isInHand(run);
    return isOwn ? [taskFor(held, name, direction) ?? []].flat() : [];
  });
  const [first] = ended.sort((one, other) => scheduledAt(one).localeCompare(scheduledAt(other)));
  return first && { ...first, isAwaited: true, plan };
}

const scheduledAt = ({ record, direction }: StepTask) => runOf(record, direction)?.scheduledAt ?? "";

const NOTHING_BEGUN: ReadonlySet<string> = new Set();

/** Names one run of an attempt: a step may be done in both directions. */
export function runKey({ step, direction }: Pick<StepTask, "step" | "direction">): string {
  return `${direction} ${step}`;
}

/** The input of an attempt that continues as new. */
export function continued(attempt: Attempt, begun: ReadonlySet<string>, hasFailed: boolean): Attempt {
  const inHand = runsInHand(attempt.steps).map((run) => runKey(run));
  return { ...attempt, begun: inHand.filter((key) => begun.has(key)), hasFailed };
}

/** Until when, at the latest, other steps than those that it has begun may still report to the attempt. */
export function waitsUntil({ steps }: Attempt): string | undefined {
  return runsInHand(steps)
    .map(({ run }) => expiresAt(run))
    .sort()
    .at(-1);
}

/** The task of one step, open or done; undefined if the plan has no such step, or it never began. */
export function taskFor(
  attempt: Attempt,
  name: string,
  direction: Direction = attempt.direction,
): StepTask | undefined {
  const isMeant = (planned: PlannedStep) =>
    planned.name === name && directionOf(planned, attempt.direction) === direction;
  const step = attempt.plan.find(isMeant);
  const { plan, steps, historyBytes: _, begun: __, hasFailed: ___, ...held } = attempt;
  const record = steps[name];
  const { startBy, completeBy } = runOf(record, direction) ?? {};
  if (!step || !record || !startBy || !completeBy) return undefined;
  const others = runsInHand(steps).filter((other) => other.step !== name || other.direction !== direction);
  return {
    ...held,
    direction,
    step: name,
    agent: step.agent,
    operation: step.operation,
    transport: step.transport,
    record,
    startBy,
    completeBy,
    completeWithin: step.completeWithin,
    ...(step.awaitWithin && { awaitWithin: step.awaitWithin }),
    ...(step.when && { when: step.when }),
    ...(step.forEach && { forEach: step.forEach }),
    results: resultsOf(steps),
    join: step.direction === undefined ? joinOf(attempt, name, others) : null,
    isAlone: others.length === 0,
    isAwaited: false,
  };
}

/** Besides them, the write of a step's end has the step, its history and time, and the record's two times. */
const MOST_NEXT = MOST_CHANGES - 5;

function joinOf({ plan, steps, direction }: Attempt, name: string, others: readonly RunInHand[]): Join | null {
  if (others.some((other) => other.direction !== direction)) return null;
  const siblings = others.map(({ step }) => step);
  const abreast = new Set([name, ...siblings]);
  const rest = unbegun(plan, steps, direction).filter((step) => !abreast.has(step.name));
  const openBefore = ({ after }: PlannedStep) => after.filter((before) => !isDone(steps[before], direction));
  const next = rest.filter((step) => openBefore(step).every((before) => abreast.has(before)));
  // A step that waits for only some of them may begin before the others are done; a step that waits for none may begin after a pause.
  const isJoin = next.every((step) => openBefore(step).length === abreast.size);
  // The runs for a list in a result are known only from that result.
  if (next.some(isToBeListed)) return null;
  if ([...next, ...plan.filter((step) => abreast.has(step.name))].some(({ maySkip }) => maySkip)) return null;
  if (!isJoin || next.length > MOST_NEXT) return null;
  return { siblings, next: next.map((planned) => toSchedule(planned, steps)) };
}

/** The external event that notifies an attempt of results which it does not wait for as an activity. */
export const PROGRESS = "progress";

/** Longer than most sweeps need to find an expired step. */
export const FIRST_LOOK_MS = 5000;

/**
 * When an attempt that has received nothing reads the record: the expected event may never come, because a process crashed, or because the attempt
 * was started again after it was over.
 * @param until when everything that it waits for has expired
 * @param looks how often it has read the record since then without a change
 */
export function looksAt(until: string, looks: number): Date {
  return new Date(Date.parse(until) + FIRST_LOOK_MS * 2 ** looks);
}

/** An attempt's look at the record. */
export interface Look extends Pick<Attempt, "jobId" | "attempt" | "lockedBy"> {
  /** The steps in progress, as far as the attempt knows. */
  readonly waitsFor: readonly string[];
}

export function lookOf({ jobId, attempt, lockedBy, steps }: Attempt): Look {
  return { jobId, attempt, lockedBy, waitsFor: runsInHand(steps).map(({ step }) => step) };
}

/** The content of the record that the attempt reads. */
export function outcomeReadBy({ lockedBy }: Pick<Attempt, "lockedBy">, record: StateRecord | undefined): StepOutcome {
  if (record?.lockedBy !== lockedBy) return { kind: "superseded" };
  return { kind: "completed", steps: record.steps, hasEnded: false };
}

/** The attempt after it has received that. Newer knowledge is never replaced by older. */
export function advance(attempt: Attempt, { steps }: Completed): Attempt {
  const news = Object.entries(steps).filter(([name, record]) => isLater(record, attempt.steps[name]));
  const known = { ...attempt.steps, ...Object.fromEntries(news) };
  return { ...attempt, plan: withRunsOfLists(attempt.plan, known), steps: known };
}

const RANK = {
  NotStarted: 0,
  Scheduled: 1,
  Running: 2,
  Awaiting: 3,
  Completed: 4,
  Skipped: 4,
  Failed: 4,
  Compensated: 5,
} as const;

function isLater(record: StepRecord, known: StepRecord | undefined): boolean {
  if (known === undefined || compare(record, known) > 0) return true;
  return (
    record.compensation !== null &&
    (known.compensation === null || compare(record.compensation, known.compensation) > 0)
  );
}

/**
 * While an attempt holds its job no ended run begins again. Attempt numbers never decrease, and the run of an attempt never returns to an earlier
 * state.
 */
function compare(one: StepRun, other: StepRun): number {
  const ranks = RANK[one.state] - RANK[other.state];
  if (isOver(one) || isOver(other)) return ranks;
  return (one.attempt ?? 0) - (other.attempt ?? 0) || ranks || comparePolls(one, other);
}

const isOver = ({ state }: StepRun) => RANK[state] >= RANK.Completed;

/** The outcome that kept steps from completing; undefined if there is none. */
export function firstObstacle(outcomes: readonly StepOutcome[]): Exclude<StepOutcome, Completed> | undefined {
  return outcomes.find((outcome) => outcome.kind !== "completed");
}

/** The input of a write that schedules a planned step. @throws if the record has no such step */
export function toSchedule(planned: PlannedStep, steps: Steps): ToSchedule {
  const { name, transport, completeWithin, awaitWithin } = planned;
  const record = steps[name];
  if (!record) throw new Error(`there is no record of step ${name}`);
  return { name, transport, completeWithin, record, ...(awaitWithin && { awaitWithin }) };
}

/** Those of a list are one result, in the order of the items. */
function resultsOf(steps: Steps): ReadResults {
  const results: { [step: string]: StepResult | (StepResult | null)[] } = {};
  for (const [run, { state, result }] of Object.entries(steps)) {
    if (state !== "Completed" || !result) continue;
    const step = stepOfRun(run);
    const item = itemOfRun(run);
    if (item === undefined) results[step] = result;
    else if (!(step in results)) results[step] = runsOfList(step, steps);
  }
  return results;
}

function runsOfList(step: string, steps: Steps): (StepResult | null)[] {
  const runs = Object.keys(steps).filter((run) => stepOfRun(run) === step && itemOfRun(run) !== undefined);
  return runs
    .sort((one, other) => (itemOfRun(one) ?? 0) - (itemOfRun(other) ?? 0))
    .map((run) => (steps[run]?.state === "Completed" ? (steps[run].result ?? null) : null));
}
