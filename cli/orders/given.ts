// What was typed after a word: which orders, messages and runs it is about. Each throws a UsageError that says what is missing.
import type { Pause } from "@scheduler-agent-supervisor/operator/contract";
import { words } from "../../shared/words.ts";
import { UsageError, type Values } from "../every-app/arguments.ts";

export type PauseOf = Pick<Pause, "kind" | "name">;

export type BulkTarget =
  | { readonly group: string }
  | { readonly jobIds: readonly string[] }
  | { readonly filter: Search };

export interface Search {
  readonly state?: string | undefined;
  readonly kind?: string | undefined;
  readonly workflow?: string | undefined;
  readonly version?: string | undefined;
  readonly step?: string | undefined;
  readonly key?: string | undefined;
  readonly waitsFor?: string | undefined;
  readonly q?: string | undefined;
  readonly timeOf?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Each with its name in the API. */
const SEARCH = {
  state: "state",
  kind: "kind",
  workflow: "workflow",
  version: "version",
  step: "step",
  q: "q",
  "business-key": "key",
  "waits-for": "waitsFor",
  "time-of": "timeOf",
  from: "from",
  to: "to",
} as const;
export function needed(values: Values, name: string): string {
  const value = values[name];
  if (typeof value !== "string" || value.trim() === "") throw new UsageError(`--${name} is missing.`);
  return value;
}

export const textOf = (values: Values, name: string): string | undefined =>
  typeof values[name] === "string" ? values[name] : undefined;

/** Where the list before has ended. */
export interface Further {
  readonly continuation: string | undefined;
}

export const furtherOf = (values: Values): Further => ({ continuation: textOf(values, "continue") });

export function argument(given: readonly string[], place: number, what: string): string {
  const value = given[place];
  if (value === undefined) throw new UsageError(`Give ${what}.`);
  return value;
}

export const orderOf = (given: readonly string[]): string => argument(given, 0, `the id of one of the ${words.many}`);

export function pauseOf([kind, name]: readonly string[]): PauseOf {
  if ((kind === "agent" || kind === "workflow") && name !== undefined) return { kind, name };
  throw new UsageError("Give agent NAME or workflow NAME: see npm run orders -- agents");
}

export function searchOf(values: Values): Search {
  const given = Object.entries(SEARCH).filter(([option]) => values[option] !== undefined);
  return Object.fromEntries(given.map(([option, name]) => [name, values[option]]));
}

export function bulkTargetOf(values: Values, jobIds: readonly string[]): BulkTarget {
  const filter = searchOf(values);
  const targets: BulkTarget[] = [
    ...(jobIds.length > 0 ? [{ jobIds }] : []),
    ...(typeof values["group"] === "string" ? [{ group: values["group"] }] : []),
    ...(Object.keys(filter).length > 0 ? [{ filter }] : []),
  ];
  const [target, ...others] = targets;
  if (target && others.length === 0) return target;
  throw new UsageError(`Give one of: ids of ${words.many}, --group CAUSE, a filter.`);
}

export const runOf = (given: readonly string[]): string =>
  encodeURIComponent(argument(given, 0, "the id of a run: see npm run orders -- runs"));
