// RegexMatch, whose patterns come from clients: one that would backtrack for ever ends as a fault of the query.
import { createContext, Script } from "node:vm";
import { QueryFault } from "./fault.ts";
import type { Value } from "./values.ts";

/** For one text. Azure ends a page of a query after 5 s. */
const LIMIT_MS = 250;
/** Quantifiers of a pattern in which none stands within another: the time may grow with the text to this power. */
const MOST_QUANTIFIERS = 3;

interface Matcher {
  readonly regex: RegExp;
  readonly backtracks: boolean;
}

let last: { readonly pattern: string; readonly modifiers: string; readonly matcher: Matcher | undefined } | undefined;

/** Modifiers as in Perl: `i`, `m`, `s` and `x`, by which blanks in the pattern mean nothing. Throws a QueryFault. */
export function regexMatch([text, pattern, modifiers = ""]: readonly Value[]): Value {
  if (typeof text !== "string" || typeof pattern !== "string" || typeof modifiers !== "string") return undefined;
  if (last?.pattern !== pattern || last.modifiers !== modifiers) {
    last = { pattern, modifiers, matcher: matcherOf(pattern, modifiers) };
  }
  const { matcher } = last;
  if (!matcher?.backtracks) return matcher?.regex.test(text);
  return testWithin(matcher.regex, text);
}

function matcherOf(pattern: string, modifiers: string): Matcher | undefined {
  if (!/^[imsx]*$/.test(modifiers)) return undefined;
  const source = modifiers.includes("x") ? pattern.replace(/\s/g, "") : pattern;
  try {
    const regex = new RegExp(source, [...new Set(modifiers.replaceAll("x", ""))].join(""));
    return { regex, backtracks: mayBacktrack(source) };
  } catch {
    return undefined;
  }
}

const place: { regex?: RegExp; text?: string } = createContext({});
const test = new Script("regex.test(text)");

/** Only a script of its own can be stopped, which costs a thread each time. */
function testWithin(regex: RegExp, text: string): boolean {
  Object.assign(place, { regex, text });
  try {
    return test.runInContext(place, { timeout: LIMIT_MS }) === true;
  } catch (cause) {
    // The error may be of the script's own realm, and no Error of this one.
    if ((cause as { code?: string }).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") {
      throw new QueryFault(`The regular expression takes too long: ${regex.source.slice(0, 100)}`);
    }
    throw cause;
  }
}

/** Whether a group is repeated that has a repetition or a choice in it, or there are many repetitions. */
export function mayBacktrack(source: string): boolean {
  // Escapes and sets are one character each, and how a group begins does not matter.
  let left = source.replace(/\\.|\[(?:\\.|[^\]\\])*\]/gs, "x").replace(/\(\?(?:<?[=!]|:|<\w+>)?/g, "(");
  if ((left.match(/[*+?{]/g) ?? []).length > MOST_QUANTIFIERS) return true;
  for (;;) {
    const group = /\(([^()]*)\)([*+{]?)/.exec(left);
    if (!group) return false;
    const [whole, inner = "", repeated] = group;
    const varies = /[*+?{|]/.test(inner);
    if (varies && repeated) return true;
    left = left.replace(whole, () => (varies ? `|${repeated}` : `x${repeated}`));
  }
}
