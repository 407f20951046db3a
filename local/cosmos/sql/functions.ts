// The built-in scalar functions; a wrong type gives undefined, as in Cosmos DB.
import { QueryFault } from "./fault.ts";
import { equal, isObject, type Json, type Value } from "./values.ts";

type Run = (given: readonly Value[]) => Value;
interface Scalar {
  readonly least: number;
  readonly most: number;
  readonly run: Run;
}

const exactly = (count: number, run: Run): Scalar => ({ least: count, most: count, run });
const between = (least: number, most: number, run: Run): Scalar => ({ least, most, run });
const is = (test: (value: Value) => boolean): Scalar => exactly(1, ([value]) => test(value));
const ofText = (run: (text: string) => Value): Scalar =>
  exactly(1, ([t]) => (typeof t === "string" ? run(t) : undefined));
const ofNumber = (run: (number: number) => number): Scalar =>
  exactly(1, ([n]) => (typeof n === "number" ? run(n) : undefined));

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
    const own = item[key];
    return own !== undefined && contains(own, value);
  });
}

const FUNCTIONS: Readonly<Record<string, Scalar>> = {
  IS_DEFINED: is((value) => value !== undefined),
  IS_NULL: is((value) => value === null),
  IS_STRING: is((value) => typeof value === "string"),
  IS_NUMBER: is((value) => typeof value === "number"),
  IS_BOOL: is((value) => typeof value === "boolean"),
  IS_ARRAY: is(Array.isArray),
  IS_OBJECT: is(isObject),
  IS_PRIMITIVE: is((value) => value === null || (value !== undefined && typeof value !== "object")),

  STARTSWITH: textTest((text, part) => text.startsWith(part)),
  ENDSWITH: textTest((text, part) => text.endsWith(part)),
  CONTAINS: textTest((text, part) => text.includes(part)),
  STRINGEQUALS: textTest((text, part) => text === part),
  LOWER: ofText((text) => text.toLowerCase()),
  UPPER: ofText((text) => text.toUpperCase()),
  LENGTH: ofText((text) => text.length),
  TRIM: ofText((text) => text.trim()),
  LTRIM: ofText((text) => text.trimStart()),
  RTRIM: ofText((text) => text.trimEnd()),
  REVERSE: ofText((text) => [...text].reverse().join("")),
  CONCAT: between(2, 100, (given) => (given.every((part) => typeof part === "string") ? given.join("") : undefined)),
  INDEX_OF: exactly(2, ([text, part]) =>
    typeof text === "string" && typeof part === "string" ? text.indexOf(part) : undefined,
  ),
  REPLACE: exactly(3, ([text, part, by]) =>
    typeof text === "string" && typeof part === "string" && typeof by === "string"
      ? text.replaceAll(part, by)
      : undefined,
  ),
  SUBSTRING: exactly(3, ([text, from, length]) =>
    typeof text === "string" && typeof from === "number" && typeof length === "number"
      ? text.substring(from, from + length)
      : undefined,
  ),
  LEFT: exactly(2, ([text, length]) =>
    typeof text === "string" && typeof length === "number" ? text.slice(0, length) : undefined,
  ),
  RIGHT: exactly(2, ([text, length]) =>
    typeof text === "string" && typeof length === "number" ? text.slice(Math.max(0, text.length - length)) : undefined,
  ),
  TOSTRING: exactly(1, ([value]) => (value === undefined || typeof value === "string" ? value : JSON.stringify(value))),
  STRINGTONUMBER: ofText((text) => (text.trim() === "" || Number.isNaN(Number(text)) ? undefined : Number(text))),

  ARRAY_CONTAINS: between(2, 3, arrayContains),
  ARRAY_LENGTH: exactly(1, ([array]) => (Array.isArray(array) ? array.length : undefined)),
  ARRAY_CONCAT: between(2, 100, (given) => (given.every(Array.isArray) ? given.flat() : undefined)),
  ARRAY_SLICE: between(2, 3, ([array, from, length]) =>
    Array.isArray(array) && typeof from === "number"
      ? array.slice(from, typeof length === "number" ? from + length : undefined)
      : undefined,
  ),

  ABS: ofNumber(Math.abs),
  CEILING: ofNumber(Math.ceil),
  FLOOR: ofNumber(Math.floor),
  ROUND: ofNumber(Math.round),
  SQRT: ofNumber(Math.sqrt),
  TRUNC: ofNumber(Math.trunc),
  POWER: exactly(2, ([base, by]) => (typeof base === "number" && typeof by === "number" ? base ** by : undefined)),

  GETCURRENTDATETIME: exactly(0, () => new Date().toISOString().replace("Z", "0000Z")),
  GETCURRENTTIMESTAMP: exactly(0, () => Date.now()),
  DATETIMETOTIMESTAMP: ofText((text) => {
    const at = Date.parse(text);
    return Number.isNaN(at) ? undefined : at;
  }),
  TIMESTAMPTODATETIME: exactly(1, ([at]) =>
    typeof at === "number" ? new Date(at).toISOString().replace("Z", "0000Z") : undefined,
  ),
};

export function scalarFunction(name: string, given: number): Run {
  const known = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
  if (!known) throw new QueryFault(`The function ${name} is not supported by this server.`);
  if (given < known.least || given > known.most)
    throw new QueryFault(`${name} takes ${known.least} to ${known.most} arguments, not ${given}.`);
  return known.run;
}
