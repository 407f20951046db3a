// The gauges: each is counted apart, so that one that can't be counted silences only itself.

import { measureWith } from "@scheduler-agent-supervisor/core/telemetry";
import { afterEach, expect, test } from "vitest";
import { NOON, NOON_MS } from "../../../core/tests/jobs.ts";
import { createWorld } from "../../../core/tests/world.ts";
import type { WaitReason } from "../../src/domain/wait.ts";
import { type GaugePorts, measureGauges } from "../../src/operations/measure-gauges.ts";

afterEach(() => measureWith(undefined));

function heldUpGroup(agent: string, reason: WaitReason, count: number) {
  const wait = { agent, reason, step: "check", direction: "forward", cause: null, since: NOON, until: null } as const;
  return { id: `${agent} ${count}`, wait, causes: [], steps: ["check"], retried: 0, trouble: null, count };
}

const away = async () => {
  throw new Error("away");
};

test("what can't be counted is an event of its own, and all else is measured", async () => {
  const world = createWorld(NOON_MS);
  const measured: unknown[] = [];
  measureWith((metric, value, by) => measured.push([metric, value, by]));
  const asked: string[] = [];
  const ports: GaugePorts = {
    ...world,
    jobGauges: [
      { of: { state: "Pending", kind: null }, count: async () => 3 },
      { of: { state: "Error", kind: "expired" }, count: away },
      { of: { state: "Error", kind: "rejected" }, count: async () => 2 },
      {
        of: "overdue",
        async count(before) {
          asked.push(before);
          return 1;
        },
      },
    ],
    queueAges: [
      { queue: "jobs", read: away },
      { queue: "scheduler", read: async (now) => [{ cause: "NotAdmitted", ageMs: now - NOON_MS + 1500 }] },
    ],
    heldUp: {
      groups: async () => ({
        ...{ asOf: NOON, count: 7, isAll: true },
        groups: [
          heldUpGroup("fraud", "retry", 4),
          heldUpGroup("fraud", "retry", 2),
          heldUpGroup("payment", "configuration", 1),
        ],
      }),
    },
  };
  await measureGauges({ ...ports, telemetry: world.telemetry });
  expect(measured).toEqual([
    ["jobs.by_state", 3, { state: "Pending", kind: null }],
    ["jobs.by_state", 2, { state: "Error", kind: "rejected" }],
    ["jobs.overdue", 1, {}],
    ["queues.oldest_message_age", 1.5, { queue: "scheduler", cause: "NotAdmitted" }],
    ["jobs.held_up", 6, { agent: "fraud", reason: "retry" }],
    ["jobs.held_up", 1, { agent: "payment", reason: "configuration" }],
  ]);
  expect(asked).toEqual([new Date(Date.parse(NOON) - world.timing.clockSkewMs).toISOString()]);
  expect(world.events).toEqual([
    { name: "GaugesNotMeasured", attributes: { what: "jobs Error expired", cause: "Error: away" } },
    { name: "GaugesNotMeasured", attributes: { what: "queue jobs", cause: "Error: away" } },
  ]);
});

test("P26 a wait that is over is measured as 0", async () => {
  const world = createWorld(NOON_MS);
  const measured: unknown[] = [];
  measureWith((metric, value, by) => measured.push([metric, value, by]));
  let groups = [heldUpGroup("shipping", "retry", 5)];
  const heldUp = { groups: async () => ({ asOf: NOON, count: 5, isAll: true, groups }) };
  const ports: GaugePorts = { ...world, jobGauges: [], queueAges: [], heldUp };
  await measureGauges({ ...ports, telemetry: world.telemetry });
  groups = [];
  await measureGauges({ ...ports, telemetry: world.telemetry });
  const own = { agent: "shipping", reason: "retry" };
  expect(measured).toEqual(
    expect.arrayContaining([
      ["jobs.held_up", 5, own],
      ["jobs.held_up", 0, own],
    ]),
  );
});
