// Unique keys: paths whose values no two documents of one partition key share; a value that is not there is one too.

import { isObject, type JsonObject } from "../../json.ts";
import { COSMOS_LIMITS } from "../limits.ts";
import { KEY_PATH, pathSegments, valueAt } from "../queries/indexing.ts";
import type { Value } from "../sql/values.ts";

export interface UniqueKey {
  /** The name of its column. */
  readonly name: string;
  readonly paths: readonly (readonly string[])[];
}

export function readUniqueKeys(policy: Value): UniqueKey[] {
  const keys = isObject(policy) ? policy["uniqueKeys"] : undefined;
  if (!Array.isArray(keys)) return [];
  return keys.map((key, index) => {
    const paths = isObject(key) && Array.isArray(key["paths"]) ? key["paths"] : [];
    return { name: `unique${index}`, paths: paths.map((path) => pathSegments(String(path))) };
  });
}

/** What is wrong with a policy, if anything. */
export function uniqueKeyFault(policy: Value): string | undefined {
  const keys = isObject(policy) ? policy["uniqueKeys"] : undefined;
  if (policy === undefined || policy === null || keys === undefined) return undefined;
  const isRight =
    Array.isArray(keys) &&
    keys.every((key) => {
      const paths = isObject(key) ? key["paths"] : undefined;
      return Array.isArray(paths) && paths.length > 0 && paths.every((path) => KEY_PATH.test(String(path)));
    });
  if (!isRight) return "A unique key is a list of paths that begin with '/', without a trailing slash or a wildcard.";
  const { uniqueKeys, uniquePaths } = COSMOS_LIMITS;
  const isLong = keys.some((key) => isObject(key) && listOf(key["paths"]).length > uniquePaths.value);
  if (keys.length <= uniqueKeys.value && !isLong) return undefined;
  return `A container has ${uniqueKeys.value} unique keys at most, each of ${uniquePaths.value} paths.`;
}

const listOf = (value: Value) => (Array.isArray(value) ? value : []);

export function uniqueText({ paths }: UniqueKey, document: JsonObject): string {
  const values = paths.map((path) => valueAt(document, path));
  return JSON.stringify(values.map((value) => (value === undefined ? {} : [value])));
}
