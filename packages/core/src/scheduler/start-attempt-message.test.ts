// What asks for an attempt: the record says all else.

import { expect, test } from "vitest";
import { parseStartAttempt } from "./scheduler-client.ts";

const startAttempt = { jobId: "job-1", attempt: 2, direction: "compensate", traceparent: null };

test("a start message goes through as it was sent", () => {
  expect(parseStartAttempt(JSON.parse(JSON.stringify(startAttempt)))).toEqual(startAttempt);
});

test("what an older app put in besides is left out, and what is no start message is rejected", () => {
  expect(parseStartAttempt({ ...startAttempt, steps: { reserveStock: { state: "NotStarted" } } })).toEqual(
    startAttempt,
  );
  expect(() => parseStartAttempt({ ...startAttempt, attempt: 0 })).toThrow("attempt");
});
