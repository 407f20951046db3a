// Submission over the store in memory: what it writes and says, and what a second delivery finds.

import { BusUnavailable } from "@scheduler-agent-supervisor/core/messaging/messenger";
import { beforeEach, expect, test } from "vitest";
import type { Order } from "../../shared/contracts/order.ts";
import { NOON_MS, sampleOrder } from "../support/orders.ts";
import { createWorld, ENVELOPE, type World } from "../support/world.ts";

let world: World;
beforeEach(() => {
  world = createWorld(NOON_MS);
});

test("P1 P2 writes order and record, and says Received with the request's correlation id", async () => {
  const startAttempt = await world.submitted();
  expect(startAttempt).toMatchObject({ jobId: "order-1", attempt: 1 });
  expect(await world.stateOf()).toMatchObject({
    processState: "Pending",
    lockedBy: null,
    completeBy: null,
    failureCount: 0,
    correlationId: "request-1",
  });
  expect(world.statuses).toMatchObject([{ jobId: "order-1", status: "Received" }]);
});

test("P1 P4 claims the order for its first attempt, which the caller starts", async () => {
  expect(await world.submit()).toMatchObject({ kind: "claimed", attempt: { jobId: "order-1", attempt: 1 } });
  expect(await world.stateOf()).toMatchObject({ processState: "Processing", lockedBy: "order-1-1@hub" });
  expect(world.statuses.map(({ status }) => status)).toEqual(["Received", "Started"]);
});

test.each<[string, () => Promise<unknown>]>([
  ["before its claim", () => world.submitted()],
  ["before the start of its attempt", () => world.submit()],
])("P1 P16 delivered again after a death %s: one order, claimed once, and started", async (_, first) => {
  await first();
  expect(await world.submit()).toMatchObject({ kind: "claimed", attempt: { jobId: "order-1", attempt: 1 } });
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
  expect(((await world.store.job("order-1", 1)) as Order).currency).toBe("EUR");
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

const BAD = { ...sampleOrder(), currency: "euro", lines: [] };

test("P15 a rejected submission is kept, then its sender receives every fault, under one id each time", async () => {
  await world.submit(BAD);
  await world.submit(BAD);
  const { faults } = world.quarantined[0] ?? {};
  expect(faults).toHaveLength(2);
  expect(world.rejections).toMatchObject([
    { jobId: "order-1", replyTo: "replies-shop", correlationId: "request-1", submissionId: null, faults },
    { faults },
  ]);
  expect(new Set(world.rejections.map(({ id }) => id)).size).toBe(1);
  expect(world.statuses).toEqual([]);
});

test("P15 what is published of another order under a known id goes to its own sender, and says nothing of the first", async () => {
  await world.submitted();
  const envelope = { messageId: "m-2", replyTo: "replies-other", replyToSessionId: "s-2", submissionId: "second" };
  await world.submit(sampleOrder("order-1", { currency: "USD" }), envelope);
  expect(world.rejections).toMatchObject([
    { replyTo: "replies-other", replyToSessionId: "s-2", correlationId: "m-2", submissionId: "second" },
  ]);
  expect(world.rejections[0]?.faults).toEqual([`orderId: "order-1" is the id of another job`]);
});

test.each<[string, unknown, Record<string, unknown>]>([
  ["names no reply queue", BAD, { messageId: "m-1" }],
  ["names one that is not allowed", BAD, { ...ENVELOPE, replyTo: "orders" }],
  ["names a session that can't be", BAD, { ...ENVELOPE, replyToSessionId: "x".repeat(129) }],
  ["has a body that hides the reply queue", { ...BAD, replyTo: "replies-evil" }, ENVELOPE],
  ["has a body that hides its session, in another case", { ...BAD, ReplyToSessionID: "evil" }, ENVELOPE],
])("P15 nobody is notified of a rejected submission that %s", async (_, body, envelope) => {
  await world.submit(body, envelope);
  expect(world.quarantined).toHaveLength(1);
  expect(world.rejections).toEqual([]);
});

test.each<[string, unknown, string | null]>([
  ["no usable id", { orderId: "bad id!" }, "bad id!"],
  ["a long one", { orderId: "x".repeat(300) }, "x".repeat(80)],
  ["none", { orderId: 7 }, null],
  ["no JSON object", "{not json", null],
])("P15 a rejection names the order as far as the message does: %s", async (_, body, orderId) => {
  await world.submit(body);
  expect(world.rejections).toMatchObject([{ jobId: orderId }]);
  expect((world.rejections[0]?.id ?? "").length).toBeLessThanOrEqual(128);
});

test("P15 a reply queue that can't be reached does not hold a rejected submission for ever", async () => {
  world.publishFault = new BusUnavailable("replies-shop", "down");
  await world.submit(BAD);
  expect(world.quarantined).toHaveLength(1);
  expect(world.eventNames()).toContain("StatusUndeliverable");
});

test("P15 nobody to reply to, or a queue that is not there, does not fail the order", async () => {
  expect(await world.submit(sampleOrder("order-2"), {})).toMatchObject({ attempt: { jobId: "order-2" } });
  world.publishFault = "no-such-queue";
  expect(await world.submit(sampleOrder("order-3"))).toMatchObject({ attempt: { jobId: "order-3" } });
  expect(world.eventNames()).toContain("StatusUndeliverable");
});
