// What a check of a service is given: content for jobs, and results of steps that are not done for it.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ReadResults } from "@scheduler-agent-supervisor/core/domain";
import { readSamples } from "../common/samples.ts";
import { UsageError, type Values } from "../every-app/arguments.ts";
import { ROOT } from "../every-app/root.ts";

const RESULTS = join(ROOT, "samples/results.json");

/** Of one file, or of the samples that are to end well. @throws UsageError */
export function contentsIn(file: Values[string]): readonly object[] {
  if (file === undefined) return readSamples("check").flatMap(({ ends, body }) => (ends === "Processed" ? [body] : []));
  const given = readJson(String(file));
  const all = Array.isArray(given) ? given : [given];
  if (all.length === 0 || !all.every(isObject))
    throw new UsageError(`${file} has no content: an object, or a list of objects`);
  return all;
}

/** By the step's name. @throws UsageError */
export function resultsIn(file: Values[string]): ReadResults {
  if (file === undefined && !existsSync(RESULTS)) return {};
  const given = readJson(String(file ?? RESULTS));
  if (!isObject(given) || !Object.values(given).every(isObject))
    throw new UsageError(
      `${file ?? RESULTS} must be an object with a result for each step, as {"openAccount": {"accountId": "a-1"}}`,
    );
  return given as ReadResults;
}

const isObject = (value: unknown): value is object => value !== null && typeof value === "object";

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (cause) {
    throw new UsageError(`${file} can't be read as JSON: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}
