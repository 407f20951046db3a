// A step that runs once for each item of a list: its runs, by their names.

/** A step's own name never contains it. It is allowed in a path of the store and in a message id. */
const MARK = "_";

/** The most items that a list may have: each is a record inside the job's own, beside one step at least (record-limits.ts: 100 runs). */
export const MOST_ITEMS = 99;

/** So many of its runs are in flight at once: each takes a place of the engine, and one job must not take those of others. */
export const MOST_RUNS_AT_ONCE = 10;

/** The way out for more. */
export const MORE_ITEMS = "submit it in several parts";

/** The most that the items of a list may take in the job's record, as JSON: Cosmos DB's limit for a document is 2 MB. */
export const MOST_ITEM_BYTES = 65_536;

/** The name of a step's run for one of its items, which are counted from 1. */
export function runOfItem(step: string, item: number): string {
  return `${step}${MARK}${item}`;
}

/** The step that a run belongs to: the same name for a step without a list. */
export function stepOfRun(run: string): string {
  return run.split(MARK, 1)[0] ?? run;
}

/** The item of a run, counted from 1; undefined for a step that runs once. */
export function itemOfRun(run: string): number | undefined {
  const [, item] = run.split(MARK);
  return item === undefined ? undefined : Number(item);
}

/** A member of a step's result, as a workflow names it: the source of an output, or of the items for which a later step runs. */
export interface Source {
  readonly step: string;
  readonly member: string;
}

const SOURCE = /^([a-z][A-Za-z0-9]*)\.([A-Za-z][A-Za-z0-9_]*)$/;

/** The step and the member of its result in `step.member`; undefined for a text without such names, as that of a list of the content. */
export function sourceOf(text: string | undefined): Source | undefined {
  const [, step, member] = SOURCE.exec(text ?? "") ?? [];
  return step && member ? { step, member } : undefined;
}
