// What an attempt has to do, level by level, in its direction (P5, P13, P14).
import type { Direction, StepRecord, StepRun, Steps } from "./state-record.ts";
import { levelsOf, START_WITHIN, type Transport, type Workflow, type WorkflowStep } from "./workflow.ts";

export interface PlannedStep {
  readonly name: string;
  readonly agent: string;
  readonly operation: string;
  readonly transport: Transport;
  readonly startWithin: string;
  readonly completeWithin: string;
}

/** Levels in the order in which they run; the steps of a level run side by side. */
export type Plan = readonly (readonly PlannedStep[])[];

/** Forward: the workflow's levels. Undo: what needs undoing, the last level first. */
export function planOf(workflow: Workflow, steps: Steps, direction: Direction): Plan {
  const levels = levelsOf(workflow);
  if (direction === "forward") return levels.map((level) => level.map(forwardOf));
  const undone = levels.map((level) => level.flatMap((step) => undoOf(step, steps[step.name]))).reverse();
  return undone.filter((level) => level.length > 0);
}

function forwardOf(step: WorkflowStep): PlannedStep {
  const { name, agent, operation, transport = "activity", startWithin = START_WITHIN, completeWithin } = step;
  return { name, agent, operation, transport, startWithin, completeWithin };
}

function undoOf(step: WorkflowStep, record: StepRecord | undefined): PlannedStep[] {
  if (typeof step.undo === "string" || !record || !mayHaveHadEffect(record)) return [];
  const { name, agent, transport = "activity", startWithin = START_WITHIN, undo } = step;
  return [{ name, agent, operation: undo.operation, transport, startWithin, completeWithin: undo.completeWithin }];
}

/** Completed, or with an outcome that nobody knows. A step all of whose tries were refused for good had no effect. */
export function mayHaveHadEffect({ state, scheduledAt, retryCount, unsure = false }: StepRecord): boolean {
  switch (state) {
    case "Completed":
    case "Undone":
    case "Scheduled":
    case "Running":
      return true;
    case "NotStarted":
      return unsure || scheduledAt !== null || retryCount > 0;
    case "Failed":
      return unsure || retryCount > 0;
    default:
      return state satisfies never;
  }
}

/** It may have had its effect, and nobody knows: an undo sees to it, and under another key it could be done twice. */
export function outcomeIsUnknown(step: StepRecord): boolean {
  return step.state !== "Completed" && step.state !== "Undone" && mayHaveHadEffect(step);
}

/** A step's run in a direction; one that does not exist yet has not begun. */
export function runOf(record: StepRecord | undefined, direction: Direction): StepRun | null {
  return (direction === "forward" ? record : record?.undo) ?? null;
}

/** Scheduled or Running: an agent may be at work on it, or may come to be. */
export function isInHand(run: StepRun | null): run is StepRun {
  return run?.state === "Scheduled" || run?.state === "Running";
}

/** Whether a step has nothing more to do in a direction. An undo that was refused for good is left to a person. */
export function isDone(record: StepRecord | undefined, direction: Direction): boolean {
  const state = runOf(record, direction)?.state;
  return state === "Completed" || (direction === "undo" && state === "Failed");
}

/** The steps still to be done of the first level that has any: where an attempt starts, and goes on. */
export function openLevel(plan: Plan, steps: Steps, direction: Direction): readonly PlannedStep[] {
  const open = plan.map((level) => level.filter(({ name }) => !isDone(steps[name], direction)));
  return open.find((level) => level.length > 0) ?? [];
}

/** What a person has to undo: steps that had an effect and are "byHand", and undos that were refused. */
export function remainingByHand(workflow: Workflow, steps: Steps): string[] {
  const remaining = workflow.steps.filter(({ name, undo }) => {
    const record = steps[name];
    if (!record) return false;
    return record.undo?.state === "Failed" || (undo === "byHand" && mayHaveHadEffect(record));
  });
  return remaining.map(({ name }) => name);
}
