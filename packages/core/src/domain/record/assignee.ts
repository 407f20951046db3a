// Who has to act in a step that waits for a person: named by its workflow, and recorded when the job is submitted.

import { type Job, withoutSecrets } from "../content/job.ts";
import type { KnownRules, Workflow, WorkflowStep } from "../definition/workflow.ts";
import { messageOf } from "../thrown.ts";
import { runsOfStep } from "./expand.ts";
import type { Items } from "./new-state-record.ts";
import type { StepResult, Steps } from "./state-record.ts";

/** The app's rules that name somebody, by their names. */
export interface AssigneeRules<Content extends Job = never> {
  /** Who has to act in a step that waits for a person: a name of at most 200 characters, from the content without its secrets and the step's item. */
  readonly assignees?: { readonly [name: string]: (job: Content, item: StepResult | null) => string };
}

/** Long enough for a mail address. */
const MOST_CHARACTERS = 200;

/**
 * The assignee of a step's run. Undefined if its step has none.
 * @throws if there is no such rule, or it returns no name
 */
export function assigneeOf(
  { name, assignee }: Pick<WorkflowStep, "name" | "assignee">,
  job: Job,
  item: StepResult | null,
  { assignees = {} }: AssigneeRules,
): string | undefined {
  if (assignee === undefined || typeof assignee === "string") return assignee;
  const rule = Object.hasOwn(assignees, assignee.rule) ? assignees[assignee.rule] : undefined;
  if (!rule) throw new Error(`there is no assignee ${assignee.rule}`);
  const named: unknown = rule(job as never, item);
  const fault = nameFault(named);
  if (fault !== undefined) throw new Error(`the assignee of ${name}, by ${assignee.rule}, ${fault}`);
  return named as string;
}

function nameFault(named: unknown): string | undefined {
  if (typeof named !== "string" || named.trim() === "") return "must be a text such as underwriters";
  return named.length > MOST_CHARACTERS ? `has ${named.length} characters, and may have ${MOST_CHARACTERS}` : undefined;
}

/** The faults of a job for its workflow's assignees, as text. @param secrets the content's secret members, which no record may contain */
export function assigneeFaults(
  workflow: Workflow,
  job: Job,
  items: Items,
  rules: AssigneeRules,
  secrets: readonly string[],
): string[] {
  const named = (content: Job) =>
    workflow.steps
      .flatMap((step) => itemsFor(step, items).map((item) => assigneeOf(step, content, item, rules)))
      .join("\n");
  if (!workflow.steps.some(({ assignee }) => typeof assignee === "object")) return [];
  let expected: string;
  try {
    expected = named(job);
  } catch (cause) {
    return [`job: ${messageOf(cause)}`];
  }
  try {
    if (secrets.length === 0 || named(withoutSecrets(job, secrets)) === expected) return [];
  } catch {
    // It can't be computed without them.
  }
  return [`job: the assignee of a step depends on the secret ${secrets.join(" or ")}`];
}

const itemsFor = ({ forEach }: WorkflowStep, items: Items): readonly (StepResult | null)[] =>
  forEach === undefined ? [null] : (items[forEach] ?? []);

/** The steps that have not begun, with their assignees for that content: the others keep theirs. */
export function assigned(workflow: Workflow, steps: Steps, job: Job, rules: AssigneeRules): Steps {
  const named = workflow.steps.filter(({ assignee }) => assignee !== undefined);
  if (named.length === 0) return steps;
  const changed = named.flatMap((step) =>
    runsOfStep(step.name, step.forEach, steps).flatMap((run) => {
      const record = steps[run];
      if (record?.state !== "NotStarted") return [];
      return [[run, { ...record, assignee: assigneeOf(step, job, record.item ?? null, rules) }] as const];
    }),
  );
  return { ...steps, ...Object.fromEntries(changed) };
}

/** A workflow that was written without types may have anything there. */
export function assigneeShapeFaults(step: WorkflowStep, { assignees = [] }: KnownRules, at: string): string[] {
  const { assignee, awaitWithin, compensation } = step;
  if (assignee === undefined) return [];
  const waits =
    awaitWithin !== undefined || (typeof compensation === "object" && compensation.awaitWithin !== undefined);
  const useless = waits ? [] : [`${at}: assignee: the step has no awaitWithin, so it waits for nobody`];
  const rule: unknown = assignee !== null && typeof assignee === "object" ? assignee.rule : undefined;
  if (rule !== undefined) {
    if (typeof rule === "string" && assignees.includes(rule)) return useless;
    return [...useless, `${at}: no assignee ${rule}; there are ${assignees.join(", ") || "none"}`];
  }
  const fault = nameFault(assignee);
  return fault === undefined ? useless : [...useless, `${at}: assignee ${fault}, or { rule: "…" }`];
}
