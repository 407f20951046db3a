// The plan of an attempt in its direction, and the steps of it that can begin (P5, P13, P14).

import { itemOfRun, MOST_RUNS_AT_ONCE, stepOfRun } from "../definition/items.ts";
import type { Transport, Workflow, WorkflowStep } from "../definition/workflow.ts";
import { expandedSteps } from "./expand.ts";
import type { Direction, StepRecord, StepRun, Steps } from "./state-record.ts";

export interface PlannedStep {
  readonly name: string;
  readonly agent: string;
  readonly operation: string;
  readonly transport: Transport;
  /** The planned steps that must be done first. */
  readonly after: readonly string[];
  readonly completeWithin: string;
  /** Absent: its agent must have it done before it answers. */
  readonly awaitWithin?: string | undefined;
  /** Absent: the attempt's direction. In a forward attempt, the possible effect of a skipped step is compensated in parallel. */
  readonly direction?: "compensate";
  /** It may be skipped: then the effect of its end is known only from the record. */
  readonly maySkip?: true;
  /** Its condition, by name. */
  readonly when?: string;
  /** The list whose item it is for. */
  readonly forEach?: string;
}

export type Plan = readonly PlannedStep[];

/**
 * Forward: the workflow's steps, and the compensation of steps that may be skipped with an unknown outcome. Compensation: the steps that need it,
 * each after all steps that came after it.
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
  const { name, agent, operation, transport = "activity", after, completeWithin, awaitWithin, when, forEach } = step;
  return {
    name,
    agent,
    operation,
    transport,
    after,
    completeWithin,
    ...(awaitWithin && { awaitWithin }),
    ...(maySkip(step, all) && { maySkip: true }),
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
  const { name, agent, transport = "activity", compensation, forEach } = step;
  if (typeof compensation === "string") return [];
  const { operation, completeWithin, awaitWithin } = compensation;
  const times = { completeWithin, ...(awaitWithin && { awaitWithin }) };
  return [{ name, agent, operation, transport, after, ...times, ...(forEach && { forEach }) }];
}

/** By its condition, as a fault of its own, with a step that it needs, or because it stands in for another. */
export function maySkip(
  { name, optional, when, needs, otherwise }: WorkflowStep,
  all: readonly WorkflowStep[],
): boolean {
  return Boolean(optional || when || needs || otherwise !== undefined) || isFallback(name, all);
}

/** Whether it is the fallback of another step. */
export const isFallback = (name: string, all: readonly WorkflowStep[]): boolean =>
  all.some(({ otherwise }) => otherwise === name);

/** All steps that can begin only after that one is done. */
export function dependantsOf(steps: readonly WorkflowStep[], name: string): ReadonlySet<string> {
  const found = new Set([name]);
  // The author may list the steps in any sequence: so the loop repeats until it finds no further step.
  for (let before = 0; before < found.size; ) {
    before = found.size;
    for (const step of steps) if (step.after.some((other) => found.has(other))) found.add(step.name);
  }
  found.delete(name);
  return found;
}

/**
 * Whether a step's run may have had an effect: it is completed, or its outcome is unknown. If all its tries were rejected permanently, it had none.
 * Nor had a step whose list can't be used, for which no agent is called.
 */
export function mayHaveHadEffect(run: StepRun & Pick<StepRecord, "listFault">): boolean {
  const { state, scheduledAt, retryCount, outcomeUnknown } = run;
  if (run.listFault !== undefined) return false;
  switch (state) {
    case "Completed":
    case "Compensated":
    case "Scheduled":
    case "Running":
    case "Awaiting":
      return true;
    case "NotStarted":
      return outcomeUnknown === true || scheduledAt !== null || retryCount > 0;
    case "Skipped":
      return outcomeUnknown === true;
    case "Failed":
      return outcomeUnknown ?? retryCount > 0;
    default:
      return state satisfies never;
  }
}

/** It may have had its effect, and that is unknown: a compensation includes it, and under another key it could be done twice. */
export function outcomeIsUnknown(step: StepRecord): boolean {
  const isCompensated = step.state === "Compensated" || step.compensation?.state === "Completed";
  return step.state !== "Completed" && !isCompensated && mayHaveHadEffect(step);
}

/** A step's run in a direction; a run that does not exist yet has not begun. */
export function runOf(record: StepRecord | undefined, direction: Direction): StepRun | null {
  return (direction === "forward" ? record : record?.compensation) ?? null;
}

/** Scheduled, Running or Awaiting: an agent may be working on it, or may start it. */
export function isInHand(run: StepRun | null): run is StepRun {
  return run?.state === "Scheduled" || (run !== null && isTakenUp(run));
}

/** An agent is known to have started it: if its time is over, that is a failure. */
export function isTakenUp({ state }: StepRun): boolean {
  return state === "Running" || state === "Awaiting";
}

export interface RunInHand {
  readonly step: string;
  readonly direction: Direction;
  readonly run: StepRun;
}

const DIRECTIONS = ["forward", "compensate"] as const;

/** In either direction: a compensation may begin while a step beside the rejected one is in progress. */
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

/** Whether a step's run has ended in a direction. A permanently rejected compensation is left to a person. */
export function isClosed(record: StepRecord | undefined, direction: Direction): boolean {
  const state = runOf(record, direction)?.state;
  return state === "Completed" || state === (direction === "compensate" ? "Failed" : "Skipped");
}

/** Whether a step is done in a direction: a step that had no effect after all needs no compensation. */
export function isDone(record: StepRecord | undefined, direction: Direction): boolean {
  return isClosed(record, direction) || (direction === "compensate" && !(record && mayHaveHadEffect(record)));
}

/** Whether a planned step is done for an attempt in that direction. */
function isPlannedDone(planned: PlannedStep, steps: Steps, direction: Direction): boolean {
  const record = steps[planned.name];
  if (directionOf(planned, direction) === direction) return isDone(record, direction);
  return record?.state !== "Skipped" || isDone(record, "compensate");
}

/** The direction in which an attempt does a planned step. */
export function directionOf(planned: PlannedStep, direction: Direction): Direction {
  return planned.direction ?? direction;
}

/**
 * All work of the attempt is done. The end of a compensation is correct only once no forward step is in progress any more, including
 * steps without compensation and manual ones. A step that is done later is not waited for: its outcome counts as unknown.
 */
export function isWholeDone(plan: Plan, steps: Steps, direction: Direction): boolean {
  const isAtWork = runsInHand(steps).some((each) => each.direction !== direction && each.run.state !== "Awaiting");
  return !isAtWork && plan.every((planned) => isPlannedDone(planned, steps, direction));
}

/** Not done, and not in progress. */
export function unbegun(plan: Plan, steps: Steps, direction: Direction): readonly PlannedStep[] {
  return plan.filter(
    (planned) =>
      !isPlannedDone(planned, steps, direction) &&
      !isInHand(runOf(steps[planned.name], directionOf(planned, direction))),
  );
}

/**
 * The steps that an attempt can begin: all steps that they wait for are done. A step is compensated once it is not in progress any more. A step
 * that is done later is compensated without that wait, and a later report of it is late.
 */
export function readySteps(plan: Plan, steps: Steps, direction: Direction, now: string): readonly PlannedStep[] {
  const ready = unbegun(plan, steps, direction).filter((planned) => {
    const { name, after } = planned;
    const record = steps[name];
    const { notBefore = now } = runOf(record, directionOf(planned, direction)) ?? {};
    const isAtWork = direction === "compensate" && record?.state !== "Awaiting" && isInHand(record ?? null);
    return notBefore <= now && !isAtWork && after.every((before) => isDone(steps[before], direction));
  });
  return withinRoom(ready, steps, direction);
}

/** The other runs of a list begin as those in flight end. What its service does later is not in flight here, and waits for no other run. */
function withinRoom(ready: readonly PlannedStep[], steps: Steps, direction: Direction): readonly PlannedStep[] {
  const listOf = (name: string, own: Direction) =>
    itemOfRun(name) === undefined ? undefined : `${own} ${stepOfRun(name)}`;
  const inFlight = new Map<string | undefined, number>();
  const count = (list: string) => inFlight.set(list, (inFlight.get(list) ?? 0) + 1);
  for (const { step, direction: own } of runsInHand(steps)) {
    const list = listOf(step, own);
    if (list !== undefined) count(list);
  }
  return ready.filter((planned) => {
    const list = planned.awaitWithin === undefined ? listOf(planned.name, directionOf(planned, direction)) : undefined;
    if (list === undefined) return true;
    count(list);
    return (inFlight.get(list) ?? 0) <= MOST_RUNS_AT_ONCE;
  });
}

/** The steps that a person must compensate, because there is no operation for it. */
export function remainingManually(workflow: Workflow, steps: Steps): string[] {
  const remaining = expandedSteps(workflow, steps).filter(({ name, compensation }) => {
    const record = steps[name];
    return record !== undefined && compensation === "manual" && mayHaveHadEffect(record);
  });
  return remaining.map(({ name }) => name);
}

/** The steps whose compensation was rejected permanently, or whose tries are used up. */
export function uncompensated(steps: Steps): string[] {
  return Object.entries(steps).flatMap(([name, { compensation }]) => (compensation?.state === "Failed" ? [name] : []));
}

/** Whether a step's compensation was tried and may have taken effect: then neither the step's result nor its compensation is certain. */
export function isCompensationUnknown({ compensation }: StepRecord): boolean {
  return compensation !== null && compensation.state !== "Completed" && mayHaveHadEffect(compensation);
}
