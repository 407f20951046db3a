// An exchange starts an order of its own, and ends with it (P35): on the test kit's world, with both.

import { createWorld, type World } from "@scheduler-agent-supervisor/testing";
import { expect, test } from "vitest";
import { sampleOrder } from "../../tests/support/orders.ts";
import { business } from "../business.ts";
import { replacementOf } from "./replacement.ts";

const ORDER = sampleOrder("exchange-1", { workflow: "exchange" });
const REPLACEMENT = replacementOf(ORDER, "exchange-1:sendReplacement:forward").orderId;
const worldOf = () => createWorld({ business });

const isIn = (world: World, id: string, state: string) => () => {
  try {
    return world.record(id).processState === state;
  } catch {
    return false;
  }
};

test("P35 an exchange has started one order, and is Processed when that is", async () => {
  const world = worldOf();
  await world.submit(ORDER);
  await world.run();
  expect(world.record(REPLACEMENT)).toMatchObject({
    processState: "Processed",
    workflow: { name: "order-fulfilment" },
  });
  expect(world.record("exchange-1")).toMatchObject({ processState: "Processed", failureCount: 0 });
  expect(world.results("exchange-1")["sendReplacement"]).toEqual({ orderId: REPLACEMENT });
  expect(world.service("payment").callsOf("authorize")).toHaveLength(1);
});

test("P35 an order that is compensated rejects the exchange's step, and the exchange is compensated", async () => {
  const world = worldOf();
  world.service("shipping").answers("arrange", () => ({ status: 422, body: { message: "nobody delivers there" } }));
  await world.submit(ORDER);
  await world.run();
  expect(world.record(REPLACEMENT).processState).toBe("Compensated");
  expect(world.record("exchange-1")).toMatchObject({
    processState: "Compensated",
    error: { message: expect.stringContaining(`order ${REPLACEMENT} is Compensated: `) },
  });
});

test("P35 P13 an exchange that is cancelled has cancelled its order, which waits for a person, and then it is compensated", async () => {
  const world = worldOf();
  world.service("shipping").answers("arrange", () => ({ status: 503 }));
  await world.submit(ORDER);
  await world.run({ until: isIn(world, REPLACEMENT, "Processing") });
  await world.cancel(ORDER);
  await world.run();
  expect(world.record(REPLACEMENT).processState).toBe("Cancelled");
  expect(world.record("exchange-1").processState).toBe("Cancelled");
});

test("P35 an exchange is not compensated while its order can't be: it waits for a person", async () => {
  const world = worldOf();
  let restocked = false;
  world.service("inventory").answers("restock", () => {
    restocked = isIn(world, REPLACEMENT, "Processed")();
    return restocked ? { status: 409, body: { message: "broken" } } : { status: 503 };
  });
  await world.submit(ORDER);
  await world.run();
  expect(restocked).toBe(true);
  expect(world.record(REPLACEMENT).processState).toBe("Processed");
  expect(world.record("exchange-1")).toMatchObject({ processState: "Error", direction: "compensate" });
  expect(world.record("exchange-1").steps["sendReplacement"]?.compensation?.error).toContain("can't be cancelled");
});

test("P35 an order that has its id already is not taken for its own", async () => {
  const world = worldOf();
  await world.submit(sampleOrder(REPLACEMENT, { customer: { id: "somebody-else" } }));
  await world.submit(ORDER);
  await world.run();
  const { processState, steps } = world.record("exchange-1");
  expect(processState).toBe("Error");
  expect(steps["sendReplacement"]?.error).toContain("has other content");
});
