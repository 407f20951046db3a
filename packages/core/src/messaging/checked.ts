// Checks what came from outside, as a whole: the answer says of each fault where it is and what has to be there.
import type { z } from "zod";
import { DEPTH_LIMIT, isNestedTooDeep } from "./deep-json.ts";

export type Checked<T> =
  | { readonly kind: "valid"; readonly value: T }
  | { readonly kind: "invalid"; readonly faults: readonly string[] };

/** Of a name that nobody knows so much is repeated: it may be anything. */
const NAME_LIMIT = 200;
/** Of members that nobody knows so many are named. */
const NAMED_LIMIT = 10;
/** A function's key may come in the query: that is between the caller and the Functions host. */
const OF_THE_HOST: ReadonlySet<string> = new Set(["code", "clientId"]);

/** @param whole what a fault that has no place of its own is about */
export function check<T>(schema: z.ZodType<T>, input: unknown, whole: string): Checked<T> {
  const parsed = schema.safeParse(input);
  // Also where a contract takes anything, as in the place of a message's body.
  const depth = isNestedTooDeep(input) ? [`${whole}: is nested more than ${DEPTH_LIMIT} levels deep`] : [];
  if (parsed.success && depth.length === 0) return { kind: "valid", value: parsed.data };
  return { kind: "invalid", faults: [...depth, ...(parsed.success ? [] : inWords(parsed.error, whole))] };
}

/** The same of JSON text, such as a request's body. */
export function checkJson<T>(schema: z.ZodType<T>, text: string, whole: string): Checked<T> {
  let input: unknown;
  try {
    input = JSON.parse(text);
  } catch {
    return { kind: "invalid", faults: [`${whole} must be a JSON object`] };
  }
  return check(schema, input, whole);
}

/** @param query the URL's, each name with its value */
export function checkQuery<T>(schema: z.ZodType<T>, query: Iterable<[string, string]>): Checked<T> {
  const pairs = [...query].filter(([name]) => !OF_THE_HOST.has(name));
  const names = pairs.map(([name]) => name);
  const repeated = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  const checked = check(schema, Object.fromEntries(pairs), "the query");
  if (repeated.size === 0) return checked;
  const faults = checked.kind === "invalid" ? checked.faults : [];
  return { kind: "invalid", faults: [...[...repeated].map((name) => `${name}: is given more than once`), ...faults] };
}

export function inWords({ issues }: z.ZodError, whole: string): string[] {
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
