// A step that runs for each item of a list in the result of a step before it (P5, P23): one record stands for its runs until that result is recorded.

import {
  itemOfRun,
  MORE_ITEMS,
  MOST_ITEM_BYTES,
  MOST_ITEMS,
  runOfItem,
  type Source,
  sourceOf,
  stepOfRun,
} from "../definition/items.ts";
import type { Workflow } from "../definition/workflow.ts";
import { runsOfStep } from "../record/expand.ts";
import { mayHaveHadEffect, type Plan } from "../record/plan.ts";
import { jsonBytes, MOST_RUNS } from "../record/record-limits.ts";
import { NOT_STARTED, type StepRecord, type StepResult, type Steps } from "../record/state-record.ts";

/** Whether it stands for the runs of a step whose list is not known yet, or can't be used. */
export function isToBeListed({ name, forEach }: { readonly name: string; readonly forEach?: string | undefined }) {
  return sourceOf(forEach) !== undefined && itemOfRun(name) === undefined;
}

interface Listing {
  readonly name: string;
  readonly source: Source;
}

const listingsOf = ({ steps }: Workflow): readonly Listing[] =>
  steps.flatMap(({ name, forEach }) => {
    const source = sourceOf(forEach);
    return source ? [{ name, source }] : [];
  });

/**
 * The steps with a run for each item of the lists that are recorded by now; the same object if there are none. It follows from the record alone, and
 * is written with the steps that begin then. No later write computes the items again. A list that can't be used leaves the one record, with the
 * reason: the step is rejected when it begins.
 */
export function withListedRuns(workflow: Workflow, steps: Steps, now: string): Steps {
  let known = steps;
  for (const { name, source } of listingsOf(workflow)) {
    const own = known[name];
    const from = known[source.step];
    if (own?.state !== "NotStarted" || from?.state !== "Completed") continue;
    const listed = itemsIn(from.result, source, known);
    if (listed.kind === "items") known = withRuns(known, name, own, listed.items, now);
    else if (own.listFault !== listed.fault) known = { ...known, [name]: { ...own, listFault: listed.fault } };
  }
  return known;
}

type Listed =
  | { readonly kind: "items"; readonly items: readonly StepResult[] }
  | { readonly kind: "fault"; readonly fault: string };

function itemsIn(result: StepResult | null, { step, member }: Source, steps: Steps): Listed {
  const list = result?.[member];
  const fault = (words: string): Listed => ({ kind: "fault", fault: `${step}.${member} ${words}` });
  if (list === undefined || list === null) return fault(`is no list: the result of ${step} has no ${member}`);
  if (!isList(list)) return fault("is no list of objects");
  if (list.length > MOST_ITEMS) return fault(`has ${list.length} items, and may have ${MOST_ITEMS}: ${MORE_ITEMS}`);
  // The record that stands for the runs makes room for one.
  const runs = Object.keys(steps).length - 1 + list.length;
  if (runs > MOST_RUNS)
    return fault(`has ${list.length} items, which make ${runs} runs of steps, of at most ${MOST_RUNS}: ${MORE_ITEMS}`);
  const items: readonly StepResult[] = [...Object.values(steps).flatMap(({ item }) => (item ? [item] : [])), ...list];
  const bytes = items.reduce((sum, item) => sum + jsonBytes(item), 0);
  if (bytes > MOST_ITEM_BYTES)
    return fault(
      `has items with which all items take ${bytes} bytes of the record, of at most ${MOST_ITEM_BYTES}: ${MORE_ITEMS}`,
    );
  return { kind: "items", items: list };
}

const isList = (value: unknown): value is readonly StepResult[] =>
  Array.isArray(value) && value.every((item) => typeof item === "object" && item !== null && !Array.isArray(item));

/** The runs take the place of the record that stood for them, and begin under its generation: no earlier run of these names had it. */
function withRuns(steps: Steps, name: string, own: StepRecord, items: readonly StepResult[], now: string): Steps {
  const { listFault: _, ...record } = own;
  const runs = items.map((item, index): [string, StepRecord] => [
    runOfItem(name, index + 1),
    { ...record, item, listedAt: now },
  ]);
  return Object.fromEntries(Object.entries(steps).flatMap((entry) => (entry[0] === name ? runs : [entry])));
}

/** The plan of an attempt that learns of runs: each has the place of the step that it belongs to. */
export function withRunsOfLists(plan: Plan, steps: Steps): Plan {
  const listed = new Map<string, string[]>();
  for (const planned of plan) if (isToBeListed(planned)) listed.set(planned.name, []);
  if (listed.size === 0) return plan;
  for (const run of Object.keys(steps)) if (itemOfRun(run) !== undefined) listed.get(stepOfRun(run))?.push(run);
  const runsOf = (name: string) => {
    const runs = listed.get(name) ?? [];
    return runs.length > 0 ? runs : [name];
  };
  if ([...listed.values()].every((runs) => runs.length === 0)) return plan;
  return plan.flatMap((planned) => {
    const after = planned.after.flatMap(runsOf);
    return runsOf(planned.name).map((name) => ({ ...planned, name, after }));
  });
}

/** The steps of a job that goes forward again; `kept`: runs that keep what was done for an item of a result that will be recorded anew. */
interface ListedAgain {
  readonly steps: Steps;
  readonly kept: readonly string[];
}

/**
 * Where a step begins anew whose result had a list, the runs for its items make place for the one record. Its generation, and that step's, are higher
 * than any that a run had: a run for another item never has the key of an earlier one.
 */
export function listedAgain(workflow: Workflow, steps: Steps): ListedAgain {
  let known = steps;
  const kept: string[] = [];
  for (const { name, source } of listingsOf(workflow)) {
    const from = known[source.step];
    if (!from || from.state === "Completed") continue;
    const runs = runsOfStep(name, `${source.step}.${source.member}`, known);
    const own = known[name];
    if (own?.state === "NotStarted" && own.listFault === undefined) continue;
    kept.push(...runs.filter((run) => isKept(known[run])));
    known = withOneRecord(known, { name, source }, runs, workflow);
  }
  return { steps: known, kept };
}

function isKept(run: StepRecord | undefined): boolean {
  return run !== undefined && mayHaveHadEffect(run) && run.compensation?.state !== "Completed";
}

function withOneRecord(
  steps: Steps,
  { name, source }: Listing,
  runs: readonly string[],
  { steps: declared }: Workflow,
): Steps {
  const from = steps[source.step];
  const records = runs.flatMap((run) => steps[run] ?? []);
  const agent = records[0]?.agent ?? declared.find((step) => step.name === name)?.agent;
  if (!from || agent === undefined) return steps;
  const generation = Math.max(from.generation, ...records.map((record) => record.generation));
  const assignee = declared.find((step) => step.name === name)?.assignee;
  const one: StepRecord = {
    ...NOT_STARTED,
    ...{ agent, result: null, compensation: null, generation },
    ...(assignee !== undefined && { assignee }),
  };
  const first = runs[0] ?? source.step;
  const entries = Object.entries(steps).flatMap((entry): (readonly [string, StepRecord])[] => {
    if (entry[0] === source.step) {
      const anew = [source.step, { ...from, generation }] as const;
      return first === source.step ? [anew, [name, one]] : [anew];
    }
    if (entry[0] === first) return [[name, one]];
    return runs.includes(entry[0]) ? [] : [entry];
  });
  return Object.fromEntries(entries);
}
