// Orders that another version of the app began: those of the versions before come to their end, a newer one's are left alone.

import { NewerSchema, RECORD_VERSION } from "@scheduler-agent-supervisor/core/domain";
import { claimJob, operateJob, sweep } from "@scheduler-agent-supervisor/core/scheduling";
import { inspectJob } from "@scheduler-agent-supervisor/operator/adapters";
import { createMemoryJobStore } from "@scheduler-agent-supervisor/testing/memory";
import { expect, test } from "vitest";
import type { World } from "../../packages/core/tests/world.ts";
import { storedRecord } from "../stored-records/stored-records.ts";
import { NOON_MS, sampleOrder } from "../support/orders.ts";
import { createSampleWorld } from "../support/sample-world.ts";

const A_DAY_MS = 86_400_000;

/** A day later, so that all is overdue. */
function worldWith(name: string, changes: object = {}): World {
  const record = { ...storedRecord(name), jobId: "order-1", ...changes };
  const store = createMemoryJobStore({ documents: [record] });
  return createSampleWorld(NOON_MS + A_DAY_MS, { ...store, job: async (orderId) => sampleOrder(orderId) });
}

test.each([
  ["pending", "Processed"],
  ["in hand", "Processed"],
  ["retried", "Processed"],
  ["compensation in hand", "Compensated"],
])("P28 version 0, %s: the supervisor brings it to its end, %s", async (name, processState) => {
  const world = worldWith(name);
  const report = await sweep(world);
  expect(report).toMatchObject({ broken: 0 });
  for (const startAttempt of world.startAttempts.splice(0)) await world.runAttempt(startAttempt);
  expect(await world.stateOf("order-1")).toMatchObject({ processState });
});

test("P28 a newer app's order: claims, sweeps and operators leave it alone, in words", async () => {
  const world = worldWith("in hand", { schemaVersion: RECORD_VERSION + 1 });
  const before = (world.store as unknown as { stored(orderId: string): unknown }).stored("order-1");
  const startAttempt = { jobId: "order-1", attempt: 1, direction: "forward" } as const;
  const words = /a newer version of the app.*left alone/;
  await expect(claimJob(startAttempt, world)).rejects.toThrow(words);
  expect(await sweep(world)).toMatchObject({ found: 0, broken: 0 });
  const caller = { by: "ann", ifMatch: "any" } as unknown as Parameters<typeof operateJob>[2];
  const request = { kind: "compensate", reason: "test" } as const;
  await expect(operateJob("order-1", request, caller, world)).rejects.toBeInstanceOf(NewerSchema);
  await expect(inspectJob("order-1", world)).rejects.toThrow(words);
  expect((world.store as unknown as { stored(orderId: string): unknown }).stored("order-1")).toEqual(before);
  expect(world.startAttempts).toEqual([]);
});
