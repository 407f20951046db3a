// What a built-in function is: how many arguments it takes, and what it makes of them; a wrong type gives undefined.
import type { Value } from "./values.ts";

export type Run = (given: readonly Value[]) => Value;

export interface Scalar {
  readonly least: number;
  readonly most: number;
  readonly run: Run;
}

const MANY = 10_000;

export const exactly = (count: number, run: Run): Scalar => ({ least: count, most: count, run });
export const between = (least: number, most: number, run: Run): Scalar => ({ least, most, run });
export const atLeast = (least: number, run: Run): Scalar => ({ least, most: MANY, run });
export const is = (test: (value: Value) => boolean): Scalar => exactly(1, ([value]) => test(value));

export const ofText = (run: (text: string) => Value): Scalar =>
  exactly(1, ([text]) => (typeof text === "string" ? run(text) : undefined));

export const ofTexts = (run: (text: string, part: string) => Value): Scalar =>
  exactly(2, ([text, part]) => (typeof text === "string" && typeof part === "string" ? run(text, part) : undefined));

/** JSON has no infinity and no NaN: what comes to one of them is undefined. */
const finite = (value: number): Value => (Number.isFinite(value) ? value : undefined);

export const ofNumber = (run: (number: number) => number): Scalar =>
  exactly(1, ([number]) => (typeof number === "number" ? finite(run(number)) : undefined));

export const ofNumbers = (run: (a: number, b: number) => number): Scalar =>
  exactly(2, ([a, b]) => (typeof a === "number" && typeof b === "number" ? finite(run(a, b)) : undefined));

/** Integers of 64 bits that wrap around, as in C++; undefined where an argument is none, or the result is none. */
export const ofIntegers = (run: (a: bigint, b: bigint) => bigint | undefined): Scalar =>
  exactly(2, ([a, b]) => {
    if (!isInteger(a) || !isInteger(b)) return undefined;
    const result = run(BigInt(a), BigInt(b));
    return result === undefined ? undefined : Number(BigInt.asIntN(64, result));
  });

const BEYOND_64_BITS = 2 ** 63;

export function isInteger(value: Value): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= -BEYOND_64_BITS && value < BEYOND_64_BITS;
}
