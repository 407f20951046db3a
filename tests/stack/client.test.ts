// The client for submitting applications, and `send --wait`, against the whole stack.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createJobClient,
  type JobClient,
  JobClientError,
  type StatusMessage,
} from "@scheduler-agent-supervisor/client";
import { createBusSenders, createServiceBusMessenger } from "@scheduler-agent-supervisor/core/create-app";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openOrderClient } from "../../cli/common/shop.ts";
import { REPLY_QUEUE, SESSION_REPLY_QUEUE } from "../../cli/every-app/reply-queues.ts";
import { writeStackFile } from "../../cli/every-app/stack-file.ts";
import { ROOT } from "../../cli/settings.ts";
import { USUAL_WORKFLOW } from "../../shared/contracts/order.ts";
import { madeOrder } from "../support/made-order.ts";
import { seenByAll } from "../support/store.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

const data = mkdtempSync(join(tmpdir(), "client-"));
let app: TestStack;
let client: JobClient;
beforeAll(async () => {
  app = await startTestStack();
  writeStackFile(data, app.settings);
  client = openOrderClient(app.settings);
});
afterAll(async () => {
  await client?.close();
  await app?.[Symbol.asyncDispose]();
  rmSync(data, { recursive: true, force: true });
});

const queues = {
  jobsQueue: "jobs",
  idName: "orderId",
  priorityQueue: "jobs-priority",
  replyQueue: SESSION_REPLY_QUEUE,
  usualWorkflow: USUAL_WORKFLOW,
};

const reject = (orderId: string) =>
  app.switchOn("payment", { kind: "reject", status: 402, message: "the card has expired", match: { orderId } });

test("P15 submit resolves when the order has completed, and delivers each status once, in order", async () => {
  const received: StatusMessage[] = [];
  const end = await client.submit(madeOrder("await-1"), { onStatus: (status) => received.push(status) });
  const outputs = { chargeId: expect.any(String), shipmentId: expect.any(String) };
  expect(end).toEqual({ kind: "completed", jobId: "await-1", outputs, received });
  const statuses = received.map(({ status }) => status);
  expect(statuses.slice(0, 2)).toEqual(["Received", "Started"]);
  expect(statuses.at(-1)).toBe("Completed");
  expect(new Set(received.map(({ messageId }) => messageId)).size).toBe(received.length);
  expect(new Set(received.map(({ correlationId }) => correlationId))).toEqual(new Set(["await-1"]));
  // What went to a session did not go to the queue that has none.
  expect(app.statuses("await-1")).toEqual([]);
});

test("P15 P25 who wants the end alone is notified of nothing else, and gets what the workflow lets out", async () => {
  const end = await client.submit(madeOrder("end-1"), { statuses: "end" });
  if (end.kind !== "completed") throw new Error(JSON.stringify(end));
  expect(end.received.map(({ status }) => status)).toEqual(["Completed"]);
  await seenByAll();
  const [record] = await app.records.of(["end-1"]);
  expect(end.outputs).toEqual({
    chargeId: record?.steps["takePayment"]?.result?.["chargeId"],
    shipmentId: record?.steps["arrangeShipping"]?.result?.["shipmentId"],
  });
});

test("P13 P15 P24 a requester cancels: what is done is compensated, and an order that is done stays", async () => {
  const order = madeOrder("cancel-1");
  await app.switchOn("payment", { kind: "slow", delayMs: 2000, calls: 1, match: { orderId: "cancel-1" } });
  const end = client.submit(order);
  await app.eventually("cancel-1", ({ steps }) => steps["reserveStock"]?.state === "Completed");
  expect(await client.cancel(order, { reason: "changed my mind" })).toMatchObject({ kind: "accepted" });
  expect(await end).toMatchObject({ kind: "cancelled", reason: expect.stringContaining("changed my mind") });
  const done = madeOrder("cancel-2");
  expect(await client.submit(done)).toMatchObject({ kind: "completed" });
  expect(await client.cancel(done)).toMatchObject({ kind: "rejected", reason: expect.stringContaining("Processed") });
  expect(await client.cancel({ ...done, currency: "USD" })).toMatchObject({
    kind: "rejected",
    reason: "there is no such order of yours",
  });
});

test("P15 a step's message names the step, in its id too", async () => {
  const end = await client.submit(madeOrder("steps-1"));
  if (end.kind !== "completed") throw new Error(JSON.stringify(end));
  const steps = end.received.filter(({ status }) => status === "StepCompleted");
  expect(steps.map(({ messageId, step }) => messageId === `steps-1:1:StepCompleted:${step}`)).toEqual(
    steps.map(() => true),
  );
  await seenByAll();
  const [record] = await app.records.of(["steps-1"]);
  expect(steps.map(({ step }) => step).toSorted()).toEqual(Object.keys(record?.steps ?? {}).toSorted());
  const outputs = steps.map(({ step, outputs: named = {} }) => [step, Object.keys(named)]);
  expect(outputs).toContainEqual(["takePayment", ["chargeId"]]);
  expect(outputs).toContainEqual(["reserveStock", []]);
});

test("P1 an urgent order goes by its own queue, and submitting twice makes one order and two answers", async () => {
  const order = { ...madeOrder("twice-2"), priority: "high" } as const;
  const ends = await Promise.all([client.submit(order), client.submit(order)]);
  expect(ends.map(({ kind }) => kind)).toEqual(["completed", "completed"]);
  expect(await client.submit(order)).toMatchObject({ kind: "completed" });
  expect(await client.follow("twice-2")).toMatchObject({ kind: "completed" });
  const effects = await app.effects("payment", "twice-2");
  expect(new Set(effects.map(({ key }) => key)).size).toBe(effects.length);
  for (const { calls } of effects) expect(calls).toBe(1);
});

test("P9 P15 a rejection for good is a failure with its reason", async () => {
  await reject("rejected-2");
  expect(await client.submit(madeOrder("rejected-2"))).toMatchObject({
    kind: "failed",
    reason: "the card has expired",
  });
});

test("P15 two clients at once on one queue each receive only their own", async () => {
  await using other = openOrderClient(app.settings);
  const submitAll = async (one: JobClient, name: string) => {
    const received = new Set<string>();
    const onStatus = ({ jobId: orderId }: StatusMessage) => void received.add(orderId);
    const ids = Array.from({ length: 10 }, (_, index) => `${name}-${index}`);
    const ends = await Promise.all(ids.map((id) => one.submit(madeOrder(id), { onStatus })));
    expect(ends.map(({ kind }) => kind)).toEqual(ids.map(() => "completed"));
    expect(received).toEqual(new Set(ids));
  };
  await Promise.all([submitAll(client, "mine"), submitAll(other, "theirs")]);
  expect(await client.follow("theirs-1", { timeoutMs: 200 })).toMatchObject({ kind: "timedOut", received: [] });
});

test("a time-out says what was received; following receives the rest", async () => {
  await app.switchOn("shipping", { kind: "slow", delayMs: 1500, match: { orderId: "slow-1" } });
  const end = await client.submit(madeOrder("slow-1"), { timeoutMs: 1000 });
  expect(end).toMatchObject({ kind: "timedOut", sent: true, reason: expect.stringContaining("last word") });
  expect(await client.follow("slow-1")).toMatchObject({ kind: "completed" });
});

test("an aborted wait rejects with the signal's reason, and leaves the order alone", async () => {
  const reason = new Error("enough");
  const stop = new AbortController();
  const waiting = client.submit(madeOrder("abort-1"), {
    signal: stop.signal,
    onStatus: () => stop.abort(reason),
  });
  await expect(waiting).rejects.toBe(reason);
  expect(await client.follow("abort-1")).toMatchObject({ kind: "completed" });
});

test("a client that takes up its session again receives what it missed", async () => {
  const sessionId = "shop-7";
  const options = { connection: app.settings["ServiceBus"] ?? "", ...queues, sessionId };
  const first = createJobClient(options);
  await app.switchOn("shipping", { kind: "slow", delayMs: 1000, match: { orderId: "restart-1" } });
  expect(await first.submit(madeOrder("restart-1"), { timeoutMs: 500 })).toMatchObject({ kind: "timedOut" });
  await first.close();
  await app.eventually("restart-1", ({ processState }) => processState === "Processed");
  await using second = createJobClient(options);
  expect(await second.follow("restart-1")).toMatchObject({ kind: "completed" });
});

test("what can't be received or sent is said before anything is ordered", async () => {
  const connection = app.settings["ServiceBus"] ?? "";
  const faultWith = async (changes: Partial<typeof queues>): Promise<unknown> => {
    await using faulty = createJobClient({ connection, ...queues, ...changes });
    return await faulty.submit(madeOrder("unsent-1")).catch((cause: unknown) => cause);
  };
  const unnamed = await faultWith({ usualWorkflow: "" });
  expect(unnamed).toMatchObject({
    kind: "rejected",
    sent: false,
    reason: expect.stringContaining("names no workflow"),
  });
  expect(await faultWith({ replyQueue: "replies-nowhere" })).toMatchObject({ fault: "noQueue", retriable: false });
  expect(await faultWith({ replyQueue: REPLY_QUEUE })).toMatchObject({ fault: "noSessions" });
  expect(await faultWith({ jobsQueue: "nowhere" })).toMatchObject({ fault: "noQueue" });
  await client.follow("unsent-1", { timeoutMs: 100 });
  await using second = createJobClient({ connection, ...queues, sessionId: client.sessionId });
  const held = await second.submit(madeOrder("unsent-1")).catch((cause: unknown) => cause);
  expect(held).toMatchObject({ fault: "sessionHeld", retriable: true });
  const large = { ...madeOrder("large-1"), paymentToken: "x".repeat(300_000) };
  expect(await client.submit(large)).toMatchObject({ kind: "rejected", jobId: "large-1" });
  expect(await app.records.of(["unsent-1", "large-1"])).toEqual([]);
});

test("whoever still waits when the client is closed is notified so", async () => {
  const closing = openOrderClient(app.settings);
  const waiting = closing.follow("never-1").catch((cause: unknown) => cause);
  const submitted = closing.submit(madeOrder("closing-1")).catch((cause: unknown) => cause);
  await new Promise((resolve) => setTimeout(resolve, 20));
  await closing.close();
  for (const cause of [await waiting, await submitted]) expect(cause).toBeInstanceOf(JobClientError);
  await expect(closing.follow("never-1")).rejects.toMatchObject({ fault: "closed" });
});

test("the broker's death is outlived: the session is taken again, and nothing is missed", async () => {
  await app.switchOn("shipping", { kind: "slow", delayMs: 3000, match: { orderId: "outage-1" } });
  const started = Promise.withResolvers<void>();
  const waiting = client.submit(madeOrder("outage-1"), {
    onStatus: ({ status }) => status === "Started" && started.resolve(),
    // Where the store dies under a step that is not taken up yet, its next attempt comes 30 s later.
    timeoutMs: 90_000,
  });
  await started.promise;
  await app.stack.kill("services");
  await app.stack.restart("services");
  expect(await waiting).toMatchObject({ kind: "completed" });
});

test("P15 what a client says of its session: a number is its text, none where one is needed stops no order, too long is a fault", async () => {
  const sender = app.bus.createSender("jobs");
  const request = (orderId: string) => ({ body: madeOrder(orderId), messageId: orderId, replyTo: SESSION_REPLY_QUEUE });
  await sender.sendMessages([
    { ...request("session-1"), replyToSessionId: "42" },
    request("session-2"),
    { ...request("session-3"), replyToSessionId: "x".repeat(129) },
  ]);
  await sender.close();
  await using numbered = createJobClient({
    connection: app.settings["ServiceBus"] ?? "",
    ...queues,
    sessionId: "42",
  });
  expect(await numbered.follow("session-1")).toMatchObject({ kind: "completed" });
  expect(await app.eventually("session-2", ({ processState }) => processState === "Processed")).toBeDefined();
  const faults = async () =>
    (await app.records.quarantined()).find(({ messageId }) => messageId === "session-3")?.faults;
  await expect.poll(faults).toEqual([expect.stringContaining("replyToSessionId")]);
});

test("P1 P15 a rejected submission is reported to its sender, with every fault", async () => {
  const received: StatusMessage[] = [];
  const bad = { ...madeOrder("rejected-1"), currency: "euro", lines: [] };
  const end = await client.submit(bad, { onStatus: (status) => received.push(status) });
  const faults = [expect.stringContaining("lines"), expect.stringContaining("currency")];
  expect(end).toMatchObject({ kind: "rejected", jobId: "rejected-1", sent: true, faults });
  expect(received).toMatchObject([{ status: "Rejected", attempt: 0, correlationId: "rejected-1" }]);
  // Put right, it is the first order of this id.
  expect(await client.submit(madeOrder("rejected-1"))).toMatchObject({ kind: "completed" });
});

test("P15 the rejection of another order under a known id ends its own submission, and not the first one's", async () => {
  await app.switchOn("shipping", { kind: "slow", delayMs: 1500, match: { orderId: "collides-1" } });
  const started = Promise.withResolvers<void>();
  const received: string[] = [];
  const first = client.submit(madeOrder("collides-1"), {
    onStatus({ status }) {
      received.push(status);
      if (status === "Started") started.resolve();
    },
  });
  await started.promise;
  const other = { ...madeOrder("collides-1"), currency: "USD" };
  const fault = `orderId: "collides-1" is the id of another order`;
  const receivedOfOther: string[] = [];
  const end = await client.submit(other, { onStatus: ({ status }) => receivedOfOther.push(status) });
  expect(end).toMatchObject({ kind: "rejected", faults: [fault] });
  expect(receivedOfOther).toEqual(["Rejected"]);
  expect(await first).toMatchObject({ kind: "completed" });
  expect(received).not.toContain("Rejected");
  expect(await client.submit(other)).toMatchObject({ kind: "rejected", faults: [fault] });
});

test("P11 a start message may be sent for later", async () => {
  const senders = createBusSenders(() => app.bus);
  // To where this test listens, in the place of the scheduler's queue.
  const messenger = createServiceBusMessenger(
    { ...senders, send: (_, message) => senders.send(REPLY_QUEUE, message) },
    { agentReplies: "agent-replies" },
  );
  const startAttempt = { jobId: "later-1", attempt: 2, direction: "forward" } as const;
  const at = new Date(Date.now() + 1500).toISOString();
  await messenger.startAttempt(startAttempt, { at });
  await expect.poll(() => app.statuses("later-1")).toHaveLength(1);
  expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(at));
});

interface Sent {
  readonly code: number | null;
  readonly output: string;
}

function send(...args: string[]): Promise<Sent> {
  const child = spawn(process.execPath, ["-C", "sources", join(ROOT, "cli", "send.ts"), ...args, "--data", data]);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)));
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, output })));
}

function orderFile(order: Record<string, unknown>): string {
  const file = join(data, `${String(order["orderId"])}.json`);
  writeFileSync(file, JSON.stringify(order));
  return file;
}

test("send FILE --wait prints each status as a plain line, and exits 0 only if all completed", async () => {
  const good = orderFile({ ...madeOrder("sent-1") });
  const sent = await send(good, "--wait");
  expect(sent.code, sent.output).toBe(0);
  const statuses = sent.output.split("\n").flatMap((line) => / sent-1 +(\w+)/.exec(line)?.[1] ?? []);
  expect(statuses.slice(0, 2)).toEqual(["Received", "Started"]);
  expect(statuses.at(-1)).toBe("Completed");
  expect(sent.output).toContain("1 order: 1 completed");
  expect(sent.output).not.toContain("\u001b");

  await reject("sent-2");
  const mixed = await send(orderFile({ ...madeOrder("sent-2") }), orderFile({ ...madeOrder("sent-3") }), "--wait");
  expect(mixed.code, mixed.output).toBe(1);
  expect(mixed.output).toContain("Failed the card has expired");
  expect(mixed.output).toContain("2 orders: 1 completed, 1 failed");
});

test("send --statuses end has the app send the end alone, with the workflow's outputs", async () => {
  const sent = await send(orderFile({ ...madeOrder("sent-end") }), "--wait", "--statuses", "end");
  expect(sent.code, sent.output).toBe(0);
  expect(sent.output.split("\n").filter((line) => line.includes(" sent-end "))).toEqual([
    expect.stringMatching(/Completed chargeId \S+, shipmentId \S+$/),
  ]);
});

test("send --count --wait waits for all", async () => {
  const sent = await send("--count", "20", "--wait", "--timeout", "25");
  expect(sent.code, sent.output).toBe(0);
  expect(sent.output).toContain("20 orders: 20 completed");
});

test("send --wait says what is wrong with an order, and at once which was sent before", async () => {
  const bad = orderFile({ ...madeOrder("bad order"), currency: "euro" });
  const again = orderFile({ ...madeOrder("sent-1") });
  const nameless = join(data, "nameless.json");
  writeFileSync(nameless, "{}");
  const sent = await send(bad, again, nameless, "--wait", "--timeout", "2");
  expect(sent.code, sent.output).toBe(1);
  expect(sent.output).toMatch(/bad order +Rejected \n {2}- orderId.*\n {2}- currency/);
  expect(sent.output).toMatch(/sent-1 +not sent: It was submitted before with the same content, and is Processed/);
  expect(sent.output).toMatch(/nameless\.json +not sent: The job needs its orderId/);
  expect(sent.output).toContain("3 orders: 1 rejected, 2 not sent");
});
