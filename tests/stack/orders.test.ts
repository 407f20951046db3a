// Orders through the whole stack: official SDKs, real protocols, real HTTP to the remote services.

import { hasEnded, type ProcessState } from "@scheduler-agent-supervisor/core/domain";
import { afterAll, beforeAll, expect, test } from "vitest";
import { REPLY_QUEUE } from "../../cli/every-app/reply-queues.ts";
import { madeOrder } from "../support/made-order.ts";
import { messagesIn, messagesOf } from "../support/queue-contents.ts";
import { startTestStack, type TestStack, UNCOUNTED } from "../support/test-stack.ts";

let app: TestStack;
beforeAll(async () => {
  app = await startTestStack({ appSettings: UNCOUNTED });
});
afterAll(() => app?.[Symbol.asyncDispose]());

const ended = ({ processState }: { processState: ProcessState }) => hasEnded(processState);

/** The remote services, and how many steps of an order each does. */
const SERVICES = [
  ["inventory", 1],
  ["payment", 2],
  ["fraud", 1],
  ["shipping", 1],
] as const;

const subjects = (orderId: string) => app.statuses(orderId).map(({ subject }) => subject);

test("P1 P5 P15 an order goes through all steps, once each, and the client is notified of it in order", async () => {
  const messageId = await app.shop.send(madeOrder("plain-1"));
  const record = await app.eventually("plain-1", ended);
  expect(record).toMatchObject({
    processState: "Processed",
    lockedBy: null,
    completeBy: null,
    failureCount: 0,
    attempt: 1,
  });
  expect(record).not.toHaveProperty("dueAt");
  for (const step of Object.values(record.steps)) expect(step).toMatchObject({ state: "Completed", retryCount: 0 });
  for (const [service, steps] of SERVICES) {
    expect((await app.effects(service, "plain-1")).map(({ calls }) => calls)).toEqual(Array(steps).fill(1));
  }
  const published = ["Received", "Started", ...Array(5).fill("StepCompleted"), "Completed"];
  await expect.poll(() => subjects("plain-1")).toEqual(published);
  for (const { correlationId } of app.statuses("plain-1")) expect(correlationId).toBe(messageId);
});

test("P6 the keys under which the services saw it are the order's and the step's", async () => {
  await app.shop.send(madeOrder("keys-1"));
  await app.eventually("keys-1", ended);
  const keys = (await app.effects("payment")).map(({ key }) => key).filter((key) => key.startsWith("keys-1:"));
  expect(keys.sort()).toEqual(["keys-1:capturePayment:forward", "keys-1:takePayment:forward"]);
});

test("P19 an urgent order goes by its own queue", async () => {
  await app.shop.send({ ...madeOrder("urgent-1"), priority: "high" });
  expect(await app.eventually("urgent-1", ended)).toMatchObject({ processState: "Processed", priority: "high" });
});

test("P1 a message delivered twice creates one order and one effect a step", async () => {
  await Promise.all([app.shop.send(madeOrder("twice-1")), app.shop.send(madeOrder("twice-1"))]);
  await app.eventually("twice-1", ended);
  await app.shop.send(madeOrder("twice-1"));
  // Each is answered under the same message id, and the reply queue drops what it has had.
  await expect.poll(() => messagesOf(app.bus, "jobs", "twice-1")).toBe(0);
  expect(subjects("twice-1").filter((subject) => subject === "Received")).toHaveLength(1);
  for (const [service, steps] of SERVICES) expect(await app.effects(service, "twice-1")).toHaveLength(steps);
  expect(await app.eventually("twice-1", ended)).toMatchObject({ attempt: 1, failureCount: 0 });
});

test("P1 bad input is kept in the quarantine with every fault named as a property, and nothing loops", async () => {
  const bad = { ...madeOrder("bad order"), currency: "euro", surprise: true };
  const messageId = await app.shop.send(bad);
  await app.shop.send("{not json");
  await expect.poll(async () => (await app.records.quarantined()).length).toBe(2);
  const messages = await messagesIn(app.bus, "quarantine");
  const kept = messages.find((message) => message.messageId === messageId);
  expect(kept).toMatchObject({ body: bad, subject: "InvalidSubmission", applicationProperties: { faultCount: 3 } });
  const faults = Object.entries(kept?.applicationProperties ?? {}).flatMap(([name, value]) =>
    /^fault\d/.test(name) ? [value] : [],
  );
  for (const name of ["orderId", "currency", "surprise"]) expect(faults.join("\n")).toContain(name);
  expect(messages.map(({ body }) => body)).toContain("{not json");
  // It is completed once its sender is notified.
  await expect.poll(() => messagesIn(app.bus, "jobs")).toEqual([]);
});

test("P1 another order under a known id is quarantined", async () => {
  await app.shop.send(madeOrder("taken-1"));
  await app.eventually("taken-1", ended);
  const messageId = await app.shop.send({ ...madeOrder("taken-1"), currency: "USD" });
  await expect
    .poll(async () =>
      (await app.records.quarantined()).find((message) => message.messageId === messageId)?.faults.join(),
    )
    .toContain("taken-1");
});

test("P9 a rejection for good ends in Error, is published, and calls no further service", async () => {
  await app.switchOn("payment", {
    kind: "reject",
    status: 402,
    message: "card expired",
    match: { orderId: "rejected-1" },
  });
  await app.shop.send(madeOrder("rejected-1"));
  const record = await app.eventually("rejected-1", (one) => ended(one) && one.outbox.length === 0);
  expect(record).toMatchObject({
    processState: "Error",
    error: { kind: "rejected", step: "takePayment", agent: "payment", message: "card expired" },
  });
  await expect
    .poll(() => subjects("rejected-1").filter((subject) => subject !== "StepCompleted"))
    .toEqual(["Received", "Started", "Failed"]);
  expect(await app.effects("shipping", "rejected-1")).toEqual([]);
});

test("P6 a reply that is lost on the way leads to one effect: the next try has the same key", async () => {
  await app.switchOn("payment", { kind: "loseReply", calls: 1, match: { orderId: "lost-1" } });
  await app.shop.send(madeOrder("lost-1"));
  expect(await app.eventually("lost-1", ended)).toMatchObject({ processState: "Processed", attempt: 1 });
  expect(await app.effects("payment", "lost-1")).toMatchObject([{ calls: 2 }, { calls: 1, action: "capture" }]);
});

test("P15 an order without a reply queue, and one whose queue does not exist, go through", async () => {
  const sender = app.bus.createSender("jobs");
  await sender.sendMessages([
    { body: madeOrder("unheard-1"), messageId: "unheard-1" },
    { body: madeOrder("unheard-2"), messageId: "unheard-2", replyTo: "replies-nowhere" },
  ]);
  await sender.close();
  for (const orderId of ["unheard-1", "unheard-2"]) {
    expect(await app.eventually(orderId, ended)).toMatchObject({ processState: "Processed" });
  }
});

test("P15 a reply queue whose name is not allowed is rejected", async () => {
  const sender = app.bus.createSender("jobs");
  await sender.sendMessages({ body: madeOrder("evil-1"), messageId: "evil-1", replyTo: "scheduler" });
  await sender.close();
  await expect
    .poll(async () => (await app.records.quarantined()).find(({ messageId }) => messageId === "evil-1")?.faults.join())
    .toContain("replyTo");
  expect(REPLY_QUEUE).toMatch(/^replies-/);
});

test("P8 P10 P14 a service that is down for longer than a step's time: retried from that step, once each effect", async () => {
  const endOutage = await app.switchOn("shipping", { kind: "down", match: { orderId: "down-1" } });
  await app.shop.send(madeOrder("down-1"));
  const retried = await app.eventually("down-1", ({ attempt }) => attempt === 2);
  await endOutage();
  expect(retried.failureCount).toBe(1);
  const record = await app.eventually("down-1", ended);
  expect(record).toMatchObject({ processState: "Processed", attempt: 2, failureCount: 1 });
  expect(record.steps["arrangeShipping"]).toMatchObject({ retryCount: 1 });
  expect(record.steps["reserveStock"]).toMatchObject({ retryCount: 0 });
  for (const [service, steps] of SERVICES) expect(await app.effects(service, "down-1")).toHaveLength(steps);
  expect(await app.effects("payment", "down-1")).toMatchObject([{ calls: 1 }, { calls: 1 }]);
});

test("P16 an attempt that is started again once it is over finds that out by itself: nobody else would notify it", async () => {
  await app.shop.send(madeOrder("again-1"));
  const { steps, workflow } = await app.eventually("again-1", ended);
  const now = new Date().toISOString();
  // As it stood while an attempt before was still at work: there is nothing for this one to begin.
  const taken = { ...steps["reserveStock"], state: "Scheduled", attempt: 0, startBy: now, completeBy: now };
  const attempt = {
    ...{ jobId: "again-1", attempt: 1, lockedBy: "again-1-1@JobScheduler", direction: "forward", workflow },
    ...{ jobRevision: 1, priority: "normal", plan: [], steps: { ...steps, reserveStock: taken } },
    reply: { replyTo: null, replyToSessionId: null, correlationId: "again-1", traceparent: null },
  };
  const [host] = app.stack.addresses.hosts;
  const ask = (path: string, init?: RequestInit) =>
    fetch(`${host?.url}/runtime/webhooks/durabletask/${path}?code=local`, init);
  const headers = { "content-type": "application/json" };
  const started = await ask("orchestrators/scheduler/again-1-1", {
    method: "POST",
    headers,
    body: JSON.stringify(attempt),
  });
  expect(started.status).toBe(202);
  const status = async () => (await ask("instances/again-1-1")).json();
  await expect.poll(status).toMatchObject({ runtimeStatus: "Completed", output: "superseded" });
});

test.each<[workflow: string, wanted: { [kind: string]: number | number[] }, more?: object]>([
  ["three-steps", { activities: 1, batch: 1, patch: 4, replace: 0, read: 0 }],
  // The reply that came over a queue is read against the record: where it is the last of the two steps side by side, it knows by that
  // that the other is done. Otherwise the last to end has its first guard rejected and its second one taken.
  ["order-fulfilment", { activities: 4, batch: 1, patch: [6, 7], replace: 0, read: 1 }],
  // The return's record and the original's are read, and the latter written; their contents are in memory.
  ["returns", { activities: 1, batch: 1, patch: 5, replace: 1, read: 2 }, { returnOf: "cost-order-fulfilment" }],
])("what an order of the workflow %s costs: %o", async (workflow, { activities, ...requests }, more = {}) => {
  const counts = async () => {
    const { cosmos, host } = app.stack.addresses;
    const [store, functions] = await Promise.all([
      fetch(new URL("/$counts", cosmos?.endpoint)),
      fetch(`${host?.url}/admin/counts`),
    ]);
    return { ...((await store.json()) as Counts), ...((await functions.json()) as Counts) };
  };
  const before = await counts();
  await app.shop.send({ ...madeOrder(`cost-${workflow}`), workflow, ...more });
  await app.eventually(`cost-${workflow}`, ended);
  const after = await counts();
  const spent = (name: string) => (after[name] ?? 0) - (before[name] ?? 0);
  expect(spent("durable.activities")).toBe(activities);
  for (const [kind, wanted] of Object.entries(requests)) expect([wanted].flat(), kind).toContain(spent(kind));
});

type Counts = Record<string, number>;
