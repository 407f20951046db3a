// What follows from the app's noun and its business keys: the names of queues, containers and partition keys, and an index for each key.
// `npm run agents -- --write` writes them.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Contracts } from "@scheduler-agent-supervisor/core/contracts";
import { idName, type Noun } from "@scheduler-agent-supervisor/core/internal/domain/noun";
import { allKeys } from "@scheduler-agent-supervisor/core/internal/messaging/contract";
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

/** A file of another app's as this one has it. @param from the other one's noun */
export function inNamesOf({ noun, ...contracts }: Contracts, text: string, from: Noun): string {
  const renamed = text
    .replace(
      new RegExp(`(["'])${from.many}(-priority)?\\1`, "g"),
      (_, quote, more = "") => `${quote}${noun.many}${more}${quote}`,
    )
    .replaceAll(`/${idName(from)}/?`, `/${idName(noun)}/?`)
    .replaceAll(`"/${idName(from)}"`, `"/${idName(noun)}"`);
  return withKeys(renamed, allKeys({ noun, ...contracts }));
}

/** The keys stand behind the index that every app has last. */
function withKeys(text: string, keys: readonly string[]): string {
  const entries = keys.map((key) => `,\n          { "path": "/keys/${key}/?" }`).join("");
  return text.replace(/(\{ "path": "\/hasWaited\/\?" \})(?:,\s*\{ "path": "\/keys\/[^"]+" \})*/, `$1${entries}`);
}

/** The files that have other names than the contracts say. */
export function staleNames(contracts: Contracts): string[] {
  const from = nounIn(read(CONTAINERS));
  return NAMED.filter((file) => inNamesOf(contracts, read(file), from) !== read(file));
}

/** Writes those that are stale, and returns their names. */
export function writeNames(contracts: Contracts): string[] {
  const from = nounIn(read(CONTAINERS));
  const stale = staleNames(contracts);
  for (const file of stale) writeFileSync(join(ROOT, file), inNamesOf(contracts, read(file), from));
  return stale;
}

/** By the container of jobs, which is the first. @throws where it has no id of a noun for its partition key */
function nounIn(text: string): Noun {
  const { containers } = JSON.parse(text) as {
    readonly containers: readonly {
      readonly id: string;
      readonly partitionKey: { readonly paths: readonly string[] };
    }[];
  };
  const [jobs] = containers;
  const one = /^\/(\w+)Id$/.exec(jobs?.partitionKey.paths[0] ?? "")?.[1];
  if (!jobs || !one) throw new Error(`The first container of ${CONTAINERS} is not the jobs' container`);
  return { one, many: jobs.id };
}
