// P15 P16: what only the lost engine would have published is published again, once.
import { beforeEach, expect, test } from "vitest";
import { claimJob } from "../../src/scheduler/claim-job.ts";
import { createLossHandler } from "../../src/scheduler/publishing/publish-ends-again.ts";
import { NOON, NOON_MS, sampleJob, sampleRecord } from "../jobs.ts";
import { createWorld, type World } from "../world.ts";

let world: World;
beforeEach(async () => {
  world = createWorld(NOON_MS);
  await world.submitted();
});

const startAttempt = { jobId: "job-1", attempt: 1, direction: "forward" } as const;

/** The job as Processed by a process that died before it sent the last status. */
async function processedUnsaid(jobId: string): Promise<void> {
  const { dueAt: _dueAt, ...record } = sampleRecord(jobId);
  const reply = { replyTo: "replies-shop", correlationId: "request-2" };
  await world.store.create(sampleJob(jobId), { ...record, ...reply, processState: "Processed", updatedAt: NOON });
}

const ends = () => world.statuses.flatMap(({ jobId, status }) => (status === "Completed" ? [jobId] : []));

test("a claimed attempt that the engine does not know: the ends of that time are sent again, and only once", async () => {
  await claimJob(startAttempt, world);
  await processedUnsaid("job-2");
  const afterLoss = createLossHandler();
  await Promise.all([1, 2, 3].map(() => afterLoss({ jobId: "job-1", attempt: 2 }, world)));
  expect(ends()).toEqual(["job-2"]);
  expect(world.eventNames().filter((name) => name === "EngineLost")).toHaveLength(1);
});

test("an attempt that was never claimed is no sign of a loss", async () => {
  await processedUnsaid("job-2");
  await createLossHandler()({ jobId: "job-1", attempt: 2 }, world);
  expect(ends()).toEqual([]);
});

test("where the bus takes nothing the handler throws, and the next delivery sends them", async () => {
  await claimJob(startAttempt, world);
  await processedUnsaid("job-2");
  const afterLoss = createLossHandler();
  world.publishFault = new Error("no bus");
  await expect(afterLoss({ jobId: "job-1", attempt: 2 }, world)).rejects.toThrow();
  world.publishFault = undefined;
  await afterLoss({ jobId: "job-1", attempt: 2 }, world);
  expect(ends()).toEqual(["job-2"]);
});
