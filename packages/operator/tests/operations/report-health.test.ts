// What an instance says of its agents' endpoints: on change, at a bounded rate, and nothing where there is nothing to say.

import { createHealthReports } from "@scheduler-agent-supervisor/core/app";
import type { EndpointReport, InstanceReport } from "@scheduler-agent-supervisor/core/store";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { NOON, NOON_MS } from "../../../core/tests/jobs.ts";
import { createAgentHealth } from "../../src/operations/agent-health.ts";

const WELL: EndpointReport = {
  endpoint: "https://pay.example/",
  health: "healthy",
  inFlight: 0,
  capacity: 4,
  isSlow: false,
  lastError: null,
};

let written: InstanceReport[];
let report: EndpointReport;
let isAway: boolean;
let touch: () => void;

beforeEach(() => {
  vi.useFakeTimers({ now: NOON_MS });
  [written, report, isAway] = [[], WELL, false];
  const store = {
    async write(report: InstanceReport) {
      if (isAway) throw new Error("the store is away");
      written.push(report);
    },
  };
  const reports = createHealthReports({ store, instance: "host-1", now: Date.now });
  reports.add("payment", () => [report]);
  touch = reports.touch;
});
afterEach(() => void vi.useRealTimers());

test("calls that leave nothing to say are not written, and nobody looks any more", async () => {
  touch();
  await vi.advanceTimersByTimeAsync(5000);
  expect(written).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});

test("a change is said once, at most one in 5 s; said again each minute while it lasts; then that it is over", async () => {
  report = { ...WELL, health: "broken", lastError: "503" };
  for (let calls = 0; calls < 100; calls += 1) touch();
  await vi.advanceTimersByTimeAsync(30_000);
  expect(written.map(({ agents }) => agents["payment"]?.[0]?.health)).toEqual(["broken"]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(written).toHaveLength(2);
  report = WELL;
  await vi.advanceTimersByTimeAsync(5000);
  expect(written.at(-1)?.agents).toEqual({ payment: [WELL] });
  expect(vi.getTimerCount()).toBe(0);
});

test("since when an endpoint is not well stays the same, through probes, until it is well again", async () => {
  report = { ...WELL, health: "broken", lastError: "503" };
  touch();
  await vi.advanceTimersByTimeAsync(5000);
  report = { ...report, health: "probing" };
  await vi.advanceTimersByTimeAsync(60_000);
  report = { ...WELL, isSlow: true };
  await vi.advanceTimersByTimeAsync(5000);
  const seen = () => written.map(({ agents }) => agents["payment"]?.[0]?.since);
  expect(new Set(seen())).toEqual(new Set([new Date(NOON_MS + 5000).toISOString()]));
  report = WELL;
  await vi.advanceTimersByTimeAsync(5000);
  report = { ...WELL, health: "resting" };
  touch();
  await vi.advanceTimersByTimeAsync(5000);
  expect(seen().slice(-2)).toEqual([undefined, new Date(Date.now()).toISOString()]);
});

test("where the store is away it is said at the next look", async () => {
  report = { ...WELL, inFlight: 3 };
  isAway = true;
  touch();
  await vi.advanceTimersByTimeAsync(5000);
  isAway = false;
  await vi.advanceTimersByTimeAsync(5000);
  expect(written).toHaveLength(1);
});

test("over all instances; what an instance said too long ago is left out", async () => {
  const say = (instance: string, secondsAgo: number) => ({
    instance,
    at: new Date(NOON_MS - secondsAgo * 1000).toISOString(),
    agents: { payment: [WELL] },
  });
  const read = createAgentHealth({
    health: { all: async () => [say("host-2", 10), say("host-1", 20), say("gone", 181)] },
    pauses: { current: async () => [] },
    known: { workflow: ["returns"], agent: ["payment", "shipping"] },
    now: () => NOON_MS,
  });
  expect(await read()).toMatchObject({
    asOf: NOON,
    workflows: ["returns"],
    agents: [
      { name: "payment", instances: [{ instance: "host-1" }, { instance: "host-2", endpoints: [WELL] }] },
      { name: "shipping", instances: [] },
    ],
  });
});

test("a store that is slow is not asked a second time before it has answered", async () => {
  let answer: () => void = () => {};
  const write = vi.fn(() => new Promise<void>((resolve) => (answer = resolve)));
  const reports = createHealthReports({ store: { write }, instance: "host-1", now: Date.now });
  reports.add("payment", () => [{ ...WELL, inFlight: 3 }]);
  reports.touch();
  await vi.advanceTimersByTimeAsync(90_000);
  expect(write).toHaveBeenCalledTimes(1);
  answer();
  await vi.advanceTimersByTimeAsync(65_000);
  expect(write).toHaveBeenCalledTimes(2);
});
