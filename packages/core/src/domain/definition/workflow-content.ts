// What makes a version of a workflow, in one canonical form: its steps and how they depend on each other. Times and policies are not part of it.
import { canonicalJson } from "../content/exact-json.ts";
import type { StepCompensation, Workflow, WorkflowRef, WorkflowStep } from "./workflow.ts";

/** Each step, by its name, with its text. */
export interface WorkflowContent extends WorkflowRef {
  readonly parts: { readonly [part: string]: string };
}

export function contentOfWorkflow({ name, version, steps }: Workflow): WorkflowContent {
  const parts = steps.map((step): [string, string] => [`step ${step.name}`, canonicalJson(shapeOf(step))]);
  return { name, version, parts: Object.fromEntries(parts) };
}

/** The parts that differ, with the change of each; empty if nothing was edited. */
export function editsBetween(before: WorkflowContent, after: WorkflowContent): string[] {
  const names = new Set([...Object.keys(before.parts), ...Object.keys(after.parts)]);
  return [...names].flatMap((part) => {
    const [was, is] = [before.parts[part], after.parts[part]];
    if (was === is) return [];
    return [`${part} ${was === undefined ? "is new" : is === undefined ? "is gone" : "is changed"}`];
  });
}

/**
 * What is left out may be edited for jobs in flight: `policy`, and how long a step has. Whether it waits for a result at all is part of its shape:
 * an answer that its agent gives later needs it. Optional members are filled in, and lists whose sequence means nothing are sorted.
 */
function shapeOf(step: WorkflowStep): object {
  const { name, agent, operation, transport = "activity", after, when, needs, otherwise, forEach } = step;
  return {
    ...{ name, agent, operation, transport, when, otherwise, forEach },
    after: [...after].sort(),
    needs: [...(needs ?? [])].sort(),
    optional: step.optional === true,
    awaits: step.awaitWithin !== undefined,
    compensation: compensationShape(step.compensation),
  };
}

function compensationShape(compensation: StepCompensation): object | string {
  if (typeof compensation === "string") return compensation;
  return { operation: compensation.operation, awaits: compensation.awaitWithin !== undefined };
}
