// The steps of a workflow as one job has them: for each item a run of its own, and each after all that it has to wait for.
import { itemOfRun, runOfItem, runsOfStep } from "./items.ts";
import type { Steps } from "./state-record.ts";
import type { Workflow, WorkflowStep } from "./workflow.ts";

/** Named as they stand in the record. `after` has the steps that stand in for those that it names, too. */
export function expandedSteps(workflow: Workflow, steps: Steps): readonly WorkflowStep[] {
  const isPlain = workflow.steps.every(({ otherwise, forEach }) => otherwise === undefined && forEach === undefined);
  if (isPlain) return workflow.steps;
  const named = new Map(workflow.steps.map((step) => [step.name, step]));
  const runsOf = (name: string) => runsOfStep(name, named.get(name)?.forEach, steps);
  return workflow.steps.flatMap((step) =>
    runsOf(step.name).map((run): WorkflowStep => {
      const { after, needs, otherwise, ...rest } = step;
      const item = itemOfRun(run);
      const sameItem = (name: string) => (item === undefined ? name : runOfItem(name, item));
      const isFallback = workflow.steps.some((other) => other.otherwise === step.name);
      const before = after.flatMap((name) => [name, ...fallbacksOf(name, named)]).filter((name) => name !== step.name);
      return {
        ...rest,
        name: run,
        after: isFallback ? after.map(sameItem) : before.flatMap(runsOf),
        ...(needs && { needs: needs.flatMap(runsOf) }),
        ...(otherwise !== undefined && { otherwise: sameItem(otherwise) }),
      };
    }),
  );
}

/** All that stand in for a step, one after the other. */
export function fallbacksOf(name: string, steps: ReadonlyMap<string, WorkflowStep>): readonly string[] {
  const found: string[] = [];
  for (let next = steps.get(name)?.otherwise; next !== undefined; next = steps.get(next)?.otherwise) {
    // A workflow that goes round in a circle is rejected; until then nothing may hang.
    if (found.includes(next) || next === name) break;
    found.push(next);
  }
  return found;
}
