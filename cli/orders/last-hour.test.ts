// The last hour in a terminal of any width, and in a pipe.
import { stripVTControlCharacters } from "node:util";
import type { LastHour } from "@scheduler-agent-supervisor/operator/contract";
import { expect, test } from "vitest";
import { curveRows, slotRows } from "./last-hour.ts";
import { framed } from "./table.ts";

const SLOTS = 30;
const slots = <T>(usual: T, others: { readonly [slot: number]: T } = {}): T[] =>
  Array.from({ length: SLOTS }, (_, slot) => others[slot] ?? usual);

const HOUR: LastHour = {
  asOf: "2026-01-31T13:00:00.000Z",
  from: "2026-01-31T12:00:00.000Z",
  slotMs: 120_000,
  received: slots(4, { 0: 8 }),
  processed: slots(4, { 29: 1 }),
  errors: slots(0, { 10: 3, 11: 1 }),
  errorsAreAll: true,
  oldestMs: slots<number | null>(null, { 27: 0, 28: 90_000, 29: 600_000 }),
  broken: slots<string[] | null>([], { 29: ["payment"] }),
};

test("each measure is a row: its number, and its curve with a place for each two minutes", () => {
  const rows = curveRows(HOUR, 80);
  expect(rows).toEqual([
    ["received", "124", `█${"▅".repeat(29)}`],
    ["processed", "117", `${"█".repeat(29)}▃`],
    ["errors", "4", { text: `${"▁".repeat(10)}█▃${"▁".repeat(18)}`, colour: "red" }],
    ["oldest message", "up to 10 min", { text: `${"·".repeat(27)}▁▂█`, colour: "red" }],
    ["open breakers", "payment", { text: `${"▁".repeat(29)}█`, colour: "red" }],
  ]);
});

test("where nobody has looked it says so, and nothing is drawn as well", () => {
  const rows = curveRows({ ...HOUR, oldestMs: slots(null), broken: slots(null) }, 80);
  expect(rows.slice(3)).toEqual([
    ["oldest message", "not known", "·".repeat(30)],
    ["open breakers", "not known", "·".repeat(30)],
  ]);
});

test.each([40, 60, 80, 134])("the curves are whole in a terminal of %i columns", (columns) => {
  const many = slots<string[] | null>([], { 3: ["payment", "shipping", "warehouse", "fraud"] });
  const rows = curveRows({ ...HOUR, broken: many }, columns);
  const lines = stripVTControlCharacters(framed(["last hour", "number", "since 12:00"], rows, columns)).split("\n");
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(columns);
  const curves = lines.flatMap((line) => /[▁▂▃▄▅▆▇█·]{5,}/.exec(line)?.[0] ?? []);
  expect(curves).toHaveLength(5);
  expect(new Set(curves.map(({ length }) => length)).size).toBe(1);
});

test("in a pipe each two minutes are a line, and what is not known is empty", () => {
  const rows = slotRows(HOUR);
  expect(rows).toHaveLength(SLOTS);
  expect(rows[10]).toEqual(["2026-01-31T12:20:00.000Z", "4", "4", "3", "", ""]);
  expect(rows[29]).toEqual(["2026-01-31T12:58:00.000Z", "4", "1", "0", "600000", "payment"]);
});
