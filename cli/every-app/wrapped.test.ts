// A usage at the width of a terminal: what is said of an option stays in its column, and no word is lost.

import { styleText } from "node:util";
import { expect, test } from "vitest";
import { beside, fitted, hanging, widthOf } from "./wrapped.ts";

const USAGE = `npm start [-- OPTIONS]
  --exit               stop when all sample orders have ended; exit code 0 only if each ended as its sample says
  --within SECONDS     how long
Each option may stand once, and none of them has to stand there; the usual value stands in brackets behind it.`;

test("what is said of an option goes on under its beginning", () => {
  expect(fitted(USAGE, 60).split("\n")).toEqual([
    "npm start [-- OPTIONS]",
    "  --exit               stop when all sample orders have",
    "                       ended; exit code 0 only if each ended",
    "                       as its sample says",
    "  --within SECONDS     how long",
    "Each option may stand once, and none of them has to stand",
    "  there; the usual value stands in brackets behind it.",
  ]);
});

test.each([20, 40, 80, 200])("no line is wider than %i columns, and no word is lost", (columns) => {
  const lines = fitted(USAGE, columns).split("\n");
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(columns);
  expect(lines.join(" ").split(/\s+/).join("")).toBe(USAGE.split(/\s+/).join(""));
});

const LONG = "/home/ada/work/customers/north/stacks/2026/the-one-with-the-second-region";
test.each([
  `npm run orders -- --data ${LONG} continue ID`,
  `npm run orders -- --data '${LONG} and blanks' find --state Error`,
  `npm start -- --data ${LONG}`,
])("a command has no line break in it: %s", (command) => {
  const lines = fitted(
    `To continue when the cause is fixed: ${command}, or wait until the supervisor does it`,
    80,
  ).split("\n");
  expect(lines.map((line) => line.trim())).toContain(`${command},`);
  expect(Math.max(...lines.filter((line) => !line.includes("npm")).map(widthOf))).toBeLessThanOrEqual(80);
});

test("a line that fits stays as it is", () => {
  expect(hanging("● ", "│ ", "short", 20)).toEqual(["● short"]);
  expect(hanging("● ", "│ ", "as long as two lines", 12)).toEqual(["● as long as", "│ two lines"]);
});

test("a text goes on under its beginning, colours and all, or below a name that leaves it no room", () => {
  const failed = `${styleText("red", "Failed", { validateStream: false })} the card has expired`;
  expect(beside("0.1 s  a-1  ", failed, 30).split("\n").map(widthOf)).toEqual([27, 23]);
  expect(beside("0.1 s  a-1  ", "the card\n  - has expired", 30)).toBe(
    "0.1 s  a-1  the card\n              - has expired",
  );
  expect(beside("0.1 s  a-1  ", "the card has expired", 20).split("\n")).toEqual([
    "0.1 s  a-1",
    "    the card has",
    "    expired",
  ]);
});
