// What follows from the app's words and its contracts: the partition key, an index for each key, the workflow whose time is an objective, and what
// alerts, workbook and sign-in call a job.
// `npm run agents -- --write` writes them.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Contracts } from "@scheduler-agent-supervisor/core/app";
import { allKeys, idNameOf } from "@scheduler-agent-supervisor/core/messaging";
import type { Words } from "@scheduler-agent-supervisor/operator/functions";
import { ROOT } from "../settings.ts";
import { capital, type Spoken } from "./runbooks.ts";

const CONTAINERS = "infra/entities/cosmos.json";
/** What Bicep puts into alerts, workbook and sign-in. */
export const WORDS = "infra/words.json";
/** Queries that name the usual workflow. */
const ASKING = ["infra/alerts/slo-critical-time.kql", "infra/workbook/jobs.json"] as const;
export const NAMED: readonly string[] = [...ASKING, WORDS, CONTAINERS];

/** Where a query asks for the jobs of the workflow whose time is an objective: Kusto, also inside of JSON. */
const OBJECTIVE = /(tostring\(Properties\.workflow\) == \\?")[\w-]+/g;
/** The partition key of the container of jobs, which is the first. */
const PARTITION_KEY = /(?<="paths": \[")\/\w+Id(?="\])/;

const read = (file: string) => readFileSync(join(ROOT, file), "utf8");

/** An app, as far as its files are named by it. */
interface Named {
  readonly contracts: Contracts;
  readonly words: Words;
}

/** One of the files that have names of the app's, with those of this app. */
export function namedFile({ contracts, words }: Named, file: string, text: string): string {
  if (file === WORDS) return withWords(text, words);
  if (file === CONTAINERS) return containersOf(contracts, text);
  return text.replace(OBJECTIVE, (_, before: string) => `${before}${contracts.usualWorkflow}`);
}

/** @throws where the container of jobs has no id for its partition key */
export function containersOf(contracts: Contracts, text: string): string {
  if (!PARTITION_KEY.test(text)) throw new Error(`The first container of ${CONTAINERS} is not the jobs' container`);
  return withKeys(text.replace(PARTITION_KEY, `/${idNameOf(contracts)}`), allKeys(contracts));
}

/** Its clients keep the name that it has. */
function withWords(text: string, { one, many }: Spoken): string {
  return `${JSON.stringify({ ...(JSON.parse(text) as object), one, many, title: capital(many) }, null, 2)}\n`;
}

/** The index of the container of jobs, which is the first, has the keys last: whatever other paths it has. */
function withKeys(text: string, keys: readonly string[]): string {
  return text.replace(/(?<="includedPaths": \[)[^\]]*/, (paths) => {
    const [indent = ""] = /^\s*/.exec(paths) ?? [];
    const kept = paths
      .trim()
      .split(/,\s*/)
      .filter((entry) => !entry.includes('"path": "/keys/'));
    const entries = [...kept, ...keys.map((key) => `{ "path": "/keys/${key}/?" }`)];
    return indent + entries.join(`,${indent}`) + paths.slice(paths.trimEnd().length);
  });
}

/** The files that have other names than the app says. */
export function staleNames(app: Named): string[] {
  return NAMED.filter((file) => namedFile(app, file, read(file)) !== read(file));
}

/** Writes those that are stale, and returns their names. */
export function writeNames(app: Named): string[] {
  const stale = staleNames(app);
  for (const file of stale) writeFileSync(join(ROOT, file), namedFile(app, file, read(file)));
  return stale;
}
