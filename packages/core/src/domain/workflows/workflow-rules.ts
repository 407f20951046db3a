// The named rules of a workflow for a job's content: conditions of its steps, and lists of items for which a step runs.

import { canonicalJson } from "../content/exact-json.ts";
import { type Job, withoutSecrets } from "../content/job.ts";
import { MORE_ITEMS, MOST_ITEM_BYTES, MOST_ITEMS, sourceOf } from "../definition/items.ts";
import type { KnownRules, Workflow } from "../definition/workflow.ts";
import { appCode, CodeThrew } from "../outage.ts";
import type { Items } from "../record/new-state-record.ts";
import { MOST_RUNS } from "../record/record-limits.ts";
import type { ReadResults, StepResult } from "../record/state-record.ts";
import { isThrown, messageOf } from "../thrown.ts";

/** One item of a list for which a step is done (`forEach`): plain JSON. An agent gets the whole item, so it should contain only what that agent needs. */
export type Item = StepResult;

/**
 * The arguments of a condition: the job's content and the results of its steps so far.
 * @template Reads the results that it reads, by step: `Situation<Video, { encode: { minutes: number } }>`. A workflow that uses the condition has to
 * have these steps before the one that depends on it.
 */
// biome-ignore lint/complexity/noBannedTypes: it reads nothing.
export interface Situation<Content extends Job = Job, Reads extends ReadResults = {}> {
  readonly job: Content;
  /** A skipped step has none. */
  readonly results: { readonly [step in keyof Reads]?: Reads[step] };
  /** The item of a step with `forEach`; null for any other. */
  readonly item: Item | null;
}

/**
 * The conditions and lists of an app, by the names in `when` and `forEach`. They are pure: the same arguments have the same result.
 * @template Content the app's own type; the core calls the functions with content that the contract has checked.
 */
export interface WorkflowRules<Content extends Job = never> {
  readonly conditions: {
    readonly [name: string]: (situation: [Content] extends [never] ? never : Situation<Content>) => boolean;
  };
  /**
   * They depend on the content alone, and not on its secrets: each item is recorded with its run when the job is submitted, and is not computed
   * again.
   */
  readonly lists: { readonly [name: string]: (job: Content) => readonly Item[] };
}

/** The rules of an app without conditions and lists. */
export const NO_RULES: WorkflowRules = { conditions: {}, lists: {} };

export function knownRules({ conditions, lists }: WorkflowRules): KnownRules {
  return { conditions: Object.keys(conditions), lists: Object.keys(lists) };
}

/**
 * The items of each of the workflow's lists for that job, without those of results.
 * @throws CodeThrew if a list throws; if one has too many or too large items
 */
export function itemsIn({ steps }: Workflow, job: Job, rules: WorkflowRules): Items {
  const listed = steps.flatMap(({ forEach }) => (forEach === undefined || sourceOf(forEach) ? [] : [forEach]));
  const lists = [...new Set(listed)].map((list) => [list, itemsOf(list, job, rules)] as const);
  for (const [list, items] of lists) {
    // Each step of the list has its own run for each item, with a copy of the item.
    const bytes = Buffer.byteLength(JSON.stringify(items)) * listed.filter((name) => name === list).length;
    if (bytes > MOST_ITEM_BYTES)
      throw new Error(`the items of ${list} take ${bytes} bytes of its record, and may take ${MOST_ITEM_BYTES}`);
  }
  return Object.fromEntries(lists);
}

/** @throws CodeThrew if it throws; if there is no such list, or it is too long */
export function itemsOf(list: string, job: Job, { lists }: WorkflowRules): readonly Item[] {
  const make = Object.hasOwn(lists, list) ? lists[list] : undefined;
  if (!make) throw new Error(`there is no list ${list}`);
  const items = appCode(`list ${list}`, () => make(job as never));
  if (items.length > MOST_ITEMS)
    throw new Error(`${list} has ${items.length} items, and may have ${MOST_ITEMS}: ${MORE_ITEMS}`);
  return items;
}

/** A step with a list runs once for each item. One with a list in a result has one record until then. */
function countRuns({ steps }: Workflow, items: Items): number {
  const runsOf = (forEach: string) => (sourceOf(forEach) ? 1 : (items[forEach]?.length ?? 0));
  return steps.reduce((sum, { forEach }) => sum + (forEach === undefined ? 1 : runsOf(forEach)), 0);
}

/**
 * The faults of a job for its workflow's lists, as text.
 * @param secrets the content's secret members, which no record may contain
 * @throws CodeThrew if a list throws
 */
export function listFaults(workflow: Workflow, job: Job, rules: WorkflowRules, secrets: readonly string[]): string[] {
  try {
    const lists = itemsIn(workflow, job, rules);
    const runs = countRuns(workflow, lists);
    const tooMany = `job: ${Object.keys(lists).join(", ")}: the items make ${runs} runs of steps, and may make ${MOST_RUNS}: ${MORE_ITEMS}`;
    const faults = Object.entries(lists).flatMap(([list, items]) =>
      secrets.length === 0 || isWithoutSecrets(list, items, withoutSecrets(job, secrets), rules)
        ? []
        : [
            `job: ${list}: its items depend on the secret ${secrets.join(" or ")}; an agent has to read it from the content`,
          ],
    );
    return runs > MOST_RUNS ? [tooMany, ...faults] : faults;
  } catch (cause) {
    if (isThrown(CodeThrew, cause)) throw cause;
    return [`job: ${messageOf(cause)}`];
  }
}

function isWithoutSecrets(list: string, items: readonly Item[], job: Job, rules: WorkflowRules): boolean {
  try {
    return canonicalJson(itemsOf(list, job, rules)) === canonicalJson(items);
  } catch {
    return false;
  }
}
