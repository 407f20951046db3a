// The age of the oldest message through the whole stack: from its first arrival, in its queue or sent back to wait, with its cause.
import { setTimeout as sleep } from "node:timers/promises";
import { createQueueAge, type OldestMessage } from "@scheduler-agent-supervisor/operator/adapters";
import { afterAll, beforeAll, expect, test } from "vitest";
import { madeOrder } from "../support/made-order.ts";
import { messagesIn } from "../support/queue-contents.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

let app: TestStack;
beforeAll(async () => {
  app = await startTestStack({ appSettings: { "AzureWebJobs.startAttempt.Disabled": "true" } });
});
afterAll(() => app?.[Symbol.asyncDispose]());

async function ages(queue: string, now = Date.now()): Promise<readonly OldestMessage[]> {
  return createQueueAge(app.bus, queue).read(now);
}

async function change(workflow: string, change: "pause" | "resume"): Promise<void> {
  const response = await app.call("api/pauses", {
    method: "POST",
    headers: { "content-type": "application/json", "x-ms-client-principal-name": "ada@example.com" },
    body: JSON.stringify({ kind: "workflow", name: workflow, change, reason: "test" }),
  });
  expect(response.status, await response.text()).toBe(200);
}

test("P27 an order that a paused workflow sends back is as old as it is, and says what it waits for", async () => {
  await change("order-fulfilment", "pause");
  const sentAt = Date.now();
  await app.shop.send(madeOrder("age-1"));
  const waiting = async () => (await messagesIn(app.bus, "jobs")).map(({ state }) => state);
  await expect.poll(waiting).toEqual(["scheduled"]);
  await sleep(1500);
  const now = Date.now();
  const found = await ages("jobs", now);
  expect(found).toContainEqual({ cause: "WorkflowPaused", ageMs: expect.any(Number) });
  const paused = found.find(({ cause }) => cause === "WorkflowPaused")?.ageMs ?? 0;
  expect(paused).toBeGreaterThan(1400);
  expect(paused).toBeLessThanOrEqual(now - sentAt + 100);
  // When it is sent back once more, by another process or this one, its first arrival goes along.
  const [copy] = await messagesIn(app.bus, "jobs");
  expect(Date.parse(String(copy?.applicationProperties?.["firstEnqueuedAt"]))).toBe(now - paused);
  await change("order-fulfilment", "resume");
});

test("a message that nobody takes has no cause, and one that is scheduled for later has not arrived", async () => {
  const sender = app.bus.createSender("scheduler");
  const body = { jobId: "nobody", attempt: 1 };
  await sender.sendMessages({ body, scheduledEnqueueTimeUtc: new Date(Date.now() + 3_600_000) });
  expect(await ages("scheduler")).toEqual([{ cause: "notTaken", ageMs: 0 }]);
  await sender.sendMessages({ body });
  await sender.close();
  await sleep(1000);
  const [only, ...others] = await ages("scheduler");
  expect(others).toEqual([]);
  expect(only?.cause).toBe("notTaken");
  expect(only?.ageMs).toBeGreaterThan(900);
});

test("in a long queue the oldest is found wherever it stands, and a cause that is over is 0", async () => {
  const age = createQueueAge(app.bus, "scheduler");
  const sender = app.bus.createSender("scheduler");
  await sender.sendMessages(Array.from({ length: 400 }, () => ({ body: {} })));
  const now = Date.now();
  const [postponed] = await sender.scheduleMessages(
    {
      body: {},
      applicationProperties: {
        firstEnqueuedAt: new Date(now - 3_600_000).toISOString(),
        postponeCause: "NotAdmitted",
      },
    },
    new Date(now + 30_000),
  );
  expect(await age.read(now)).toContainEqual({ cause: "NotAdmitted", ageMs: 3_600_000 });
  if (!postponed) throw new Error("what is scheduled has a number");
  await sender.cancelScheduledMessages(postponed);
  await sender.close();
  expect(await age.read(now)).toContainEqual({ cause: "NotAdmitted", ageMs: 0 });
});
