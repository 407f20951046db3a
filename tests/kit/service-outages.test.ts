// P11, P27: ten minutes without a service, in the world's time, with the workflows and the policies as shipped. On a real stack: tests/outages.

import { createWorld, type World } from "@scheduler-agent-supervisor/testing";
import { expect, test } from "vitest";
import { business } from "../../shared/business.ts";
import { SHIPPED } from "../outages/shipped.ts";
import { sampleOrder } from "../support/orders.ts";

const OUTAGE = { kind: "down", forMs: 10 * 60_000 } as const;
const SERVICES = [...new Set(SHIPPED.steps.map(({ agent }) => agent))];
const STEPS = SHIPPED.steps.map(({ name, agent, after }) => ({ name, agent, after }));

function createOrderWorld(): World {
  return createWorld({ business, sweepEvery: "PT10S" });
}

/** Nothing was compensated, no person was needed, and each step has had one effect. */
function expectProcessed(world: World, orderId: string): void {
  const { processState, direction, error, history } = world.record(orderId);
  expect({ processState, direction, error }, history.map(({ what }) => what).join("\n")).toEqual({
    processState: "Processed",
    direction: "forward",
    error: null,
  });
  expect(world.statuses(orderId).at(-1)?.status).toBe("Completed");
  expect(world.events.map(({ name }) => name)).not.toContain("JobToBeCompensated");
}

test.each(SERVICES)("P11 P27 ten minutes without %s, an order each minute: all are Processed", async (agent) => {
  const world = createOrderWorld();
  world.service(agent).switchOn(OUTAGE);
  const orderIds = Array.from({ length: 11 }, (_, minute) => `${agent}-${minute}`);
  for (const orderId of orderIds) {
    await world.submit(sampleOrder(orderId));
    await world.run({ for: "PT1M" });
  }
  await world.run();
  for (const orderId of orderIds) expectProcessed(world, orderId);
  expect(world.events.map(({ name }) => name)).not.toContain("JobErrored");
  // The first needed the longest wait.
  expect(world.record(`${agent}-0`).failureCount).toBe(5);
});

test.each(STEPS)(
  "P11 P27 ten minutes without $agent, from the instant $name is next",
  async ({ name, agent, after }) => {
    const world = createOrderWorld();
    await world.submit(sampleOrder(name));
    const isNext = () => after.every((before) => world.steps(name)[before] === "Completed");
    await world.run({ until: isNext });
    expect(world.steps(name)[name]).not.toBe("Completed");
    world.service(agent).switchOn(OUTAGE);
    await world.run();
    expectProcessed(world, name);
  },
);

test("P10 P11 a service that is away for longer than all waits: Error, and resubmission does the step alone again", async () => {
  const world = createOrderWorld();
  const up = world.service("shipping").switchOn({ kind: "down" });
  await world.submit(sampleOrder("long"));
  await world.run();
  expect(world.record("long")).toMatchObject({
    processState: "Error",
    direction: "forward",
    error: { kind: "expired", step: "arrangeShipping" },
  });
  expect(world.events.filter(({ name }) => name === "JobErrored")).toHaveLength(1);
  expect(world.service("payment").callsOf("void")).toEqual([]);
  up();
  const charged = world.service("payment").callsOf("authorize").length;
  expect(await world.operator.resubmit("long", { reason: "shipping is back" })).toMatchObject({ kind: "done" });
  await world.run();
  expectProcessed(world, "long");
  expect(world.service("payment").callsOf("authorize")).toHaveLength(charged);
});
