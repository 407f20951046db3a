// The steps of one activity (P6): its own, and where the workflow says so, those that follow it one by one.
import { followingTask, type StepEnd, type StepTask } from "../domain/attempt.ts";
import { durationMs } from "../domain/duration.ts";
import { LONGEST_STEP_MS } from "../domain/workflow.ts";

/**
 * Runs a step, and goes on while its end schedules exactly one more whose agent lives in this app, and which is sure to end within the host's limit
 * of an activity. What is left is the scheduler's to begin. Order of effects: each step's own (run-step.ts), one step after the other. Run
 * again after a death in between, it goes through them again: those that were completed are found so by the record.
 * @param run runs one step, with a context of its own
 * @param now milliseconds since 1970
 */
export async function runSteps(
  first: StepTask,
  run: (task: StepTask) => Promise<StepEnd>,
  now: () => number,
): Promise<StepEnd> {
  if (!first.plan) return run(first);
  const latest = now() + LONGEST_STEP_MS;
  let task = first;
  for (;;) {
    const end = await run(task);
    // Another attempt's to go on with.
    if (end.receiver !== null) return end;
    const next = followingTask(task, end.outcome);
    if (!next || latestEndOf(next) > latest) return end;
    task = next;
  }
}

/** Taken up as late as its agent may, and done as late as it may. */
function latestEndOf({ startBy, completeWithin }: StepTask): number {
  return Date.parse(startBy) + (durationMs(completeWithin) ?? 0);
}
