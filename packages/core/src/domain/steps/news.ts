// What an attempt learns from the record (P5, P22): what has changed. A job has up to a hundred runs, and a history keeps each event.

import { isInHand, runOf } from "../record/plan.ts";
import type { Direction, StepRun, Steps } from "../record/state-record.ts";
import type { StepEnd, StepOutcome, StepTask } from "./attempt.ts";

type Completed = Extract<StepOutcome, { kind: "completed" }>;
type Run = Pick<StepTask, "step" | "direction">;

/** The write changed only this step: that is all there is to know. */
export function newsOfOne(steps: Steps, step: string): Completed {
  const own = steps[step];
  return { kind: "completed", steps: own ? { [step]: own } : {}, hasEnded: false, isPart: true };
}

/**
 * What the attempt that waits by event may not know once that run has ended: what changed since the run was scheduled. Before it began the run, it
 * knew the rest.
 */
export function newsOfEnd(steps: Steps, run: Run, hasEnded: boolean): Completed {
  return changedSince(steps, run, runOf(steps[run.step], run.direction)?.scheduledAt, hasEnded);
}

/** What its activity returns: nothing if the attempt waits by event, because the event has it. */
export function outputOf(task: StepTask, { outcome, receiver }: StepEnd): StepOutcome | undefined {
  if (!task.isAwaited) return undefined;
  return outcome.kind === "completed" && receiver === null ? newsOfAwaited(outcome, task) : outcome;
}

/** The attempt waits for all activities in progress: the others tell what changed before this run ended. */
function newsOfAwaited({ steps, hasEnded }: Completed, run: Run): Completed {
  const own = runOf(steps[run.step], run.direction);
  const endedAt = own?.endedAt;
  return isInHand(own) ? newsOfOne(steps, run.step) : changedSince(steps, run, endedAt, hasEnded);
}

/** With how far all runs are. Clocks differ, and an event may be lost: then the attempt knows less than that, and reads the record. */
function changedSince(steps: Steps, { step }: Run, since: string | null | undefined, hasEnded: boolean): Completed {
  const changed = Object.entries(steps).filter(
    ([name, record]) =>
      name === step ||
      (record.listedAt !== undefined && record.listedAt >= (since ?? "")) ||
      [record, record.compensation].some((run) => run && lastChange(run) >= (since ?? "")),
  );
  return { kind: "completed", steps: Object.fromEntries(changed), hasEnded, progress: progressOf(steps) };
}

/** A run that has not begun has none. */
function lastChange({ scheduledAt, startedAt, endedAt }: StepRun): string {
  return [scheduledAt ?? "", startedAt ?? "", endedAt ?? ""].sort().at(-1) ?? "";
}

/** Whether an attempt that has received these knows as much as they say; undefined if they say nothing about that. */
export function knowsAll(known: Steps, outcomes: readonly StepOutcome[]): boolean | undefined {
  const said = outcomes.flatMap((outcome) =>
    outcome.kind === "completed" && !outcome.isPart ? [outcome.progress ?? 0] : [],
  );
  return said.length === 0 ? undefined : progressOf(known) >= Math.max(...said);
}

const DIRECTIONS: readonly Direction[] = ["forward", "compensate"];

/** How far all runs are: 1 for each in progress, 2 for each that has ended. It never decreases while an attempt holds its job. */
function progressOf(steps: Steps): number {
  let progress = 0;
  for (const record of Object.values(steps)) {
    for (const direction of DIRECTIONS) {
      const run = runOf(record, direction);
      if (run && run.state !== "NotStarted") progress += isInHand(run) ? 1 : 2;
    }
  }
  return progress;
}
