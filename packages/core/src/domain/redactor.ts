// Removes secrets from texts and values: the one place that decides what a secret looks like where it is repeated.

import { HIDDEN, REMOVED } from "./job.ts";
import { asError } from "./thrown.ts";

/** Below the app's address: where the service or person that does a step later reports it. What follows is a credential. */
export const COMPLETIONS_PATH = "api/completions";

const ADDRESS = new RegExp(`(${COMPLETIONS_PATH}/)[\\w-]+`, "gi");
/** Nothing shorter is removed from a text: it would be found in ordinary words. */
const SHORTEST = 4;

/** The text without these values, and without the addresses for reports. */
export function textWithout(text: string, values: Iterable<string>): string {
  let shown = text.replace(ADDRESS, `$1${HIDDEN}`);
  for (const value of values) {
    if (value.length < SHORTEST) continue;
    // As a service repeats it: as it is, in JSON, or in an address.
    for (const form of new Set([value, JSON.stringify(value).slice(1, -1), encoded(value)])) {
      shown = shown.replaceAll(form, HIDDEN);
    }
  }
  return shown;
}

/** The same for every text in a JSON value, and for the names in it. */
export function valueWithout<T>(value: T, values: readonly string[]): T {
  return withTexts(value, (text) => textWithout(text, values)) as T;
}

/** With each text, and each name, replaced. */
export function withTexts(value: unknown, shown: (text: string) => string): unknown {
  if (typeof value === "string") return shown(value);
  if (Array.isArray(value)) return value.map((item) => withTexts(item, shown));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [shown(name), withTexts(member, shown)]));
}

/** An error whose text and stack have none of these values; the same one if it has none. */
export function errorWithout(cause: unknown, values: readonly string[]): unknown {
  const error = asError(cause);
  const [message, stack] = [error.message, error.stack ?? ""].map((text) => textWithout(text, values));
  const inner = error.cause === undefined ? undefined : errorWithout(error.cause, values);
  if (message === error.message && stack === (error.stack ?? "") && inner === error.cause) return cause;
  const shown = new Error(message, inner === undefined ? {} : { cause: inner });
  return Object.assign(shown, { name: error.name, stack });
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

function encoded(value: string): string {
  return value.isWellFormed() ? encodeURIComponent(value) : value;
}
