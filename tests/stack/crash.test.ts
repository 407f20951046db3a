// P16: processes die in the middle of orders; all orders end, and the services saw one effect for each step.

import type { ProcessName } from "@scheduler-agent-supervisor/local";
import { afterAll, beforeAll, expect, test } from "vitest";
import { madeOrder } from "../support/made-order.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

const ORDERS = 50;
const ALL_STATUSES = "Received,Started,StepCompleted,Completed";
const ALL_END_WITHIN_MS = 60_000;

let app: TestStack;
beforeAll(async () => {
  app = await startTestStack();
});
afterAll(() => app?.[Symbol.asyncDispose]());

test.each<[string, ProcessName]>([
  ["the host", "host"],
  ["the process that holds bus and store", "services"],
])(
  "P16 P17 kill -9 %s in the middle of 50 orders: all end Processed, one effect for each order and step",
  async (_, victim) => {
    // Slow enough that the kill finds orders in every step.
    for (const service of ["inventory", "payment", "shipping"]) {
      await app.switchOn(service, { kind: "slow", delayMs: 150, calls: ORDERS });
    }
    const orderIds = Array.from({ length: ORDERS }, (_unused, index) => `${victim}-${index}`);
    await Promise.all(orderIds.map((orderId) => app.shop.send(madeOrder(orderId))));

    const stateOf = async () => {
      const found = await app.records.of(orderIds);
      return (state: string) => found.filter(({ processState }) => processState === state).length;
    };
    await expect.poll(async () => (await stateOf())("Processed"), { interval: 20 }).toBeGreaterThan(5);
    await app.stack.kill(victim, "SIGKILL");
    await app.stack.restart(victim);
    expect((await stateOf())("Processed"), "the kill came in the middle").toBeLessThan(ORDERS);

    await expect.poll(async () => (await stateOf())("Processed"), { timeout: ALL_END_WITHIN_MS }).toBe(ORDERS);
    for (const [service, steps] of Object.entries({ inventory: 1, payment: 2, fraud: 1, shipping: 1 })) {
      const effects = (await app.effects(service)).filter(({ key }) => key.startsWith(`${victim}-`));
      expect(effects).toHaveLength(ORDERS * steps);
      expect(new Set(effects.map(({ key }) => key)).size).toBe(ORDERS * steps);
    }
    // A message that could not be sent leaves an outbox message, which the sweep sends: a status may be later than its step.
    // An attempt that ran out of time meanwhile is published too: RetryScheduled.
    const published = (orderId: string) => [...new Set(app.statuses(orderId).map(({ subject }) => subject))];
    const inOrder = (orderId: string) => published(orderId).filter((subject) => subject !== "RetryScheduled");
    const wrong = () =>
      orderIds.map((id) => `${id}: ${inOrder(id)}`).filter((line) => !line.endsWith(`: ${ALL_STATUSES}`));
    await expect.poll(wrong, { timeout: ALL_END_WITHIN_MS }).toEqual([]);
    // A message is sent first, and taken out of its record then.
    const left = async () => (await app.records.of(orderIds)).flatMap(({ outbox }) => outbox);
    await expect.poll(left, { timeout: ALL_END_WITHIN_MS }).toEqual([]);
    // What an attempt says again after a kill has the same message id, and the reply queue drops it.
    const ids = orderIds.flatMap((id) => app.statuses(id).map(({ messageId }) => messageId));
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  },
);
