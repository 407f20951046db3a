// Rates and percentiles of samples.
import { expect, test } from "vitest";
import { percentile, rateOf } from "./sample.ts";

const NOW = Date.parse("2026-01-01T12:00:00.000Z");
const ago = (...seconds: number[]) => seconds.map((one) => new Date(NOW - one * 1000).toISOString());

test.each([
  [[], { count: 0, overMs: 3_600_000 }],
  [ago(1, 900), { count: 2, overMs: 3_600_000 }],
  [ago(1, 5, 10), { count: 3, overMs: 10_000 }],
  [ago(-1, -1, -1), { count: 3, overMs: 1 }],
])("of %j with a limit of 3", (instants, rate) => expect(rateOf(instants, 3, 3_600_000, NOW)).toEqual(rate));

const HUNDRED = Array.from({ length: 100 }, (_, at) => 100 - at);
test.each([
  [[7], 0.99, 7],
  [[1, 2], 0.5, 1],
  [HUNDRED, 0.5, 50],
  [HUNDRED, 0.95, 95],
  [HUNDRED, 0.99, 99],
])("of %j the percentile %d is %d", (values, share, wanted) => expect(percentile(values, share)).toBe(wanted));
