// Removes secrets from texts and values: the one place that decides what a secret looks like where it is repeated.

import { asError, inWords } from "../thrown.ts";
import { HIDDEN, REMOVED } from "./job.ts";
import { encodedRemoverOf, type Remove, removerOf } from "./secret-text.ts";

/** Below the app's address: where the service or person that does a step later reports it. What follows is a credential. */
export const COMPLETIONS_PATH = "api/completions";

const SLASH = "(?:\\\\*/|%(?:25)*2f|\\\\+u002f|&#x2f;|&#47;)+";
const ADDRESS = new RegExp(`(${COMPLETIONS_PATH.replaceAll("/", SLASH)}${SLASH})[\\w%.~=-]+`, "gi");
/** In the text of a ticket, or of a record. */
const NONCE = /(nonce[\\"']*\s*[:=]\s*[\\"']*)[\w-]{8,}/gi;
const withoutEncodedAddress = encodedRemoverOf([`${COMPLETIONS_PATH}/`, '"nonce":"']);
/** A shorter number may be any amount. */
const NOTABLE_DIGITS = 8;

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
  const text = (given: string) => remove(withoutEncodedAddress(withoutAddress(given)));
  return {
    text,
    value: (given) => (isCleanIn(given, text) ? given : (withTexts(given, text) as typeof given)),
    error: (cause) => errorWith(cause, text),
  };
}

/** What is in none of a value's texts is not in its JSON either: almost every value is read once, and not each of its texts. */
function isCleanIn(value: unknown, shown: Remove): boolean {
  const json = JSON.stringify(value);
  return json === undefined || shown(json) === json;
}

function withoutAddress(text: string): string {
  return text.replace(ADDRESS, `$1${HIDDEN}`).replace(NONCE, `$1${HIDDEN}`);
}

/** The text without these values, and without the addresses for reports. */
export function textWithout(text: string, values: Iterable<string>): string {
  return redactorFor(values).text(text);
}

/** The same for every text in a JSON value, and for the names in it. */
export function valueWithout<T>(value: T, values: readonly string[]): T {
  return redactorFor(values).value(value);
}

/** With each text, each name and each long number replaced. */
export function withTexts(value: unknown, shown: Remove): unknown {
  if (typeof value === "string") return shown(value);
  if (typeof value === "number") return numberWith(value, shown);
  if (Array.isArray(value)) return value.map((item) => withTexts(item, shown));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [shown(name), withTexts(member, shown)]));
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

/** Whatever its spelling: `PaymentToken`, `payment_token` and `payment-token` are one name. */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}
