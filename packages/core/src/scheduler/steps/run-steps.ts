// The steps of one activity (P6): the first one, and the following ones, one after the other.

import { longestStepMs, USUAL_TIMEOUT } from "../../domain/definition/host-timeout.ts";
import { START_WITHIN_MS } from "../../domain/definition/workflow.ts";
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
 * @param startWithinMs how long an agent may wait for a place at its service
 */
export async function runSteps(
  first: StepTask,
  run: (task: StepTask) => Promise<StepEnd>,
  now: () => number,
  timeoutMs: number = USUAL_TIMEOUT.ms,
  startWithinMs: number = START_WITHIN_MS,
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
    if (
      !next ||
      now() + startWithinMs + (durationMs(next.completeWithin) ?? 0) > latest ||
      now() - startedAt > GOES_ON_MS
    )
      return end;
    task = next;
  }
}
