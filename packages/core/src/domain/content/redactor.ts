// Removes secrets from texts and values: the one place that decides what a secret looks like where it is repeated. It is found as it is, as JSON
// writes it and as an address does; not in another case or encoding.

import { asError, inWords } from "../thrown.ts";
import { HIDDEN, REMOVED } from "./job.ts";

/** Below the app's address: where the service or person that does a step later reports it. What follows is a credential. */
export const COMPLETIONS_PATH = "api/completions";

const SLASH = "(?:\\\\*/|%(?:25)*2f|\\\\+u002f|&#x2f;|&#47;)+";
const ADDRESS = new RegExp(`(${COMPLETIONS_PATH.replaceAll("/", SLASH)}${SLASH})[\\w%.~=-]+`, "gi");
/** The end of such an address without the rest: see completion.ts. */
const TICKET = new RegExp(`${Buffer.from('{"jobId":').toString("base64url")}[\\w-]+`, "g");
/** In the text of a ticket, or of a record. */
const NONCE = /(nonce[\\"']*\s*[:=]\s*[\\"']*)[\w-]{8,}/gi;
/** A shorter secret is not looked for: it would be found in ordinary words. */
const SHORTEST = 4;
/** Of a longer one the first characters are looked for, and nothing of a text that has them is shown. */
const LONGEST = 256;
/** The length of a text times the number of secrets: nothing of a text is shown that would take longer. */
const BUDGET = 50_000_000;
/** A shorter number may be any amount. */
const NOTABLE_DIGITS = 8;

/** Removes secrets from a text. */
type Remove = (text: string) => string;

/** Removes certain values, and whatever opens a step's completion. */
export interface Redactor {
  text(text: string): string;
  /** Every text in a JSON value, the names in it, and long numbers. The same value if there is nothing to remove from it. */
  value<T>(value: T): T;
  /** The same error if there is nothing to remove from it. */
  error(cause: unknown): unknown;
}

/** @param values the secrets */
export function redactorFor(values: Iterable<string>): Redactor {
  const remove = removerOf(values);
  const text = (given: string) => remove(withoutAddress(given));
  return {
    text,
    value: (given) => (isCleanIn(given, text) ? given : (withTexts(given, text) as typeof given)),
    error: (cause) => errorWith(cause, text),
  };
}

function removerOf(values: Iterable<string>): Remove {
  const all = [...new Set(values)].filter(({ length }) => length >= SHORTEST);
  const written = [...new Set(all.flatMap((value) => [value, JSON.stringify(value).slice(1, -1), inAddress(value)]))];
  const starts = written.filter(({ length }) => length > LONGEST).map((one) => one.slice(0, LONGEST));
  const whole = written.filter(({ length }) => length <= LONGEST).toSorted((one, other) => other.length - one.length);
  return (text) => {
    if (text.length * written.length > BUDGET || starts.some((start) => text.includes(start))) return HIDDEN;
    return whole.reduce((shown, one) => shown.replaceAll(one, HIDDEN), text);
  };
}

function inAddress(value: string): string {
  return encodeURIComponent(value.toWellFormed());
}

/** What is in none of a value's texts is not in its JSON either: almost every value is read once, and not each of its texts. */
function isCleanIn(value: unknown, shown: Remove): boolean {
  const json = JSON.stringify(value);
  return json === undefined || shown(json) === json;
}

function withoutAddress(text: string): string {
  return text.replace(ADDRESS, `$1${HIDDEN}`).replace(TICKET, HIDDEN).replace(NONCE, `$1${HIDDEN}`);
}

/** The text without these values, and without the addresses for reports. */
export function textWithout(text: string, values: Iterable<string>): string {
  return redactorFor(values).text(text);
}

/** The same for every text in a JSON value, and for the names in it. */
export function valueWithout<T>(value: T, values: readonly string[]): T {
  return redactorFor(values).value(value);
}

/** With each text, each name and each long number replaced. @param named names in another way */
export function withTexts(value: unknown, shown: Remove, named = shown): unknown {
  if (typeof value === "string") return shown(value);
  if (typeof value === "number") return numberWith(value, shown);
  if (Array.isArray(value)) return value.map((item) => withTexts(item, shown, named));
  if (value === null || typeof value !== "object") return value;
  const members = Object.entries(value);
  return Object.fromEntries(members.map(([name, member]) => [named(name), withTexts(member, shown, named)]));
}

function numberWith(value: number, shown: Remove): unknown {
  const digits = String(value);
  return digits.length < NOTABLE_DIGITS || shown(digits) === digits ? value : HIDDEN;
}

/** A cause may be its own cause. */
const MOST_CAUSES = 8;

/** An error whose text and stack have none of these values; the same one if it has none. */
export function errorWithout(cause: unknown, values: Iterable<string>): unknown {
  return redactorFor(values).error(cause);
}

function errorWith(cause: unknown, shown: Remove, depth = 0): unknown {
  if (depth === MOST_CAUSES) return undefined;
  const own = said(cause);
  const [message, stack, name] = [shown(own.message), shown(own.stack), shown(own.name)];
  const inner = own.cause === undefined ? undefined : errorWith(own.cause, shown, depth + 1);
  const isClean = message === own.message && stack === own.stack && name === own.name && inner === own.cause;
  if (isClean && areClean(own.others, shown, depth)) return cause;
  // Whatever else the error had is left out: a client's error often has the whole request.
  return Object.assign(new Error(message, inner === undefined ? {} : { cause: inner }), { name, stack });
}

/** What an error says. Anything can be thrown, also what can't be read. */
function said(cause: unknown) {
  const error = asError(cause);
  if (error !== cause) {
    return { message: error.message, stack: "", name: "Error", cause: undefined, others: [["", cause] as const] };
  }
  const { message, stack, name } = error;
  const others = Object.entries(error).filter(([member]) => !["message", "stack", "name", "cause"].includes(member));
  const listed = error instanceof AggregateError ? [["errors", error.errors] as const] : [];
  return {
    ...{ message: inWords(message), stack: inWords(stack ?? ""), name: inWords(name), cause: error.cause },
    others: [...others, ...listed],
  };
}

function areClean(others: readonly (readonly [string, unknown])[], shown: Remove, depth: number): boolean {
  return others.every(([name, value]) => {
    if (shown(name) !== name) return false;
    if (value instanceof Error) return errorWith(value, shown, depth + 1) === value;
    const text = asText(value);
    return shown(text) === text;
  });
}

function asText(value: unknown): string {
  try {
    return (typeof value === "object" ? JSON.stringify(value) : undefined) ?? inWords(value);
  } catch {
    return inWords(value);
  }
}

/** The values of a job's secrets: of each member, whatever is in it. */
export function secretValuesOf(content: object, secrets: readonly string[]): readonly string[] {
  const members = content as { readonly [name: string]: unknown };
  return secrets.flatMap((name) => textsIn(members[name])).filter((text) => text !== HIDDEN && text !== REMOVED);
}

/** All texts and numbers in a JSON value, as text. */
export function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  return value !== null && typeof value === "object" ? Object.values(value).flatMap(textsIn) : [];
}
