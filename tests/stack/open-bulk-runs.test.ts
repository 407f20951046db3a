// The actions on many orders that are open, as the store finds them through the official SDK: however old they are, and at the same cost however many others
// there are.
import { randomUUID } from "node:crypto";
import { ConsistencyLevel, CosmosClient } from "@azure/cosmos";
import { createCosmosBulkStore, type StoredBulkRun } from "@scheduler-agent-supervisor/operator/adapters";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Meter, startMeter } from "../console/charges/meter.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

let app: TestStack;
let meter: Meter;
let client: CosmosClient;
let store: ReturnType<typeof createCosmosBulkStore>;
beforeAll(async () => {
  [app, meter] = await Promise.all([startTestStack({ parts: ["bus", "cosmos"], host: false }), startMeter()]);
  const { cosmos } = app.stack.addresses;
  meter.target = cosmos?.port ?? 0;
  const connectionString = cosmos?.connectionString.replace(String(cosmos.port), String(meter.port)) ?? "";
  client = new CosmosClient({ connectionString, consistencyLevel: ConsistencyLevel.Session });
  store = createCosmosBulkStore(client.database("jobs").container("supervision"));
});
afterAll(async () => {
  client?.dispose();
  await app?.[Symbol.asyncDispose]();
  await meter?.[Symbol.asyncDispose]();
});

const NOON_MS = Date.parse("2026-01-01T12:00:00.000Z");
const at = (minutes: number) => new Date(NOON_MS + minutes * 60_000).toISOString();

function runIn(state: StoredBulkRun["state"], minutes: number): StoredBulkRun {
  const by = { by: "ada", reason: "fixed", extendBy: null, direction: null, goesOn: null, keys: null };
  const what = { cause: null, filter: null, isAll: true, total: 1, wave: 0 };
  const counts = { done: 0, skipped: 0, well: 0, same: 0, other: 0 };
  const times = { at: at(minutes), updatedAt: at(minutes), stopped: null };
  return { bulkId: randomUUID(), action: "resubmit", state, ...times, ...by, ...what, counts };
}

async function add(runs: readonly StoredBulkRun[]): Promise<readonly string[]> {
  for (const run of runs) await store.create(run, []);
  return runs.map(({ bulkId }) => bulkId);
}

async function openAt(minutes: number) {
  const before = meter.spent;
  const runs = await store.open(at(minutes));
  const { requests, documents } = meter.spent;
  return {
    bulkIds: runs.map(({ bulkId }) => bulkId).sort(),
    spent: { requests: requests - before.requests, documents: documents - before.documents },
  };
}

test("of any number of actions on many orders those that are open are found, and no other is read", async () => {
  const [running = "", paused = ""] = await add([runIn("running", -9999), runIn("paused", -9999)]);
  const [stopped = ""] = await add([runIn("stopped", -30)]);
  await add([runIn("stopped", -61), runIn("previewed", 0), runIn("cancelled", 0), runIn("done", 0)]);
  const few = await openAt(0);
  expect(few.bulkIds).toEqual([running, paused, stopped].sort());
  await add(Array.from({ length: 120 }, (_, place) => runIn(place % 2 === 0 ? "done" : "stopped", -70 - place)));
  const many = await openAt(0);
  expect(many).toEqual(few);
  expect(many.spent.documents).toBe(3);
  expect((await openAt(31)).bulkIds).toEqual([running, paused].sort());
  expect((await store.recent(50)).runs.map(({ bulkId }) => bulkId)).not.toContain(running);
  expect((await store.running()).map(({ bulkId }) => bulkId)).toEqual([running]);
  for (const [bulkId, state] of [
    [running, "done"],
    [paused, "cancelled"],
  ] as const) {
    const read = await store.run(bulkId);
    expect(read && (await store.replace(read, { ...read.run, state }))).toBe(true);
  }
  expect((await openAt(31)).bulkIds).toEqual([]);
  expect((await store.run(running))?.run).not.toHaveProperty("openUntil");
});
