// What the smoke test says is missing, for each thing that can be.

import { JobClientError, type JobEnd } from "@scheduler-agent-supervisor/client";
import { expect, test } from "vitest";
import { sampleRecord } from "../../tests/support/orders.ts";
import { madeJob } from "../common/shop.ts";
import { type SmokeTarget, smokeTest } from "./smoke-test.ts";

const order = madeJob("smoke-1");
const noAnswer: JobEnd = { kind: "timedOut", jobId: "smoke-1", reason: "nothing", sent: true, received: [] };

function target(changes: Partial<SmokeTarget>): SmokeTarget {
  return {
    submit: async () => ({ kind: "completed", jobId: "smoke-1", outputs: {}, received: [] }),
    record: async () => undefined,
    quarantined: async () => undefined,
    waits: async () => false,
    telemetry: async () => 1,
    telemetryWithinMs: 0,
    ...changes,
  };
}

async function said(changes: Partial<SmokeTarget>): Promise<string> {
  const { ok, lines } = await smokeTest(target(changes), order, 1000);
  expect(ok).toBe(false);
  return lines.join("\n");
}

test("all is well", async () => {
  expect((await smokeTest(target({}), order, 1000)).ok).toBe(true);
});

test.each([
  ["noQueue", "azd provision"],
  ["notAllowed", "Data Sender on the queue jobs"],
  ["unreachable", "NETWORK=private"],
] as const)("the sender meets %s", async (fault, wanted) => {
  const submit = () => Promise.reject(new JobClientError(fault, "rejected"));
  expect(await said({ submit })).toContain(wanted);
});

test("a fault of the test itself is thrown", async () => {
  const submit = () => Promise.reject(new TypeError("broken"));
  await expect(smokeTest(target({ submit }), order, 1000)).rejects.toThrow("broken");
});

test("no end was received: what the store and the queues say of it", async () => {
  const submit = async () => noAnswer;
  expect(await said({ submit })).toContain("Cosmos DB Data Contributor");
  expect(await said({ submit, waits: async () => true })).toContain("Data Owner on the queue");
  expect(await said({ submit, quarantined: async () => ["customer: is missing"] })).toContain("customer: is missing");
  const record = { ...sampleRecord("smoke-1"), processState: "Pending" as const };
  expect(await said({ submit, record: async () => record })).toContain("Storage Blob Data Owner");
  const processed = { ...record, processState: "Processed" as const };
  expect(await said({ submit, record: async () => processed })).toContain("Data Sender on the namespace");
  const rejects = () => Promise.reject(new Error("403"));
  expect(await said({ submit, quarantined: rejects })).toContain("Cosmos DB Data Reader");
});

test("telemetry did not arrive, or can't be asked for", async () => {
  const noEnd = await said({ telemetry: async () => 0 });
  for (const part of ["Monitoring Metrics Publisher", "the other one may have done the order"])
    expect(noEnd).toContain(part);
  expect(await said({ telemetry: () => Promise.reject(new Error("403")) })).toContain("Log Analytics Reader");
});
