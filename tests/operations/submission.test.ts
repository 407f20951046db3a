// Submission over the store in memory: what it writes and says, and what a second delivery finds.
import { beforeEach, expect, test } from "vitest";
import { NOON_MS, sampleOrder } from "../support/orders.ts";
import { createWorld, ENVELOPE, type World } from "../support/world.ts";

let world: World;
beforeEach(() => {
  world = createWorld(NOON_MS);
});

test("P1 P2 writes order and record, and says Received with the request's correlation id", async () => {
  const wake = await world.submitted();
  expect(wake).toMatchObject({ orderId: "order-1", attempt: 1 });
  expect(await world.stateOf()).toMatchObject({
    processState: "Pending",
    lockedBy: null,
    completeBy: null,
    failureCount: 0,
    correlationId: "request-1",
  });
  expect(world.statuses).toMatchObject([{ orderId: "order-1", status: "Received" }]);
});

test("P1 P4 claims the order for its first attempt, which the caller starts", async () => {
  expect(await world.submit()).toMatchObject({ kind: "claimed", attempt: { orderId: "order-1", attempt: 1 } });
  expect(await world.stateOf()).toMatchObject({ processState: "Processing", lockedBy: "order-1-1@hub" });
  expect(world.statuses.map(({ status }) => status)).toEqual(["Received", "Started"]);
});

test.each<[string, () => Promise<unknown>]>([
  ["before its claim", () => world.submitted()],
  ["before the start of its attempt", () => world.submit()],
])("P1 P16 delivered again after a death %s: one order, claimed once, and started", async (_, first) => {
  await first();
  expect(await world.submit()).toMatchObject({ kind: "claimed", attempt: { orderId: "order-1", attempt: 1 } });
  const record = await world.stateOf();
  expect(record).toMatchObject({ processState: "Processing", attempt: 1 });
  expect(record?.history.filter(({ what }) => what.startsWith("claimed"))).toHaveLength(1);
  expect(world.eventNames()).toContain("DuplicateSubmission");
});

test("a duplicate of an order under way starts nothing", async () => {
  await world.runAttempt(await world.submitted());
  expect(await world.submit()).toBeUndefined();
  expect((await world.stateOf())?.processState).toBe("Processed");
});

test("another order under a known id is quarantined, not lost and not mixed up", async () => {
  await world.submitted();
  expect(await world.submit(sampleOrder("order-1", { currency: "USD" }))).toBeUndefined();
  expect(world.quarantined).toMatchObject([
    { body: { currency: "USD" }, faults: [expect.stringContaining("order-1")] },
  ]);
  expect((await world.store.order("order-1", 1)).currency).toBe("EUR");
});

test.each([
  ["text", "{not json", ["the body must be a JSON object"]],
  ["null", null, ["the body must be a JSON object"]],
  ["a list", [sampleOrder()], ["the body must be a JSON object"]],
  [
    "many faults",
    {
      ...sampleOrder("bad id!"),
      lines: [{ sku: "", quantity: 0, unitPrice: 1 }],
      currency: "euro",
      surprise: 1,
      workflow: 3,
    },
    ["orderId", "lines[0].sku", "lines[0].quantity", "currency", "surprise", "workflow"],
  ],
  ["members that would hide metadata", { ...sampleOrder(), messageId: "x", replyTo: "replies-evil" }, ["messageId"]],
  [
    "an unknown workflow",
    sampleOrder("order-1", { workflow: "alchemy" }),
    ["workflow: must be one of order-fulfilment, returns"],
  ],
])("bad input is quarantined with every fault named: %s", async (_, body, named) => {
  expect(await world.submit(body)).toBeUndefined();
  const faults = world.quarantined[0]?.faults ?? [];
  for (const name of named) expect(faults.some((fault) => fault.includes(name))).toBe(true);
  expect(await world.stateOf()).toBeUndefined();
});

test("P15 a reply queue whose name is not allowed is a fault", async () => {
  expect(await world.submit(sampleOrder(), { ...ENVELOPE, replyTo: "orders" })).toBeUndefined();
  expect(world.quarantined[0]?.faults.join()).toContain("replyTo");
});

test("P15 nobody to reply to, or a queue that is not there, does not fail the order", async () => {
  expect(await world.submit(sampleOrder("order-2"), {})).toMatchObject({ attempt: { orderId: "order-2" } });
  world.tellFault = "no-such-queue";
  expect(await world.submit(sampleOrder("order-3"))).toMatchObject({ attempt: { orderId: "order-3" } });
  expect(world.eventNames()).toContain("StatusUndeliverable");
});
