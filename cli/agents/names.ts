// What follows from the app's words and its contracts: the names of queues and containers, the partition key, an index for each key, the
// workflow whose time is an objective, and what alerts, workbook and sign-in call a job.
// `npm run agents -- --write` writes them.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Contracts } from "@scheduler-agent-supervisor/core/contracts";
import { allKeys } from "@scheduler-agent-supervisor/core/internal/messaging/contract";
import { idNameOf } from "@scheduler-agent-supervisor/core/internal/messaging/job-id";
import type { Words } from "@scheduler-agent-supervisor/operator/functions/operator-api";
import { ROOT } from "../settings.ts";
import { capital, inName, type Spoken } from "./runbooks.ts";

const CONTAINERS = "infra/entities/cosmos.json";
/** What Bicep puts into alerts, workbook and sign-in. */
export const WORDS = "infra/words.json";
/** Queries that name the usual workflow. */
const ASKING = ["infra/alerts/slo-critical-time.kql", "infra/workbook/jobs.json"] as const;
/** The containers are the last: by their names the next run knows what the others may still say. */
export const NAMED: readonly string[] = [
  "local.settings.sample.json",
  "infra/entities/service-bus.json",
  "infra/app/function-app.bicep",
  ...ASKING,
  WORDS,
  CONTAINERS,
];

/** Where a query asks for the jobs of the workflow whose time is an objective: Kusto, also inside of JSON. */
const OBJECTIVE = /(tostring\(Properties\.workflow\) == \\?")[\w-]+/g;

const read = (file: string) => readFileSync(join(ROOT, file), "utf8");

/** An app, as far as its files are named by it. */
interface Named {
  readonly contracts: Contracts;
  readonly words: Words;
}

/** What the files of an app say. */
interface FileNames {
  /** Of the container of jobs, and of the queue that they are sent to. */
  readonly many: string;
  /** The partition key of jobs. */
  readonly idName: string;
}

export const namesOf = ({ contracts, words }: Named): FileNames => ({
  many: inName(words.many),
  idName: idNameOf(contracts),
});

/** A file of another app's as this one has it. @param from the other one's names */
export function inNamesOf(app: Named, text: string, from: FileNames): string {
  const own = namesOf(app);
  const renamed = text
    .replace(
      new RegExp(`(["'])${from.many}(-priority)?\\1`, "g"),
      (_, quote, more = "") => `${quote}${own.many}${more}${quote}`,
    )
    .replaceAll(`"/${from.idName}"`, `"/${own.idName}"`);
  return withKeys(renamed, allKeys(app.contracts));
}

/** One of the files that have names of the app's. @param from the names that it may still have */
export function namedFile(app: Named, file: string, text: string, from: FileNames): string {
  if (file === WORDS) return withWords(text, app.words);
  if (!ASKING.some((one) => one === file)) return inNamesOf(app, text, from);
  return text.replace(OBJECTIVE, (_, before: string) => `${before}${app.contracts.usualWorkflow}`);
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
  const from = namesIn(read(CONTAINERS));
  return NAMED.filter((file) => namedFile(app, file, read(file), from) !== read(file));
}

/** Writes those that are stale, and returns their names. */
export function writeNames(app: Named): string[] {
  const from = namesIn(read(CONTAINERS));
  const stale = staleNames(app);
  for (const file of stale) writeFileSync(join(ROOT, file), namedFile(app, file, read(file), from));
  return stale;
}

/** By the container of jobs, which is the first. @throws where it has no id for its partition key */
function namesIn(text: string): FileNames {
  const { containers } = JSON.parse(text) as {
    readonly containers: readonly {
      readonly id: string;
      readonly partitionKey: { readonly paths: readonly string[] };
    }[];
  };
  const [jobs] = containers;
  const idName = /^\/(\w+Id)$/.exec(jobs?.partitionKey.paths[0] ?? "")?.[1];
  if (!jobs || !idName) throw new Error(`The first container of ${CONTAINERS} is not the jobs' container`);
  return { many: jobs.id, idName };
}
