// What a version of a workflow says, in one form: by it an edit without a new version is found.
import { canonicalJson } from "./canonical-json.ts";
import type { Workflow, WorkflowRef, WorkflowStep } from "./workflow.ts";

/** Each part with its text: the policy, and each step by its name. */
export interface WorkflowContent extends WorkflowRef {
  readonly parts: { readonly [part: string]: string };
}

/** Of a workflow as it is written: what the app's settings add to it is no part of it. */
export function contentOfWorkflow({ name, version, policy, steps }: Workflow): WorkflowContent {
  const parts = steps.map((step): [string, string] => [`step ${step.name}`, canonicalJson(wholeStep(step))]);
  return { name, version, parts: { policy: canonicalJson(policy), ...Object.fromEntries(parts) } };
}

/** The parts that differ, with what became of each; empty where nothing was edited. */
export function editsBetween(before: WorkflowContent, after: WorkflowContent): string[] {
  const names = new Set([...Object.keys(before.parts), ...Object.keys(after.parts)]);
  return [...names].flatMap((part) => {
    const [was, is] = [before.parts[part], after.parts[part]];
    if (was === is) return [];
    return [`${part} ${was === undefined ? "is new" : is === undefined ? "is gone" : "is changed"}`];
  });
}

/** What may be left out is filled in, and what has no order of its own is sorted. */
function wholeStep({ transport = "activity", after, ...step }: WorkflowStep): object {
  return { ...step, transport, after: [...after].sort() };
}
