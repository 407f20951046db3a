// A step that is not done while its job continues: the reason, and the other steps that are skipped with it.

import type { Skipped } from "../definition/skipped.ts";
import type { Workflow, WorkflowStep } from "../definition/workflow.ts";
import { expandedSteps, fallbacksOf } from "../record/expand.ts";
import { isClosed } from "../record/plan.ts";
import { asMessage } from "../record/record-limits.ts";
import type { StepRecord, Steps } from "../record/state-record.ts";
import { withListedRuns } from "./listed-runs.ts";

/**
 * The step, skipped.
 * @param outcomeUnknown whether it may have had an effect, which is then compensated while the job continues
 */
export function skippedFor(record: StepRecord, skipped: Skipped, outcomeUnknown: boolean, now: string): StepRecord {
  const bounded = { ...skipped, message: asMessage(skipped.message) };
  return { ...record, ...OVER, endedAt: now, skipped: bounded, ...(outcomeUnknown && { outcomeUnknown }) };
}

const OVER = { state: "Skipped", startBy: null, completeBy: null, notBefore: undefined } as const;

/** What follows from the ends that are recorded: the runs of lists, then the steps that are skipped; the same object if nothing does. */
export function settledSteps(workflow: Workflow, steps: Steps, now: string): Steps {
  return withSkips(workflow, withListedRuns(workflow, steps, now), now);
}

/** The steps after all steps are skipped too that need a skipped one, or that are not needed; the same object if there are none. */
function withSkips(workflow: Workflow, steps: Steps, now: string): Steps {
  if (workflow.steps.every(({ needs, otherwise }) => !needs && otherwise === undefined)) return steps;
  const planned = expandedSteps(workflow, steps);
  const named = new Map(planned.map((step) => [step.name, step]));
  let known = steps;
  for (;;) {
    const found = planned.flatMap((step): [string, StepRecord][] => {
      const record = known[step.name];
      if (record?.state !== "NotStarted" || !step.after.every((name) => isClosed(known[name], "forward"))) return [];
      const skipped = causeOf(step, named, known);
      return skipped ? [[step.name, skippedFor(record, skipped, false, now)]] : [];
    });
    if (found.length === 0) return known;
    known = { ...known, ...Object.fromEntries(found) };
  }
}

/** Undefined for a step that is to be done. All steps that it waits for are completed or skipped. */
function causeOf(step: WorkflowStep, named: ReadonlyMap<string, WorkflowStep>, steps: Steps): Skipped | undefined {
  const first = [...named.values()].find(({ otherwise }) => otherwise === step.name);
  const cause = first && steps[first.name]?.skipped?.cause;
  if (first && cause !== "rejected" && cause !== "expired") {
    return { cause: "notNeeded", message: cause ? `${first.name} is skipped` : `${first.name} is completed` };
  }
  const lacking = step.needs?.find((name) => !isProvided(name, named, steps));
  return lacking === undefined ? undefined : { cause: "needs", message: `${lacking} is skipped` };
}

/** Whether a step is completed, or its fallback. */
function isProvided(name: string, named: ReadonlyMap<string, WorkflowStep>, steps: Steps): boolean {
  return [name, ...fallbacksOf(name, named)].some((one) => steps[one]?.state === "Completed");
}
