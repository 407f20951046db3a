// P27, P30: an answer that no agent declares, in the world's time: one that speaks of its order is bounded, one that speaks of the endpoint is not.

import { createWorld, type World } from "@scheduler-agent-supervisor/testing";
import { expect, test } from "vitest";
import { business } from "../../shared/business.ts";
import { sampleOrder } from "../support/orders.ts";

const statusesOf = (world: World, orderId: string) => world.statuses(orderId).map(({ status }) => status);

async function ordered(status: number, operation = "authorize", agent = "payment"): Promise<World> {
  const world = createWorld({ business, sweepEvery: "PT10S" });
  world.service(agent).answers(operation, { status, body: { message: "not this one" } });
  await world.submit(sampleOrder("odd"));
  await world.run({ for: "P1D" });
  return world;
}

test.each([400, 405, 410, 415])(
  "P27 P30 an order whose payment is answered with %i needs a person within hours",
  async (status) => {
    const world = await ordered(status);
    const { processState, direction, error, failureCount } = world.record("odd");
    expect({ processState, direction, failureCount }).toEqual({
      processState: "Error",
      direction: "forward",
      failureCount: 1,
    });
    expect(error?.message).toContain(`HTTP ${status}`);
    expect(statusesOf(world, "odd")).toContain("RetryScheduled");
    expect(statusesOf(world, "odd").at(-1)).toBe("Failed");
    expect(world.events.map(({ name }) => name)).toContain("JobErrored");
    // Once the cause is removed, it goes on under the same key.
    const keys = () =>
      new Set(
        world
          .service("payment")
          .callsOf("authorize")
          .map(({ idempotencyKey }) => idempotencyKey),
      );
    world.service("payment").works();
    await world.operator.resubmit("odd", { reason: "the request is corrected" });
    await world.run();
    expect(world.record("odd").processState).toBe("Processed");
    expect(keys().size).toBe(1);
  },
);

test.each([401, 403, 407])("P27 an order whose payment is answered with %i waits until it is fixed", async (status) => {
  const world = await ordered(status);
  expect(world.record("odd")).toMatchObject({ error: null, failureCount: 0, direction: "forward" });
  world.service("payment").works();
  await world.run();
  expect(world.record("odd").processState).toBe("Processed");
});

test("P13 P27 a compensation that is answered so is left to a person, and the others are made", async () => {
  const world = createWorld({ business, sweepEvery: "PT10S" });
  world.service("shipping").rejects("arrange");
  world.service("payment").answers("void", { status: 400, body: { message: "not this one" } });
  await world.submit(sampleOrder("odd"));
  await world.run({ for: "P1D" });
  const { error, steps } = world.record("odd");
  expect(error?.kind).toBe("compensationIncomplete");
  expect(steps["takePayment"]?.compensation).toMatchObject({
    state: "Failed",
    error: expect.stringContaining("HTTP 400"),
  });
  expect(steps["reserveStock"]?.compensation?.state).toBe("Completed");
});
