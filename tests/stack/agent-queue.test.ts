// P7: an agent that is elsewhere, as in another language: it knows the queues and the messages, and nothing of this app.

import { gzipSync } from "node:zlib";
import type { ServiceBusReceivedMessage } from "@azure/service-bus";
import { hasEnded, type ProcessState } from "@scheduler-agent-supervisor/core/domain";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openAuditLog } from "../support/audit-log.ts";
import { madeOrder } from "../support/made-order.ts";
import { messagesIn } from "../support/queue-contents.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

interface Request {
  readonly ticket: {
    readonly jobId: string;
    readonly attempt: number;
    readonly step: string;
    readonly nonce: string;
  };
  readonly operation: string;
  readonly completeBy: string;
  readonly idempotencyKey: string;
  readonly job: { readonly orderId: string };
}

const REQUESTS = "agent-requests-fraud";
const STEP_MS = 10_000;

/** This test is the agent. */
const ELSEWHERE = { "AzureWebJobs.fraudQueueAgent.Disabled": "true" };

let app: TestStack;
beforeAll(async () => {
  app = await startTestStack({ appSettings: { ...ELSEWHERE, StartWithin: "PT5S" } });
});
afterAll(() => app?.[Symbol.asyncDispose]());

/** The next request of an order; requests of others are none of this test's affair. */
async function nextRequest(orderId: string, bus = app.bus): Promise<ServiceBusReceivedMessage & { body: Request }> {
  const receiver = bus.createReceiver(REQUESTS, { receiveMode: "receiveAndDelete" });
  try {
    for (let message = await one(); message; message = await one()) {
      if (message.body.ticket.jobId === orderId) return message;
    }
    throw new Error(`there was no request for ${orderId}`);
  } finally {
    await receiver.close();
  }

  async function one() {
    return (await receiver.receiveMessages(1, { maxWaitTimeInMs: STEP_MS }))[0];
  }
}

async function reply(to: ServiceBusReceivedMessage, answer: object, bus = app.bus): Promise<void> {
  const sender = bus.createSender(to.replyTo ?? "");
  await sender.sendMessages({ body: { ticket: to.body.ticket, ...answer }, correlationId: to.messageId as string });
  await sender.close();
}

const DONE = { kind: "done", result: { checkId: "chk-1" } } as const;
const ended = ({ processState }: { processState: ProcessState }) => hasEnded(processState);

test("P7 the request says what to do, until when, under which key and where to reply; the reply is recorded", async () => {
  await app.shop.send(madeOrder("ask-1"));
  const request = await nextRequest("ask-1");
  expect(request).toMatchObject({
    subject: "check",
    replyTo: "agent-replies",
    messageId: "ask-1:1:checkFraud:forward",
    correlationId: expect.stringMatching(/^ask-1-1@/),
    body: {
      operation: "check",
      idempotencyKey: "ask-1:checkFraud:forward",
      job: { orderId: "ask-1" },
      compensates: null,
    },
  });
  expect(Object.keys(request.body["results" as keyof Request])).toEqual(["reserveStock"]);
  // What the agent declares, and nothing else of the order: neither its payment token nor where it goes.
  expect(Object.keys(request.body.job).sort()).toEqual(["currency", "customer", "lines", "orderId", "shipTo"]);
  expect(JSON.stringify(request.body.job)).not.toMatch(/tok_|street|sku/);
  const leftMs = Date.parse(request.body.completeBy) - Number(request.enqueuedTimeUtc);
  expect(request.timeToLive).toBeGreaterThan(0);
  expect(request.timeToLive).toBeLessThanOrEqual(leftMs + 1000);
  await reply(request, DONE);
  const record = await app.eventually("ask-1", ended);
  expect(record).toMatchObject({ processState: "Processed", attempt: 1 });
  expect(record.steps["checkFraud"]).toMatchObject({ result: { checkId: "chk-1" }, endpoint: "queue of fraud" });
});

test("P7 a forged reply completes nothing: neither of a step that no queue is asked for, nor without the nonce that the agent got", async () => {
  await app.switchOn("payment", { kind: "slow", delayMs: 1500, calls: 1, match: { orderId: "forged-1" } });
  await app.shop.send(madeOrder("forged-1"));
  const request = await nextRequest("forged-1");
  const forged = { ...DONE, result: { chargeId: "ch-forged", checkId: "chk-forged" } };
  const { nonce, ...known } = request.body.ticket;
  expect(nonce).toMatch(/^[0-9a-f-]{36}$/);
  const tickets = [
    { ...known, nonce, step: "takePayment" },
    known,
    { ...known, nonce: nonce.replaceAll(/[0-9]/g, "7") },
  ];
  for (const ticket of tickets)
    await reply({ ...request, body: { ...request.body, ticket } } as typeof request, forged);
  await expect.poll(async () => (await messagesIn(app.bus, "agent-replies")).length).toBe(0);
  await reply(request, DONE);
  const { steps } = await app.eventually("forged-1", ended);
  expect(steps["checkFraud"]?.result).toEqual(DONE.result);
  expect(steps["takePayment"]?.result).not.toMatchObject({ chargeId: "ch-forged" });
  expect((await app.effects("payment", "forged-1")).length).toBe(2);
  // Who sent them is not known: they are written nowhere.
  const late = (await openAuditLog(app.settings)).filter((one) => one.kind === "lateReply" && one.jobId === "forged-1");
  expect(late).toEqual([]);
  const shown = await app.call("api/jobs/forged-1");
  expect(await shown.text()).not.toContain(nonce);
});

test("P7 P8 a late reply changes nothing and stands in the audit log; the next attempt asks anew under the same key", async () => {
  await app.shop.send(madeOrder("ask-2"));
  const first = await nextRequest("ask-2");
  // It says that it is at work, and never ends.
  await reply(first, { kind: "started" });
  await app.eventually("ask-2", ({ attempt }) => attempt === 2, STEP_MS + 10_000);
  await reply(first, { kind: "done", result: { checkId: "late" } });
  const second = await nextRequest("ask-2");
  expect(second.messageId).toBe("ask-2:2:checkFraud:forward");
  expect(second.body.idempotencyKey).toBe(first.body.idempotencyKey);
  await reply(second, DONE);
  const record = await app.eventually("ask-2", ended);
  expect(record).toMatchObject({ processState: "Processed", attempt: 2, failureCount: 1 });
  expect(record.steps["checkFraud"]).toMatchObject({ result: { checkId: "chk-1" }, retryCount: 1 });
  const late = () =>
    openAuditLog(app.settings).then((entries) =>
      entries.filter((entry) => entry.kind === "lateReply" && entry.jobId === "ask-2"),
    );
  await expect.poll(late).toMatchObject([{ jobId: "ask-2", attempt: 1, step: "checkFraud" }]);
});

test("P7 P26 a request that nobody takes up is made again, and no failure is counted", async () => {
  await app.shop.send(madeOrder("ask-6"));
  await app.eventually("ask-6", ({ attempt }) => attempt === 2, 20_000);
  // The first request has ended in its queue.
  const again = await nextRequest("ask-6");
  expect(again.body.ticket.attempt).toBeGreaterThan(1);
  await reply(again, DONE);
  const record = await app.eventually("ask-6", ended);
  expect(record).toMatchObject({ processState: "Processed", failureCount: 0 });
  expect(record.steps["checkFraud"]).toMatchObject({ retryCount: 0, waitCount: record.attempt - 1 });
  // Its time over, a request is gone: it is no dead letter, however long nobody reads.
  expect(await deadLetters()).toEqual([]);
});

test("P7 P26 an agent that can't do it now is asked again when it says: the same step, under the same key, in a message of its own", async () => {
  await app.shop.send(madeOrder("ask-7"));
  const first = await nextRequest("ask-7");
  await reply(first, { kind: "unavailable", message: "our database is away", retryAfterMs: 1500 });
  const again = await nextRequest("ask-7");
  expect(again.messageId).toMatch(/^ask-7:1:checkFraud:forward:[\da-z]{6}$/);
  expect(again.body).toMatchObject({ idempotencyKey: first.body.idempotencyKey, mayHaveHappened: true });
  expect(Number(again.enqueuedTimeUtc) - Number(first.enqueuedTimeUtc)).toBeGreaterThanOrEqual(1500);
  const left = { expiry: { attempt: 1, tries: 1, message: "our database is away" } };
  await app.eventually("ask-7", ({ steps }) => steps["checkFraud"]?.state === "Running");
  await reply(again, DONE);
  const record = await app.eventually("ask-7", ended);
  expect(record).toMatchObject({ processState: "Processed", attempt: 1, failureCount: 0 });
  expect(record.steps["checkFraud"]).toMatchObject({ result: { checkId: "chk-1" }, ...left });
  expect(await deadLetters()).toEqual([]);
});

test("P7 P9 an agent whose result is not as it was declared is asked again; what it declares is recorded, and nothing else", async () => {
  await app.shop.send(madeOrder("ask-8"));
  await reply(await nextRequest("ask-8"), { kind: "done", result: { checkId: 7 } });
  const again = await nextRequest("ask-8");
  expect(again.body).toMatchObject({ ticket: { round: 2 }, mayHaveHappened: true });
  await reply(again, { kind: "done", result: { checkId: "chk-8", score: 3 } });
  const record = await app.eventually("ask-8", ended);
  expect(record).toMatchObject({ processState: "Processed", attempt: 1, failureCount: 0 });
  expect(record.steps["checkFraud"]).toMatchObject({
    result: { checkId: "chk-8" },
    expiry: { tries: 1, message: expect.stringContaining("result.checkId"), misconfigured: true },
  });
  expect(record.steps["checkFraud"]?.result).not.toHaveProperty("score");
});

test("P7 a reply that comes twice is recorded once", async () => {
  await app.shop.send(madeOrder("ask-3"));
  const request = await nextRequest("ask-3");
  await Promise.all([reply(request, DONE), reply(request, DONE)]);
  expect(await app.eventually("ask-3", ended)).toMatchObject({ processState: "Processed", attempt: 1 });
  await reply(request, { kind: "done", result: { checkId: "another" } });
  await expect.poll(async () => (await messagesIn(app.bus, "agent-replies")).length).toBe(0);
  const [record] = await app.records.of(["ask-3"]);
  expect(record?.steps["checkFraud"]?.result).toEqual({ checkId: "chk-1" });
  expect(record?.history.filter(({ what }) => what.startsWith("checkFraud"))).toHaveLength(1);
});

test("P7 P9 P33 an agent's rejection for good, and a reply that can't be read: compensated, and kept with its faults", async () => {
  await app.shop.send(madeOrder("ask-4"));
  const request = await nextRequest("ask-4");
  await reply(request, { kind: "finished", result: 7 });
  const quarantined = async () => (await app.records.quarantined()).flatMap(({ faults }) => faults).join();
  await expect.poll(quarantined).toContain("kind");
  await reply(request, { kind: "rejected", message: "known to steal tea" });
  const record = await app.eventually("ask-4", (one) => ended(one) && one.outbox.length === 0);
  expect(record.processState).toBe("Compensated");
  expect(record.error).toMatchObject({ kind: "rejected", message: expect.stringContaining("known to steal tea") });
});

test("P7 P16 a reply that comes while no host runs is not lost", { timeout: 120_000 }, async () => {
  // The step waits longer than a busy machine takes to start a host: after that the reply is late.
  await using patient = await startTestStack({ appSettings: { ...ELSEWHERE, StartWithin: "PT2M" } });
  const { stack, shop, bus } = patient;
  await shop.send(madeOrder("ask-5"));
  const request = await nextRequest("ask-5", bus);
  await stack.kill("host", "SIGKILL");
  await reply(request, DONE, bus);
  await stack.restart("host");
  const record = await patient.eventually("ask-5", ended, 90_000);
  expect(record).toMatchObject({ processState: "Processed", attempt: 1, failureCount: 0 });
});

async function deadLetters() {
  const found = await messagesIn(app.bus, REQUESTS, { subQueueType: "deadLetter" });
  return found.map(({ messageId, deadLetterReason }) => [messageId, deadLetterReason]);
}

async function replyWith(to: ServiceBusReceivedMessage, answer: string, properties: object = {}): Promise<void> {
  const body = `{"ticket":${JSON.stringify(to.body.ticket)},${answer.slice(1)}`;
  const sender = app.bus.createSender(to.replyTo ?? "");
  await sender.sendMessages({ body: Buffer.from(body), correlationId: to.messageId as string, ...properties });
  await sender.close();
}

test("[replies | a reply received | an id beyond 2^53] it is kept as it came, digit by digit", async () => {
  await app.shop.send(madeOrder("large-id-1"));
  const request = await nextRequest("large-id-1");
  await replyWith(request, '{"kind":"done","result":{"checkId":9007199254740993}}');
  const record = await app.eventually("large-id-1", ({ steps }) => steps["checkFraud"]?.state === "Completed");
  expect(record.steps["checkFraud"]?.result).toEqual({ checkId: "9007199254740993" });
});

test("[replies | a reply received | compressed, or with a member twice] it is kept in the quarantine with its faults, its ids and its bytes", async () => {
  await app.shop.send(madeOrder("odd-reply-1"));
  const request = await nextRequest("odd-reply-1");
  const packed = gzipSync("{}");
  await replyWith(request, '{"kind":"done"}', { body: packed, messageId: "1002" });
  await replyWith(request, '{"kind":"done","result":{"checkId":"a","checkId":"b"}}', { messageId: "twice" });
  const kept = async (id: string) =>
    (await messagesIn(app.bus, "quarantine", { skipParsingBodyAsJson: true })).find(
      ({ messageId }) => messageId === id,
    );
  await expect.poll(async () => (await kept("1002")) && (await kept("twice")), { timeout: STEP_MS }).toBeTruthy();
  const one = await kept("1002");
  expect(one).toMatchObject({ subject: "InvalidReply", correlationId: request.messageId });
  expect(one?.applicationProperties?.["fault1"]).toContain("compressed with gzip");
  expect(Buffer.compare(one?.body, packed)).toBe(0);
  expect((await kept("twice"))?.applicationProperties?.["fault1"]).toBe("result.checkId: is there twice");
});
