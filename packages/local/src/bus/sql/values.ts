// The values of the filter language: .NET's types, as far as message properties have them.

export class Uuid {
  readonly text: string;

  constructor(text: string) {
    this.text = text.toLowerCase();
  }
}

/** Integers are `bigint` (64 bits) and real numbers `number`, as `2` and `2.0` are not the same in C#. */
export type Value = bigint | number | string | boolean | Date | Uuid | Buffer | null;

/** The value of what is not there. */
export const UNKNOWN = undefined;
export type Known = Value | typeof UNKNOWN;

/** A filter or an action that cannot be evaluated for a message. */
export class FilterFault extends Error {}

/** Negative, zero or positive; unknown for values that C# would not compare. */
export function compare(left: Known, right: Known): number | typeof UNKNOWN {
  if (left === UNKNOWN || right === UNKNOWN || left === null || right === null) return UNKNOWN;
  if (isNumeric(left) && isNumeric(right)) return compareNumbers(left, right);
  if (left instanceof Date && right instanceof Date) return left.getTime() - right.getTime();
  if (left instanceof Uuid || right instanceof Uuid) return compareTexts(textOfUuid(left), textOfUuid(right));
  if (typeof left === "string" && typeof right === "string") return compareTexts(left, right);
  if (typeof left === "boolean" && typeof right === "boolean") return Number(left) - Number(right);
  return UNKNOWN;
}

function compareNumbers(left: bigint | number, right: bigint | number): number | typeof UNKNOWN {
  if (left < right) return -1;
  if (left > right) return 1;
  return Number.isNaN(Number(left) + Number(right)) ? UNKNOWN : 0;
}

export function isNumeric(value: Known): value is bigint | number {
  return typeof value === "bigint" || typeof value === "number";
}

function textOfUuid(value: Value): string | undefined {
  if (value instanceof Uuid) return value.text;
  return typeof value === "string" ? value.toLowerCase() : undefined;
}

function compareTexts(left: string | undefined, right: string | undefined): number | typeof UNKNOWN {
  if (left === undefined || right === undefined) return UNKNOWN;
  return left < right ? -1 : left > right ? 1 : 0;
}

type Arithmetic = "+" | "-" | "*" | "/" | "%";

const INTEGERS: Readonly<Record<Arithmetic, (left: bigint, right: bigint) => bigint>> = {
  "+": (left, right) => left + right,
  "-": (left, right) => left - right,
  "*": (left, right) => left * right,
  "/": (left, right) => left / nonZero(right),
  "%": (left, right) => left % nonZero(right),
};

const REALS: Readonly<Record<Arithmetic, (left: number, right: number) => number>> = {
  "+": (left, right) => left + right,
  "-": (left, right) => left - right,
  "*": (left, right) => left * right,
  "/": (left, right) => left / right,
  "%": (left, right) => left % right,
};

function nonZero(divisor: bigint): bigint {
  if (divisor === 0n) throw new FilterFault("An integer is divided by zero");
  return divisor;
}

/** Two integers make an integer; `+` joins texts. */
export function calculate(operator: Arithmetic, left: Known, right: Known): Known {
  if (left === UNKNOWN || right === UNKNOWN || left === null || right === null) return UNKNOWN;
  if (typeof left === "bigint" && typeof right === "bigint") {
    return BigInt.asIntN(64, INTEGERS[operator](left, right));
  }
  if (isNumeric(left) && isNumeric(right)) return REALS[operator](Number(left), Number(right));
  if (operator === "+" && (typeof left === "string" || typeof right === "string")) return textOf(left) + textOf(right);
  throw new FilterFault(`${describe(left)} ${operator} ${describe(right)} is not defined`);
}

export function negate(value: Known): Known {
  if (value === UNKNOWN || value === null) return UNKNOWN;
  if (typeof value === "bigint") return BigInt.asIntN(64, -value);
  if (typeof value === "number") return -value;
  throw new FilterFault(`- ${describe(value)} is not defined`);
}

export function textOf(value: Value): string {
  if (value instanceof Uuid) return value.text;
  if (value instanceof Date) return value.toISOString();
  return value === null ? "" : String(value);
}

function describe(value: Value): string {
  if (value instanceof Uuid) return "a Guid";
  if (value instanceof Date) return "a date";
  if (Buffer.isBuffer(value)) return "a byte array";
  return value === null ? "null" : `a ${typeof value === "bigint" ? "long" : typeof value}`;
}
