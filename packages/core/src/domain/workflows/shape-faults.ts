// The faults of a step that may be skipped, replaced, or done for each item.

import type { KnownRules, Workflow, WorkflowStep } from "../definition/workflow.ts";
import { listFaultsOf } from "./list-faults.ts";

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
  if (maySkip(step) && step.compensation === "manual") {
    faults.push(
      `${at}: a step that may be skipped can't be compensated manually: nobody would look for what it may have left behind. Name an operation, or say "nothing"`,
    );
  }
  return [...faults, ...otherwiseFaults(step, workflow, at)];
}

/** Whether its fault causes a skipped step. */
const maySkip = ({ optional, otherwise }: WorkflowStep) => optional === true || otherwise !== undefined;

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
