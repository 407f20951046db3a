// The failure modes are what the suites say: their rows are the names of the tests that there are.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { PAGE, page, rows, tables } from "../faults/failure-modes.ts";

test("P20 what the site shows has every row of the suites", () => {
  const shown = tables().split("\n");
  for (const { fault, point, what } of rows()) {
    const named = (line: string) => line.includes(what) && (line.includes(fault) || line.includes(marked(point)));
    expect(shown.filter(named).length, `${point} | ${fault}`).toBeGreaterThan(0);
  }
});

/** As the list shortens it. */
const marked = (point: string) => point.replaceAll("every await of ", "\\*");

test("P20 the page is what npm run node -- tests/faults/failure-modes.ts writes", () => {
  const written = readFileSync(PAGE, "utf8");
  // Whoever runs a suite has other numbers.
  const [suites = ""] = /^\| suite \|.*(?:\n\|.*)*/m.exec(written) ?? [];
  expect(suites.split("\n").length).toBeGreaterThan(5);
  expect(written).toBe(page(suites));
});

test("P20 no two rows say the same of one actor, point and fault", () => {
  const keys = rows().map(({ actor, point, fault }) => [actor, point, fault].join(" | "));
  expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
});

test("P20 every actor and every server has its rows", () => {
  const said = rows().map(({ actor, point, fault }) => `${actor} ${point} ${fault}`);
  for (const name of [
    "submission",
    "scheduler",
    "agents",
    "over queues",
    "replies",
    "supervisor",
    "operator",
    "messenger",
  ])
    expect(said.join("\n"), name).toContain(name);
  for (const name of [
    "bus",
    "state store",
    "service",
    "lease",
    "clock",
    "disk",
    "host killed",
    "lock",
    "can't be read",
  ])
    expect(said.join("\n"), name).toContain(name);
});
