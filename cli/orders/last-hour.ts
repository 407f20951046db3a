// The last hour, for the terminal: a curve for each measure, as wide as there is room; in a pipe a line for each two minutes.
import { counted } from "@scheduler-agent-supervisor/core/domain";
import type { LastHour } from "@scheduler-agent-supervisor/operator/contract";
import { roundedDuration } from "@scheduler-agent-supervisor/operator/domain";
import { type Cell, printTable, terminalColumns } from "./table.ts";
import { timeText } from "./text.ts";

const HEIGHTS = [..."▁▂▃▄▅▆▇█"];
/** Nobody has looked. */
const UNKNOWN = "·";
/** A message that waits for less time is soon taken: its curve stays low. */
const SOON_MS = 10_000;
/** Of the table, beside the curve. */
const OTHER_COLUMNS = 46;
const LEAST_CURVE = 10;
/** Longer words would leave no room for the curve. */
const MOST_WORDS = 20;

type Value = number | null;

interface Measure {
  readonly name: string;
  readonly values: readonly Value[];
  readonly words: string;
  /** What two slots are together. */
  readonly join: (one: number, other: number) => number;
  /** The value of the highest column, unless another one is higher. */
  readonly least: number;
  readonly isBad: boolean;
}

export function printLastHour(hour: LastHour): void {
  if (process.stdout.isTTY) {
    printTable(["last hour", "number", `since ${timeText(hour.from)}`], curveRows(hour, terminalColumns()));
  } else printTable(HEAD, slotRows(hour));
}

const HEAD = ["from", "received", "processed", "errors", "oldest message (ms)", "open breakers"];

/** What nobody has looked at is empty. */
export function slotRows({ from, slotMs, received, processed, errors, oldestMs, broken }: LastHour): string[][] {
  return received.map((count, slot) => [
    new Date(Date.parse(from) + slot * slotMs).toISOString(),
    ...[count, processed[slot], errors[slot], oldestMs[slot]].map((value) => String(value ?? "")),
    broken[slot]?.join(", ") ?? "",
  ]);
}

function measuresOf({ received, processed, errors, errorsAreAll, oldestMs, broken }: LastHour): Measure[] {
  const open = broken.map((agents) => agents?.length ?? null);
  const known = oldestMs.filter((age) => age !== null);
  const names = [...new Set(broken.flatMap((agents) => agents ?? []))];
  const named = names.join(", ");
  const seen = (values: readonly Value[], words: string) =>
    values.every((value) => value === null) ? "not known" : words;
  const counts = (name: string, values: readonly number[]): Measure => {
    const total = values.reduce((sum, count) => sum + count, 0);
    return { name, values, words: String(total), join: (one, other) => one + other, least: 1, isBad: false };
  };
  const oldest = Math.max(0, ...known);
  const errorCounts = counts("errors", errors);
  return [
    counts("received", received),
    counts("processed", processed),
    {
      ...errorCounts,
      ...(!errorsAreAll && { words: `${errorCounts.words}+` }),
      isBad: errors.some((count) => count > 0),
    },
    {
      ...{ name: "oldest message", values: oldestMs, join: Math.max, least: SOON_MS, isBad: oldest >= SOON_MS },
      words: seen(oldestMs, oldest === 0 ? "none" : `up to ${roundedDuration(oldest)}`),
    },
    {
      ...{ name: "open breakers", values: open, join: Math.max, least: 1, isBad: names.length > 0 },
      words: seen(
        open,
        names.length === 0 ? "none" : named.length > MOST_WORDS ? counted(names.length, "agent") : named,
      ),
    },
  ];
}

/** @param columns the width of the terminal */
export function curveRows(hour: LastHour, columns: number): Cell[][] {
  return measuresOf(hour).map((measure) => curveRow(measure, columns - OTHER_COLUMNS));
}

/** @param room columns for the curve */
function curveRow({ name, values, words, join, least, isBad }: Measure, room: number): Cell[] {
  const each = Math.ceil(values.length / Math.max(LEAST_CURVE, room));
  const columns: Value[] = [];
  for (let from = 0; from < values.length; from += each) {
    const known = values.slice(from, from + each).filter((value) => value !== null);
    columns.push(known.length === 0 ? null : known.reduce((one, other) => join(one, other)));
  }
  const most = Math.max(least, ...columns.map((value) => value ?? 0));
  const heightOf = (value: number) =>
    value === 0 ? 0 : Math.max(1, Math.round((value / most) * (HEIGHTS.length - 1)));
  const curve = columns.map((value) => (value === null ? UNKNOWN : HEIGHTS[heightOf(value)])).join("");
  return [name, words, isBad ? { text: curve, colour: "red" } : curve];
}
