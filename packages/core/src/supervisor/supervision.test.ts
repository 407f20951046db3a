import { createMemoryAuditLog } from "@scheduler-agent-supervisor/testing/memory";
import { expect, test } from "vitest";
import { type SupervisionEntry, sweepIdOf } from "../store/audit-log.ts";
import { StoreUnavailable } from "../store/job-store.ts";
import { createPace, isThrottled } from "./pace.ts";
import { spareIdleSweeps } from "./spare-idle-sweeps.ts";

test("of the sweeps that found nothing one in ten minutes is written, and every other sweep", async () => {
  const log = createMemoryAuditLog();
  const sparing = spareIdleSweeps(log);
  for (let minute = 0; minute < 25; minute += 1) {
    const at = new Date(Date.UTC(2026, 0, 1, 12, minute)).toISOString();
    const report = { found: minute === 3 ? 2 : 0, finished: minute !== 5 };
    await sparing.sweep({
      sweepId: sweepIdOf(at, 1, "a"),
      at,
      endedAt: at,
      leader: "eu",
      epoch: 1,
      thresholds: {},
      report,
    });
  }
  const written: SupervisionEntry[] = [];
  for await (const entry of log.entries("2026-01-01")) written.push(entry);
  expect(written.map(({ at }) => Number(at.slice(14, 16)))).toEqual([0, 3, 5, 15]);
});

test("a throttled sweep pauses longer each time, up to a limit, never past its end, and speeds up again", async () => {
  let clock = 0;
  const pauses: number[] = [];
  const pause = async (ms: number) => {
    pauses.push(ms);
    clock += ms;
  };
  const pace = createPace({ now: () => clock, pause }, 20_000);
  for (let time = 0; time < 7; time += 1) expect(await pace.slowDown()).toBe(true);
  expect(pauses).toEqual([100, 200, 400, 800, 1600, 3000, 3000]);
  for (let time = 0; time < 5; time += 1) pace.goOn();
  await pace.slowDown();
  expect(pauses.at(-1)).toBe(100);
  clock = 19_950;
  expect(await pace.slowDown()).toBe(false);
  expect(pauses).toHaveLength(8);
});

test("a sweep deals with twice as many at once each round, with half after a rejection, then with one more each round", async () => {
  const pace = createPace({ now: () => 0, pause: async () => undefined }, 20_000);
  const round = () => {
    for (let left = pace.atOnce(); left > 0; left -= 1) pace.goOn();
    return pace.atOnce();
  };
  expect(pace.atOnce()).toBe(1);
  expect(Array.from({ length: 8 }, round)).toEqual([2, 4, 8, 16, 32, 64, 64, 64]);
  await pace.slowDown();
  expect(pace.atOnce()).toBe(32);
  expect(round()).toBeLessThanOrEqual(33);
  for (let rounds = 0; rounds < 40; rounds += 1) round();
  expect(pace.atOnce()).toBe(64);
  for (let rejections = 0; rejections < 10; rejections += 1) await pace.slowDown();
  expect(pace.atOnce()).toBe(1);
});

test("a 429 is recognised wherever it stands among the causes", () => {
  const throttled = Object.assign(new Error("too many"), { code: 429 });
  expect(isThrottled(new StoreUnavailable("replace a record", throttled))).toBe(true);
  expect(isThrottled(new StoreUnavailable("replace a record", new Error("wrapped", { cause: throttled })))).toBe(true);
  expect(isThrottled(new StoreUnavailable("replace a record", Object.assign(new Error("gone"), { code: 503 })))).toBe(
    false,
  );
  expect(isThrottled("429")).toBe(false);
  expect(isThrottled(new Error("bus", { cause: Object.assign(new Error("busy"), { code: "ServiceBusy" }) }))).toBe(
    true,
  );
});
