// docs/reference/failure-modes.md is what the suites say: its rows are the names of the tests that there are.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { PAGE, rows, tables } from "../faults/failure-modes.ts";

test("P20 the page has every row of the suites, and no other", () => {
  expect(readFileSync(PAGE, "utf8"), "run npm run failure-modes").toContain(tables());
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
