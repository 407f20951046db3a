// The task of a step's run, rebuilt from the record: for whoever comes back to a run that somebody else began.
import { attemptOf, type StepTask, taskFor } from "../domain/attempt.ts";
import { planOf } from "../domain/plan.ts";
import type { StateRecord } from "../domain/state-record.ts";
import type { Ports } from "./ports.ts";

/** Undefined where there never was such a run. */
export function taskIn(
  record: StateRecord,
  { attempt, step, direction, lockedBy }: Pick<StepTask, "attempt" | "step" | "direction" | "lockedBy">,
  { workflows }: Pick<Ports, "workflows">,
): StepTask | undefined {
  const plan = planOf(workflows.of(record.workflow), record.steps, direction);
  const task = taskFor({ ...attemptOf(record, lockedBy, plan), attempt, direction }, step);
  // What may be left of a skipped step is compensated while its job goes on: the record alone says what that leads to.
  return task && direction !== record.direction ? { ...task, join: null } : task;
}
