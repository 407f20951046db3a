// An operator and an order that waits, on the real stack: it goes on at once, is compensated, or is cancelled.

import { createCosmosJobStore } from "@scheduler-agent-supervisor/core/create-app";
import { after, hasEnded, type StateRecord } from "@scheduler-agent-supervisor/core/domain";
import type { Workflow } from "@scheduler-agent-supervisor/core/workflows";
import { afterAll, beforeAll, test } from "vitest";
import { type AdaptedApp, adaptApp } from "../support/adapted-app.ts";
import { madeOrder } from "../support/made-order.ts";
import { GRAPH, sampleOrder, sampleRecord } from "../support/orders.ts";
import { sampleContainer } from "../support/sample-container.ts";
import { containerOf } from "../support/store.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

/** After one expiry an order waits for far longer than this suite takes. */
const patient: Workflow = {
  ...GRAPH,
  policy: { failureThreshold: 1, waits: ["PT1H"], onExhausted: "compensate", onRejected: "compensate" },
  steps: GRAPH.steps.map(({ policy, ...step }) => ({ ...step, completeWithin: "PT2S" })),
};

let adapted: AdaptedApp;
let app: TestStack;
beforeAll(async () => {
  adapted = adaptApp([patient]);
  app = await startTestStack({ appDir: adapted.dir });
});
afterAll(async () => {
  await app?.[Symbol.asyncDispose]();
  adapted?.[Symbol.dispose]();
});

const ended = ({ processState, outbox }: StateRecord) =>
  processState === "Processed" || (hasEnded(processState) && outbox.length === 0);
const subjects = (orderId: string) => app.statuses(orderId).map(({ subject }) => subject);

async function operate(orderId: string, action: string, reason: string) {
  const response = await app.call(`api/jobs/${orderId}/${action}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-ms-client-principal-name": "ada@example.com" },
    body: JSON.stringify({ reason }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** Its shipping ran out of time, behind what is done; its retry is to come in an hour. The service is back. */
async function waiting(orderId: string): Promise<void> {
  const isBack = await app.switchOn("shipping", { kind: "down", match: { orderId } });
  await app.shop.send(madeOrder(orderId));
  const isPaused = ({ processState, dueAt = "" }: StateRecord) =>
    processState === "Pending" && Date.parse(dueAt) > Date.now() + 1_800_000;
  await app.eventually(orderId, isPaused);
  await isBack();
}

async function compensatedKeys(orderId: string): Promise<string[]> {
  const services = ["inventory", "payment", "shipping"];
  const effects = (await Promise.all(services.map((service) => app.effects(service, orderId)))).flat();
  return effects.map(({ key }) => key).filter((key) => key.endsWith(":compensate"));
}

test.concurrent("P11 resubmitted it goes on at once, without its pause", async ({ expect }) => {
  await waiting("hurry-1");
  expect(await operate("hurry-1", "resubmit", "the service is back")).toMatchObject({
    status: 200,
    body: { state: "Pending", attempt: 3 },
  });
  expect(await app.eventually("hurry-1", ended)).toMatchObject({ processState: "Processed", attempt: 3 });
});

test.concurrent("P13 compensated, what was done is taken back", async ({ expect }) => {
  await waiting("compensation-1");
  expect(await operate("compensation-1", "compensate", "shop asked")).toMatchObject({
    status: 200,
    body: { direction: "compensate" },
  });
  expect(await app.eventually("compensation-1", ended)).toMatchObject({ processState: "Compensated" });
  expect(await compensatedKeys("compensation-1")).toContain("compensation-1:reserveStock:compensate");
});

test.concurrent("P13 cancelled, what was done is compensated, and its end says by whom and why", async ({ expect }) => {
  await waiting("cancel-1");
  expect(await operate("cancel-1", "cancel", "sent by mistake")).toMatchObject({
    status: 200,
    body: { state: "Pending", direction: "compensate" },
  });
  expect(await app.eventually("cancel-1", ended)).toMatchObject({
    processState: "Cancelled",
    error: { kind: "cancelled", message: expect.stringContaining("cancelled by ada@example.com: sent by mistake") },
  });
  expect(await compensatedKeys("cancel-1")).toContain("cancel-1:reserveStock:compensate");
  await expect.poll(() => subjects("cancel-1").at(-1)).toBe("Cancelled");
});

test.concurrent("P13 cancelled before anything was done, it ends at once", async ({ expect }) => {
  const dueAt = after(new Date().toISOString(), 3_600_000);
  const later = { ...sampleRecord("cancel-2", patient), dueAt };
  await createCosmosJobStore(sampleContainer(containerOf(app.settings))).create(sampleOrder("cancel-2"), later);
  expect(await operate("cancel-2", "cancel", "sent twice")).toMatchObject({
    status: 200,
    body: { state: "Cancelled", attempt: 1, dueAt: null, published: true },
  });
  await expect.poll(() => subjects("cancel-2")).toEqual(["Received", "Cancelled"]);
  expect((await app.records.of(["cancel-2"]))[0]).toMatchObject({ error: { kind: "cancelled" }, outbox: [] });
  expect((await operate("cancel-2", "cancel", "again")).status).toBe(409);
});
