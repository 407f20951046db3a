// P2: what submission leaves behind, before any scheduler has seen it.
import { afterAll, beforeAll, expect, test } from "vitest";
import { madeOrder } from "../../cli/shop.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

let app: TestStack;
beforeAll(async () => {
  app = await startTestStack({ appSettings: { "AzureWebJobs.claimOrder.Disabled": "true" } });
});
afterAll(() => app?.[Symbol.asyncDispose]());

test("P2 P3 the state record copies the order's id and is Pending, unlocked, without failures, no step begun", async () => {
  await app.shop.send(madeOrder("fresh-1"));
  const record = await app.eventually("fresh-1", () => true);
  expect(record).toMatchObject({
    orderId: "fresh-1",
    processState: "Pending",
    lockedBy: null,
    completeBy: null,
    failureCount: 0,
    attempt: 1,
  });
  for (const step of Object.values(record.steps)) {
    expect(step).toMatchObject({ state: "NotStarted", completeBy: null, retryCount: 0, result: null });
  }
});
