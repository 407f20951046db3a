// The list of planted faults fits the sources: `npm run mutants` plants them.
import { expect, test } from "vitest";
import { obstaclesTo } from "./fault.ts";
import { FAULTS } from "./faults.ts";

test("each text to replace occurs once in its file, and each suite is there", () => {
  expect(FAULTS.flatMap(obstaclesTo)).toEqual([]);
});

test("each fault has a sentence of its own", () => {
  const sentences = FAULTS.map(({ breaks }) => breaks);
  expect(sentences.filter((one, index) => sentences.indexOf(one) !== index)).toEqual([]);
  expect(sentences.filter((one) => !one.endsWith("."))).toEqual([]);
});

test("P1 to P29 and P31 to P35 have their faults", () => {
  const rows = new Set(FAULTS.map(({ row }) => row));
  const wanted = Array.from({ length: 35 }, (_, index) => `P${index + 1}`);
  expect(wanted.filter((row) => !rows.has(row))).toEqual([]);
});
