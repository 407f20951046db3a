// The built-in functions by name, and the ones that Azure has and this server refuses. A wrong type gives undefined.
import { isObject, type Json, type JsonObject, setOwn } from "../../json.ts";
import { QueryFault } from "./fault.ts";
import { equal, type Value } from "./values.ts";

type Run = (given: readonly Value[]) => Value;

interface Scalar {
  readonly least: number;
  readonly most: number;
  readonly run: Run;
}

const between = (least: number, most: number, run: Run): Scalar => ({ least, most, run });
const exactly = (count: number, run: Run): Scalar => between(count, count, run);
const is = (test: (value: Value) => boolean): Scalar => exactly(1, ([value]) => test(value));

const ofText = (run: (text: string) => Value): Scalar =>
  exactly(1, ([text]) => (typeof text === "string" ? run(text) : undefined));

/** Tests of one text against another, whose optional third argument makes them ignore case. */
const textTest = (test: (text: string, part: string) => boolean): Scalar =>
  between(2, 3, ([text, part, ignoreCase]) => {
    if (typeof text !== "string" || typeof part !== "string") return undefined;
    return ignoreCase === true ? test(text.toLowerCase(), part.toLowerCase()) : test(text, part);
  });

function arrayContains([array, wanted, partial]: readonly Value[]): Value {
  if (!Array.isArray(array) || wanted === undefined) return undefined;
  return array.some((item) => equal(item, wanted) === true || (partial === true && contains(item, wanted)));
}

/** A partial match: every property of `wanted` is there with that value. */
function contains(item: Json, wanted: Json): boolean {
  if (!isObject(item) || !isObject(wanted)) return equal(item, wanted) === true;
  return Object.entries(wanted).every(([key, value]) => {
    const own = Object.hasOwn(item, key) ? item[key] : undefined;
    return own !== undefined && contains(own, value);
  });
}

function objectToArray([object, key = "k", value = "v"]: readonly Value[]): Value {
  if (!isObject(object) || typeof key !== "string" || typeof value !== "string") return undefined;
  return Object.entries(object).map(([name, own]) => {
    const entry: JsonObject = {};
    setOwn(entry, key, name);
    setOwn(entry, value, own);
    return entry;
  });
}

const FUNCTIONS: Readonly<Record<string, Scalar>> = {
  STARTSWITH: textTest((text, part) => text.startsWith(part)),
  ENDSWITH: textTest((text, part) => text.endsWith(part)),
  CONTAINS: textTest((text, part) => text.includes(part)),
  STRINGEQUALS: textTest((text, part) => text === part),
  LOWER: ofText((text) => text.toLowerCase()),
  UPPER: ofText((text) => text.toUpperCase()),
  LENGTH: ofText((text) => text.length),

  ARRAY_CONTAINS: between(2, 3, arrayContains),
  ARRAY_LENGTH: exactly(1, ([array]) => (Array.isArray(array) ? array.length : undefined)),
  OBJECTTOARRAY: between(1, 3, objectToArray),
  IIF: exactly(3, ([test, then, otherwise]) => (test === true ? then : otherwise)),

  IS_DEFINED: is((value) => value !== undefined),
  IS_NULL: is((value) => value === null),
  IS_STRING: is((value) => typeof value === "string"),
  IS_NUMBER: is((value) => typeof value === "number"),
  IS_BOOL: is((value) => typeof value === "boolean"),
  IS_ARRAY: is(Array.isArray),
  IS_OBJECT: is(isObject),
  IS_PRIMITIVE: is((value) => value === null || (value !== undefined && typeof value !== "object")),
};

const REFUSED: readonly (readonly [RegExp, string])[] = [
  [/^ST_/, "Spatial functions are"],
  [/^VECTORDISTANCE$/, "Vector search is"],
  [/DATETIME|^GETCURRENT|^(NOW|AGO|YEAR|MONTH|DAY)$/, "Functions of time are"],
  [/^REGEXMATCH$/, "Regular expressions are"],
  [/^(FULLTEXT.*|RRF)$/, "Full text search is"],
];

export function scalarFunction(name: string, given: number): Run {
  const known = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
  if (!known) {
    const [, what = "The function is"] = REFUSED.find(([pattern]) => pattern.test(name)) ?? [];
    throw new QueryFault(`${what} not supported by this server: ${name}.`);
  }
  if (given < known.least || given > known.most)
    throw new QueryFault(`${name} takes ${known.least} to ${known.most} arguments, not ${given}.`);
  return known.run;
}
