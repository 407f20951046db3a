// The built-in functions of numbers.
import { between, exactly, isInteger, ofIntegers, ofNumber, ofNumbers, type Scalar } from "./scalar.ts";
import type { Value } from "./values.ts";

/** Halves go away from zero. */
const rounded = (number: number) => Math.sign(number) * Math.round(Math.abs(number));

function bin([number, size = 1]: readonly Value[]): Value {
  if (typeof number !== "number" || typeof size !== "number" || size === 0) return undefined;
  // Tenths and the like are not exact: 3 times 0.1 is not 0.3.
  return Number((Math.floor(number / size) * size).toPrecision(15));
}

function logarithm([number, base = Math.E]: readonly Value[]): Value {
  if (typeof number !== "number" || typeof base !== "number") return undefined;
  const value = base === Math.E ? Math.log(number) : Math.log(number) / Math.log(base);
  return Number.isFinite(value) ? value : undefined;
}

const shift = (by: bigint) => BigInt.asUintN(6, by);

export const NUMBER_FUNCTIONS: Readonly<Record<string, Scalar>> = {
  ABS: ofNumber(Math.abs),
  ACOS: ofNumber(Math.acos),
  ASIN: ofNumber(Math.asin),
  ATAN: ofNumber(Math.atan),
  ATN2: ofNumbers(Math.atan2),
  CEILING: ofNumber(Math.ceil),
  COS: ofNumber(Math.cos),
  COT: ofNumber((angle) => 1 / Math.tan(angle)),
  DEGREES: ofNumber((radians) => (radians * 180) / Math.PI),
  EXP: ofNumber(Math.exp),
  FLOOR: ofNumber(Math.floor),
  LOG: between(1, 2, logarithm),
  LOG10: ofNumber(Math.log10),
  NUMBERBIN: between(1, 2, bin),
  PI: exactly(0, () => Math.PI),
  POWER: ofNumbers((base, by) => base ** by),
  RADIANS: ofNumber((degrees) => (degrees * Math.PI) / 180),
  RAND: exactly(0, () => Math.random()),
  ROUND: ofNumber(rounded),
  SIGN: ofNumber(Math.sign),
  SIN: ofNumber(Math.sin),
  SQRT: ofNumber(Math.sqrt),
  SQUARE: ofNumber((number) => number * number),
  TAN: ofNumber(Math.tan),
  TRUNC: ofNumber(Math.trunc),

  INTADD: ofIntegers((a, b) => a + b),
  INTSUB: ofIntegers((a, b) => a - b),
  INTMUL: ofIntegers((a, b) => a * b),
  INTDIV: ofIntegers((a, b) => (b === 0n ? undefined : a / b)),
  INTMOD: ofIntegers((a, b) => (b === 0n ? undefined : a % b)),
  INTBITAND: ofIntegers((a, b) => a & b),
  INTBITOR: ofIntegers((a, b) => a | b),
  INTBITXOR: ofIntegers((a, b) => a ^ b),
  INTBITLEFTSHIFT: ofIntegers((a, b) => a << shift(b)),
  INTBITRIGHTSHIFT: ofIntegers((a, b) => a >> shift(b)),
  INTBITNOT: exactly(1, ([value]) => (isInteger(value) ? Number(BigInt.asIntN(64, ~BigInt(value))) : undefined)),
};
