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
  /** Absent: as the attempt goes. Forward, what a skipped step may have left behind is compensated meanwhile. */
  readonly direction?: "compensate";
  /** It may come to be skipped: what its end leads to is then known from the record alone. */
  readonly maySkip?: true;
  /** Its condition, by name. */
  readonly when?: string;
  /** The list for an item of which it is done. */
  readonly forEach?: string;
}

export type Plan = readonly PlannedStep[];

/**
 * Forward: the workflow's steps, and the compensation of those that may be skipped with an outcome that nobody knows. Compensation: what needs compensating, each after
 * all that came after it.
 */
export function planOf(workflow: Workflow, steps: Steps, direction: Direction): Plan {
  const all = expandedSteps(workflow, steps);
  if (direction === "forward")
    return [...all.map((step) => forwardOf(step, all)), ...all.flatMap(compensationOfSkipped)];
  const compensated = all.filter((step) => isToBeCompensated(step, steps[step.name]));
  return compensated.flatMap((step) => {
    const later = dependantsOf(all, step.name);
    return compensationOf(
      step,
      compensated.flatMap(({ name }) => (later.has(name) ? [name] : [])),
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

function compensationOfSkipped(step: WorkflowStep): PlannedStep[] {
  const isSkippedByFault = step.optional === true || step.otherwise !== undefined;
  return isSkippedByFault
    ? compensationOf(step, []).map((compensation) => ({ ...compensation, direction: "compensate" }))
    : [];
}

function isToBeCompensated({ compensation }: WorkflowStep, record: StepRecord | undefined): boolean {
  return typeof compensation !== "string" && record !== undefined && mayHaveHadEffect(record);
}

function compensationOf(step: WorkflowStep, after: readonly string[]): PlannedStep[] {
  const { name, agent, transport = "activity", startWithin = START_WITHIN, compensation, forEach } = step;
  if (typeof compensation === "string") return [];
  const { operation, completeWithin, awaitWithin } = compensation;
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

/**
 * Whether a step may have had an effect: it is completed, or its outcome is unknown. If all its tries were rejected permanently, it had none.
 */
export function mayHaveHadEffect({ state, scheduledAt, retryCount, outcomeUnknown = false }: StepRecord): boolean {
  switch (state) {
    case "Completed":
    case "Compensated":
    case "Scheduled":
    case "Running":
    case "Awaiting":
      return true;
    case "NotStarted":
      return outcomeUnknown || scheduledAt !== null || retryCount > 0;
    case "Skipped":
      return outcomeUnknown;
    case "Failed":
      return outcomeUnknown || retryCount > 0;
    default:
      return state satisfies never;
  }
}

/** It may have had its effect, and nobody knows: a compensation sees to it, and under another key it could be done twice. */
export function outcomeIsUnknown(step: StepRecord): boolean {
  const isCompensated = step.state === "Compensated" || step.compensation?.state === "Completed";
  return step.state !== "Completed" && !isCompensated && mayHaveHadEffect(step);
}

/** A step's run in a direction; one that does not exist yet has not begun. */
export function runOf(record: StepRecord | undefined, direction: Direction): StepRun | null {
  return (direction === "forward" ? record : record?.compensation) ?? null;
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

const DIRECTIONS = ["forward", "compensate"] as const;

/** In either direction: a compensation may begin while a step beside the one that was rejected is at work. */
export function runsInHand(steps: Steps): readonly RunInHand[] {
  const inHand: RunInHand[] = [];
  for (const [step, record] of Object.entries(steps)) {
    for (const direction of DIRECTIONS) {
      const run = runOf(record, direction);
      if (isInHand(run)) inHand.push({ step, direction, run });
    }
  }
  return inHand;
}

/** When the pauses of steps are over that are to be run again later, while others go on. In a compensation nobody waits for those before. */
export function pausesOf(steps: Steps, direction: Direction): readonly string[] {
  return Object.values(steps)
    .flatMap((step) => (direction === "forward" ? [step, step.compensation] : [step.compensation]))
    .flatMap((run) => (run?.state === "NotStarted" && run.notBefore ? [run.notBefore] : []));
}

/** Whether a step's run has come to its end in a direction. A compensation that was rejected for good is left to a person. */
export function isClosed(record: StepRecord | undefined, direction: Direction): boolean {
  const state = runOf(record, direction)?.state;
  return state === "Completed" || state === (direction === "compensate" ? "Failed" : "Skipped");
}

/** Whether a step has nothing more to do in a direction: one that turns out to have had no effect needs no compensation. */
export function isDone(record: StepRecord | undefined, direction: Direction): boolean {
  return isClosed(record, direction) || (direction === "compensate" && !(record && mayHaveHadEffect(record)));
}

/** Whether nothing more is to be done of a planned step by an attempt in that direction. */
function isPlannedDone(planned: PlannedStep, steps: Steps, direction: Direction): boolean {
  const record = steps[planned.name];
  if (directionOf(planned, direction) === direction) return isDone(record, direction);
  return record?.state !== "Skipped" || isDone(record, "compensate");
}

/** In which direction an attempt does a planned step. */
export function directionOf(planned: PlannedStep, direction: Direction): Direction {
  return planned.direction ?? direction;
}

/**
 * All that the attempt had to do is done. What a compensation's end says is true only once nobody is at work forward any more, also on a step that needs no compensation, or
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
 * The steps that an attempt can begin: all that they wait for is done. A step is compensated once nobody is at work on it any more; one that is done later is
 * taken back without waiting for that, and what is reported of it then is late.
 */
export function readySteps(plan: Plan, steps: Steps, direction: Direction, now: string): readonly PlannedStep[] {
  return unbegun(plan, steps, direction).filter((planned) => {
    const { name, after } = planned;
    const record = steps[name];
    const { notBefore = now } = runOf(record, directionOf(planned, direction)) ?? {};
    const isAtWork = direction === "compensate" && record?.state !== "Awaiting" && isInHand(record ?? null);
    return notBefore <= now && !isAtWork && after.every((before) => isDone(steps[before], direction));
  });
}

/** What a person has to compensate: steps that had an effect and are "manual", and compensations that were rejected. */
export function remainingManually(workflow: Workflow, steps: Steps): string[] {
  const remaining = expandedSteps(workflow, steps).filter(({ name, compensation }) => {
    const record = steps[name];
    if (!record) return false;
    return record.compensation?.state === "Failed" || (compensation === "manual" && mayHaveHadEffect(record));
  });
  return remaining.map(({ name }) => name);
}
