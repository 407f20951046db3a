// The steps of a workflow for one job: each item has its own run, and each step comes after all steps that it waits for.
import { itemOfRun, runOfItem, sourceOf, stepOfRun } from "../definition/items.ts";
import type { Workflow, WorkflowStep } from "../definition/workflow.ts";
import type { Steps } from "./state-record.ts";

/**
 * With their names in the record. `after` also contains the fallbacks of the steps that it names; and each open step behind which a closed one
 * stands: a resubmission forward runs a compensated step again before a step that keeps its result.
 */
export function expandedSteps(workflow: Workflow, steps: Steps): readonly WorkflowStep[] {
  const all = runsOfSteps(workflow, steps);
  const named = new Map(all.map((step) => [step.name, step]));
  const isClosed = (name: string) => steps[name]?.state === "Completed" || steps[name]?.state === "Skipped";
  const isInSequence = all.every(({ name, after }) => !isClosed(name) || after.every(isClosed));
  if (isInSequence) return all;
  const openBehind = (name: string): string[] =>
    isClosed(name) ? (named.get(name)?.after.flatMap(openBehind) ?? []) : [name];
  return all.map((step) => ({ ...step, after: [...new Set([...step.after, ...step.after.flatMap(openBehind)])] }));
}

function runsOfSteps(workflow: Workflow, steps: Steps): readonly WorkflowStep[] {
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

/** All fallbacks of a step, one after the other. */
export function fallbacksOf(name: string, steps: ReadonlyMap<string, WorkflowStep>): readonly string[] {
  const found: string[] = [];
  for (let next = steps.get(name)?.otherwise; next !== undefined; next = steps.get(next)?.otherwise) {
    // A workflow with a cycle is rejected; until then the loop must end.
    if (found.includes(next) || next === name) break;
    found.push(next);
  }
  return found;
}

/** The names of a step's runs in the record: none for an empty list, and the step's own until the result with its list is recorded. */
export function runsOfStep(step: string, forEach: string | undefined, steps: Steps): readonly string[] {
  if (forEach === undefined) return [step];
  const runs = Object.keys(steps).filter((run) => run !== step && stepOfRun(run) === step);
  return sourceOf(forEach) && steps[step] ? [step] : runs;
}
