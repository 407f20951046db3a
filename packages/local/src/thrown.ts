// What was thrown, as text. JavaScript can throw anything: `String` itself throws for some objects, and so does a getter of an error.
import { inspect } from "node:util";

const NO_WORDS = "something that cannot be shown as text was thrown";

/** With its name: `TypeError: x is not a function`. Never throws. */
export function inWords(thrown: unknown): string {
  return text(() => thrown);
}

/** The message of an error alone. Never throws. */
export function messageOf(thrown: unknown): string {
  return text(() => (thrown instanceof Error ? thrown.message : thrown));
}

/** Where it was thrown; its words if it does not say. Never throws. */
export function stackOf(thrown: unknown): string {
  return text(() => (thrown instanceof Error ? (thrown.stack ?? thrown) : thrown));
}

/** As Node shows it. Never throws. */
export function shown(thrown: unknown): string {
  return text(() => (typeof thrown === "string" ? thrown : inspect(thrown)));
}

/** `instanceof` throws for some proxies. */
export function isError(thrown: unknown): thrown is Error {
  try {
    return thrown instanceof Error;
  } catch {
    return false;
  }
}

function text(value: () => unknown): string {
  try {
    return String(value());
  } catch {
    return NO_WORDS;
  }
}
