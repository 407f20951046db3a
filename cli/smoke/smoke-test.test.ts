// What the smoke test says is missing, for each thing that can be.

import { JobClientError, type JobEnd } from "@scheduler-agent-supervisor/client";
import { expect, test } from "vitest";
import { sampleRecord } from "../../tests/support/orders.ts";
import { madeJob } from "../common/shop.ts";
import { type SmokeTarget, smokeTest } from "./smoke-test.ts";

const order = () => madeJob("smoke-1");
const noAnswer: JobEnd = { kind: "timedOut", jobId: "smoke-1", reason: "nothing", sent: true, received: [] };

function target(changes: Partial<SmokeTarget>): SmokeTarget {
  return {
    submit: async () => ({ kind: "completed", jobId: "smoke-1", outputs: {}, received: [] }),
    record: async () => undefined,
    quarantined: async () => undefined,
    waits: async () => false,
    telemetry: async () => 1,
    telemetryWithinMs: 0,
    taskHub: undefined,
    pauseMs: 0,
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
  expect(noEnd).toContain("Monitoring Metrics Publisher");
  expect(await said({ telemetry: () => Promise.reject(new Error("403")) })).toContain("Log Analytics Reader");
});

/** Each order is claimed by the next of these hubs; telemetry of this region's alone is found. */
function twoRegions(...hubs: string[]) {
  let sent = 0;
  const hubOf = (id: string) => hubs[Number(id.replace("smoke-", ""))] ?? "JobScheduler";
  return smokeTest(
    target({
      taskHub: "JobScheduler2",
      record: async (id) => {
        const record = { ...sampleRecord(id), processState: "Processed" as const };
        return { ...record, history: [{ at: record.createdAt, by: `${id}-1@${hubOf(id)}`, what: "claimed" }] } as never;
      },
      telemetry: async (id) => (hubOf(id) === "JobScheduler2" ? 1 : 0),
    }),
    () => madeJob(`smoke-${sent++}`),
    1000,
  );
}

test("two regions: an order that the other one did says nothing of this one, so another is sent", async () => {
  const { ok, lines } = await twoRegions("JobScheduler", "JobScheduler", "JobScheduler2");
  expect(ok).toBe(true);
  expect(lines.filter((line) => line.includes("another region's app"))).toHaveLength(2);
  const none = await twoRegions();
  expect(none.ok).toBe(false);
  expect(none.lines).toHaveLength(11);
  expect(none.lines.at(-1)).toContain("This app has done none of them");
});
