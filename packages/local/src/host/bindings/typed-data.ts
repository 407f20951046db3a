// Text as it travels to the library, which tries to parse every `string` as JSON: what cannot be JSON is quoted, for a failed parse is slow.
import type { TypedData } from "../contract.ts";

/** A first look: digits, `"`, `{`, `[`, `-`, and the words true, false, null may begin JSON. */
const MAY_BE_JSON = /^\s*(?:[{["]|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?\s*$|(?:true|false|null)\s*$)/i;

/** Arrives as the library makes of it on the real host: `123` as a number, `{…}` as an object, other text as text. */
export function textData(text: string): TypedData {
  return MAY_BE_JSON.test(text) ? { string: text } : { json: JSON.stringify(text) };
}

/** The same as JSON text, for a place within an array. */
export function textAsJson(text: string): string {
  return MAY_BE_JSON.test(text) && isJson(text) ? text : JSON.stringify(text);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
