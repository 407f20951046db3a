// What the app says of itself through the whole stack: an order that can't be closed, and a function that fails again and again.
import type { Reports } from "@scheduler-agent-supervisor/operator/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { orderFulfilment } from "../../shared/workflows/order-fulfilment.ts";
import { type FaultyStack, startFaultyStack } from "../faults/faulty-stack.ts";
import { THREE_STEPS } from "../support/orders.ts";
import { containerOf } from "../support/store.ts";

let app: FaultyStack;
beforeAll(async () => {
  app = await startFaultyStack([THREE_STEPS, ...orderFulfilment], {
    appSettings: {
      HousekeepingSchedule: "* * * * * *",
      ...{ ResubmitWithin: "PT1S", EndedJobsKeptFor: "P1D", JobArchive: "order-archive" },
    },
  });
});
afterAll(() => app?.[Symbol.asyncDispose]());

const api = (path: string) => app.call(`api/${path}`);
async function reported(): Promise<string[]> {
  const { reports } = (await (await api("reports")).json()) as Reports;
  return reports.map(({ words }) => words);
}
const PATIENCE = { timeout: 60_000, interval: 250 } as const;

test("P29 an order that can't be closed is named until it is gone", async () => {
  await app.submit(["broken-1"]);
  await app.eventually("broken-1", ({ overAt }) => typeof overAt === "string");
  const orders = containerOf(app.settings);
  await orders.item("job", "broken-1").delete();
  const long = "2026-01-01T12:00:00.000Z";
  await orders.item("state", "broken-1").patch([{ op: "set", path: "/overAt", value: long }]);
  await expect.poll(reported, PATIENCE).toEqual([expect.stringMatching(/^Over, and can't be closed: 1 job: /)]);
  // Nothing of it is remembered then.
  await app.stack.kill("host", "SIGKILL");
  await app.stack.restart("host");
  const named = expect.stringMatching(/^Over, and can't be closed: broken-1: /);
  await expect.poll(() => reported().catch(() => []), PATIENCE).toContainEqual(named);
  await orders.item("state", "broken-1").delete();
  await expect.poll(reported, PATIENCE).toEqual([]);
});

test("a function that fails again and again is named until it works again", async () => {
  await app.to.cosmos.behave({ kind: "down" });
  const failed = async () => (await reported()).filter((words) => words.startsWith("The function housekeeping fails"));
  try {
    await expect.poll(failed, PATIENCE).toHaveLength(1);
  } finally {
    await app.to.cosmos.behave({ kind: "none" });
  }
  await expect.poll(failed, PATIENCE).toEqual([]);
});
