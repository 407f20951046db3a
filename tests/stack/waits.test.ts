// P11: the supervisor's other strategies on the real bus: pauses that grow, then the compensation.

import { hasEnded, type StateRecord } from "@scheduler-agent-supervisor/core/domain";
import type { Workflow } from "@scheduler-agent-supervisor/core/workflows";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type AdaptedApp, adaptApp } from "../support/adapted-app.ts";
import { madeOrder } from "../support/made-order.ts";
import { GRAPH } from "../support/orders.ts";
import { messagesIn } from "../support/queue-contents.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

const WAITS_MS = [2000, 4000] as const;
const CLAIM_WITHIN_MS = 6000;
const impatient: Workflow = {
  ...GRAPH,
  policy: {
    failureThreshold: 1,
    waits: WAITS_MS.map((ms) => `PT${ms / 1000}S`),
    onExhausted: "compensate",
    onRejected: "fail",
  },
  steps: GRAPH.steps.map(({ policy, ...step }) => ({ ...step, completeWithin: "PT2S" })),
};

/** Its retry comes long after its deadline. */
const timely: Workflow = {
  ...impatient,
  name: "timely",
  policy: { ...impatient.policy, waits: ["PT30M"] },
  deadline: { completeWithin: "PT8S", onExpired: "compensate" },
};

let adapted: AdaptedApp;
let app: TestStack;
beforeAll(async () => {
  adapted = adaptApp([impatient, timely], { timing: { claimWithinMs: CLAIM_WITHIN_MS } });
  app = await startTestStack({ appDir: adapted.dir });
});
afterAll(async () => {
  await app?.[Symbol.asyncDispose]();
  adapted?.[Symbol.dispose]();
});

const ended = ({ processState, outbox }: StateRecord) =>
  processState === "Processed" || (hasEnded(processState) && outbox.length === 0);
const waits = (attempt: number) => (record: StateRecord) =>
  record.processState === "Pending" && record.attempt === attempt;

/** When the record says that something was done. */
function timesOf({ history }: StateRecord, what: RegExp): number[] {
  return history.filter((entry) => what.test(entry.what)).map(({ at }) => Date.parse(at));
}

test.concurrent("P11 a service that is away for long is waited for, with pauses that grow", async () => {
  const endOutage = await app.switchOn("shipping", { kind: "down", match: { orderId: "waits-1" } });
  await app.shop.send(madeOrder("waits-1"));
  await app.eventually("waits-1", ({ attempt }) => attempt === 3, 30_000);
  await endOutage();
  const record = await app.eventually("waits-1", ended, 30_000);
  expect(record).toMatchObject({ processState: "Processed", attempt: 3, failureCount: 2 });
  const decided = timesOf(record, /to be retried at/);
  const claimed = timesOf(record, /^claimed/).slice(1);
  for (const [index, pauseMs] of WAITS_MS.entries()) {
    const waitedMs = (claimed[index] ?? 0) - (decided[index] ?? 0);
    expect(waitedMs, `pause ${index + 1}`).toBeGreaterThanOrEqual(pauseMs);
    // The scheduled message came, not the sweep.
    expect(waitedMs, `pause ${index + 1}`).toBeLessThan(pauseMs + CLAIM_WITHIN_MS);
  }
  expect(record.history.map(({ what }) => what).join()).not.toContain("started again");
});

test.concurrent("P11 where the scheduled message is lost, the sweep starts the attempt", async () => {
  const endOutage = await app.switchOn("shipping", { kind: "down", match: { orderId: "waits-2" } });
  await app.shop.send(madeOrder("waits-2"));
  await app.eventually("waits-2", waits(2));
  await loseScheduledStart("waits-2");
  await endOutage();
  const record = await app.eventually("waits-2", ended, 30_000);
  expect(record).toMatchObject({ processState: "Processed", attempt: 2, failureCount: 1 });
  expect(record.history.map(({ what }) => what).join()).toContain("nobody claimed it, started again");
});

test.concurrent("P11 P13 when all pauses are used up, what was done is compensated", async ({ expect }) => {
  await app.switchOn("shipping", { kind: "down", forMs: 60_000, path: "/shipments", match: { orderId: "waits-3" } });
  await app.shop.send(madeOrder("waits-3"));
  const record = await app.eventually("waits-3", ended, 40_000);
  expect(record).toMatchObject({ processState: "Compensated", direction: "compensate" });
  const statuses = () => app.statuses("waits-3").map(({ subject }) => subject);
  await expect.poll(() => statuses().at(-1)).toBe("Compensated");
  expect(statuses().filter((subject) => subject === "RetryScheduled").length).toBeGreaterThanOrEqual(2);
});

test.concurrent("P35 its deadline passes while an order waits for its retry: it is compensated, and its shop hears why", async ({
  expect,
}) => {
  await app.switchOn("shipping", { kind: "down", forMs: 60_000, path: "/shipments", match: { orderId: "waits-4" } });
  await app.shop.send({ ...madeOrder("waits-4"), workflow: "timely" });
  const record = await app.eventually("waits-4", ended, 40_000);
  expect(record).toMatchObject({ processState: "Compensated", error: { kind: "deadlinePassed" } });
  expect(record.deadlineAt ?? null).toBeNull();
  await expect.poll(() => app.statuses("waits-4").at(-1)?.subject).toBe("Compensated");
});

async function loseScheduledStart(orderId: string): Promise<void> {
  const sender = app.bus.createSender("scheduler");
  try {
    // The record is written before the message is sent.
    const scheduled = async () => (await messagesIn(app.bus, "scheduler")).find(({ body }) => body.jobId === orderId);
    const sequenceNumber = await vi.waitUntil(async () => (await scheduled())?.sequenceNumber, { interval: 20 });
    await sender.cancelScheduledMessages(sequenceNumber);
  } finally {
    await sender.close();
  }
}
