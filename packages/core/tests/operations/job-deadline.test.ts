// The supervisor and the deadline of a whole job (P35), over the store in memory.
import { recordJob } from "@scheduler-agent-supervisor/testing/memory";
import { beforeEach, describe, expect, test } from "vitest";
import type { JobDeadline } from "../../src/domain/definition/workflow.ts";
import { startAttemptOf } from "../../src/domain/recovery/recovery.ts";
import { operateJob } from "../../src/scheduler/operating/operate-job.ts";
import { runStep } from "../../src/scheduler/steps/run-step.ts";
import { sweep } from "../../src/supervisor/sweep.ts";
import { dyingSweep } from "../dying-sweep.ts";
import { CHAIN, NOON_MS, sampleJob } from "../jobs.ts";
import { createWorld, type World } from "../world.ts";

const DAY_MS = 86_400_000;

let world: World;

function begin(deadline: JobDeadline | undefined = { completeWithin: "P1D", onExpired: "compensate" }): void {
  world = createWorld(NOON_MS, undefined, { workflows: [{ ...CHAIN, ...(deadline && { deadline }) }] });
}

beforeEach(() => begin());

/** The first step is done, and the second waits for its agent. */
async function underWay(jobId = "job-1"): Promise<void> {
  const body = sampleJob(jobId);
  const envelope = { messageId: jobId, replyTo: "replies-shop" };
  const record = await recordJob({ body, envelope, traceparent: null }, world);
  if (!record) throw new Error("nothing to start");
  await runStep(await world.firstTask(startAttemptOf(record)), world);
}

/** It is due long after its deadline: nothing but that finds it. */
async function waiting(jobId = "job-1"): Promise<void> {
  await underWay(jobId);
  const read = await world.store.state(jobId);
  if (!read) throw new Error("no record");
  await world.store.replace(read, { ...read.record, dueAt: "2027-01-01T00:00:00.000Z" });
  world.clock = NOON_MS + DAY_MS + 5000;
}

test("[job | it waits for days | its deadline passes] it is found though nothing else of it is due, and compensated as by a cancellation", async () => {
  await waiting();
  expect(await sweep(world)).toMatchObject({ found: 1, toBeCompensated: 1, failed: 0 });
  expect(await world.stateOf()).toMatchObject({
    processState: "Pending",
    direction: "compensate",
    attempt: 2,
    failureCount: 0,
  });
  expect(world.startAttempts).toMatchObject([{ jobId: "job-1", attempt: 2, direction: "compensate" }]);
  expect(world.eventNames()).toEqual(expect.arrayContaining(["JobDeadlinePassed", "JobToBeCompensated"]));
  expect(await sweep(world)).toMatchObject({ found: 0 });
});

test("P35 for an operator it is in Error, with its status and its alert in the same sweep", async () => {
  begin({ completeWithin: "P1D", onExpired: "fail" });
  await waiting();
  expect(await sweep(world)).toMatchObject({ found: 1, failed: 1, toBeCompensated: 0 });
  expect(await world.stateOf()).toMatchObject({ processState: "Error", direction: "forward", attempt: 1, outbox: [] });
  expect(world.statuses.at(-1)).toMatchObject({ status: "Failed" });
  expect(world.events.find(({ name }) => name === "JobErrored")).toMatchObject({
    attributes: { kind: "deadlinePassed", message: expect.stringContaining("in progress: takePayment") },
  });
  expect(await sweep(world)).toMatchObject({ found: 0 });
});

test("P35 P12 of two supervisors that have read it, one writes", async () => {
  await waiting();
  const reports = await Promise.all([sweep(world), sweep(world)]);
  expect(reports.map((report) => ("lost" in report ? report.lost : 0)).sort()).toEqual([0, 1]);
  expect(await world.stateOf()).toMatchObject({ attempt: 2 });
});

test("P35 what is due of a job comes after its deadline: no failure is counted, no other attempt begins", async () => {
  await underWay();
  world.clock = NOON_MS + DAY_MS + 5000;
  expect(await sweep(world)).toMatchObject({ found: 1, toBeCompensated: 1, retried: 0, rescheduled: 0 });
});

test("P35 a deadline that the clocks may not all have reached is left", async () => {
  await waiting();
  world.clock = NOON_MS + DAY_MS + 500;
  expect(await sweep(world)).toMatchObject({ found: 0 });
});

test("P35 without its deadline in the workflow, a job in flight goes on: the app searches for none, or drops it", async () => {
  await waiting();
  const { store } = world;
  world = createWorld(world.clock, store, { workflows: [CHAIN] });
  expect(await sweep(world)).toMatchObject({ found: 0 });
  const other = { ...CHAIN, name: "other", deadline: { completeWithin: "P1D", onExpired: "fail" } } as const;
  world = createWorld(world.clock, store, { workflows: [CHAIN, other] });
  expect(await sweep(world)).toMatchObject({ found: 1, later: 1 });
  expect(await world.stateOf()).toMatchObject({ processState: "Processing", attempt: 1 });
  expect(await sweep(world)).toMatchObject({ found: 0 });
});

test("P35 a cancellation that comes after the deadline's compensation has begun changes nothing", async () => {
  await waiting();
  await sweep(world);
  const cancelled = await operateJob(
    "job-1",
    { kind: "cancel", reason: "late", byRequester: true },
    { by: "its requester", ifMatch: "any" },
    world,
  );
  expect(cancelled).toMatchObject({ kind: "rejected", reason: "it is being compensated already" });
});

test("P35 a store that can't search for deadlines, as without their index, keeps no sweep from what is due, and the sweep fails visibly", async () => {
  await underWay();
  world.clock = NOON_MS + 60_000;
  const fault = new Error("this path has no index");
  const store = new Proxy<World["store"]>(world.store, {
    get: (target, name) =>
      name === "pastDeadline"
        ? () => {
            throw fault;
          }
        : Reflect.get(target, name),
  });
  await expect(sweep({ ...world, store })).rejects.toThrow(fault);
  expect(await world.stateOf()).toMatchObject({ processState: "Pending", attempt: 2 });
  expect(world.events.find(({ name }) => name === "SupervisorSweep")?.attributes).toMatchObject({
    found: 1,
    endedBy: "fault",
  });
});

const ENDS = [
  ["compensate", "before", "Pending", undefined],
  ["compensate", "after", "Pending", undefined],
  ["fail", "before", "Error", "Failed"],
  ["fail", "after", "Error", "Failed"],
] as const;

describe.each(ENDS)("P35 P16 with onExpired %s, %s a call", (onExpired, when, processState, status) => {
  test("[supervisor | a job whose deadline has passed | it dies before or after any call] the next one does what is left: compensated once, or in Error with its status and alert", async () => {
    let deaths = 0;
    for (let hasDied = true; hasDied; deaths += 1) {
      begin({ completeWithin: "P1D", onExpired });
      await waiting();
      world.statuses.splice(0);
      hasDied = await dyingSweep(world, deaths + 1, when);
      world.clock += 10 * 60_000;
      await sweep(world);
      const what = `call ${deaths + 1}`;
      expect(await world.stateOf(), what).toMatchObject({ processState, error: { kind: "deadlinePassed" } });
      expect((await world.stateOf())?.attempt, what).toBe(onExpired === "compensate" ? 2 : 1);
      const passed = (await world.stateOf())?.history.filter(({ what: entry }) => entry.includes("has passed"));
      expect(passed, what).toHaveLength(1);
      if (onExpired === "compensate") expect(world.startAttempts.at(-1), what).toMatchObject({ attempt: 2 });
      else {
        expect(world.eventNames(), what).toContain("JobErrored");
        expect(await world.stateOf(), what).toMatchObject({ outbox: [] });
      }
      if (status) expect(world.statuses.at(-1), what).toMatchObject({ status });
    }
    expect(deaths).toBeGreaterThan(2);
  });
});
