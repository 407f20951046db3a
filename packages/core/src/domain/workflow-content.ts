// The content of a workflow's version, in one canonical form: it shows an edit without a new version.
import { canonicalJson } from "./canonical-json.ts";
import type { Workflow, WorkflowRef, WorkflowStep } from "./workflow.ts";

/** Each part with its text: the policy, and each step by its name. */
export interface WorkflowContent extends WorkflowRef {
  readonly parts: { readonly [part: string]: string };
}

/** The content of a workflow as its author wrote it, without the values from the app's settings. */
export function contentOfWorkflow({ name, version, policy, steps }: Workflow): WorkflowContent {
  const parts = steps.map((step): [string, string] => [`step ${step.name}`, canonicalJson(wholeStep(step))]);
  return { name, version, parts: { policy: canonicalJson(policy), ...Object.fromEntries(parts) } };
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

/** Optional members are filled in, and lists whose sequence means nothing are sorted. */
function wholeStep({ transport = "activity", after, ...step }: WorkflowStep): object {
  return { ...step, transport, after: [...after].sort() };
}
