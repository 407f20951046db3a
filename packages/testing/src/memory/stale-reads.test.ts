// Session consistency over processes: what one wrote another may miss for a while, and no write is decided by what is stale.

import { newStateRecord } from "@scheduler-agent-supervisor/core/domain";
import { beforeEach, expect, test } from "vitest";
import { createMemoryJobStore, type MemoryJobStore } from "./memory-job-store.ts";

const WITHIN_MS = 1000;
const NOON = "2026-01-01T12:00:00.000Z";
const WORKFLOW = {
  name: "model",
  version: 1,
  policy: { failureThreshold: 1, waits: [], onExhausted: "compensate", onRejected: "compensate" },
  steps: [],
} as const;
const JOB = { jobId: "job-1", workflow: "model", priority: "normal" } as const;
const RECORD = newStateRecord(
  {
    ...{ jobId: "job-1", keys: {}, priority: "normal", replyTo: null, replyToSessionId: null, correlationId: "m-1" },
    ...{ contentDigest: "", traceparent: null },
  },
  WORKFLOW,
  NOON,
  NOON,
);

let now: number;
let own: MemoryJobStore;
let other: MemoryJobStore;

beforeEach(async () => {
  now = Date.parse(NOON);
  own = createMemoryJobStore({ staleReads: { withinMs: WITHIN_MS, now: () => now } });
  other = own.inAnotherProcess();
  await own.create(JOB, RECORD);
});

const claim = { guard: { processStates: ["Pending"] }, changes: [{ op: "set", path: ["attempt"], value: 2 }] } as const;
const attemptIn = async (store: MemoryJobStore) => (await store.state("job-1"))?.record.attempt;

test("another process misses a write for a while, its own finds it, and the newest can be asked for", async () => {
  expect([await attemptIn(own), await attemptIn(other)]).toEqual([1, undefined]);
  now += WITHIN_MS;
  expect(await attemptIn(other)).toBe(1);
  await own.change("job-1", claim);
  expect([await attemptIn(own), await attemptIn(other)]).toEqual([2, 1]);
  expect(own.staleReads).toBe(2);
  expect((await other.latest("job-1"))?.record.attempt).toBe(2);
  expect(await attemptIn(other)).toBe(2);
});

test("a process never goes back behind what it has seen", async () => {
  now += WITHIN_MS;
  await own.change("job-1", claim);
  await other.latest("job-1");
  await own.change("job-1", { ...claim, changes: [{ op: "set", path: ["attempt"], value: 3 }] });
  expect(await attemptIn(other)).toBe(2);
});

test("a query misses it too, and finds it in time", async () => {
  const found = async () => {
    const records = [];
    for await (const { record } of other.due("2027-01-01T00:00:00.000Z")) records.push(record.jobId);
    return records;
  };
  expect(await found()).toEqual([]);
  now += WITHIN_MS;
  expect(await found()).toEqual(["job-1"]);
});

test("a write is decided by the newest, and after a rejection its process has seen it", async () => {
  now += WITHIN_MS;
  const read = await other.state("job-1");
  await own.change("job-1", claim);
  expect(await other.state("job-1")).toEqual(read);
  expect(read && (await other.replace(read, { ...read.record, attempt: 9 }))).toEqual({ kind: "rejected" });
  expect(await attemptIn(other)).toBe(2);
});
