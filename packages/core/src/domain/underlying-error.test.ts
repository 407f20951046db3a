import { expect, test } from "vitest";
import { CUT_OFF, cutOffAfter, noCallsBecause, underlyingError } from "./thrown.ts";

test.each([
  ["an open breaker", noCallsBecause("HTTP 401")],
  ["complete-by", cutOffAfter("HTTP 401")],
  ["complete-by after an open breaker", cutOffAfter(noCallsBecause("HTTP 401"))],
  ["an open breaker after complete-by", noCallsBecause(cutOffAfter("HTTP 401"))],
])("%s leaves the error before it", (_how, message) => {
  expect(message).not.toBe("HTTP 401");
  expect(underlyingError(message)).toBe("HTTP 401");
});

test("what was cut off with no error before it has no other cause", () => {
  expect(underlyingError(cutOffAfter(undefined))).toBe(CUT_OFF);
});
