// P29: when a job is over.
import { expect, test } from "vitest";
import { record } from "../../../tests/operated-jobs.ts";
import { isOver, over } from "./retention.ts";

const NOW = "2026-01-02T12:00:00.000Z";

test("P29 a job that ended is over once it owes no message", () => {
  const processed = record({ processState: "Processed", outbox: [] });
  expect(over(processed, NOW)).toEqual({ overAt: NOW });
  const owing = record({ ...processed, outbox: [{ status: "Completed", attempt: 1, at: NOW }] });
  expect(isOver(owing)).toBe(false);
  expect(over(owing, NOW)).toEqual({});
});
