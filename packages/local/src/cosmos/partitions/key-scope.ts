// Which part of a container a request reads: one partition key, all keys under a prefix of a hierarchical one, or a range
// of effective partition keys (the hashes by which Azure spreads keys over its partitions).

import { parseJson } from "../../json.ts";
import { header, type ItemCall } from "../request.ts";
import type { Container } from "../resources/container.ts";
import { hashesOf } from "./key-ranges.ts";
import { type HashRange, hashFunctionOf } from "./partition-hash.ts";

export interface KeyScope {
  /** The canonical text of one whole partition key. */
  readonly pk?: string;
  /** The bounds of the texts of all keys that begin with some values. */
  readonly prefix?: { readonly from: string; readonly below: string };
  readonly hashes?: HashRange;
}

export const WRONG_KEY = "The partition key does not fit the container's, or is not that of the document.";

const FIRST_HASH = "";
const BEYOND_LAST_HASH = "FF";

/** The whole key of one document, in one spelling; undefined where it has not as many values as the container wants. */
export function documentKey({ partitionPaths }: Container, text: string): string | undefined {
  const values = parseJson(text);
  if (!Array.isArray(values)) return undefined;
  if (values.length === 0) return JSON.stringify(partitionPaths.map(() => ({})));
  return values.length === partitionPaths.length ? JSON.stringify(values) : undefined;
}

/** All keys that begin with `values`: their texts go on with a comma, and `-` is the character after it. */
export function prefixScope(values: readonly unknown[]): KeyScope {
  const start = JSON.stringify(values).slice(0, -1);
  return { prefix: { from: `${start},`, below: `${start}-` } };
}

/** The scope that the headers name, or what is wrong with them. */
export function scopeOf(call: ItemCall): KeyScope | string {
  const given = header(call, "x-ms-documentdb-partitionkey");
  const scope = given === undefined ? {} : scopeOfKey(call.container, given);
  if (scope === undefined) return WRONG_KEY;
  const hashes = { of: hashFunctionOf(call.container), min: FIRST_HASH, max: BEYOND_LAST_HASH };
  const asked = narrowed(hashes, header(call, "x-ms-start-epk"), header(call, "x-ms-end-epk"));
  const own = call.range && hashesOf(call.container, call.range);
  const { min, max } = narrowed(asked, own?.min, own?.max);
  return min === FIRST_HASH && max === BEYOND_LAST_HASH ? scope : { ...scope, hashes: { ...hashes, min, max } };
}

const narrowed = (range: HashRange, min = FIRST_HASH, max = BEYOND_LAST_HASH): HashRange => ({
  ...range,
  min: min > range.min ? min : range.min,
  max: max < range.max ? max : range.max,
});

function scopeOfKey(container: Container, text: string): KeyScope | undefined {
  const pk = documentKey(container, text);
  if (pk !== undefined) return { pk };
  const values = parseJson(text);
  return Array.isArray(values) && values.length < container.partitionPaths.length ? prefixScope(values) : undefined;
}
