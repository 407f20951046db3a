// P15 P16: a write that was made and whose answer was lost, or whose process died: its statuses are sent all the same.
import { beforeEach, expect, test, vi } from "vitest";
import { claimJob } from "../../src/scheduler/claim-job.ts";
import { publishEndOf } from "../../src/scheduler/publishing/publish.ts";
import { NOON, NOON_MS, sampleJob, sampleRecord } from "../jobs.ts";
import { createWorld, type World } from "../world.ts";

let world: World;
beforeEach(() => {
  world = createWorld(NOON_MS);
});

const sent = () => world.statuses.map(({ status }) => status);

test("a claim that concluded its job publishes the end, though the store's answer to the write was lost", async () => {
  const error = { kind: "compensationRequested", message: "no", step: null, agent: null, at: NOON } as const;
  const pending = { ...sampleRecord(), attempt: 2, direction: "compensate", error } as const;
  await world.store.create(sampleJob(), pending);
  const { change } = world.store;
  vi.spyOn(world.store, "change").mockImplementation(async (...write) => {
    await change(...write);
    return { kind: "rejected" };
  });
  const claim = await claimJob({ jobId: "job-1", attempt: 2, direction: "compensate" }, world);
  expect(claim).toEqual({ kind: "concluded" });
  expect(sent()).toEqual(["Compensated"]);
  expect(await world.stateOf()).toMatchObject({ processState: "Compensated", outbox: [] });
});

test("an attempt that stopped early publishes the end of a job that its last write had made Processed", async () => {
  await world.runAttempt(await world.submitted());
  world.statuses.length = 0;
  await publishEndOf({ jobId: "job-1", attempt: 1 }, world);
  expect(sent().slice(-1)).toEqual(["Completed"]);
  await publishEndOf({ jobId: "job-1", attempt: 2 }, world);
  expect(sent().filter((status) => status === "Completed")).toHaveLength(1);
});
