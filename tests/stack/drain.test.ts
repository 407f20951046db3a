// P16: a host that is stopped in order (SIGTERM) loses no time for what it was about: nothing needs a second attempt.
import { afterAll, beforeAll, expect, test } from "vitest";
import { madeOrder } from "../../cli/shop.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

const ORDERS = 50;
/** Longer than the host waits for what runs, shorter than a step may take. */
const SLOW_MS = 6000;
const ALL_END_WITHIN_MS = 20_000;

let app: TestStack;
beforeAll(async () => {
  app = await startTestStack();
});
afterAll(() => app?.[Symbol.asyncDispose]());

test("P16 SIGTERM in the middle of 50 orders: activities end, messages go back to their queue, and no order needs a second attempt", async () => {
  await app.switchOn("fraud", { kind: "slow", delayMs: SLOW_MS, forMs: 3000 });
  for (const service of ["inventory", "payment"])
    await app.switchOn(service, { kind: "slow", delayMs: 300, forMs: 3000 });
  const orderIds = Array.from({ length: ORDERS }, (_, index) => `drained-${index}`);
  await Promise.all(orderIds.map((orderId) => app.shop.send(madeOrder(orderId))));
  const records = () => app.records.of(orderIds);
  const running = async (step: string) =>
    (await records()).filter(({ steps }) => steps[step]?.state === "Running").length;
  await expect.poll(() => running("checkFraud"), { timeout: 10_000, interval: 20 }).toBeGreaterThan(ORDERS / 2);

  await app.stack.kill("host", "SIGTERM");
  expect(await running("checkFraud"), "the stop came in the middle").toBeGreaterThan(ORDERS / 2);
  await app.stack.restart("host");

  const processed = async () => (await records()).filter(({ processState }) => processState === "Processed").length;
  await expect.poll(processed, { timeout: ALL_END_WITHIN_MS }).toBe(ORDERS);
  expect((await records()).filter(({ attempt }) => attempt > 1)).toEqual([]);
}, 60_000);
