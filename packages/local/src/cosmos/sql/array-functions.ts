// The built-in functions of arrays and objects, and those that tell types apart.
import { atLeast, between, exactly, is, isInteger, type Run, type Scalar } from "./scalar.ts";
import { compareValues, equal, isObject, type Json, type JsonObject, setOwn, type Value } from "./values.ts";

const includes = (array: readonly Json[], wanted: Json) => array.some((item) => equal(item, wanted) === true);

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

const containing = (how: "some" | "every"): Scalar =>
  atLeast(2, ([array, ...wanted]) =>
    Array.isArray(array) ? wanted[how]((value) => value !== undefined && includes(array, value)) : undefined,
  );

function slice([array, from, length]: readonly Value[]): Value {
  if (!Array.isArray(array) || typeof from !== "number") return undefined;
  const start = from < 0 ? Math.max(0, array.length + from) : from;
  return array.slice(start, typeof length === "number" ? start + Math.max(0, length) : undefined);
}

/** Of two arrays as sets: each value once, in the order in which it comes first. */
const ofSets = (run: (a: Json[], b: Json[]) => Value): Scalar =>
  exactly(2, ([a, b]) => (Array.isArray(a) && Array.isArray(b) ? run(a, b) : undefined));

function distinct(values: readonly Json[]): Json[] {
  const kept: Json[] = [];
  for (const value of values) if (!includes(kept, value)) kept.push(value);
  return kept;
}

const isSubset = (a: readonly Json[], b: readonly Json[]) => a.every((value) => includes(b, value));

const ofArrayOfNumbers = (run: (numbers: readonly number[]) => Value): Scalar =>
  exactly(1, ([array]) => {
    if (!Array.isArray(array) || array.length === 0) return undefined;
    return array.every((item) => typeof item === "number") ? run(array as number[]) : undefined;
  });

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

function median(numbers: readonly number[]): Value {
  const sorted = [...numbers].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  const [low, high] = [sorted[sorted.length % 2 === 0 ? half - 1 : half], sorted[half]];
  return low === undefined || high === undefined ? undefined : (low + high) / 2;
}

const extreme =
  (sign: number): Run =>
  ([array]) => {
    if (!Array.isArray(array)) return undefined;
    return [...array].sort((a, b) => sign * compareValues(a, b))[0];
  };

function objectToArray([object, key = "k", value = "v"]: readonly Value[]): Value {
  if (!isObject(object) || typeof key !== "string" || typeof value !== "string") return undefined;
  return Object.entries(object).map(([name, own]) => {
    const entry: JsonObject = {};
    setOwn(entry, key, name);
    setOwn(entry, value, own);
    return entry;
  });
}

export const ARRAY_FUNCTIONS: Readonly<Record<string, Scalar>> = {
  ARRAY_CONTAINS: between(2, 3, arrayContains),
  ARRAY_CONTAINS_ANY: containing("some"),
  ARRAY_CONTAINS_ALL: containing("every"),
  ARRAY_LENGTH: exactly(1, ([array]) => (Array.isArray(array) ? array.length : undefined)),
  ARRAY_CONCAT: atLeast(2, (given) => (given.every(Array.isArray) ? given.flat() : undefined)),
  ARRAY_SLICE: between(2, 3, slice),
  ARRAY_SUM: ofArrayOfNumbers(sum),
  ARRAY_AVG: ofArrayOfNumbers((numbers) => sum(numbers) / numbers.length),
  ARRAY_MEDIAN: ofArrayOfNumbers(median),
  ARRAY_MIN: exactly(1, extreme(1)),
  ARRAY_MAX: exactly(1, extreme(-1)),
  CHOOSE: atLeast(2, ([index, ...list]) => (isInteger(index) && index > 0 ? list[index - 1] : undefined)),
  OBJECTTOARRAY: between(1, 3, objectToArray),
  SETINTERSECT: ofSets((a, b) => distinct(a.filter((value) => includes(b, value)))),
  SETUNION: ofSets((a, b) => distinct([...a, ...b])),
  SETDIFFERENCE: ofSets((a, b) => distinct(a.filter((value) => !includes(b, value)))),
  SETEQUAL: ofSets((a, b) => isSubset(a, b) && isSubset(b, a)),
  IIF: exactly(3, ([test, then, otherwise]) => (test === true ? then : otherwise)),

  IS_DEFINED: is((value) => value !== undefined),
  IS_NULL: is((value) => value === null),
  IS_STRING: is((value) => typeof value === "string"),
  IS_NUMBER: is((value) => typeof value === "number"),
  IS_FINITE_NUMBER: is((value) => Number.isFinite(value)),
  // The largest of 64 bits is this one as a double.
  IS_INTEGER: is((value) => value === 2 ** 63 || isInteger(value)),
  IS_BOOL: is((value) => typeof value === "boolean"),
  IS_ARRAY: is(Array.isArray),
  IS_OBJECT: is(isObject),
  IS_PRIMITIVE: is((value) => value === null || (value !== undefined && typeof value !== "object")),
};
