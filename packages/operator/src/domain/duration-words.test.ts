// Durations as people read them.
import { expect, test } from "vitest";
import { exactDuration, roundedDuration } from "./duration-words.ts";

test.each([
  [500, "0.5 s", "500 ms"],
  [0.4, "0.0004 s", "0 ms"],
  [1500, "1.5 s", "1 s"],
  [90_000, "1 min 30 s", "1 min 30 s"],
  [90_400, "1 min 30.4 s", "1 min 30 s"],
  [11_520_999, "3 h 12 min 0.999 s", "3 h 12 min"],
  [86_400_000, "1 d", "1 d"],
  [-5, "", "0 ms"],
])("%d ms are %j exactly and %j roughly", (ms, exact, rounded) => {
  expect(exactDuration(ms)).toBe(exact);
  expect(roundedDuration(ms)).toBe(rounded);
});
