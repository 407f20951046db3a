// P1, P9: dead letters and the quarantine over HTTP on the real stack, with the official SDK on the bus: seen, sent again, removed.

import { ServiceBusClient, type ServiceBusMessage, type ServiceBusReceivedMessage } from "@azure/service-bus";
import { createBusSenders } from "@scheduler-agent-supervisor/core/create-app";
import { hasEnded, type StateRecord } from "@scheduler-agent-supervisor/core/domain";
import type { ActionEntry } from "@scheduler-agent-supervisor/core/store";
import { createServiceBusDeadLetters } from "@scheduler-agent-supervisor/operator/adapters";
import { afterAll, beforeAll, expect, test } from "vitest";
import { contracts } from "../../shared/contracts/order.ts";
import { openAuditLog } from "../support/audit-log.ts";
import { madeOrder } from "../support/made-order.ts";
import { messagesIn } from "../support/queue-contents.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

let app: TestStack;
beforeAll(async () => {
  // Nobody takes start messages or agents' requests: what is sent again lies there to be looked at.
  const idle = ["startAttempt", "fraudQueueAgent"].map((name) => [`AzureWebJobs.${name}.Disabled`, "true"]);
  app = await startTestStack({ appSettings: Object.fromEntries(idle) });
});
afterAll(() => app?.[Symbol.asyncDispose]());

type Json = Record<string, unknown>;
const OPERATOR = { "x-ms-client-principal-name": "ada@example.com" };
const REASON = { reason: "the cause is fixed" };

const ask = (path = "", body?: unknown, headers?: Record<string, string>) =>
  askFor(`dead-letters${path}`, body, headers);

async function askFor(path: string, body?: unknown, headers: Record<string, string> = OPERATOR) {
  const post = { method: "POST", headers: { "content-type": "application/json", ...headers } };
  const options = body === undefined ? {} : { ...post, body: JSON.stringify(body) };
  const response = await app.call(`api/${path}`, options);
  return { status: response.status, body: (await response.json()) as Json };
}

/** A message that asks for an attempt. */
const startOf = (jobId: string) => ({ jobId, attempt: 1, direction: "forward" });

/** Messages, dead-lettered one after the other. */
async function deadLetter(queue: string, ...messages: ServiceBusMessage[]): Promise<void> {
  const sender = app.bus.createSender(queue);
  const receiver = app.bus.createReceiver(queue);
  for (const message of messages) {
    await sender.sendMessages(message);
    const [received] = await receiver.receiveMessages(1);
    if (!received) throw new Error("nothing came");
    const why = { deadLetterReason: "TestReason", deadLetterErrorDescription: "planted by the test" };
    await receiver.deadLetterMessage(received, why);
  }
  await Promise.all([sender.close(), receiver.close()]);
}

async function peek(queue: string, subQueueType?: "deadLetter"): Promise<ServiceBusReceivedMessage[]> {
  const options = { skipParsingBodyAsJson: true, ...(subQueueType && { subQueueType }) };
  return messagesIn(app.bus, queue, options);
}

async function drain(queue: string): Promise<ServiceBusReceivedMessage[]> {
  const receiver = app.bus.createReceiver(queue, { receiveMode: "receiveAndDelete", skipParsingBodyAsJson: true });
  const found = await receiver.receiveMessages(1000, { maxWaitTimeInMs: 500 });
  await receiver.close();
  return found;
}

async function page(queue: string, query = ""): Promise<Json[]> {
  return (await ask(`?queue=${queue}${query}`)).body["messages"] as Json[];
}

async function numberOf(queue: string, messageId: string): Promise<string> {
  const found = (await page(queue, "&limit=100")).find((message) => message["messageId"] === messageId);
  if (!found) throw new Error(`no ${messageId} among the dead letters of ${queue}`);
  return String(found["sequenceNumber"]);
}

async function auditLog(messageId: string): Promise<ActionEntry[]> {
  const entries = await openAuditLog(app.settings);
  return entries.flatMap((entry) =>
    entry.kind === "operatorAction" && entry.message?.messageId === messageId ? [entry] : [],
  );
}

const ended = ({ processState }: StateRecord) => hasEnded(processState);

test("P1 an order that can't be read is corrected and sent again: it goes through, and its shop is notified of it where it asked", async () => {
  const order = { ...madeOrder("corrected-1"), workflow: "three-steps", currency: "euro" };
  const sender = app.bus.createSender("jobs");
  await sender.sendMessages({ body: order, messageId: "corrected-1", replyTo: "replies-shop", correlationId: "c-1" });
  await sender.close();
  await expect.poll(() => page("quarantine")).toHaveLength(1);
  const [summary] = await page("quarantine");
  expect(summary).toMatchObject({
    messageId: "corrected-1",
    jobId: "corrected-1",
    subject: "InvalidSubmission",
    reason: expect.stringContaining("currency"),
  });
  const path = `/quarantine/${summary?.["sequenceNumber"]}`;
  expect(await ask(path)).toMatchObject({
    status: 200,
    body: { replyTo: "replies-shop", body: { kind: "json", json: order }, applicationProperties: { faultCount: 1 } },
  });
  const corrected = { ...order, currency: "EUR" };
  expect(await ask(`${path}/resend`, { ...REASON, body: corrected })).toMatchObject({
    status: 200,
    body: { queue: "quarantine", target: "jobs", removed: true, messageId: expect.stringMatching(/^resent-/) },
  });
  expect(await app.eventually("corrected-1", ended)).toMatchObject({ processState: "Processed", correlationId: "c-1" });
  await expect.poll(() => app.statuses("corrected-1").map(({ subject }) => subject)).toContain("Completed");
  expect(await page("quarantine")).toEqual([]);
  expect(await ask(path)).toMatchObject({ status: 404 });
  expect(await auditLog("corrected-1")).toMatchObject([
    {
      action: "resendDeadLetter",
      operator: "ada@example.com",
      jobId: "corrected-1",
      reason: REASON.reason,
      outcome: expect.stringMatching(/^resent to jobs as resent-.*, with another body$/),
      message: { queue: "quarantine", subject: "InvalidSubmission" },
    },
  ]);
});

test("the queues are listed with their counts, and a queue in pages, the oldest first", async () => {
  const ids = Array.from({ length: 7 }, (_, index) => `paged-${index}`);
  await deadLetter(
    "scheduler",
    ...ids.map((messageId) => ({
      body: startOf(messageId),
      messageId,
      applicationProperties: { aboutJobId: messageId },
    })),
  );
  const { body } = await ask();
  const names = (body["queues"] as Json[]).map(({ queue }) => queue);
  expect(names).toEqual([
    ...["jobs", "jobs-priority", "scheduler", "agent-replies", "agent-requests-fraud", "replies-replacements"],
    ...["quarantine", "quarantine-dead-letters"],
  ]);
  const oldestAt = String((await page("scheduler"))[0]?.["enqueuedAt"]);
  const causes = [{ cause: "TestReason", count: 7, oldestAt }];
  expect(body["queues"]).toContainEqual({ queue: "scheduler", count: 7, isAll: true, oldestAt, causes });
  const seen: unknown[] = [];
  let from = "";
  do {
    const { body: answer } = await ask(`?queue=scheduler&limit=3${from}`);
    const messages = answer["messages"] as Json[];
    expect(messages.length).toBeLessThanOrEqual(3);
    seen.push(...messages.map(({ messageId }) => messageId));
    from = answer["next"] ? `&from=${answer["next"]}` : "";
  } while (from);
  expect(seen).toEqual(ids);
  expect((await page("scheduler"))[0]).toMatchObject({
    reason: "TestReason",
    description: "planted by the test",
    jobId: "paged-0",
    deliveryCount: expect.any(Number),
    bytes: 53,
  });
  // Looking has locked nothing and changed nothing.
  expect(await peek("scheduler", "deadLetter")).toHaveLength(7);
  for (const id of ids) await ask(`/scheduler/${await numberOf("scheduler", id)}/discard`, REASON);
});

test("what is sent again is as it was, byte for byte and property for property, but for its message id", async () => {
  const body = Buffer.from('{"b": 1.0,  "a":12345678901234567890}');
  const properties = { subject: "repeatStart", correlationId: "c-9", replyTo: "r", replyToSessionId: "s", to: "t" };
  const original = { ...properties, contentType: "application/json", timeToLive: 60_000, body, messageId: "same-1" };
  await deadLetter("scheduler", { ...original, applicationProperties: { traceparent: "00-1", count: 3 } });
  const number = await numberOf("scheduler", "same-1");
  const answer = await ask(`/scheduler/${number}/resend`, REASON);
  expect(answer).toMatchObject({ status: 200, body: { target: "scheduler", removed: true } });
  const [again, ...others] = await drain("scheduler");
  expect(others).toEqual([]);
  expect(again).toMatchObject({
    ...properties,
    contentType: "application/json",
    timeToLive: 60_000,
    messageId: answer.body["messageId"],
    applicationProperties: { traceparent: "00-1", count: 3 },
  });
  expect(again?.applicationProperties).not.toHaveProperty("DeadLetterReason");
  expect(Buffer.compare(again?.body, body)).toBe(0);
});

test("a body that AMQP gives a type keeps it, and bytes that are no text are shown as they are", async () => {
  const value = { body: "just text", bodyType: "value", properties: { messageId: "value-1" } } as const;
  await deadLetter("scheduler", value as unknown as ServiceBusMessage);
  await deadLetter("scheduler", { body: Buffer.from([0xff, 0x00]), messageId: "bytes-1" });
  const bytes = await numberOf("scheduler", "bytes-1");
  expect((await ask(`/scheduler/${bytes}`)).body).toMatchObject({ body: { kind: "binary", base64: "/wA=" } });
  await ask(`/scheduler/${await numberOf("scheduler", "value-1")}/resend`, REASON);
  await ask(`/scheduler/${bytes}/resend`, REASON);
  const [first, second] = await drain("scheduler");
  expect(first).toMatchObject({ body: "just text", _rawAmqpMessage: { bodyType: "value" }, correlationId: "value-1" });
  expect(Buffer.compare(second?.body, Buffer.from([0xff, 0x00]))).toBe(0);
});

test("one behind many others is reached; these stay where they are, in their order", async () => {
  const ids = Array.from({ length: 120 }, (_, index) => `deep-${index}`);
  await deadLetter("scheduler", ...ids.map((messageId) => ({ body: messageId, messageId })));
  const number = String(
    (await peek("scheduler", "deadLetter")).find(({ messageId }) => messageId === "deep-110")?.sequenceNumber,
  );
  expect(await ask(`/scheduler/${number}/resend`, REASON)).toMatchObject({ status: 200, body: { removed: true } });
  expect((await drain("scheduler")).map(({ body }) => String(body))).toEqual(['"deep-110"']);
  const left = (await peek("scheduler", "deadLetter")).map(({ messageId }) => messageId);
  expect(left).toEqual(ids.filter((id) => id !== "deep-110"));
  for (const { sequenceNumber } of await peek("scheduler", "deadLetter")) {
    expect((await ask(`/scheduler/${sequenceNumber}/discard`, REASON)).status).toBe(200);
  }
  expect(await page("scheduler")).toEqual([]);
});

test("P12 of two operators at once one sends it; and what somebody else holds is rejected until it is free", async () => {
  await deadLetter("agent-requests-fraud", { body: { ticket: { jobId: "twice-1" } }, messageId: "twice-1" });
  const number = await numberOf("agent-requests-fraud", "twice-1");
  const path = `/agent-requests-fraud/${number}/resend`;
  const both = await Promise.all([ask(path, REASON), ask(path, REASON)]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 404]);
  expect(await drain("agent-requests-fraud")).toHaveLength(1);

  await deadLetter("agent-requests-fraud", { body: {}, messageId: "held-1" });
  const receiver = app.bus.createReceiver("agent-requests-fraud", { subQueueType: "deadLetter" });
  const [held] = await receiver.receiveMessages(1);
  const held1 = `/agent-requests-fraud/${held?.sequenceNumber}`;
  expect(await ask(`${held1}/resend`, REASON)).toMatchObject({
    status: 409,
    body: { reason: expect.stringContaining("try again") },
  });
  if (held) await receiver.abandonMessage(held);
  await receiver.close();
  expect((await ask(`${held1}/discard`, REASON)).status).toBe(200);
  expect(await peek("agent-requests-fraud", "deadLetter")).toEqual([]);
});

test("P16 whoever died between sending and removing leaves the original; sent again, the queue drops the second copy", async () => {
  const name = "agent-requests-fraud";
  await deadLetter(name, { body: { ticket: { jobId: "again-1" } }, messageId: "again-1" });
  const number = await numberOf(name, "again-1");
  const client = new ServiceBusClient(app.settings["ServiceBus"] ?? "");
  const senders = createBusSenders(() => new ServiceBusClient(app.settings["ServiceBus"] ?? ""));
  const queue = { name, queue: name, isSubQueue: true, resendTo: () => name };
  const dies = createServiceBusDeadLetters(client, senders, [queue], contracts).take(queue, number, async (taken) => {
    await taken.resend();
    throw new Error("killed");
  });
  await expect(dies).rejects.toThrow("killed");
  await client.close();
  const sent = await ask(`/${name}/${number}/resend`, REASON);
  expect(sent).toMatchObject({ status: 200, body: { removed: true } });
  expect((await drain(name)).map(({ messageId }) => messageId)).toEqual([sent.body["messageId"]]);
  expect(await peek(name, "deadLetter")).toEqual([]);
});

test("discarded, it is gone, and the audit log says who did it and why", async () => {
  await deadLetter("scheduler", { body: startOf("gone-1"), messageId: "gone-1" });
  const path = `/scheduler/${await numberOf("scheduler", "gone-1")}/discard`;
  expect(await ask(path, {})).toMatchObject({ status: 400, body: { faults: ["reason: is missing"] } });
  expect((await ask(path, REASON, { "content-type": "text/plain" })).status).toBe(415);
  expect((await ask(path, REASON)).status).toBe(200);
  expect((await ask(path, REASON)).status).toBe(404);
  expect(await auditLog("gone-1")).toMatchObject([
    { action: "discardDeadLetter", operator: "ada@example.com", outcome: "discarded", jobId: "gone-1" },
  ]);
});

test("discarded, it can be read and sent again as it was, byte for byte and property for property; then its copy goes", async () => {
  const body = Buffer.from('{"jobId":"back-1",  "attempt":1, "direction":"forward", "a":12345678901234567890}');
  const properties = { subject: "repeatStart", correlationId: "c-7", replyTo: "r", replyToSessionId: "s", to: "t" };
  const at = new Date("2026-01-31T12:00:00.000Z");
  await deadLetter("scheduler", {
    ...properties,
    ...{ contentType: "application/json", timeToLive: 60_000, body, messageId: "back-1" },
    applicationProperties: { traceparent: "00-1", count: 3, isSent: true, at },
  });
  const value = { body: startOf("back-2"), bodyType: "value", properties: { messageId: "back-2" } } as const;
  await deadLetter("scheduler", value as unknown as ServiceBusMessage);
  const keep = async (messageId: string) => {
    const { body: answer } = await ask(`/scheduler/${await numberOf("scheduler", messageId)}/discard`, REASON);
    expect(Date.parse(String(answer["keptUntil"])) - Date.now()).toBeGreaterThan(13 * 86_400_000);
    return String(answer["discarded"]);
  };
  const ids = [await keep("back-1"), await keep("back-2")];
  const one = await askFor("discarded-messages?limit=1");
  const two = await askFor(`discarded-messages?limit=1&continuation=${one.body["continuation"]}`);
  expect([one, two].map((page) => (page.body["discarded"] as Json[])[0]?.["id"])).toEqual([...ids].reverse());
  expect((one.body["discarded"] as Json[])[0]).toMatchObject({
    queue: "scheduler",
    by: "ada@example.com",
    why: REASON.reason,
    message: { jobId: "back-2", reason: "TestReason" },
  });
  const read = await askFor(`discarded-messages/${ids[0]}`);
  expect(read.body["message"]).toMatchObject({ messageId: "back-1", subject: "repeatStart", body: { kind: "json" } });
  for (const id of ids) {
    expect(await askFor(`discarded-messages/${id}/resend`, REASON)).toMatchObject({
      status: 200,
      body: { target: "scheduler" },
    });
    expect((await askFor(`discarded-messages/${id}`)).status).toBe(404);
  }
  const [first, second] = await drain("scheduler");
  expect(first).toMatchObject({ ...properties, contentType: "application/json", timeToLive: 60_000 });
  expect(first?.applicationProperties).toEqual({ traceparent: "00-1", count: 3, isSent: true, at: at.getTime() });
  expect(Buffer.compare(first?.body, body)).toBe(0);
  expect(second).toMatchObject({ body: startOf("back-2"), _rawAmqpMessage: { bodyType: "value" } });
  expect(await auditLog("back-1")).toMatchObject([{ action: "discardDeadLetter" }, { action: "resendDiscarded" }]);
});

test("copies of discarded messages go with their order", async () => {
  await app.shop.send({ ...madeOrder("erased-1"), workflow: "three-steps" });
  await app.eventually("erased-1", (record) => ended(record) && record.outbox.length === 0);
  await deadLetter("scheduler", { body: startOf("erased-1"), messageId: "erased-1" });
  const { body } = await ask(`/scheduler/${await numberOf("scheduler", "erased-1")}/discard`, REASON);
  expect((await askFor(`discarded-messages/${body["discarded"]}`)).status).toBe(200);
  expect((await askFor("jobs/erased-1/erase", REASON)).status).toBe(200);
  expect((await askFor(`discarded-messages/${body["discarded"]}`)).status).toBe(404);
});

test("a queue and a message that are not there, and a query that is at fault", async () => {
  expect(await ask("?queue=replies-shop")).toMatchObject({
    status: 404,
    body: { error: expect.stringContaining("quarantine") },
  });
  expect((await ask("/replies-shop/1")).status).toBe(404);
  expect((await ask("/jobs/1")).status).toBe(404);
  expect((await ask("/jobs/x")).status).toBe(404);
  expect((await ask("/jobs/99999999999999999999/discard", REASON)).status).toBe(404);
  expect(await ask("?queue=jobs&limit=101&from=x")).toMatchObject({ status: 400, body: { faults: [{}, {}] } });
});

test("a reply that can't be read goes back to the queue of replies; one that is too large for it goes nowhere", async () => {
  const sender = app.bus.createSender("agent-replies");
  await sender.sendMessages({ body: { ticket: null }, messageId: "reply-1" });
  await sender.close();
  const replies = async () => (await page("quarantine")).filter(({ subject }) => subject === "InvalidReply");
  await expect.poll(replies).toHaveLength(1);
  const path = `/quarantine/${(await replies())[0]?.["sequenceNumber"]}`;
  expect(await ask(`${path}/resend`, { ...REASON, body: "x".repeat(270_000) })).toMatchObject({
    status: 409,
    body: { reason: "it is larger than agent-replies takes" },
  });
  expect(await ask(`${path}/resend`, REASON)).toMatchObject({ status: 200, body: { target: "agent-replies" } });
  // It still can't be read, and comes back as another message.
  await expect.poll(async () => (await ask(path)).status).toBe(404);
  await expect.poll(replies).toHaveLength(1);
});
