// Checks external input as a whole: the answer names the place of each fault and the expected value.
import type { z } from "zod";
import { DEPTH_LIMIT, isNestedTooDeep } from "./deep-json.ts";

export type Checked<T> =
  | { readonly kind: "valid"; readonly value: T }
  | { readonly kind: "invalid"; readonly faults: readonly string[] };

/** The number of characters of an unknown name that are repeated: it may be any text. */
const NAME_LIMIT = 200;
/** The number of unknown members that are named. */
const NAMED_LIMIT = 10;
/** A function's key may be in the query: only the caller and the Functions host use it. */
const OF_THE_HOST: ReadonlySet<string> = new Set(["code", "clientId"]);

/** @param whole the subject of a fault that has no place of its own */
export function check<T>(schema: z.ZodType<T>, input: unknown, whole: string): Checked<T> {
  const parsed = schema.safeParse(input);
  // Also if a contract accepts any value, for example for a message's body.
  const depth = isNestedTooDeep(input) ? [`${whole}: is nested more than ${DEPTH_LIMIT} levels deep`] : [];
  if (parsed.success && depth.length === 0) return { kind: "valid", value: parsed.data };
  return { kind: "invalid", faults: [...depth, ...(parsed.success ? [] : faultsOf(parsed.error, whole))] };
}

/** The same for JSON text, such as a request's body. */
export function checkJson<T>(schema: z.ZodType<T>, text: string, whole: string): Checked<T> {
  let input: unknown;
  try {
    input = JSON.parse(text);
  } catch {
    return { kind: "invalid", faults: [`${whole} must be a JSON object`] };
  }
  return check(schema, input, whole);
}

/** @param query the URL's query, each name with its value */
export function checkQuery<T>(schema: z.ZodType<T>, query: Iterable<[string, string]>): Checked<T> {
  const pairs = [...query].filter(([name]) => !OF_THE_HOST.has(name));
  const names = pairs.map(([name]) => name);
  const repeated = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  const checked = check(schema, Object.fromEntries(pairs), "the query");
  if (repeated.size === 0) return checked;
  const faults = checked.kind === "invalid" ? checked.faults : [];
  return { kind: "invalid", faults: [...[...repeated].map((name) => `${name}: is given more than once`), ...faults] };
}

export function faultsOf({ issues }: z.ZodError, whole: string): string[] {
  return issues.map((issue) => `${placeOf(issue.path) || whole}: ${wantedBy(issue)}`);
}

function placeOf(path: readonly PropertyKey[]): string {
  return path
    .map((part, at) => (typeof part === "number" ? `[${part}]` : `${at > 0 ? "." : ""}${String(part)}`))
    .join("");
}

const TYPES: { readonly [expected: string]: string } = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  object: "an object",
  record: "an object",
  array: "a list",
};
const UNITS: { readonly [origin: string]: string } = { string: " characters", array: " entries" };

function named(keys: readonly string[]): string {
  const shown = keys.slice(0, NAMED_LIMIT).map((key) => `"${key.slice(0, NAME_LIMIT)}"`);
  const more = keys.length - shown.length;
  return more > 0 ? `${shown.join(", ")} and ${more} more` : shown.join(", ");
}

function wantedBy(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "unrecognized_keys":
      return `has no ${named(issue.keys)}`;
    case "invalid_type":
      if (issue.message.endsWith("received undefined")) return "is missing";
      return issue.expected in TYPES ? `must be ${TYPES[issue.expected]}` : issue.message;
    case "too_small":
      if (issue.origin in UNITS && issue.minimum === 1) return "must not be empty";
      return `must be at least ${issue.minimum}${UNITS[issue.origin] ?? ""}`;
    case "too_big":
      return `must be at most ${issue.maximum}${UNITS[issue.origin] ?? ""}`;
    case "invalid_value":
      return `must be ${issue.values.length > 1 ? "one of " : ""}${issue.values.join(", ")}`;
    case "invalid_format":
      return issue.format === "email" ? "must be an email address" : issue.message;
    default:
      return issue.message;
  }
}
