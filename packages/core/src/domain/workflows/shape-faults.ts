// The faults of a step that may be skipped, replaced, or done for each item.

import { MOST_ITEMS, runOfItem, type Source, sourceOf } from "../definition/items.ts";
import type { KnownRules, Workflow, WorkflowStep } from "../definition/workflow.ts";
import { dependantsOf, isFallback, maySkip } from "../record/plan.ts";

export function shapeFaults(step: WorkflowStep, workflow: Workflow, rules: KnownRules, at: string): string[] {
  const { when, needs = [], after } = step;
  const faults: string[] = [];
  if (when !== undefined && !rules.conditions.includes(when)) {
    faults.push(`${at}: no condition ${when}; there are ${rules.conditions.join(", ") || "none"}`);
  }
  faults.push(...listFaultsOf(step, workflow, rules, at));
  for (const need of needs) {
    if (!after.includes(need)) faults.push(`${at}: needs ${need}, which has to stand in after too`);
  }
  if (skipsOnFault(step) && step.compensation === "manual") {
    faults.push(
      `${at}: a step that may be skipped can't be compensated manually: nobody would look for what it may have left behind. Name an operation, or say "nothing"`,
    );
  }
  return [...faults, ...otherwiseFaults(step, workflow, at)];
}

/** Whether its fault causes a skipped step. */
const skipsOnFault = ({ optional, otherwise }: WorkflowStep) => optional === true || otherwise !== undefined;

function otherwiseFaults({ name, otherwise, forEach }: WorkflowStep, { steps }: Workflow, at: string): string[] {
  if (otherwise === undefined) return [];
  const fallback = steps.find((step) => step.name === otherwise);
  if (!fallback) return [`${at}: otherwise ${otherwise} is no step`];
  const faults: string[] = [];
  if (fallback.after.join() !== name)
    faults.push(`${at}: otherwise ${otherwise}, which has to come after ${name} and nothing else`);
  if (fallback.forEach !== forEach) faults.push(`${at}: ${otherwise} stands in for it, and needs the same forEach`);
  if (steps.some((other) => other.name !== name && other.otherwise === otherwise)) {
    faults.push(`${at}: ${otherwise} stands in for two steps`);
  }
  return faults;
}

/** With the number of its item, a name has the same maximum length as any other. */
const LONGEST_NAME = 25 - runOfItem("", MOST_ITEMS).length;

function listFaultsOf(step: WorkflowStep, workflow: Workflow, { lists }: KnownRules, at: string): string[] {
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
