// P1, P4, P12, P20: messages doubled, out of order, redelivered while the first delivery is still at work, or poisonous.
import { setTimeout as sleep } from "node:timers/promises";
import { hasEnded, type StateRecord, startAttemptOf } from "@scheduler-agent-supervisor/core/domain";
import { afterAll, beforeAll, expect, test } from "vitest";
import { messagesIn, messagesOf } from "../support/queue-contents.ts";
import { type FaultyStack, startFaultyStack } from "./faulty-stack.ts";
import { workflows } from "./workflows.ts";

const TIMEOUT_MS = 180_000;

let app: FaultyStack;
beforeAll(async () => {
  app = await startFaultyStack(workflows, { tuning: { timing: { claimWithinMs: 3000, clockSkewMs: 200 } } });
});
afterAll(() => app?.[Symbol.asyncDispose]());

const ended = ({ processState }: StateRecord) => hasEnded(processState);

async function send(queue: string, ...bodies: unknown[]): Promise<void> {
  const sender = app.bus.createSender(queue);
  await sender.sendMessages(bodies.map((body) => ({ body })));
  await sender.close();
}

async function deadLetters(queue: string): Promise<unknown[]> {
  return (await messagesIn(app.bus, queue, { subQueueType: "deadLetter" })).map(({ body }) => body);
}

test.concurrent(
  "[submission | an order sent | delivered ten times at once] one order, one effect a step; Received under one message id",
  async ({ expect }) => {
    await app.submit(Array(10).fill("doubled"));
    await app.allEnd(["doubled"]);
    const received = app.statuses("doubled").filter(({ subject }) => subject === "Received");
    expect(new Set(received.map(({ messageId }) => messageId)).size).toBe(1);
    expect(await app.eventually("doubled", ended)).toMatchObject({ attempt: 1, failureCount: 0 });
  },
  TIMEOUT_MS,
);

test.concurrent(
  "[scheduler | an attempt started | its start message delivered five times, and old ones after it] the claim takes one of them; the others change nothing",
  async ({ expect }) => {
    const lift = await app.switchOn("shipping", { kind: "down", match: { orderId: "startsRepeated" } });
    await app.submit(["startsRepeated"], { workflow: "hasty" });
    const first = await app.eventually("startsRepeated", ({ processState }) => processState === "Processing");
    const second = await app.eventually("startsRepeated", ({ attempt }) => attempt > 1);
    await lift();
    // Out of order: the one that was superseded comes last.
    await send("scheduler", ...Array(5).fill(startAttemptOf(second)), ...Array(3).fill(startAttemptOf(first)));
    await app.allEnd(["startsRepeated"]);
    const record = await app.eventually("startsRepeated", ended);
    const claims = record.history.filter(({ what }) => what.startsWith("claimed"));
    expect(claims).toHaveLength(record.attempt);
    expect(record.failureCount).toBe(record.attempt - 1);
  },
  TIMEOUT_MS,
);

test.concurrent(
  "[scheduler | an order ended | all its messages delivered again] nothing changes, nothing is called",
  async ({ expect }) => {
    await app.submit(["replayed"]);
    await app.allEnd(["replayed"]);
    const before = await app.eventually("replayed", ended);
    const effects = await app.effects("payment", "replayed");
    await app.submit(["replayed"]);
    await send("scheduler", startAttemptOf({ ...before, processState: "Pending" }));
    for (const queue of ["jobs", "scheduler"]) {
      await expect.poll(() => messagesOf(app.bus, queue, "replayed")).toBe(0);
    }
    await app.allEnd(["replayed"]);
    expect(await app.eventually("replayed", ended)).toEqual(before);
    expect(await app.effects("payment", "replayed")).toEqual(effects);
  },
  TIMEOUT_MS,
);

test(
  "[submission | its write under way | lock of its message lost, so delivered again beside the first] both write; one order, one start",
  async () => {
    await app.submit(["before"]);
    await app.allEnd(["before"]);
    await app.to.cosmos.during({ kind: "halfOpen" }, async () => {
      await app.submit(["overtaken"]);
      await sleep(500);
      // Without the bus the lock can't be renewed, and ends.
      await app.to.bus.during({ kind: "down" }, () => sleep(3000));
      await expect.poll(() => deliveryCount("jobs", "overtaken")).toBeGreaterThan(0);
    });
    await app.allEnd(["overtaken"]);
    expect(await app.eventually("overtaken", ended)).toMatchObject({ attempt: 1, failureCount: 0 });
  },
  TIMEOUT_MS,
);

test.each([
  [
    "[scheduler | a start message received | it can't be read] tried ten times, then kept in the dead-letter queue; other orders go on",
    "scheduler",
    { jobId: "poison", attempt: "one" },
  ],
  [
    "[agents over queues | a request received | it can't be read] tried ten times, then kept in the dead-letter queue; other orders go on",
    "agent-requests-fraud",
    "poison",
  ],
] as const)(
  "%s",
  async (_, queue, body) => {
    await send(queue, body);
    await app.submit([`beside-${queue}`]);
    await app.allEnd([`beside-${queue}`]);
    await expect.poll(() => deadLetters(queue)).toContainEqual(body);
  },
  TIMEOUT_MS,
);

test.each([
  [
    "[submission | an order received | it can't be read] kept in the quarantine with every fault named; other orders go on",
    "jobs",
  ],
  [
    "[replies | a reply received | it can't be read] kept in the quarantine with every fault named; other orders go on",
    "agent-replies",
  ],
] as const)(
  "%s",
  async (_, queue) => {
    await send(queue, `{poison of ${queue}`);
    await app.submit([`beside-${queue}`]);
    await app.allEnd([`beside-${queue}`]);
    await expect.poll(quarantined).toContain(`{poison of ${queue}`);
  },
  TIMEOUT_MS,
);

async function quarantined(): Promise<unknown[]> {
  return (await messagesIn(app.bus, "quarantine")).map(({ body }) => body);
}

async function deliveryCount(queue: string, orderId: string): Promise<number> {
  const messages = await messagesIn(app.bus, queue);
  return messages.find(({ body }) => body.orderId === orderId)?.deliveryCount ?? 0;
}
