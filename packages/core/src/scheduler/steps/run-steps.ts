// The steps of one activity (P6): the first one, and the following ones, one after the other.

import { longestStepMs, USUAL_TIMEOUT } from "../../domain/definition/host-timeout.ts";
import { durationMs } from "../../domain/duration.ts";
import { followingTask, type StepEnd, type StepTask } from "../../domain/steps/attempt.ts";

/** How long after its start an activity begins further steps: as long it keeps its place from the steps of other jobs. */
const GOES_ON_MS = 10_000;

/**
 * Runs a step, and continues while its end schedules exactly one more whose agent is in this app, and which is sure to end within the host's limit
 * of an activity, if the activity began not long ago. The scheduler begins the others. Order of effects: each step's own (run-step.ts), one step after
 * the other. If it runs again after a crash in between, it repeats the steps; the record shows which are completed.
 * @param run runs one step, with its own context
 * @param now milliseconds since 1970
 * @param timeoutMs the host's limit for one run of a function
 */
export async function runSteps(
  first: StepTask,
  run: (task: StepTask) => Promise<StepEnd>,
  now: () => number,
  timeoutMs: number = USUAL_TIMEOUT.ms,
): Promise<StepEnd> {
  if (!first.plan) return run(first);
  const startedAt = now();
  const latest = startedAt + longestStepMs({ ms: timeoutMs });
  let task = first;
  for (;;) {
    const end = await run(task);
    // Another attempt continues.
    if (end.receiver !== null) return end;
    const next = followingTask(task, end.outcome);
    if (!next || latestEndOf(next) > latest || now() - startedAt > GOES_ON_MS) return end;
    task = next;
  }
}

/** The latest end: its agent starts as late as it may, and takes all of its time. */
function latestEndOf({ startBy, completeWithin }: StepTask): number {
  return Date.parse(startBy) + (durationMs(completeWithin) ?? 0);
}
