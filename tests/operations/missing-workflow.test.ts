// Orders whose workflow version only another version of the app has, as after a rollback: nothing is done to them, and nothing is lost.

import { OtherVersionNeeded } from "@scheduler-agent-supervisor/core/domain/outage";
import type { StateRecord } from "@scheduler-agent-supervisor/core/domain/state-record";
import { claimJob } from "@scheduler-agent-supervisor/core/operations/claim-job";
import { operateJob } from "@scheduler-agent-supervisor/core/operations/operate-job";
import { instant } from "@scheduler-agent-supervisor/core/operations/ports";
import { submitJob } from "@scheduler-agent-supervisor/core/operations/submit-job";
import { sweep } from "@scheduler-agent-supervisor/core/operations/sweep";
import { takeReply } from "@scheduler-agent-supervisor/core/operations/take-reply";
import { beforeEach, expect, test } from "vitest";
import { CHAIN, NOON_MS, sampleOrder, sampleRecord } from "../support/orders.ts";
import { createWorld, ENVELOPE, type World } from "../support/world.ts";

const A_DAY_MS = 86_400_000;
const startAttempt = { jobId: "order-1", attempt: 1, direction: "forward" } as const;

let world: World;
let before: StateRecord | undefined;
beforeEach(async () => {
  world = createWorld(NOON_MS);
  await world.store.create(sampleOrder(), sampleRecord("order-1", { ...CHAIN, version: 99 }));
  world.clock += A_DAY_MS;
  before = await world.stateOf();
});

const isHeld = async (work: Promise<unknown>) => {
  await expect(work).rejects.toBeInstanceOf(OtherVersionNeeded);
  await expect(work).rejects.toThrow("No workflow order-fulfilment v99");
  expect(await world.stateOf()).toEqual(before);
};

test("a start message for it waits", () => isHeld(claimJob(startAttempt, world)));

test("its order message, delivered again, waits", () => isHeld(world.submit(sampleOrder(), ENVELOPE)));

test("an agent's reply to it waits", () => {
  const ticket = { ...startAttempt, step: "reserveStock", lockedBy: "hub:order-1-1" };
  const body = { schemaVersion: 1, ticket, kind: "done", result: {} };
  return isHeld(takeReply(body, world));
});

test("a sweep names it and leaves it as it is", async () => {
  expect(await sweep(world)).toMatchObject({ found: 1, broken: 1 });
  const cause = expect.stringContaining("No workflow order-fulfilment v99");
  expect(world.events).toContainEqual({ name: "RecoveryFailed", attributes: { jobId: "order-1", cause } });
  expect(await world.stateOf()).toEqual(before);
  expect(world.startAttempts).toEqual([]);
});

test("an operator is rejected, in words", async () => {
  const caller = { by: "ann", ifMatch: "any" } as const;
  const request = { kind: "compensate", reason: "test" } as const;
  const rejected = await operateJob("order-1", request, caller, world);
  expect(rejected).toMatchObject({ kind: "rejected", reason: expect.stringContaining("order-fulfilment v99") });
  expect(await world.stateOf()).toEqual(before);
});

test("an order whose workflow a newer version of the app brought waits for that version, and for no longer than a week", async () => {
  const order = sampleOrder("order-2", { workflow: "brought-by-a-newer-app" });
  const submit = (enqueuedAt: string) =>
    submitJob({ body: order, envelope: ENVELOPE, traceparent: null, enqueuedAt }, world);
  await expect(submit(instant(world.clock))).rejects.toThrow("No workflow brought-by-a-newer-app");
  expect(world.quarantined).toEqual([]);
  expect(await submit(instant(world.clock - 8 * A_DAY_MS))).toBeUndefined();
  expect(world.quarantined).toMatchObject([{ faults: [expect.stringContaining("workflow: must be one of")] }]);
});

test("an order with another fault too, or with a workflow that nobody has, is quarantined", async () => {
  await world.submit({ ...sampleOrder("order-2", { workflow: "brought-by-a-newer-app" }), lines: [] });
  await world.submit(sampleOrder("order-3", { workflow: "nowhere" }));
  expect(world.quarantined).toHaveLength(2);
});
