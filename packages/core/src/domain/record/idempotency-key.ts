// The idempotency key of a step (P6), and which key a step has that an operator resubmits.
import { mayHaveHadEffect, runOf } from "./plan.ts";
import type { Direction, StepRecord, StepRun, Steps } from "./state-record.ts";

/** The key under which a remote service recognises every try of a step, in every attempt (P6). */
export function idempotencyKey(
  jobId: string,
  step: string,
  direction: Direction,
  { generation, compensationGeneration: again = 1 }: Keyed,
): string {
  const key = `${jobId}:${step}:${direction}`;
  if (direction === "compensate" && again > 1) return `${key}:${generation}:${again}`;
  return generation === 1 ? key : `${key}:${generation}`;
}

type Keyed = Pick<StepRecord, "generation" | "compensationGeneration">;

/** Of the steps that a resubmission runs again after a fault: those under their next key, and those under the same. */
export interface KeyChoice {
  /** The service has rejected them for good: under the same key it might repeat its first answer. */
  readonly next: readonly string[];
  /** They may have had their effect: under another key it could be had twice. */
  readonly same: readonly string[];
}

/** @param after the steps as the resubmission leaves them */
export function keyChoiceOf(before: Steps, after: Steps, direction: Direction): KeyChoice {
  const names = Object.keys(before).filter((name) => {
    const run = runOf(before[name], direction);
    const isToRun = runOf(after[name], direction)?.state === "NotStarted";
    return isToRun && run !== null && (run.state === "Failed" || (!isDoneWith(run) && mayHaveHadEffect(run)));
  });
  const hasNext = (name: string) => {
    const [old, step] = [before[name], after[name]];
    return old !== undefined && step !== undefined && keyOf(name, direction, old) !== keyOf(name, direction, step);
  };
  return { next: names.filter(hasNext), same: names.filter((name) => !hasNext(name)) };
}

/** It begins anew, if at all: that is no choice. */
const isDoneWith = ({ state }: StepRun) => ["Completed", "Compensated", "Skipped"].includes(state);

const keyOf = (step: string, direction: Direction, record: StepRecord) => idempotencyKey("", step, direction, record);
