// A step that is not done though its job goes on: why, and which others are skipped with it.
import { expandedSteps, fallbacksOf } from "./expand.ts";
import { isClosed } from "./plan.ts";
import type { Skipped, StepRecord, Steps } from "./state-record.ts";
import type { Workflow, WorkflowStep } from "./workflow.ts";

/**
 * The step, not to be done any more.
 * @param outcomeUnknown whether it may have left something behind, which is then compensated while the job goes on
 */
export function skippedFor(record: StepRecord, skipped: Skipped, outcomeUnknown: boolean, now: string): StepRecord {
  return { ...record, ...OVER, endedAt: now, skipped, ...(outcomeUnknown && { outcomeUnknown }) };
}

const OVER = { state: "Skipped", startBy: null, completeBy: null, notBefore: undefined } as const;

/** The steps once those are skipped too that can't be done without one that was, or need not be; the same object where there are none. */
export function withSkips(workflow: Workflow, steps: Steps, now: string): Steps {
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

/** Undefined for a step that is to be done. All that it waits for is completed or skipped. */
function causeOf(step: WorkflowStep, named: ReadonlyMap<string, WorkflowStep>, steps: Steps): Skipped | undefined {
  const first = [...named.values()].find(({ otherwise }) => otherwise === step.name);
  const cause = first && steps[first.name]?.skipped?.cause;
  if (first && cause !== "rejected" && cause !== "expired") {
    return { cause: "notNeeded", message: cause ? `${first.name} is skipped` : `${first.name} is completed` };
  }
  const lacking = step.needs?.find((name) => !isProvided(name, named, steps));
  return lacking === undefined ? undefined : { cause: "needs", message: `${lacking} is skipped` };
}

/** Whether a step is completed, or one that stands in for it. */
function isProvided(name: string, named: ReadonlyMap<string, WorkflowStep>, steps: Steps): boolean {
  return [name, ...fallbacksOf(name, named)].some((one) => steps[one]?.state === "Completed");
}
