// How a step's record changes as it runs, forward or undone.
import type { NextStep } from "./attempt.ts";
import { after, durationMs } from "./duration.ts";
import { runOf } from "./plan.ts";
import { type Direction, NOT_STARTED, type StepRecord, type StepResult, type StepRun } from "./state-record.ts";

/** Where a step was sent, and why; `unsure` where a try before got no answer. */
export interface Route {
  readonly endpoint: string;
  readonly because: string;
  readonly unsure?: boolean | undefined;
}

/** The step from the moment it is Running. `completeWithin` has passed the workflow's check. */
export function started(
  step: { readonly name: string; readonly record: StepRecord; readonly completeWithin: string },
  direction: Direction,
  now: string,
): NextStep {
  const { name, record, completeWithin } = step;
  const completeBy = after(now, durationMs(completeWithin) ?? 0);
  const run: Partial<StepRun> = { state: "Running", completeBy, startedAt: now, endedAt: null, error: null };
  return { name, completeBy, record: withRun(record, direction, run) };
}

/** The step once its agent is done: Completed, in this attempt, or Undone. */
export function done(
  record: StepRecord,
  attempt: number,
  direction: Direction,
  result: StepResult,
  { endpoint, because }: Route,
  now: string,
): StepRecord {
  const run: Partial<StepRun> = { endpoint, because, state: "Completed", error: null, endedAt: now };
  const changed = withRun(record, direction, run);
  return direction === "forward" ? { ...changed, result, completedIn: attempt } : { ...changed, state: "Undone" };
}

/** The step once its agent has refused it for good. */
export function refused(
  record: StepRecord,
  direction: Direction,
  error: string,
  { endpoint, because, unsure }: Route,
  now: string,
): StepRecord {
  const failed = withRun(record, direction, { endpoint, because, state: "Failed", error, endedAt: now });
  return direction === "forward" && unsure ? { ...failed, unsure } : failed;
}

/** The step for its next attempt, if it was Running when its time ran out. */
export function restarted(record: StepRecord, direction: Direction): StepRecord {
  const run = runOf(record, direction);
  if (run?.state !== "Running") return record;
  return withRun(record, direction, { state: "NotStarted", completeBy: null, retryCount: run.retryCount + 1 });
}

function withRun(record: StepRecord, direction: Direction, change: Partial<StepRun>): StepRecord {
  if (direction === "forward") return { ...record, ...change };
  return { ...record, undo: { ...NOT_STARTED, ...record.undo, ...change } };
}
