// The task of a step's run, rebuilt from the record: for a caller that continues a run which another process began.

import { planOf } from "../../domain/record/plan.ts";
import type { StateRecord } from "../../domain/record/state-record.ts";
import { attemptOf, type StepTask, taskFor } from "../../domain/steps/attempt.ts";
import type { Ports } from "../ports.ts";

/** Undefined if there never was such a run. */
export function taskIn(
  record: StateRecord,
  { attempt, step, direction, lockedBy }: Pick<StepTask, "attempt" | "step" | "direction" | "lockedBy">,
  { workflows }: Pick<Ports, "workflows">,
): StepTask | undefined {
  const plan = planOf(workflows.of(record.workflow), record.steps, direction);
  const task = taskFor({ ...attemptOf(record, lockedBy, plan), attempt, direction }, step);
  // The possible effect of a skipped step is compensated while its job continues: only the record shows what follows from that.
  return task && direction !== record.direction ? { ...task, join: null } : task;
}
