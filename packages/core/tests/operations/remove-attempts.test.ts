// Housekeeping's windows: what it removes, in which calls, and where the next run goes on.

import { beforeEach, expect, test } from "vitest";
import { type Purge, removeAttempts } from "../../src/supervisor/remove-attempts.ts";
import type { Attributes } from "../../src/telemetry/event-names.ts";

const NOON_MS = Date.parse("2026-01-01T12:00:00.000Z");
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let clock: number;
let saved: string | undefined;
/** When each orchestration that has ended began. */
let ended: number[];
let calls: { readonly from: string; readonly to: string; readonly found: number }[];
let events: Attributes[];
/** What a call takes, and for each that it finds. */
let callMs: number;
let eachMs: number;

beforeEach(() => {
  clock = NOON_MS;
  saved = new Date(NOON_MS - HOUR_MS).toISOString();
  [ended, calls, events, callMs, eachMs] = [[], [], [], 10, 30];
});

const purge: Purge = async (from, to) => {
  const found = ended.filter((at) => at >= from.getTime() && at <= to.getTime()).length;
  ended = ended.filter((at) => at < from.getTime() || at > to.getTime());
  clock += callMs + found * eachMs;
  calls.push({ from: from.toISOString(), to: to.toISOString(), found });
  return found;
};

const progress = {
  doneUntil: async () => saved,
  save: async (until: string) => {
    saved = until;
  },
};

const run = (before = NOON_MS, withinMs = 2 * MINUTE_MS) =>
  removeAttempts(
    {
      purge,
      progress,
      now: () => clock,
    },
    before,
    withinMs,
    { event: (_, attributes) => void events.push(attributes) },
  );

const evenly = (count: number, fromMs: number, toMs: number) =>
  Array.from({ length: count }, (_, index) => fromMs + Math.floor((index * (toMs - fromMs)) / count));

test("an hour with little in it takes a few calls, then one for stragglers, and the next run goes on from there", async () => {
  ended = evenly(60, NOON_MS - HOUR_MS, NOON_MS);
  await run();
  expect(ended).toEqual([]);
  expect(calls.map(({ from, to }) => (Date.parse(to) - Date.parse(from)) / MINUTE_MS).slice(0, -1)).toEqual([
    1, 4, 16, 39,
  ]);
  expect(calls.at(-1)).toEqual({ from: "1970-01-01T00:00:00.000Z", to: "2026-01-01T11:00:00.000Z", found: 0 });
  expect(saved).toBe("2026-01-01T12:00:00.000Z");
  expect(events).toEqual([{ removed: 60, doneUntil: "2026-01-01T12:00:00.000Z", finished: true }]);
});

test("a backlog is removed over several runs: none takes much longer than its time, and none begins anew", async () => {
  ended = evenly(20_000, NOON_MS - HOUR_MS, NOON_MS);
  const runs: number[] = [];
  while (ended.length > 0 && runs.length < 20) {
    const begun = clock;
    await run();
    runs.push(clock - begun);
  }
  expect(ended).toEqual([]);
  expect(runs.length).toBeGreaterThan(3);
  expect(Math.max(...runs)).toBeLessThan(3 * MINUTE_MS);
  expect(Math.max(...calls.map(({ found }) => found))).toBeLessThan(2000);
  expect(events.map(({ finished }) => finished)).toEqual([...Array(runs.length - 1).fill(false), true]);
});

test("what is kept is not touched, and what ended after its window was done goes with the next run", async () => {
  ended = [NOON_MS - 3 * HOUR_MS, NOON_MS - MINUTE_MS, NOON_MS + MINUTE_MS];
  await run();
  expect(ended).toEqual([NOON_MS + MINUTE_MS]);
  expect(calls.at(-1)).toMatchObject({ found: 1 });
});

test("a call that fails is made again by the next run", async () => {
  const failing: Purge = () => Promise.reject(new Error("the engine is away"));
  const telemetry = { event: (_: string, attributes: Attributes) => void events.push(attributes) };
  await expect(
    removeAttempts({ purge: failing, progress, now: () => clock }, NOON_MS, MINUTE_MS, telemetry),
  ).rejects.toThrow("the engine is away");
  expect(saved).toBe("2026-01-01T11:00:00.000Z");
  expect(events).toMatchObject([{ removed: 0, finished: false }]);
});

test("a run whose last call fails, the one for stragglers, has not finished", async () => {
  const failing: Purge = (from) => (from.getTime() === 0 ? Promise.reject(new Error("no time")) : Promise.resolve(0));
  const telemetry = { event: (_: string, attributes: Attributes) => void events.push(attributes) };
  await expect(
    removeAttempts({ purge: failing, progress, now: () => clock }, NOON_MS, MINUTE_MS, telemetry),
  ).rejects.toThrow("no time");
  expect(events).toMatchObject([{ doneUntil: "2026-01-01T12:00:00.000Z", finished: false }]);
});

test("without any job there is nothing to remove", async () => {
  saved = undefined;
  await run();
  expect(calls).toEqual([]);
});
