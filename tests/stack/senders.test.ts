// Senders that are not to be trusted with each other's orders, against the whole stack: each tries to pass for another.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { QUEUES_FILE, ROOT } from "../../cli/settings.ts";
import { madeOrder, openOrderClient, SESSION_REPLY_QUEUE } from "../../cli/shop.ts";
import {
  createOrderClient,
  type OrderClient,
  type OrderRequest,
  type StatusMessage,
} from "../../client/order-client.ts";
import type { StateRecord } from "../../shared/domain/state-record.ts";
import { contentDigest } from "../../shared/messaging/content-digest.ts";
import { containerOf, startTestStack, type TestStack } from "../support/test-stack.ts";

const folder = mkdtempSync(join(tmpdir(), "senders-"));
let app: TestStack;
let tea: OrderClient;
let mug: OrderClient;
/** On the queues that several share. */
let shared: OrderClient;
beforeAll(async () => {
  const queuesFile = join(folder, "service-bus.json");
  const queuesIn = (file: string) => (JSON.parse(readFileSync(file, "utf8")) as { queues: object[] }).queues;
  writeFileSync(
    queuesFile,
    JSON.stringify({ queues: [...queuesIn(QUEUES_FILE), ...queuesIn(join(ROOT, "samples/shops.json"))] }),
  );
  app = await startTestStack({ queuesFile });
  const clientOf = (owner: string) =>
    createOrderClient({
      connection: app.settings["ServiceBus"] ?? "",
      ordersQueue: `orders-${owner}`,
      priorityQueue: `orders-${owner}`,
      replyQueue: `replies-${owner}`,
    });
  [tea, mug, shared] = [clientOf("tea-shop"), clientOf("mug-shop"), openOrderClient(app.settings)];
});
afterAll(async () => {
  await Promise.all([tea?.close(), mug?.close(), shared?.close()]);
  await app?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const ended = ({ processState }: StateRecord) => processState === "Processed" || processState === "Error";
const another = (orderId: string): OrderRequest => ({ ...madeOrder(orderId), currency: "USD" });

async function send(queue: string, order: OrderRequest, replyTo: string, replyToSessionId: string): Promise<void> {
  const sender = app.bus.createSender(queue);
  const applicationProperties = { submissionId: "attack" };
  await sender.sendMessages({
    body: order,
    messageId: order.orderId,
    replyTo,
    replyToSessionId,
    applicationProperties,
  });
  await sender.close();
}

const faultsOf = async (messageId: string) =>
  (await app.records.quarantined()).find((message) => message.messageId === messageId)?.faults;

test("P1 P15 an order by its sender's own queue: record and content keep the owner, each status the content's digest", async () => {
  const order = madeOrder("tea-1");
  const heard: StatusMessage[] = [];
  expect(await tea.submit(order, { onStatus: (status) => heard.push(status) })).toMatchObject({ kind: "completed" });
  expect(new Set(heard.map((status) => status.contentDigest))).toEqual(new Set([contentDigest(order)]));
  expect(await app.eventually("tea-1", ended)).toMatchObject({ owner: "tea-shop" });
  expect((await containerOf(app.settings).item("order", "tea-1").read()).resource).toMatchObject({ owner: "tea-shop" });
  expect(await tea.submit(order)).toMatchObject({ kind: "completed" });
});

test("P1 P15 another sender takes the id first, by its own queue and by a shared one: both rejected, the real order goes through", async () => {
  const fault = expect.stringContaining("orderId: ");
  expect(await mug.submit(another("tea-2"))).toMatchObject({ kind: "rejected", faults: [fault] });
  expect(await shared.submit(another("tea-2"))).toMatchObject({ kind: "rejected", faults: [fault] });
  const heard: StatusMessage[] = [];
  const end = await tea.submit(madeOrder("tea-2"), { onStatus: (status) => heard.push(status) });
  expect(end).toMatchObject({ kind: "completed" });
  expect(heard.map(({ status }) => status)).not.toContain("Rejected");
  expect(await app.eventually("tea-2", ended)).toMatchObject({ owner: "tea-shop", processState: "Processed" });
});

test("P1 P15 an id that is taken by its owner: another sender learns nothing of the order, nor that it is there", async () => {
  const here = await mug.submit(madeOrder("tea-1"));
  expect(await mug.submit(madeOrder("tea-nowhere"))).toEqual({ ...here, orderId: "tea-nowhere" });
});

test("P15 an order that is to be answered on another sender's queue is rejected on its own", async () => {
  await send("orders-mug-shop", madeOrder("mug-1"), "replies-tea-shop", "session-1");
  await expect
    .poll(() => faultsOf("mug-1"), { timeout: 10_000 })
    .toEqual([expect.stringContaining("replyTo: must be")]);
  await send("orders", madeOrder("order-1"), "replies-tea-shop", tea.sessionId);
  await expect.poll(() => faultsOf("order-1"), { timeout: 10_000 }).toEqual([expect.stringContaining("another queue")]);
  const own = await app.bus.acceptSession("replies-mug-shop", "session-1");
  const [told] = await own.receiveMessages(1, { maxWaitTimeInMs: 5000 });
  expect(told?.body).toMatchObject({ orderId: "mug-1", status: "Rejected", submissionId: "attack" });
  await own.close();
  const theirs = app.bus.createReceiver("replies-tea-shop");
  expect(await theirs.peekMessages(10)).toEqual([]);
  await theirs.close();
  expect(await app.records.of(["mug-1", "order-1"])).toEqual([]);
});

test("P15 on a shared queue another takes the id and the session: the client is not told that its order completed", async () => {
  await shared.follow("shared-1", { timeoutMs: 100 });
  await send("orders", another("shared-1"), SESSION_REPLY_QUEUE, shared.sessionId);
  expect(await app.eventually("shared-1", ended)).toMatchObject({ processState: "Processed" });
  const heard: StatusMessage[] = [];
  const end = await shared.submit(madeOrder("shared-1"), { onStatus: (status) => heard.push(status) });
  expect(end).toMatchObject({ kind: "rejected", faults: [`orderId: "shared-1" is the id of another order`] });
  expect(heard.map(({ status }) => status)).toEqual(["Rejected"]);
  expect(await shared.follow("shared-1", { order: madeOrder("shared-1"), timeoutMs: 100 })).toMatchObject({
    kind: "timedOut",
    reason: expect.stringContaining("another one was submitted"),
  });
});
