// The items of a job that an operator edits: a run keeps its item, unless that is gone and the run has not begun.
import { canonicalJson } from "../content/exact-json.ts";
import { sourceOf } from "../definition/items.ts";
import type { Workflow } from "../definition/workflow.ts";
import { runsOfStep } from "../record/expand.ts";
import type { Items } from "../record/new-state-record.ts";
import { isInHand, mayHaveHadEffect } from "../record/plan.ts";
import type { StepRecord, StepResult, StepRun, Steps } from "../record/state-record.ts";

export type EditedItems =
  | { readonly kind: "valid"; readonly steps: Steps }
  | { readonly kind: "invalid"; readonly faults: readonly string[] };

/**
 * Another sequence of the same items changes no run: each keeps its own.
 * @param before the steps as recorded
 * @param taken the steps as the resubmission leaves them
 * @param is the items of the edited content
 */
export function withEditedItems(workflow: Workflow, before: Steps, taken: Steps, is: Items): EditedItems {
  const changed: { [run: string]: StepRecord } = {};
  const faults: string[] = [];
  const matched = new Map<string, readonly (StepResult | undefined)[]>();
  for (const { name, forEach } of workflow.steps) {
    // The items of a result do not depend on the content.
    if (forEach === undefined || sourceOf(forEach)) continue;
    const runs = runsOfStep(name, forEach, before);
    const recorded = runs.map((run) => before[run]?.item);
    const items = matched.get(forEach) ?? inPlace(recorded, is[forEach] ?? []);
    if (!matched.has(forEach) && items.length !== runs.length)
      faults.push(
        `job: ${forEach}: has to keep its ${runs.length} items, for each of which there is a step; it has ${items.length}`,
      );
    matched.set(forEach, items);
    if (items.length !== runs.length) continue;
    for (const [index, run] of runs.entries()) {
      const [old, step, item] = [before[run], taken[run], items[index]];
      if (!old || !step || item === undefined) continue;
      const isSame = same(recorded[index], item);
      if (!isSame && !mayChange(old, step)) faults.push(fault(forEach, run, old, recorded[index]));
      changed[run] = isSame ? { ...step, item } : withItem(step, item);
    }
  }
  return faults.length > 0 ? { kind: "invalid", faults } : { kind: "valid", steps: { ...taken, ...changed } };
}

/** The items in the places of the recorded ones; what is new takes the places that are left. */
function inPlace(recorded: readonly (StepResult | undefined)[], items: readonly StepResult[]) {
  if (items.length !== recorded.length) return items;
  const left = [...items];
  const kept = recorded.map((item) => {
    const at = left.findIndex((one) => same(item, one));
    return at < 0 ? undefined : left.splice(at, 1)[0];
  });
  return kept.map((item) => item ?? left.shift());
}

const same = (one: StepResult | undefined, other: StepResult) =>
  one !== undefined && canonicalJson(one) === canonicalJson(other);

/** Nothing was done for its old item, nor can be any more: it has had no effect, or begins anew under another key. */
function mayChange(before: StepRecord, taken: StepRecord): boolean {
  const run: StepRun = before;
  if (taken.state !== "NotStarted" || isInHand(run)) return false;
  return taken.generation !== before.generation || !mayHaveHadEffect(before);
}

/** Its condition was decided for another item. */
function withItem({ decided: _before, ...step }: StepRecord, item: StepResult): StepRecord {
  return { ...step, item };
}

function fault(list: string, run: string, { state }: StepRecord, item: StepResult | undefined): string {
  return `job: ${list}: has to keep the item ${JSON.stringify(item)} of ${run}, which is ${state} for it`;
}
