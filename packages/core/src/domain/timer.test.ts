// Timers beyond what Node's own can count.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { sleep, startTimer } from "./timer.ts";

const LONGEST_MS = 2 ** 31 - 1;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test.each([0, 1, LONGEST_MS, LONGEST_MS + 1, 3 * LONGEST_MS])("%i ms pass, no less and no more", async (ms) => {
  let runs = 0;
  startTimer(ms, () => (runs += 1));
  await vi.advanceTimersByTimeAsync(Math.max(ms - 1, 0));
  expect(runs).toBe(ms === 0 ? 1 : 0);
  await vi.advanceTimersByTimeAsync(LONGEST_MS);
  expect(runs).toBe(1);
});

test("below 0 and no number are at once; without end is never; and an ended one is not run", async () => {
  const runs: string[] = [];
  for (const ms of [-1, Number.NaN]) startTimer(ms, () => runs.push(String(ms)));
  startTimer(Number.POSITIVE_INFINITY, () => runs.push("never"));
  startTimer(LONGEST_MS + 5, () => runs.push("ended")).end();
  await vi.advanceTimersByTimeAsync(3 * LONGEST_MS);
  expect(runs).toEqual(["-1", "NaN"]);
});

test("a sleep ends with its signal, and leaves no timer", async () => {
  const limit = new AbortController();
  const slept = sleep(LONGEST_MS + 5, { signal: limit.signal });
  limit.abort();
  await slept;
  expect(vi.getTimerCount()).toBe(0);
  await sleep(5, { signal: limit.signal });
  expect(vi.getTimerCount()).toBe(0);
});
