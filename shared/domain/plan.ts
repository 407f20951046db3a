// What an attempt has to do in its direction, and what of it can be begun (P5, P13, P14).

import { expandedSteps } from "./expand.ts";
import type { Direction, StepRecord, StepRun, Steps } from "./state-record.ts";
import { START_WITHIN, type Transport, type Workflow, type WorkflowStep } from "./workflow.ts";

export interface PlannedStep {
  readonly name: string;
  readonly agent: string;
  readonly operation: string;
  readonly transport: Transport;
  /** The planned steps that have to be done first. */
  readonly after: readonly string[];
  readonly startWithin: string;
  readonly completeWithin: string;
  /** Absent: its agent has to have it done before it answers. */
  readonly awaitWithin?: string | undefined;
  /** Absent: as the attempt goes. Forward, what a skipped step may have left behind is undone meanwhile. */
  readonly direction?: "undo";
  /** It may come to be skipped: what its end leads to is then known from the record alone. */
  readonly maySkip?: true;
  /** Its condition, by name. */
  readonly when?: string;
  /** The list for an item of which it is done. */
  readonly forEach?: string;
}

export type Plan = readonly PlannedStep[];

/**
 * Forward: the workflow's steps, and the undo of those that may be skipped with an outcome that nobody knows. Undo: what needs undoing, each after
 * all that came after it.
 */
export function planOf(workflow: Workflow, steps: Steps, direction: Direction): Plan {
  const all = expandedSteps(workflow, steps);
  if (direction === "forward") return [...all.map((step) => forwardOf(step, all)), ...all.flatMap(undoOfSkipped)];
  const undone = all.filter((step) => isToBeUndone(step, steps[step.name]));
  return undone.flatMap((step) => {
    const later = dependantsOf(all, step.name);
    return undoOf(
      step,
      undone.flatMap(({ name }) => (later.has(name) ? [name] : [])),
    );
  });
}

function forwardOf(step: WorkflowStep, all: readonly WorkflowStep[]): PlannedStep {
  const { name, agent, operation, transport = "activity", after, startWithin = START_WITHIN } = step;
  const { completeWithin, awaitWithin, when, forEach, optional, needs, otherwise } = step;
  const maySkip = optional || when || needs || otherwise !== undefined || all.some((other) => other.otherwise === name);
  return {
    name,
    agent,
    operation,
    transport,
    after,
    startWithin,
    completeWithin,
    ...(awaitWithin && { awaitWithin }),
    ...(maySkip && { maySkip: true }),
    ...(when && { when }),
    ...(forEach && { forEach }),
  };
}

function undoOfSkipped(step: WorkflowStep): PlannedStep[] {
  const isSkippedByFault = step.optional === true || step.otherwise !== undefined;
  return isSkippedByFault ? undoOf(step, []).map((undo) => ({ ...undo, direction: "undo" })) : [];
}

function isToBeUndone({ undo }: WorkflowStep, record: StepRecord | undefined): boolean {
  return typeof undo !== "string" && record !== undefined && mayHaveHadEffect(record);
}

function undoOf(step: WorkflowStep, after: readonly string[]): PlannedStep[] {
  const { name, agent, transport = "activity", startWithin = START_WITHIN, undo, forEach } = step;
  if (typeof undo === "string") return [];
  const { operation, completeWithin, awaitWithin } = undo;
  const times = { startWithin, completeWithin, ...(awaitWithin && { awaitWithin }) };
  return [{ name, agent, operation, transport, after, ...times, ...(forEach && { forEach }) }];
}

/** All steps that can only be begun once that one is done. */
function dependantsOf(steps: readonly WorkflowStep[], name: string): ReadonlySet<string> {
  const found = new Set([name]);
  // A step stands wherever its author put it: so as often as there is another one.
  for (let before = 0; before < found.size; ) {
    before = found.size;
    for (const step of steps) if (step.after.some((other) => found.has(other))) found.add(step.name);
  }
  found.delete(name);
  return found;
}

/** Completed, or with an outcome that nobody knows. A step all of whose tries were refused for good had no effect. */
export function mayHaveHadEffect({ state, scheduledAt, retryCount, unsure = false }: StepRecord): boolean {
  switch (state) {
    case "Completed":
    case "Undone":
    case "Scheduled":
    case "Running":
    case "Awaiting":
      return true;
    case "NotStarted":
      return unsure || scheduledAt !== null || retryCount > 0;
    case "Skipped":
      return unsure;
    case "Failed":
      return unsure || retryCount > 0;
    default:
      return state satisfies never;
  }
}

/** It may have had its effect, and nobody knows: an undo sees to it, and under another key it could be done twice. */
export function outcomeIsUnknown(step: StepRecord): boolean {
  const isUndone = step.state === "Undone" || step.undo?.state === "Completed";
  return step.state !== "Completed" && !isUndone && mayHaveHadEffect(step);
}

/** A step's run in a direction; one that does not exist yet has not begun. */
export function runOf(record: StepRecord | undefined, direction: Direction): StepRun | null {
  return (direction === "forward" ? record : record?.undo) ?? null;
}

/** Scheduled, Running or Awaiting: somebody may be at work on it, or may come to be. */
export function isInHand(run: StepRun | null): run is StepRun {
  return run?.state === "Scheduled" || (run !== null && isTakenUp(run));
}

/** Somebody is known to have been at work on it: where its time runs out, that is a failure. */
export function isTakenUp({ state }: StepRun): boolean {
  return state === "Running" || state === "Awaiting";
}

export interface RunInHand {
  readonly step: string;
  readonly direction: Direction;
  readonly run: StepRun;
}

const DIRECTIONS = ["forward", "undo"] as const;

/** In either direction: an undo may begin while a step beside the one that was refused is at work. */
export function runsInHand(steps: Steps): readonly RunInHand[] {
  return Object.entries(steps).flatMap(([step, record]) =>
    DIRECTIONS.flatMap((direction): RunInHand[] => {
      const run = runOf(record, direction);
      return isInHand(run) ? [{ step, direction, run }] : [];
    }),
  );
}

/** When the pauses of steps are over that are to be run again later, while others go on. In an undo nobody waits for those before. */
export function pausesOf(steps: Steps, direction: Direction): readonly string[] {
  return Object.values(steps)
    .flatMap((step) => (direction === "forward" ? [step, step.undo] : [step.undo]))
    .flatMap((run) => (run?.state === "NotStarted" && run.notBefore ? [run.notBefore] : []));
}

/** Whether a step's run has come to its end in a direction. An undo that was refused for good is left to a person. */
export function isClosed(record: StepRecord | undefined, direction: Direction): boolean {
  const state = runOf(record, direction)?.state;
  return state === "Completed" || state === (direction === "undo" ? "Failed" : "Skipped");
}

/** Whether a step has nothing more to do in a direction: one that turns out to have had no effect needs no undo. */
export function isDone(record: StepRecord | undefined, direction: Direction): boolean {
  return isClosed(record, direction) || (direction === "undo" && !(record && mayHaveHadEffect(record)));
}

/** Whether nothing more is to be done of a planned step by an attempt in that direction. */
function isPlannedDone(planned: PlannedStep, steps: Steps, direction: Direction): boolean {
  const record = steps[planned.name];
  if (directionOf(planned, direction) === direction) return isDone(record, direction);
  return record?.state !== "Skipped" || isDone(record, "undo");
}

/** In which direction an attempt does a planned step. */
export function directionOf(planned: PlannedStep, direction: Direction): Direction {
  return planned.direction ?? direction;
}

/**
 * All that the attempt had to do is done. What an undo's end says is true only once nobody is at work forward any more, also on a step that needs no undo, or
 * one by a person. What is done later waits for nobody: its outcome counts as unknown.
 */
export function isWholeDone(plan: Plan, steps: Steps, direction: Direction): boolean {
  const isAtWork = runsInHand(steps).some((each) => each.direction !== direction && each.run.state !== "Awaiting");
  return !isAtWork && plan.every((planned) => isPlannedDone(planned, steps, direction));
}

/** Not done, and nobody is at it. */
export function unbegun(plan: Plan, steps: Steps, direction: Direction): readonly PlannedStep[] {
  return plan.filter(
    (planned) =>
      !isPlannedDone(planned, steps, direction) &&
      !isInHand(runOf(steps[planned.name], directionOf(planned, direction))),
  );
}

/**
 * The steps that an attempt can begin: all that they wait for is done. A step is undone once nobody is at work on it any more; one that is done later is
 * taken back without waiting for that, and what is reported of it then is late.
 */
export function readySteps(plan: Plan, steps: Steps, direction: Direction, now: string): readonly PlannedStep[] {
  return unbegun(plan, steps, direction).filter((planned) => {
    const { name, after } = planned;
    const record = steps[name];
    const { notBefore = now } = runOf(record, directionOf(planned, direction)) ?? {};
    const isAtWork = direction === "undo" && record?.state !== "Awaiting" && isInHand(record ?? null);
    return notBefore <= now && !isAtWork && after.every((before) => isDone(steps[before], direction));
  });
}

/** What a person has to undo: steps that had an effect and are "byHand", and undos that were refused. */
export function remainingByHand(workflow: Workflow, steps: Steps): string[] {
  const remaining = expandedSteps(workflow, steps).filter(({ name, undo }) => {
    const record = steps[name];
    if (!record) return false;
    return record.undo?.state === "Failed" || (undo === "byHand" && mayHaveHadEffect(record));
  });
  return remaining.map(({ name }) => name);
}
