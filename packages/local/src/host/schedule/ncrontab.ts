// NCRONTAB as NCrontab.Signed reads it, which the timers of Azure Functions use: what each field allows, as a list of numbers.

interface Field {
  readonly name: string;
  readonly first: number;
  readonly last: number;
  /** From `first` on. */
  readonly names?: readonly string[];
}

const SECOND: Field = { name: "second", first: 0, last: 59 };
const FIELDS: readonly Field[] = [
  { name: "minute", first: 0, last: 59 },
  { name: "hour", first: 0, last: 23 },
  { name: "day of the month", first: 1, last: 31 },
  {
    name: "month",
    first: 1,
    last: 12,
    names: "january february march april may june july august september october november december".split(" "),
  },
  {
    name: "day of the week",
    first: 0,
    last: 6,
    names: "sunday monday tuesday wednesday thursday friday saturday".split(" "),
  },
];

/** A field of a cron expression is at fault. */
export class NotNcrontab extends Error {
  override readonly name = "NotNcrontab";
}

/**
 * The same schedule with nothing but numbers, lists and stars, which every reader of cron understands alike.
 * @throws NotNcrontab
 */
export function plainNcrontab(text: string): string {
  const parts = text.split(" ").filter((part) => part !== "");
  const fields = parts.length === 6 ? [SECOND, ...FIELDS] : FIELDS;
  if (parts.length !== fields.length) {
    throw new NotNcrontab(`NCRONTAB has five or six fields with spaces between them, not ${parts.length}`);
  }
  return fields.map((field, index) => plainField(parts[index] ?? "", field)).join(" ");
}

function plainField(text: string, field: Field): string {
  const allowed = new Set<number>();
  for (const part of text.split(",")) for (const value of valuesOf(part, text, field)) allowed.add(value);
  const isEvery = allowed.size === field.last - field.first + 1;
  return isEvery ? "*" : [...allowed].sort((one, other) => one - other).join(",");
}

/** `*`, a value, or two with a dash, and each of them with a step. As .NET reads numbers: blanks may follow, and a step may have a sign. */
const PART = new RegExp(
  "^(?:(?<every>\\*)|(?<from>N|[a-z]+)(?:-(?<to>N|[a-z]+))?)(?:/(?<step>[\\t-\\r]*[+-]?N))?$".replaceAll(
    "N",
    "\\d+[\\t-\\r]*",
  ),
  "i",
);
/** Of 32 bits. */
const LARGEST_STEP = 2 ** 31 - 1;

function valuesOf(part: string, text: string, field: Field): number[] {
  const { every, from = "", to, step } = PART.exec(part)?.groups ?? {};
  const isNone = every === undefined && from === "";
  if (isNone || Math.abs(Number(step ?? 1)) > LARGEST_STEP) {
    throw new NotNcrontab(
      `"${text}" is not NCRONTAB for the ${field.name}: it takes *, values, ranges, lists and steps`,
    );
  }
  const one = every ? field.first : numberOf(from, field);
  const other = every || (to === undefined && step !== undefined) ? field.last : numberOf(to ?? from, field);
  // A range whose end comes first is the same range the other way round, and a step of zero or less is one.
  const [least, most] = one <= other ? [one, other] : [other, one];
  const values: number[] = [];
  for (let value = least; value <= most; value += Math.max(1, Number(step ?? 1))) values.push(value);
  return values;
}

/** The first name that begins with the text will do. */
function numberOf(text: string, { name, first, last, names = [] }: Field): number {
  const isNumber = /^\d/.test(text);
  const named = isNumber ? -1 : names.findIndex((one) => one.startsWith(text.toLowerCase()));
  const value = isNumber ? Number(text) : first + named;
  if (value >= first && value <= last && (isNumber || named >= 0)) return value;
  const allowed = names.length > 0 ? ` or a name such as ${names[1]?.slice(0, 3).toUpperCase()}` : "";
  throw new NotNcrontab(`"${text}" is not a ${name}: NCRONTAB takes ${first} to ${last}${allowed}`);
}
