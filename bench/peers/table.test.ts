import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { VARIANTS } from "./engines.ts";
import type { Plan, Results, Run } from "./rounds.ts";
import { placeTable, tableOf } from "./table.ts";

const PLAN: Plan = { engines: ["restate", "dbos"], rounds: 3, orders: 2000, rate: 50, seconds: 20, warmUp: 500 };
const PROVENANCE = { date: "2026-11-26", commit: "0a1b2c3d", machine: "2 processors (a CPU)" };

function runsOf(row: string, rates: readonly number[], failed = 0): Run[] {
  return rates.map((rate, round) => {
    const measured = { orders: 2000, failed, ordersPerSecond: rate, cpuMsPerOrder: 2.5, p50Ms: 8.41, p99Ms: 22.22 };
    return { row, round, burst: measured, steady: measured };
  });
}

const restate = VARIANTS.filter(({ engine }) => engine === "restate").flatMap(({ row }) =>
  runsOf(row, [474.4, 430, 501]),
);
const results: Results = { runs: restate, versions: { restate: ["restate 1", "Node.js v24"] }, missing: [] };
const rowsOf = (table: string) => table.split("\n").filter((line) => line.startsWith("|"));

describe("the table of the engines", () => {
  test("has the median of the rounds, their least and most, and says when and of what", () => {
    const table = tableOf(results, { ...PLAN, engines: ["restate"] }, PROVENANCE);
    expect(rowsOf(table)[2]).toBe("| Restate | 474 (430 to 501) | 2.5 | 8.41 | 22.2 |");
    expect(table).toContain("2026-11-26, commit `0a1b2c3d`, 2 processors (a CPU); bursts of 2000");
    expect(table).toContain("Versions: restate 1, Node.js v24.");
  });

  test("has the reason where an engine was not measured, and never a number", () => {
    const missing = [{ engine: "dbos", reason: "not installed: a | b\nmore", isFault: false }] as const;
    const rows = rowsOf(tableOf({ ...results, missing }, PLAN, PROVENANCE)).filter((row) => row.includes("DBOS"));
    expect(rows).toHaveLength(2);
    for (const row of rows) expect(row).toMatch(/\| not measured: not installed: a \\\| b \| {2}\| {2}\| {2}\|$/);
  });

  test("says that orders failed", () => {
    const runs = runsOf("Restate", [10], 1);
    expect(tableOf({ ...results, runs }, { ...PLAN, engines: ["restate"] }, PROVENANCE)).toContain("**2 orders failed");
  });

  test("takes the place of the one before, and leaves the rest of the page", () => {
    const page = readFileSync(join(import.meta.dirname, "../../docs/explanation/performance.md"), "utf8");
    const [before, after] = [placeTable(page, "one"), placeTable(placeTable(page, "two, which is longer"), "one")];
    expect(after).toBe(before);
    expect(before.match(/\n## .*/g)).toEqual(page.match(/\n## .*/g));
    expect(before).toContain("\n\none\n\n");
  });

  test("has no place on a page without its marks", () => {
    expect(() => placeTable("# Performance\n", "one")).toThrow("the page lacks");
  });
});
