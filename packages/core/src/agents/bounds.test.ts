// Limits for what a service, or the code of its agent, says.
import { expect, test } from "vitest";
import { nextPollAt } from "../domain/steps/poll.ts";
import { boundedPause } from "./bounds.ts";

const DAYS_30 = 30 * 86_400_000;

test.each([
  [99_999_999_999_999_000, DAYS_30],
  [Number.POSITIVE_INFINITY, DAYS_30],
  [Number.NaN, undefined],
  [-5000, 0],
  [1500.5, 1501],
  ["3000", undefined],
  [null, undefined],
])("a pause of %s is %s milliseconds", (said, ms) => {
  expect(boundedPause(said)).toBe(ms);
  const next = nextPollAt(
    { at: "2026-01-01T12:00:00.000Z" },
    ms ?? 0,
    "PT10S",
    "2026-01-11T12:00:00.000Z",
    "2026-01-01T12:00:00.000Z",
  );
  expect(next <= "2026-01-11T12:00:00.000Z").toBe(true);
});
