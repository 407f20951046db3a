// What follows from the app's words, its id's name and its business keys: the names of queues and containers, the partition key, and an index for each key.
// `npm run agents -- --write` writes them.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Contracts } from "@scheduler-agent-supervisor/core/contracts";
import { allKeys } from "@scheduler-agent-supervisor/core/internal/messaging/contract";
import { idNameOf } from "@scheduler-agent-supervisor/core/internal/messaging/job-id";
import type { Words } from "@scheduler-agent-supervisor/operator/functions/operator-api";
import { ROOT } from "../settings.ts";

const CONTAINERS = "infra/entities/cosmos.json";
/** The containers are the last: by their names the next run knows what the others may still say. */
const NAMED = [
  "local.settings.sample.json",
  "infra/entities/service-bus.json",
  "infra/app/function-app.bicep",
  CONTAINERS,
] as const;

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
  many: words.many.replaceAll(" ", "-"),
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
  return NAMED.filter((file) => inNamesOf(app, read(file), from) !== read(file));
}

/** Writes those that are stale, and returns their names. */
export function writeNames(app: Named): string[] {
  const from = namesIn(read(CONTAINERS));
  const stale = staleNames(app);
  for (const file of stale) writeFileSync(join(ROOT, file), inNamesOf(app, read(file), from));
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
