// What the engine keeps of attempts that have ended is removed; what runs, and every record, stays.
import { afterAll, beforeAll, expect, test } from "vitest";
import { madeOrder } from "../support/made-order.ts";
import { databaseOf } from "../support/store.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

let app: TestStack;
beforeAll(async () => {
  app = await startTestStack({
    appSettings: { HousekeepingSchedule: "* * * * * *" },
    tuning: { timing: { orchestrationsKeptForMs: 1000 } },
  });
});
afterAll(() => app?.[Symbol.asyncDispose]());

async function orchestration(orderId: string): Promise<{ status: number; runtimeStatus?: string }> {
  const response = await fetch(
    `${app.stack.addresses.host?.url}/runtime/webhooks/durabletask/instances/${orderId}-1?code=local`,
  );
  const text = await response.text();
  return { status: response.status, ...(response.ok || response.status === 202 ? JSON.parse(text) : {}) };
}

test("an ended orchestration is removed once it is old, one that runs is not, and the records stay", async () => {
  await app.switchOn("shipping", { kind: "slow", delayMs: 4000, match: { orderId: "under-way-1" } });
  await app.shop.send(madeOrder("over-1"));
  await app.shop.send(madeOrder("under-way-1"));
  await app.eventually("over-1", ({ processState }) => processState === "Processed");
  await expect.poll(async () => (await orchestration("over-1")).status).toBe(404);
  expect(await orchestration("under-way-1")).toMatchObject({ runtimeStatus: "Running" });
  expect(await app.eventually("under-way-1", ({ processState }) => processState === "Processed")).toMatchObject({
    attempt: 1,
  });
  expect((await app.records.of(["over-1"]))[0]).toMatchObject({ processState: "Processed" });
  // What ended after its window was done goes too.
  await expect.poll(async () => (await orchestration("under-way-1")).status).toBe(404);
  const supervision = databaseOf(app.settings).container("supervision");
  const query = "SELECT c.id, c.doneUntil, c.ttl FROM c WHERE IS_DEFINED(c.doneUntil)";
  const { resources } = await supervision.items.query(query, { partitionKey: "housekeeping" }).fetchAll();
  expect(resources).toEqual([{ id: expect.stringMatching(/^purged:/), doneUntil: expect.any(String), ttl: -1 }]);
});
