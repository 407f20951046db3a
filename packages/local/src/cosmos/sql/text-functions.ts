// The built-in functions of texts.
import { atLeast, between, exactly, ofText, ofTexts, type Scalar } from "./scalar.ts";
import { isObject, parseJson, type Value } from "./values.ts";

const isText = (value: Value) => typeof value === "string";

/** Tests of one text against another, whose optional third argument makes them ignore case. */
const textTest = (test: (text: string, part: string) => boolean): Scalar =>
  between(2, 3, ([text, part, ignoreCase]) => {
    if (typeof text !== "string" || typeof part !== "string") return undefined;
    return ignoreCase === true ? test(text.toLowerCase(), part.toLowerCase()) : test(text, part);
  });

/** Whether a text contains some or all of several others; `fold` says what case is to them. */
const containing = (how: "some" | "every", fold: (text: string) => string): Scalar =>
  atLeast(2, ([text, ...parts]) => {
    if (typeof text !== "string" || !parts.every(isText)) return undefined;
    const folded = fold(text);
    return parts[how]((part) => folded.includes(fold(String(part))));
  });

const lower = (text: string) => text.toLowerCase();
const asItIs = (text: string) => text;

/** Takes blanks, or whichever of the characters of another text, off the ends. */
const trimming = (atStart: boolean, atEnd: boolean): Scalar =>
  between(1, 2, ([text, part]) => {
    if (typeof text !== "string") return undefined;
    if (part === undefined) return atStart ? (atEnd ? text.trim() : text.trimStart()) : text.trimEnd();
    if (typeof part !== "string") return undefined;
    const [characters, taken] = [[...text], new Set(part)];
    const isKept = (character: string) => !taken.has(character);
    const start = atStart ? characters.findIndex(isKept) : 0;
    const end = atEnd ? characters.findLastIndex(isKept) + 1 : characters.length;
    return start < 0 ? "" : characters.slice(start, end).join("");
  });

const LONGEST_REPLICA = 10_000;

function replicate([text, times]: readonly Value[]): Value {
  if (typeof text !== "string" || typeof times !== "number" || times < 0) return undefined;
  return text.length * times > LONGEST_REPLICA ? undefined : text.repeat(Math.trunc(times));
}

function substring([text, from, length]: readonly Value[]): Value {
  if (typeof text !== "string" || typeof from !== "number" || typeof length !== "number") return undefined;
  return text.substring(Math.max(from, 0), Math.max(from, 0) + Math.max(length, 0));
}

/** A text that is the JSON of a value of one kind. */
const parsed = (isWanted: (value: Value) => boolean): Scalar =>
  ofText((text) => {
    const value = parseJson(text);
    return isWanted(value) ? value : undefined;
  });

export const TEXT_FUNCTIONS: Readonly<Record<string, Scalar>> = {
  STARTSWITH: textTest((text, part) => text.startsWith(part)),
  ENDSWITH: textTest((text, part) => text.endsWith(part)),
  CONTAINS: textTest((text, part) => text.includes(part)),
  STRINGEQUALS: textTest((text, part) => text === part),
  CONTAINS_ANY_CI: containing("some", lower),
  CONTAINS_ANY_CS: containing("some", asItIs),
  CONTAINS_ALL_CI: containing("every", lower),
  CONTAINS_ALL_CS: containing("every", asItIs),
  LOWER: ofText((text) => text.toLowerCase()),
  UPPER: ofText((text) => text.toUpperCase()),
  LENGTH: ofText((text) => text.length),
  TRIM: trimming(true, true),
  LTRIM: trimming(true, false),
  RTRIM: trimming(false, true),
  REVERSE: ofText((text) => [...text].reverse().join("")),
  CONCAT: atLeast(2, (given) => (given.every(isText) ? given.join("") : undefined)),
  INDEX_OF: between(2, 3, ([text, part, from = 0]) =>
    typeof text === "string" && typeof part === "string" && typeof from === "number"
      ? text.indexOf(part, from)
      : undefined,
  ),
  LASTINDEXOF: ofTexts((text, part) => text.lastIndexOf(part)),
  REPLACE: exactly(3, ([text, part, by]) =>
    typeof text === "string" && typeof part === "string" && typeof by === "string"
      ? text.replaceAll(part, () => by)
      : undefined,
  ),
  REPLICATE: exactly(2, replicate),
  SUBSTRING: exactly(3, substring),
  LEFT: exactly(2, ([text, length]) =>
    typeof text === "string" && typeof length === "number" ? text.slice(0, Math.max(0, length)) : undefined,
  ),
  RIGHT: exactly(2, ([text, length]) =>
    typeof text === "string" && typeof length === "number"
      ? text.slice(Math.max(0, text.length - Math.max(0, length)))
      : undefined,
  ),
  STRINGJOIN: exactly(2, ([parts, between]) =>
    Array.isArray(parts) && parts.every(isText) && typeof between === "string" ? parts.join(between) : undefined,
  ),
  STRINGSPLIT: ofTexts((text, at) => text.split(at)),
  TOSTRING: exactly(1, ([value]) => {
    if (value === undefined || typeof value === "string") return value;
    return typeof value === "number" ? String(value) : JSON.stringify(value);
  }),
  STRINGTOARRAY: parsed(Array.isArray),
  STRINGTOBOOLEAN: parsed((value) => typeof value === "boolean"),
  STRINGTONULL: parsed((value) => value === null),
  STRINGTONUMBER: parsed((value) => typeof value === "number"),
  STRINGTOOBJECT: parsed(isObject),
};
