import { expect, test } from "vitest";
import { type AdaptiveLimit, createAdaptiveLimit } from "./adaptive-limit.ts";

const SECOND = 1000;

/** As many jobs end as are admitted: the limit's number are in flight. */
function inUse(limit: AdaptiveLimit, seconds: number, late: number, from = 0): number {
  let now = from;
  for (; now < from + seconds * SECOND; now += 250) {
    const held = limit.current;
    limit.counted({ held, before: held, admitted: 20 }, now);
    if (limit.mayWiden(now)) limit.saw(held, late, false, now);
  }
  return now;
}

test("P26 it widens when twice as many jobs have ended, and no step is late", () => {
  const limit = createAdaptiveLimit(64, 200);
  inUse(limit, 1, 0);
  expect(limit.current).toBe(64);
  inUse(limit, 2, 0, SECOND);
  expect(limit.current).toBe(128);
  inUse(limit, 60, 0, 3 * SECOND);
  expect(limit.current).toBe(200);
});

test("P26 it widens when no step is late for a while, though none has ended: each takes long", () => {
  const limit = createAdaptiveLimit(64, 200);
  for (let now = 0; now <= 7 * SECOND; now += 2 * SECOND) {
    limit.counted({ held: 64, before: 64, admitted: 0 }, now);
    limit.saw(64, 0, true, now);
    expect(limit.current).toBe(64);
  }
  limit.counted({ held: 64, before: 64, admitted: 0 }, 8 * SECOND);
  limit.saw(64, 0, true, 8 * SECOND);
  expect(limit.current).toBe(128);
});

test("P26 where steps are late it stays, and then becomes narrower, to its least", () => {
  const limit = createAdaptiveLimit(64, 200);
  let now = inUse(limit, 60, 0);
  const seen: number[] = [];
  for (let second = 0; second < 30; second += 1) {
    limit.counted({ held: limit.current, before: limit.current, admitted: 0 }, now);
    limit.saw(limit.current, 100, false, now);
    if (limit.current !== seen.at(-1)) seen.push(limit.current);
    now += SECOND;
  }
  expect(seen).toEqual([100, 64]);
});

test("P26 late steps of agents for which nothing is admitted make it no narrower", () => {
  const limit = createAdaptiveLimit(64, 200);
  const now = inUse(limit, 60, 0);
  limit.saw(200, 200, true, now);
  expect(limit.current).toBe(200);
});

test("a process that joins others begins with what they have in flight, if the engine keeps up with it", () => {
  const limit = createAdaptiveLimit(64, 200);
  limit.counted({ held: 150, before: 0, admitted: 0 }, 0);
  limit.saw(128, 20, false, 0);
  expect(limit.current).toBe(64);
  limit.saw(128, 2, false, 0);
  expect(limit.current).toBe(150);
});

test("what was learned is forgotten after a minute of few jobs", () => {
  const limit = createAdaptiveLimit(64, 200);
  const now = inUse(limit, 60, 0);
  limit.counted({ held: 1, before: 1, admitted: 0 }, now + 50 * SECOND);
  expect(limit.current).toBe(200);
  limit.counted({ held: 1, before: 1, admitted: 0 }, now + 61 * SECOND);
  expect(limit.current).toBe(64);
});

test("jobs that end one by one over a day are no sign of what the engine does at once", () => {
  const limit = createAdaptiveLimit(64, 200);
  for (let minute = 0; minute < 1440; minute += 1)
    limit.counted({ held: 1, before: 1, admitted: 1 }, minute * 60 * SECOND);
  limit.counted({ held: 64, before: 64, admitted: 64 }, 1440 * 60 * SECOND);
  expect(limit.mayWiden(1440 * 60 * SECOND)).toBe(false);
});

test("a limit that is less than the first is that limit", () => {
  expect(createAdaptiveLimit(64, 5).current).toBe(5);
});
