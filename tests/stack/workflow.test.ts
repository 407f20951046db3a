// Workflows on the real stack: steps side by side, compensation, versions, the second workflow.

import { createCosmosJobStore } from "@scheduler-agent-supervisor/core/create-app";
import { hasEnded, type ProcessState, startAttemptOf } from "@scheduler-agent-supervisor/core/domain";
import { afterAll, beforeAll, expect, test } from "vitest";
import { madeOrder } from "../support/made-order.ts";
import { CHAIN, GRAPH, sampleOrder, sampleRecord } from "../support/orders.ts";
import { sampleContainer } from "../support/sample-container.ts";
import { containerOf } from "../support/store.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

let app: TestStack;
beforeAll(async () => {
  app = await startTestStack();
});
afterAll(() => app?.[Symbol.asyncDispose]());

const ended = ({ processState, outbox }: { processState: ProcessState; outbox: readonly unknown[] }) =>
  processState === "Processed" || (hasEnded(processState) && outbox.length === 0);

const keysOf = async (service: string, orderId: string) =>
  (await app.effects(service)).map(({ key }) => key).filter((key) => key.startsWith(`${orderId}:`));

test("P5 steps that don't wait for each other run side by side, each executed once", async () => {
  const delayMs = 3000;
  await app.switchOn("payment", { kind: "slow", delayMs, path: "/charges", match: { orderId: "side-1" } });
  await app.switchOn("fraud", { kind: "slow", delayMs, match: { orderId: "side-1" } });
  await app.shop.send(madeOrder("side-1"));
  const { steps, processState } = await app.eventually("side-1", ended);
  expect(processState).toBe("Processed");
  const [payment, fraud] = [steps["takePayment"], steps["checkFraud"]];
  expect(payment?.scheduledAt).toBe(fraud?.scheduledAt);
  const spanMs = Date.parse(steps["arrangeShipping"]?.startedAt ?? "") - Date.parse(payment?.startedAt ?? "");
  expect(spanMs).toBeGreaterThanOrEqual(delayMs);
  expect(spanMs).toBeLessThan(2 * delayMs);
  for (const service of ["inventory", "payment", "fraud", "shipping"]) {
    for (const { key, calls } of await app.effects(service)) {
      if (key.startsWith("side-1:")) expect(calls, key).toBe(1);
    }
  }
});

test("P13 what a service rejects permanently is compensated in reverse, under keys of its own, and the client is notified of it", async () => {
  await app.switchOn("shipping", {
    kind: "reject",
    message: "nobody delivers there",
    match: { orderId: "compensation-1" },
  });
  await app.shop.send(madeOrder("compensation-1"));
  const record = await app.eventually("compensation-1", ended);
  expect(record).toMatchObject({ processState: "Compensated", direction: "compensate", attempt: 2, lockedBy: null });
  expect(record.error).toMatchObject({
    kind: "rejected",
    message: expect.stringContaining("nobody delivers there"),
  });
  expect(await keysOf("payment", "compensation-1")).toEqual([
    "compensation-1:takePayment:forward",
    "compensation-1:takePayment:compensate",
  ]);
  expect(await keysOf("inventory", "compensation-1")).toEqual([
    "compensation-1:reserveStock:forward",
    "compensation-1:reserveStock:compensate",
  ]);
  expect(await keysOf("shipping", "compensation-1")).toEqual([]);
  await expect.poll(() => app.statuses("compensation-1").at(-1)?.subject).toBe("Compensated");
});

test("P3 P13 a compensation is supervised: a service that is down meanwhile is waited for, and its effect is taken back once", async () => {
  await app.switchOn("shipping", {
    kind: "reject",
    message: "nobody delivers there",
    match: { orderId: "compensation-2" },
  });
  const endOutage = await app.switchOn("payment", { kind: "down", path: "/charges/*/void" });
  await app.shop.send(madeOrder("compensation-2"));
  await app.eventually("compensation-2", ({ attempt }) => attempt === 3, 40_000);
  await endOutage();
  const record = await app.eventually("compensation-2", ended, 40_000);
  expect(record).toMatchObject({ processState: "Compensated", direction: "compensate", attempt: 3 });
  expect(record.steps["takePayment"]).toMatchObject({ state: "Compensated", compensation: { retryCount: 1 } });
  expect(await keysOf("payment", "compensation-2")).toEqual([
    "compensation-2:takePayment:forward",
    "compensation-2:takePayment:compensate",
  ]);
});

test("P5 an order keeps the version that it started with", async () => {
  const store = createCosmosJobStore(sampleContainer(containerOf(app.settings)));
  const record = sampleRecord("old-1", CHAIN);
  await store.create(sampleOrder("old-1"), record);
  const sender = app.bus.createSender("scheduler");
  await sender.sendMessages({ body: startAttemptOf(record) });
  await sender.close();
  await app.shop.send(madeOrder("new-1"));
  expect(Object.keys((await app.eventually("old-1", ended)).steps)).toEqual([
    "reserveStock",
    "takePayment",
    "arrangeShipping",
  ]);
  expect(await app.eventually("new-1", ended)).toMatchObject({
    workflow: { version: GRAPH.version },
    processState: "Processed",
  });
  expect(await app.eventually("old-1", ended)).toMatchObject({ workflow: { version: 1 }, processState: "Processed" });
});

test("P5 the second workflow, which the message names", async () => {
  const { lines } = madeOrder("sold-1");
  await app.shop.send(madeOrder("sold-1"));
  await app.eventually("sold-1", ended);
  await app.shop.send({ ...madeOrder("return-1"), workflow: "returns", returnOf: "sold-1", lines });
  const record = await app.eventually("return-1", ended);
  expect(record).toMatchObject({ processState: "Processed", workflow: { name: "returns" } });
  expect(await keysOf("payment", "return-1")).toEqual(["return-1:refundPayment:forward"]);
});
