// The built-in functions of dates: texts like 2020-01-02T03:04:05.6789012Z, timestamps in ms and ticks of 100 ns since 1970.
import { between, exactly, isInteger, ofText, type Scalar } from "./scalar.ts";
import type { Value } from "./values.ts";

const TICKS_PER_MS = 10_000n;
const DATE_TIME = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,7}))?Z?)?$/;

type Part = "year" | "month" | "day" | "hour" | "minute" | "second" | "millisecond" | "microsecond" | "nanosecond";

const PARTS = new Map<string, Part>(
  (
    [
      ["year", "yyyy", "yy"],
      ["month", "mm", "m"],
      ["day", "dd", "d"],
      ["hour", "hh"],
      ["minute", "mi", "n"],
      ["second", "ss", "s"],
      ["millisecond", "ms"],
      ["microsecond", "mcs"],
      ["nanosecond", "ns"],
    ] as const
  ).flatMap((names) => names.map((name) => [name, names[0]] as const)),
);

/** Ticks of the parts that are always as long; a nanosecond is a hundredth of one. */
const LENGTHS: Readonly<Partial<Record<Part, bigint>>> = {
  day: 86_400_000n * TICKS_PER_MS,
  hour: 3_600_000n * TICKS_PER_MS,
  minute: 60_000n * TICKS_PER_MS,
  second: 1000n * TICKS_PER_MS,
  millisecond: TICKS_PER_MS,
  microsecond: 10n,
};
const NS_PER_TICK = 100n;

const partOf = (value: Value) => (typeof value === "string" ? PARTS.get(value.toLowerCase()) : undefined);

/** Ticks since 1970, or undefined where the text is no date that there is. */
function ticksOf(text: Value): bigint | undefined {
  const match = typeof text === "string" ? DATE_TIME.exec(text) : null;
  if (!match) return undefined;
  const [, year, month, day, hour = "0", minute = "0", second = "0", fraction = ""] = match;
  return ticksOfParts([year, month, day, hour, minute, second, fraction.padEnd(7, "0")].map(Number));
}

function ticksOfParts(parts: readonly number[]): bigint | undefined {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, fraction = 0] = parts;
  const at = new Date(0);
  at.setUTCFullYear(year, month - 1, day);
  at.setUTCHours(hour, minute, second);
  const isReal =
    at.getUTCFullYear() === year &&
    at.getUTCMonth() === month - 1 &&
    at.getUTCDate() === day &&
    at.getUTCHours() === hour &&
    at.getUTCMinutes() === minute &&
    at.getUTCSeconds() === second;
  if (!isReal || fraction < 0 || fraction > 9_999_999) return undefined;
  return BigInt(at.getTime()) * TICKS_PER_MS + BigInt(fraction);
}

function textOf(ticks: bigint): Value {
  const { ms, rest } = split(ticks);
  const at = new Date(ms);
  if (Number.isNaN(at.getTime()) || at.getUTCFullYear() < 1 || at.getUTCFullYear() > 9999) return undefined;
  return at.toISOString().replace("Z", `${String(rest).padStart(4, "0")}Z`);
}

function split(ticks: bigint): { readonly ms: number; readonly rest: number } {
  const rest = ((ticks % TICKS_PER_MS) + TICKS_PER_MS) % TICKS_PER_MS;
  return { ms: Number((ticks - rest) / TICKS_PER_MS), rest: Number(rest) };
}

export const isDateTime = (value: Value) => ticksOf(value) !== undefined;

function add([name, count, text]: readonly Value[]): Value {
  const [part, ticks] = [partOf(name), ticksOf(text)];
  if (part === undefined || ticks === undefined || !isInteger(count)) return undefined;
  if (part === "nanosecond") return textOf(ticks + BigInt(count) / NS_PER_TICK);
  const length = LENGTHS[part];
  if (length !== undefined) return textOf(ticks + BigInt(count) * length);
  const { ms, rest } = split(ticks);
  const at = new Date(ms);
  const day = at.getUTCDate();
  at.setUTCDate(1);
  at.setUTCMonth(at.getUTCMonth() + count * (part === "year" ? 12 : 1));
  // The 31st of a shorter month is its last day.
  const last = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 0)).getUTCDate();
  at.setUTCDate(Math.min(day, last));
  return Number.isNaN(at.getTime()) ? undefined : textOf(BigInt(at.getTime()) * TICKS_PER_MS + BigInt(rest));
}

function bin([text, name, size = 1, origin]: readonly Value[]): Value {
  const [part, ticks] = [partOf(name), ticksOf(text)];
  const start = origin === undefined ? 0n : ticksOf(origin);
  if (part === undefined || ticks === undefined || start === undefined || !isInteger(size) || size < 1)
    return undefined;
  const length = part === "nanosecond" ? BigInt(size) / NS_PER_TICK : (LENGTHS[part] ?? 0n) * BigInt(size);
  return length === 0n ? undefined : textOf(start + floorDiv(ticks - start, length) * length);
}

function floorDiv(a: bigint, b: bigint): bigint {
  return a / b - (a % b < 0n ? 1n : 0n);
}

/** How many boundaries of the part lie between two dates. */
function difference([name, from, to]: readonly Value[]): Value {
  const part = partOf(name);
  const [start, end] = [ticksOf(from), ticksOf(to)];
  if (part === undefined || start === undefined || end === undefined) return undefined;
  if (part === "nanosecond") return Number((end - start) * NS_PER_TICK);
  const length = LENGTHS[part];
  if (length !== undefined) return Number(floorDiv(end, length) - floorDiv(start, length));
  const [a, b] = [start, end].map((ticks) => new Date(split(ticks).ms));
  if (!a || !b) return undefined;
  const years = b.getUTCFullYear() - a.getUTCFullYear();
  return part === "year" ? years : years * 12 + b.getUTCMonth() - a.getUTCMonth();
}

function partOfDate([name, text]: readonly Value[]): Value {
  const [part, ticks] = [partOf(name), ticksOf(text)];
  if (part === undefined || ticks === undefined) return undefined;
  const { ms, rest } = split(ticks);
  const at = new Date(ms);
  const ticksOfSecond = at.getUTCMilliseconds() * Number(TICKS_PER_MS) + rest;
  const parts: Record<Part, number> = {
    year: at.getUTCFullYear(),
    month: at.getUTCMonth() + 1,
    day: at.getUTCDate(),
    hour: at.getUTCHours(),
    minute: at.getUTCMinutes(),
    second: at.getUTCSeconds(),
    millisecond: at.getUTCMilliseconds(),
    microsecond: Math.floor(ticksOfSecond / 10),
    nanosecond: ticksOfSecond * Number(NS_PER_TICK),
  };
  return parts[part];
}

function fromParts(given: readonly Value[]): Value {
  const ticks = given.every(isInteger) ? ticksOfParts(given as number[]) : undefined;
  return ticks === undefined ? undefined : textOf(ticks);
}

const nowTicks = () => BigInt(Date.now()) * TICKS_PER_MS;
const fromNow = (name: Value, count: Value, direction: 1 | -1) =>
  isInteger(count) ? add([name, count * direction, textOf(nowTicks())]) : undefined;
const optional = (ticks: bigint | undefined, run: (ticks: bigint) => Value) =>
  ticks === undefined ? undefined : run(ticks);
const named = (name: Part): Scalar => exactly(1, ([text]) => partOfDate([name, text]));

export const TIME_FUNCTIONS: Readonly<Record<string, Scalar>> = {
  DATETIMEADD: exactly(3, add),
  DATETIMEBIN: between(2, 4, bin),
  DATETIMEDIFF: exactly(3, difference),
  DATETIMEFROMPARTS: between(3, 7, fromParts),
  DATETIMEPART: exactly(2, partOfDate),
  YEAR: named("year"),
  MONTH: named("month"),
  DAY: named("day"),
  DATETIMETOTICKS: ofText((text) => optional(ticksOf(text), Number)),
  DATETIMETOTIMESTAMP: ofText((text) => optional(ticksOf(text), (ticks) => Number(floorDiv(ticks, TICKS_PER_MS)))),
  TICKSTODATETIME: exactly(1, ([ticks]) => (isInteger(ticks) ? textOf(BigInt(ticks)) : undefined)),
  TIMESTAMPTODATETIME: exactly(1, ([ms]) => (isInteger(ms) ? textOf(BigInt(ms) * TICKS_PER_MS) : undefined)),
  NOW: between(0, 2, ([name, count]) => (name === undefined ? textOf(nowTicks()) : fromNow(name, count, 1))),
  AGO: exactly(2, ([name, count]) => fromNow(name, count, -1)),
  GETCURRENTDATETIME: exactly(0, () => textOf(nowTicks())),
  GETCURRENTDATETIMESTATIC: exactly(0, () => textOf(nowTicks())),
  GETCURRENTTICKS: exactly(0, () => Number(nowTicks())),
  GETCURRENTTICKSSTATIC: exactly(0, () => Number(nowTicks())),
  GETCURRENTTIMESTAMP: exactly(0, () => Date.now()),
  GETCURRENTTIMESTAMPSTATIC: exactly(0, () => Date.now()),
};
