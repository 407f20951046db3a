// The named rules of a workflow for a job's content: conditions of its steps, and lists of items for which a step runs.
import { MOST_ITEMS } from "./items.ts";
import type { Job } from "./job.ts";
import { MOST_RUNS } from "./record-limits.ts";
import type { ItemCounts, StepResult } from "./state-record.ts";
import type { KnownRules, Workflow } from "./workflow.ts";

/** One item of a list for which a step is done (`forEach`): plain JSON. An agent gets the whole item, so it should contain only what that agent needs. */
export type Item = StepResult;

/** The arguments of a condition: the job's content and the results of its steps so far. */
export interface Situation<Content extends Job = Job> {
  readonly job: Content;
  /** The results of the completed steps, by step name. A skipped step has none. */
  readonly results: { readonly [step: string]: StepResult };
  /** The item of a step with `forEach`; null for any other. */
  readonly item: Item | null;
}

/** They are pure: the same arguments have the same result. */
/**
 * The conditions and lists of an app, by the names in `when` and `forEach`.
 * @template Content the app's own type; the core calls the functions with content that the contract has checked.
 */
export interface WorkflowRules<Content extends Job = never> {
  readonly conditions: { readonly [name: string]: (situation: Situation<Content>) => boolean };
  /** They depend on the content alone, because a job's steps are recorded when it is submitted. */
  readonly lists: { readonly [name: string]: (job: Content) => readonly Item[] };
}

/** The rules of an app without conditions and lists. */
export const NO_RULES: WorkflowRules = { conditions: {}, lists: {} };

export function knownRules({ conditions, lists }: WorkflowRules): KnownRules {
  return { conditions: Object.keys(conditions), lists: Object.keys(lists) };
}

/** The number of items in each of the workflow's lists for that job. @throws if a list can't be computed, or is too long */
export function countItems({ steps }: Workflow, job: Job, rules: WorkflowRules): ItemCounts {
  const named = new Set(steps.flatMap(({ forEach }) => (forEach === undefined ? [] : [forEach])));
  return Object.fromEntries([...named].map((list) => [list, itemsOf(list, job, rules).length]));
}

/** @throws if there is no such list, it can't be computed for that job, or it is too long */
export function itemsOf(list: string, job: Job, { lists }: WorkflowRules): readonly Item[] {
  const make = Object.hasOwn(lists, list) ? lists[list] : undefined;
  if (!make) throw new Error(`there is no list ${list}`);
  const items = make(job as never);
  if (items.length > MOST_ITEMS) throw new Error(`${list} has ${items.length} items, and may have ${MOST_ITEMS}`);
  return items;
}

/** A step with a list runs once for each item. */
function countRuns({ steps }: Workflow, counts: ItemCounts): number {
  return steps.reduce((sum, { forEach }) => sum + (forEach === undefined ? 1 : (counts[forEach] ?? 0)), 0);
}

/** The faults of a job for its workflow's lists, as text. */
export function listFaults(workflow: Workflow, job: Job, rules: WorkflowRules): string[] {
  try {
    const runs = countRuns(workflow, countItems(workflow, job, rules));
    if (runs <= MOST_RUNS) return [];
    const lists = [...new Set(workflow.steps.flatMap(({ forEach }) => forEach ?? []))].join(", ");
    return [
      `job: ${lists}: the items make ${runs} runs of steps, and a job may have ${MOST_RUNS}: submit it as several jobs`,
    ];
  } catch (cause) {
    return [`job: ${cause instanceof Error ? cause.message : String(cause)}`];
  }
}

/** The parts that an operator's edit must not change: the steps of its lists' items are recorded. */
export function itemCountFaults(workflow: Workflow, before: Job, edited: Job, rules: WorkflowRules): string[] {
  const faults = listFaults(workflow, edited, rules);
  if (faults.length > 0) return faults;
  const [was, is] = [countItems(workflow, before, rules), countItems(workflow, edited, rules)];
  return Object.keys(was).flatMap((list) =>
    was[list] === is[list]
      ? []
      : [`job: ${list}: has to keep its ${was[list]} items, for each of which there is a step; it has ${is[list]}`],
  );
}
