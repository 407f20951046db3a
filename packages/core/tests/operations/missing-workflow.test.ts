// Jobs whose workflow version only another version of the app has, as after a rollback: nothing is done to them, and nothing is lost.

import { submitJob } from "@scheduler-agent-supervisor/testing/memory";
import { beforeEach, expect, test } from "vitest";
import { instant } from "../../src/domain/duration.ts";
import { OtherVersionNeeded } from "../../src/domain/outage.ts";
import type { StateRecord } from "../../src/domain/record/state-record.ts";
import { followingTask, tasksToBegin } from "../../src/domain/steps/attempt.ts";
import { claimJob } from "../../src/scheduler/claim-job.ts";
import { operateJob } from "../../src/scheduler/operating/operate-job.ts";
import { runStep } from "../../src/scheduler/steps/run-step.ts";
import { takeReply } from "../../src/scheduler/steps/take-reply.ts";
import { sweep } from "../../src/supervisor/sweep.ts";
import { CHAIN, NOON_MS, sampleJob, sampleRecord } from "../jobs.ts";
import { createWorld, ENVELOPE, type World } from "../world.ts";

const A_DAY_MS = 86_400_000;
const startAttempt = { jobId: "job-1", attempt: 1, direction: "forward" } as const;

let world: World;
let before: StateRecord | undefined;
beforeEach(async () => {
  world = createWorld(NOON_MS);
  await world.store.create(sampleJob(), sampleRecord("job-1", { ...CHAIN, version: 99 }));
  world.clock += A_DAY_MS;
  before = await world.stateOf();
});

const isHeld = async (work: Promise<unknown>) => {
  await expect(work).rejects.toBeInstanceOf(OtherVersionNeeded);
  await expect(work).rejects.toThrow("No workflow job-fulfilment v99");
  expect(await world.stateOf()).toEqual(before);
};

test("P28 steps of an attempt in progress are recorded to the job's end: the plan travels with the attempt", async () => {
  const newer = createWorld(NOON_MS, world.store, { workflows: [{ ...CHAIN, version: 99 }] });
  const claim = await claimJob(startAttempt, newer);
  if (claim.kind !== "claimed") throw new Error("it is not claimed");
  world.clock = NOON_MS;
  for (let [task] = tasksToBegin(claim.attempt, new Set()); task; ) {
    const { outcome } = await runStep(task, world);
    expect(outcome.kind).toBe("completed");
    task = followingTask(task, outcome);
  }
  expect(await world.stateOf()).toMatchObject({ processState: "Processed" });
});

test("a start message for it waits", () => isHeld(claimJob(startAttempt, world)));

test("its job message, delivered again, waits", () => isHeld(world.submit(sampleJob(), ENVELOPE)));

test("an agent's reply to it waits", () => {
  const ticket = { ...startAttempt, step: "reserveStock", lockedBy: "hub:job-1-1" };
  const body = { schemaVersion: 1, ticket, kind: "done", result: {} };
  return isHeld(takeReply(body, world));
});

test("a sweep names it, and leaves it as it is but for the next look", async () => {
  expect(await sweep(world)).toMatchObject({ found: 1, broken: 1 });
  const cause = expect.stringContaining("No workflow job-fulfilment v99");
  expect(world.events).toContainEqual({ name: "RecoveryFailed", attributes: { jobId: "job-1", cause, outage: null } });
  const at = world.clock;
  const unrecovered = { since: instant(at), lookAgainAt: instant(at + 10_000), fault: cause };
  expect(await world.stateOf()).toEqual({ ...before, unrecovered });
  expect(world.startAttempts).toEqual([]);
});

test("an operator is rejected, in words", async () => {
  const caller = { by: "ann", ifMatch: "any" } as const;
  const request = { kind: "compensate", reason: "test" } as const;
  const rejected = await operateJob("job-1", request, caller, world);
  expect(rejected).toMatchObject({ kind: "rejected", reason: expect.stringContaining("job-fulfilment v99") });
  expect(await world.stateOf()).toEqual(before);
});

test("a job whose workflow a newer version of the app brought waits for that version, and for no longer than a week", async () => {
  const job = sampleJob("job-2", { workflow: "brought-by-a-newer-app" });
  const submit = (enqueuedAt: string) =>
    submitJob({ body: job, envelope: ENVELOPE, traceparent: null, enqueuedAt }, world);
  await expect(submit(instant(world.clock))).rejects.toThrow("No workflow brought-by-a-newer-app");
  expect(world.quarantined).toEqual([]);
  expect(await submit(instant(world.clock - 8 * A_DAY_MS))).toBeUndefined();
  expect(world.quarantined).toMatchObject([{ faults: [expect.stringContaining("workflow: must be one of")] }]);
});

test("a job with another fault too, or with a workflow that nobody has, is quarantined", async () => {
  await world.submit({ ...sampleJob("job-2", { workflow: "brought-by-a-newer-app" }), lines: [] });
  await world.submit(sampleJob("job-3", { workflow: "nowhere" }));
  expect(world.quarantined).toHaveLength(2);
});
