// The six patch operations of Cosmos DB on a parsed document, and the condition that guards them.
import { isObject, type Json, type JsonObject, setOwn } from "../../json.ts";
import { COSMOS_LIMITS } from "../limits.ts";
import { compile } from "../sql/compile.ts";
import type { Evaluate } from "../sql/evaluate.ts";
import { isTooDeep, QueryFault } from "../sql/fault.ts";
import { parseCondition } from "../sql/parser.ts";
import type { Value } from "../sql/values.ts";

export interface Patch {
  readonly operations: readonly JsonObject[];
  readonly condition?: (document: JsonObject) => boolean;
}

const MOST_OPERATIONS = COSMOS_LIMITS.patchOperations.value;
const CONDITIONS_KEPT = 1000;
const NO_PARAMETERS: ReadonlyMap<string, Value> = new Map();
const SYSTEM = new Set(["_rid", "_self", "_etag", "_attachments", "_ts"]);

/** A patch, or what is wrong with it. The body is an array of operations or `{condition, operations}`. */
export function parsePatch(body: Value, partitionPaths: readonly (readonly string[])[]): Patch | string {
  const operations = isObject(body) ? body["operations"] : body;
  if (!Array.isArray(operations) || operations.length === 0) return "A patch takes a list of operations.";
  if (operations.length > MOST_OPERATIONS) return `A patch takes at most ${MOST_OPERATIONS} operations.`;
  if (!operations.every(isObject)) return "A patch operation is an object.";
  const touched = operations.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from])).map(String);
  const forbidden = touched.find((path) => isForbidden(path, partitionPaths));
  if (forbidden !== undefined)
    return `'${forbidden}' is set by the server, or is of the identity of the document, and cannot be patched.`;
  const strange = operations
    .map(({ path, from }) => pathFault(path) ?? pathFault(from))
    .find((one) => one !== undefined);
  if (strange !== undefined) return strange;
  const condition = isObject(body) ? body["condition"] : undefined;
  if (condition === undefined || condition === null) return { operations };
  try {
    return { operations, condition: conditionNamed(String(condition)) };
  } catch (cause) {
    if (cause instanceof QueryFault) return cause.message;
    if (isTooDeep(cause)) return "The condition is too complex.";
    throw cause;
  }
}

/** Applies the operations in order; a fault leaves the document half changed, so it must not be stored. */
export function applyPatch(document: JsonObject, operations: readonly JsonObject[]): string | undefined {
  for (const [index, operation] of operations.entries()) {
    const fault = applyOne(document, operation);
    if (fault) return `Operation ${index + 1}: ${fault}`;
  }
  return undefined;
}

const conditions = new Map<string, (document: JsonObject) => boolean>();

function conditionNamed(sql: string): (document: JsonObject) => boolean {
  const known = conditions.get(sql);
  if (known) return known;
  const { alias, where } = parseCondition(sql);
  const evaluate: Evaluate = compile(where, { slots: new Map([[alias, 0]]) });
  const test = (document: JsonObject) =>
    evaluate({ values: [document], parameters: NO_PARAMETERS, totals: [] }) === true;
  // Conditions carry literals, so there is one for each order: forget them all rather than grow for ever.
  if (conditions.size >= CONDITIONS_KEPT) conditions.clear();
  conditions.set(sql, test);
  return test;
}

function isForbidden(path: string, partitionPaths: readonly (readonly string[])[]): boolean {
  const segments = pointer(path);
  const first = segments[0] ?? "";
  if (segments.length === 1 && (first === "id" || SYSTEM.has(first))) return true;
  return partitionPaths.some((key) => segments.length <= key.length && segments.every((part, at) => part === key[at]));
}

/** Azure takes a part of digits for an index of an array, whatever it stands in. */
const LONG_INDEX = /^\d{20,}$/;

/** What is wrong with the parts of a path, whatever the document has there. */
function pathFault(path: Value): string | undefined {
  if (typeof path !== "string") return undefined;
  if (/~(?![01])/.test(path)) return `The path '${path}' has a ~ that is not part of ~0 or ~1.`;
  const long = path.split("/").find((part) => LONG_INDEX.test(part));
  return long === undefined
    ? undefined
    : `The part '${long}' of a path has 20 digits or more: it counts as an index, and none is so large.`;
}

/** A JSON pointer (RFC 6901). */
function pointer(path: string): string[] {
  return path
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function applyOne(document: JsonObject, operation: JsonObject): string | undefined {
  const { op, path, value, from } = operation;
  if (typeof path !== "string" || !path.startsWith("/")) return `the path '${String(path)}' is not valid.`;
  switch (op) {
    case "add":
    case "set":
      return value === undefined ? "a value is required." : put(document, path, value, op);
    case "replace":
      if (value === undefined) return "a value is required.";
      return lookUp(document, path) === undefined ? missing(path) : put(document, path, value, "set");
    case "remove":
      return remove(document, path);
    case "incr":
      return increment(document, path, value);
    case "move": {
      if (typeof from !== "string") return "move takes 'from'.";
      if (path.startsWith(`${from}/`)) return "a path cannot be moved into itself.";
      const moved = lookUp(document, from);
      if (moved === undefined) return missing(from);
      return remove(document, from) ?? put(document, path, moved, "add");
    }
    default:
      return `the operation '${String(op)}' is not known.`;
  }
}

const missing = (path: string) => `no value is at the path '${path}'.`;

function parentOf(document: JsonObject, path: string): { readonly parent: Value; readonly key: string } {
  const segments = pointer(path);
  const key = segments.pop() ?? "";
  let parent: Value = document;
  for (const segment of segments) parent = childOf(parent, segment);
  return { parent, key };
}

/** Of an array: no leading zeros (RFC 6901, section 4). */
const INDEX = /^(?:0|[1-9]\d*)$/;

function childOf(parent: Value, key: string): Value {
  if (Array.isArray(parent)) return INDEX.test(key) ? parent[Number(key)] : undefined;
  return isObject(parent) && Object.hasOwn(parent, key) ? parent[key] : undefined;
}

function lookUp(document: JsonObject, path: string): Value {
  const { parent, key } = parentOf(document, path);
  return childOf(parent, key);
}

/** In an array `add` inserts and `set` overwrites; `-` and the index past the end append. */
function put(document: JsonObject, path: string, value: Json, how: "add" | "set"): string | undefined {
  const { parent, key } = parentOf(document, path);
  if (Array.isArray(parent)) {
    const at = key === "-" ? parent.length : Number(key);
    if (!(key === "-" || INDEX.test(key)) || at > parent.length) return `the index '${key}' is out of range.`;
    parent.splice(at, how === "add" ? 0 : 1, value);
    return undefined;
  }
  if (!isObject(parent)) return `${how} cannot create the parents of the path '${path}'.`;
  setOwn(parent, key, value);
  return undefined;
}

function remove(document: JsonObject, path: string): string | undefined {
  const { parent, key } = parentOf(document, path);
  if (childOf(parent, key) === undefined) return missing(path);
  if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else if (isObject(parent)) delete parent[key];
  return undefined;
}

/** A property that is not there is made, with the increment as its value. */
function increment(document: JsonObject, path: string, by: Value): string | undefined {
  if (typeof by !== "number") return "incr takes a number.";
  const old = lookUp(document, path);
  if (old === undefined) return put(document, path, by, "set");
  return typeof old === "number" ? put(document, path, old + by, "set") : `the value at '${path}' is not a number.`;
}
