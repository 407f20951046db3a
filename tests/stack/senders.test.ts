// Senders that are not to be trusted with each other's orders, against the whole stack: each tries to pass for another.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createJobClient, type JobClient, type StatusMessage } from "@scheduler-agent-supervisor/client";
import { contentDigest } from "@scheduler-agent-supervisor/core/agents";
import { createCosmosJobStore } from "@scheduler-agent-supervisor/core/create-app";
import { hasEnded, type StateRecord } from "@scheduler-agent-supervisor/core/domain";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openOrderClient } from "../../cli/common/shop.ts";
import { SESSION_REPLY_QUEUE } from "../../cli/every-app/reply-queues.ts";
import { QUEUES_FILE, ROOT } from "../../cli/settings.ts";
import { type OrderMessage, USUAL_WORKFLOW } from "../../shared/contracts/order.ts";
import type { RefundedRecord } from "../../shared/domain/refund.ts";
import { madeOrder } from "../support/made-order.ts";
import { messagesIn } from "../support/queue-contents.ts";
import { sampleContainer } from "../support/sample-container.ts";
import { containerOf, seenByAll } from "../support/store.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

const folder = mkdtempSync(join(tmpdir(), "senders-"));
let app: TestStack;
let tea: JobClient;
let mug: JobClient;
/** On the queues that several share. */
let shared: JobClient;
beforeAll(async () => {
  const queuesFile = join(folder, "service-bus.json");
  const read = (file: string) => JSON.parse(readFileSync(file, "utf8")) as { queues: object[] };
  const entities = read(QUEUES_FILE);
  const { queues } = read(join(ROOT, "samples/parties.json"));
  writeFileSync(queuesFile, JSON.stringify({ ...entities, queues: [...entities.queues, ...queues] }));
  app = await startTestStack({ queuesFile });
  const clientOf = (owner: string) =>
    createJobClient({
      connection: app.settings["ServiceBus"] ?? "",
      jobsQueue: `orders-${owner}`,
      priorityQueue: `orders-${owner}`,
      replyQueue: `replies-${owner}`,
      idName: "orderId",
      usualWorkflow: USUAL_WORKFLOW,
    });
  [tea, mug, shared] = [clientOf("tea-shop"), clientOf("mug-shop"), openOrderClient(app.settings)];
});
afterAll(async () => {
  await Promise.all([tea?.close(), mug?.close(), shared?.close()]);
  await app?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const ended = ({ processState }: StateRecord) => hasEnded(processState);
const another = (orderId: string): OrderMessage => ({ ...madeOrder(orderId), currency: "USD" });

async function send(queue: string, order: OrderMessage, replyTo: string, replyToSessionId: string): Promise<void> {
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
  const received: StatusMessage[] = [];
  expect(await tea.submit(order, { onStatus: (status) => received.push(status) })).toMatchObject({ kind: "completed" });
  expect(new Set(received.map((status) => status.contentDigest))).toEqual(
    new Set([contentDigest(order, USUAL_WORKFLOW)]),
  );
  expect(await app.eventually("tea-1", ended)).toMatchObject({ owner: "tea-shop" });
  await seenByAll();
  expect((await containerOf(app.settings).item("job", "tea-1").read()).resource).toMatchObject({ owner: "tea-shop" });
  expect(await tea.submit(order)).toMatchObject({ kind: "completed" });
});

test("P1 P15 another sender takes the id first, by its own queue and by a shared one: both rejected, the real order goes through", async () => {
  const fault = expect.stringContaining("orderId: ");
  expect(await mug.submit(another("tea-2"))).toMatchObject({ kind: "rejected", faults: [fault] });
  expect(await shared.submit(another("tea-2"))).toMatchObject({ kind: "rejected", faults: [fault] });
  const received: StatusMessage[] = [];
  const end = await tea.submit(madeOrder("tea-2"), { onStatus: (status) => received.push(status) });
  expect(end).toMatchObject({ kind: "completed" });
  expect(received.map(({ status }) => status)).not.toContain("Rejected");
  expect(await app.eventually("tea-2", ended)).toMatchObject({ owner: "tea-shop", processState: "Processed" });
});

test("P1 P15 an id that is taken by its owner: another sender learns nothing of the order, nor that it is there", async () => {
  const here = await mug.submit(madeOrder("tea-1"));
  expect(await mug.submit(madeOrder("tea-nowhere"))).toEqual({ ...here, jobId: "tea-nowhere" });
});

test("P15 an order that is to be answered on another sender's queue is rejected on its own", async () => {
  await send("orders-mug-shop", madeOrder("mug-1"), "replies-tea-shop", "session-1");
  await expect.poll(() => faultsOf("mug-1")).toEqual([expect.stringContaining("replyTo: must be")]);
  await send("jobs", madeOrder("order-1"), "replies-tea-shop", tea.sessionId);
  await expect.poll(() => faultsOf("order-1")).toEqual([expect.stringContaining("another queue")]);
  const own = await app.bus.acceptSession("replies-mug-shop", "session-1");
  const [published] = await own.receiveMessages(1, { maxWaitTimeInMs: 5000 });
  expect(published?.body).toMatchObject({ jobId: "mug-1", status: "Rejected", submissionId: "attack" });
  await own.close();
  expect(await messagesIn(app.bus, "replies-tea-shop")).toEqual([]);
  expect(await app.records.of(["mug-1", "order-1"])).toEqual([]);
});

test("P15 on a shared queue another takes the id and the session: the client is not notified that its order completed", async () => {
  await shared.follow("shared-1", { timeoutMs: 100 });
  await send("jobs", another("shared-1"), SESSION_REPLY_QUEUE, shared.sessionId);
  expect(await app.eventually("shared-1", ended)).toMatchObject({ processState: "Processed" });
  const received: StatusMessage[] = [];
  const end = await shared.submit(madeOrder("shared-1"), { onStatus: (status) => received.push(status) });
  expect(end).toMatchObject({ kind: "rejected", faults: [`orderId: "shared-1" is the id of another order`] });
  expect(received.map(({ status }) => status)).toEqual(["Rejected"]);
  expect(await shared.follow("shared-1", { job: madeOrder("shared-1"), timeoutMs: 100 })).toMatchObject({
    kind: "timedOut",
    reason: expect.stringContaining("another one was submitted"),
  });
});

test("P13 P15 an order is cancelled by its own sender, and by nobody else who knows what is in it", async () => {
  const order = madeOrder("tea-cancel");
  await app.switchOn("payment", { kind: "slow", delayMs: 3000, calls: 1, match: { orderId: "tea-cancel" } });
  const end = tea.submit(order);
  await app.eventually("tea-cancel", ({ steps }) => steps["reserveStock"]?.state === "Completed");
  const unknown = { kind: "rejected", reason: "there is no such order of yours" };
  expect(await mug.cancel(order)).toMatchObject(unknown);
  expect(await shared.cancel(order)).toMatchObject(unknown);
  expect(await tea.cancel(order)).toMatchObject({ kind: "accepted" });
  expect(await end).toMatchObject({ kind: "cancelled" });
});

describe("P13 P16 returns", () => {
  const SOLD = madeOrder("tea-6");
  const [line] = SOLD.lines;
  const worth = (line?.quantity ?? 0) * (line?.unitPrice ?? 0);
  const returnOf = (orderId: string, amount: number): OrderMessage => ({
    ...SOLD,
    orderId,
    workflow: "returns",
    returnOf: SOLD.orderId,
    lines: [{ sku: "TEA-100", quantity: 1, unitPrice: amount }],
  });
  const refunds = async () =>
    ((await app.effects("payment")) as unknown as { path: string; body: { amount: number; chargeId: string } }[])
      .filter(({ path }) => path === "/refunds")
      .map(({ body }) => body);

  test("another sender's order, an order that was never sold and more than was paid: nothing is paid, and the sender receives the reason", async () => {
    expect(await tea.submit(SOLD)).toMatchObject({ kind: "completed" });
    const nowhere = { ...returnOf("mug-7", 10 ** 8), returnOf: "mug-never" };
    const lines = Array.from({ length: 100 }, () => ({ sku: "TEA-100", quantity: 10_000, unitPrice: 10 ** 8 }));
    const ends = await Promise.all([
      mug.submit(returnOf("mug-6", worth)),
      mug.submit(nowhere),
      tea.submit({ ...returnOf("tea-7", 1), lines }),
    ]);
    expect(ends).toMatchObject([
      { kind: "compensated", reason: expect.stringContaining(`there is no order "tea-6" of this sender`) },
      { kind: "compensated", reason: expect.stringContaining(`there is no order "mug-never" of this sender`) },
      { kind: "compensated", reason: expect.stringContaining(`${worth} is left to refund`) },
    ]);
    expect(await refunds()).toEqual([]);
    expect(await mug.submit({ ...returnOf("mug-8", 1), returnOf: "" })).toMatchObject({ kind: "rejected" });
  });

  test("returns at once refund the order's own charge, and together no more than was captured", async () => {
    const most = Math.ceil(worth / 2) + 1;
    const ends = await Promise.all(["tea-8", "tea-9", "tea-10"].map((id) => tea.submit(returnOf(id, most))));
    expect(ends.map(({ kind }) => kind).toSorted()).toEqual(["compensated", "compensated", "completed"]);
    await seenByAll();
    const sold: RefundedRecord = await app.eventually("tea-6", ended);
    const { chargeId } = sold.steps["capturePayment"]?.result ?? {};
    expect(await refunds()).toEqual([expect.objectContaining({ chargeId, amount: most })]);
    expect(Object.values(sold.refunds ?? {})).toEqual([most]);
    expect(await tea.submit(returnOf("tea-11", worth - most))).toMatchObject({ kind: "completed" });
    const paid = (await refunds()).reduce((sum, { amount }) => sum + amount, 0);
    expect(paid).toBe(worth);
  });

  test("a return of an order that is closed: its documents still go together", async () => {
    const sold = { ...SOLD, orderId: "tea-12" };
    expect(await tea.submit(sold)).toMatchObject({ kind: "completed" });
    const store = createCosmosJobStore(sampleContainer(containerOf(app.settings)));
    await seenByAll();
    const read = await store.state("tea-12");
    if (!read) throw new Error("there is no tea-12");
    const keptUntil = new Date(Date.now() + 3_600_000).toISOString();
    await store.close(read, { ...read.record, keptUntil }, { revisions: 1, keepMs: 3_600_000, secrets: [] });
    const end = await tea.submit({ ...returnOf("tea-13", 1), returnOf: "tea-12" });
    expect(end).toMatchObject({ kind: "completed" });
    await seenByAll();
    const query = containerOf(app.settings).items.query("SELECT c.id, c.ttl, c._ts FROM c", { partitionKey: "tea-12" });
    const [one, other] = (await query.fetchAll()).resources;
    expect(one.ttl).toBeGreaterThan(3500);
    expect([other.ttl, other._ts]).toEqual([one.ttl, one._ts]);
  });
});
