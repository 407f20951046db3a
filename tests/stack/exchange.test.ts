// An exchange through the whole stack (P35): one of its steps starts an order of another workflow, and ends with it.

import { cancellationOf } from "@scheduler-agent-supervisor/client/requests";
import { contentDigest } from "@scheduler-agent-supervisor/core/agents";
import { hasEnded, type StateRecord } from "@scheduler-agent-supervisor/core/domain";
import { afterAll, beforeAll, expect, test } from "vitest";
import { replacementOf } from "../../shared/agents/replacement.ts";
import type { Order } from "../../shared/contracts/order.ts";
import { madeOrder } from "../support/made-order.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

let app: TestStack;
beforeAll(async () => {
  app = await startTestStack();
});
afterAll(() => app?.[Symbol.asyncDispose]());

const WITHIN_MS = 60_000;
const LIMIT_MS = 120_000;
const STEP = "sendReplacement";
const ended = ({ processState }: StateRecord) => hasEnded(processState);
const isAwaiting = ({ steps }: StateRecord) => steps[STEP]?.state === "Awaiting";
const exchangeOf = (orderId: string) => ({ ...madeOrder(orderId), workflow: "exchange" });
const keyOf = (orderId: string) => `${orderId}:${STEP}:forward`;
const replacement = (orderId: string) =>
  replacementOf({ ...exchangeOf(orderId), priority: "normal" } as Order, keyOf(orderId));
const charges = async (orderId: string) => (await app.effects("payment", orderId)).map(({ action }) => action);

/** Sends it, and waits until its order waits for that service. */
async function exchangeThatWaits(orderId: string, service: string) {
  const other = replacement(orderId);
  const end = await app.switchOn(service, { kind: "down", match: { orderId: other.orderId } });
  const order = exchangeOf(orderId);
  await app.shop.send(order);
  await app.eventually(orderId, isAwaiting, WITHIN_MS);
  await app.eventually(other.orderId, ({ steps }) => steps["takePayment"]?.state === "Completed", WITHIN_MS);
  return { order, other, end };
}

test(
  "P35 P16 a step has started one order, and ends with it, though the host is killed and each message comes again",
  async () => {
    const { other, end } = await exchangeThatWaits("exchange-1", "shipping");
    await app.stack.kill("host");
    // Its own message, and one about it that says nothing.
    const address = { replyTo: "replies-replacements", correlationId: keyOf("exchange-1") };
    const jobs = app.bus.createSender("jobs");
    const replies = app.bus.createSender("replies-replacements");
    await jobs.sendMessages({ ...address, body: other, messageId: other.orderId, contentType: "application/json" });
    await replies.sendMessages({ correlationId: keyOf("exchange-1"), body: { status: "Completed" } });
    await replies.sendMessages({ correlationId: keyOf("nowhere"), body: "nothing" });
    await Promise.all([jobs.close(), replies.close()]);
    await app.stack.restart("host");
    await end();
    expect(await app.eventually("exchange-1", ended, WITHIN_MS)).toMatchObject({
      processState: "Processed",
      steps: { [STEP]: { result: { orderId: other.orderId } } },
    });
    expect(await app.eventually(other.orderId, ended)).toMatchObject({ processState: "Processed" });
    expect(await charges(other.orderId)).toEqual(["create", "capture"]);
    expect(await charges("exchange-1")).toEqual([]);
  },
  LIMIT_MS,
);

test.concurrent(
  "P35 P13 an order whose service rejects it is compensated, and so is the exchange that has started it",
  async () => {
    const other = replacement("exchange-2");
    const match = { orderId: other.orderId };
    await app.switchOn("shipping", { kind: "reject", status: 422, path: "/shipments", match });
    await app.shop.send(exchangeOf("exchange-2"));
    const record = await app.eventually("exchange-2", ended, WITHIN_MS);
    expect(record).toMatchObject({ processState: "Compensated", error: { step: STEP } });
    expect(await app.eventually(other.orderId, ended)).toMatchObject({ processState: "Compensated" });
  },
  LIMIT_MS,
);

test.concurrent(
  "P35 P13 an exchange that is cancelled cancels its order, and ends once that is compensated",
  async () => {
    const { order, other } = await exchangeThatWaits("exchange-3", "fraud");
    const queues = { jobsQueue: "jobs", priorityQueue: "jobs-priority", idName: "orderId" };
    const digest = contentDigest(order, "order-fulfilment");
    const { message } = cancellationOf(order, digest, "not wanted", queues, { replyTo: "replies-shop" });
    await app.bus.createSender("jobs").sendMessages(message);
    const cancelled = await app.eventually("exchange-3", ended, WITHIN_MS);
    expect(cancelled).toMatchObject({
      processState: "Cancelled",
      steps: { [STEP]: { compensation: { state: "Completed" } } },
    });
    expect(await app.eventually(other.orderId, ended)).toMatchObject({ processState: "Cancelled" });
    expect(await charges(other.orderId)).toEqual(["create", "void"]);
  },
  LIMIT_MS,
);
