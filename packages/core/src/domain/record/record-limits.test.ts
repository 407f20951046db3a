// What a record keeps of a text from outside: as much as fits, in bytes, and never a part of a character.
import { expect, test } from "vitest";
import { asMessage, jsonBytes } from "./record-limits.ts";

const MOST_BYTES = 1000;

test.each([
  ["letters", "a".repeat(2000), 990],
  ["control characters, which take six bytes each", "\u0001".repeat(2000), 160],
  ["characters of three bytes", "€".repeat(2000), 330],
  ["pairs of units", "😀".repeat(2000), 245],
  ["letters after half of a pair", `\ud83d${"a".repeat(2000)}`, 980],
])("P2 of %s as many are kept as fit", (_, text, least) => {
  const kept = asMessage(text);
  expect(jsonBytes(kept)).toBeLessThanOrEqual(MOST_BYTES);
  expect(kept.length).toBeGreaterThanOrEqual(least);
  expect(kept.isWellFormed()).toBe(true);
});

test("P2 what fits stays as it is", () => {
  const text = `${"ä".repeat(400)}!`;
  expect(asMessage(text)).toBe(text);
});
