// What may be wrong with a step that runs for each item of a list: of the job's content, or of the result of a step before it.
import { MOST_ITEMS, runOfItem } from "../definition/items.ts";
import { type Source, sourceOf } from "../definition/list-source.ts";
import type { KnownRules, Workflow, WorkflowStep } from "../definition/workflow.ts";
import { dependantsOf, isFallback, maySkip } from "../record/plan.ts";

/** With the number of its item, a name has the same maximum length as any other. */
const LONGEST_NAME = 25 - runOfItem("", MOST_ITEMS).length;

export function listFaultsOf(step: WorkflowStep, workflow: Workflow, { lists }: KnownRules, at: string): string[] {
  const { name, forEach } = step;
  if (forEach === undefined) return [];
  const source = sourceOf(forEach);
  const faults: string[] = [];
  if (source)
    faults.push(...sourceFaults(step, source, workflow).map((fault) => `${at}: forEach ${forEach}: ${fault}`));
  else if (!lists.includes(forEach)) faults.push(`${at}: no list ${forEach}; there are ${lists.join(", ") || "none"}`);
  if (name.length > LONGEST_NAME)
    faults.push(`${at}: the name of a step with forEach has at most ${LONGEST_NAME} letters and digits`);
  return faults;
}

function sourceFaults({ name, needs }: WorkflowStep, { step }: Source, { steps }: Workflow): string[] {
  const from = steps.find((other) => other.name === step);
  if (!from) return [`there is no step ${step}`];
  const { forEach, otherwise } = from;
  const faults: string[] = [];
  if (!dependantsOf(steps, step).has(name))
    faults.push(`${step} has to come before it: name it, or a step after it, in after`);
  if (forEach !== undefined) faults.push(`${step} is done for each item, and has no one result`);
  if (otherwise !== undefined) faults.push(`${step} may be replaced by ${otherwise}, which has another result`);
  // A fallback is skipped with the step that it stands in for.
  if (maySkip(from, steps) && !needs?.includes(step) && !isFallback(name, steps))
    faults.push(`${step} may be skipped, and then there is no list: name it in needs`);
  return faults;
}
