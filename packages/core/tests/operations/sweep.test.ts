// The supervisor's sweep over the store in memory.

import { setImmediate } from "node:timers/promises";
import { createMemoryPauses, createMemoryPresence, recordJob } from "@scheduler-agent-supervisor/testing/memory";
import { beforeEach, describe, expect, test } from "vitest";
import { startAttemptOf } from "../../src/domain/recovery/recovery.ts";
import type { StartAttempt } from "../../src/domain/steps/attempt.ts";
import { runStep } from "../../src/scheduler/steps/run-step.ts";
import { sweep } from "../../src/supervisor/sweep.ts";
import { NOON_MS, sampleJob } from "../jobs.ts";
import { createWorld, type World } from "../world.ts";

let world: World;
beforeEach(() => {
  world = createWorld(NOON_MS);
});

/** Jobs of the workflow that gives up at the threshold. */
async function submitted(jobId = "job-1"): Promise<StartAttempt> {
  const body = sampleJob(jobId, { workflow: "returns" });
  const envelope = { messageId: jobId, replyTo: "replies-shop" };
  const record = await recordJob({ body, envelope, traceparent: null }, world);
  if (!record) throw new Error("nothing to start");
  return startAttemptOf(record);
}

async function claimed(): Promise<void> {
  await takenUp(await submitted());
}

/** The agent of the first step takes up work for another job. */
async function workingOnOthers(): Promise<void> {
  world.presence.seen("shipping");
  await setImmediate();
}

/** Claimed, and its agent at work on the first step without end. */
async function takenUp(startAttempt: StartAttempt): Promise<void> {
  world.answers.set("pickUp", () => ({ kind: "expired" }));
  expect(await runStep(await world.firstTask(startAttempt), world)).toMatchObject({
    outcome: { kind: "expired" },
  });
}

describe("P10 a sweep", () => {
  async function stuck(): Promise<void> {
    const state = await world.stateOf();
    world.clock = Date.parse(state?.dueAt ?? "") + 5000;
  }

  test("retries below the threshold from the step reached, then sets Error, and says so once", async () => {
    await claimed();
    for (const failureCount of [1, 2]) {
      await stuck();
      expect(await sweep(world)).toMatchObject({ found: 1, retried: 1 });
      expect(await world.stateOf()).toMatchObject({ processState: "Pending", failureCount, attempt: failureCount + 1 });
      const startAttempt = world.startAttempts.at(-1);
      if (!startAttempt) throw new Error("the scheduler was not notified");
      await takenUp(startAttempt);
    }
    await stuck();
    expect(await sweep(world)).toMatchObject({ failed: 1 });
    expect(await world.stateOf()).toMatchObject({ processState: "Error", failureCount: 3, error: { kind: "expired" } });
    expect(world.statuses.at(-1)).toMatchObject({ status: "Failed" });
    expect(await sweep(world)).toMatchObject({ found: 0 });
  });

  test("does not report again what a job had gone on without, where another step's failure ends it", async () => {
    await claimed();
    const read = await world.store.state("job-1");
    const [first, second] = Object.entries(read?.record.steps ?? {});
    if (!read || !first || !second) throw new Error("no two steps");
    const overdue = { ...first[1], failureCount: 2 };
    const skipped = { cause: "expired", message: "3 attempts ran out of time" } as const;
    const left = { ...second[1], state: "Skipped", skipped, compensation: overdue } as const;
    await world.store.replace(read, { ...read.record, steps: { [first[0]]: overdue, [second[0]]: left } });
    await stuck();
    expect(await sweep(world)).toMatchObject({ failed: 1 });
    expect(world.eventNames()).toContain("JobErrored");
    expect(world.eventNames()).not.toContain("StepSkipped");
  });

  test("leaves what is not overdue by more than the clocks may differ", async () => {
    await claimed();
    world.clock = Date.parse((await world.stateOf())?.completeBy ?? "") + 900;
    expect(await sweep(world)).toMatchObject({ found: 0 });
  });

  test("starts the attempt of a job that nobody claimed, and counts no failure", async () => {
    await submitted();
    await stuck();
    expect(await sweep(world)).toMatchObject({ startsRepeated: 1 });
    expect(world.startAttempts).toMatchObject([{ jobId: "job-1", attempt: 1 }]);
    expect(await world.stateOf()).toMatchObject({ processState: "Pending", failureCount: 0, attempt: 1 });
  });

  test("P26 schedules again what no agent took up, with no failure counted and the client not notified", async () => {
    await world.claim(await submitted());
    for (const attempt of [2, 3, 4, 5]) {
      await stuck();
      await workingOnOthers();
      const notified = world.statuses.length;
      expect(await sweep(world)).toMatchObject({ found: 1, rescheduled: 1 });
      expect(await world.stateOf()).toMatchObject({ processState: "Pending", failureCount: 0, attempt });
      expect(world.statuses).toHaveLength(notified);
      const startAttempt = world.startAttempts.at(-1);
      if (!startAttempt) throw new Error("the scheduler was not notified");
      await world.claim(startAttempt);
    }
    expect(world.eventNames().filter((name) => name === "JobRescheduled")).toHaveLength(4);
  });

  test("P16 a step that was done, and after a death not published, is published before the next attempt", async () => {
    await runStep(await world.firstTask(await submitted()), world);
    expect(world.statuses.splice(0).map(({ status }) => status)).toContain("StepCompleted");
    await stuck();
    await workingOnOthers();
    await sweep(world);
    expect(world.statuses).toMatchObject([{ status: "StepCompleted", step: "pickUp", attempt: 1 }]);
  });

  test("P26 an agent is told that its step was scheduled before: it may have been taken up without a write", async () => {
    await world.claim(await submitted());
    await stuck();
    await workingOnOthers();
    await sweep(world);
    const startAttempt = world.startAttempts.at(-1);
    if (!startAttempt) throw new Error("the scheduler was not notified");
    await runStep(await world.firstTask(startAttempt), world);
    expect(world.calls.at(-1)).toMatchObject({ mayHaveHappened: true });
  });

  test("P26 P10 counts what nobody takes up as a failure: threshold, policy, the client and the error name the agent", async () => {
    world.timing.mostTimesUntaken = 3;
    let start = await submitted();
    const counts: number[] = [];
    for (let round = 0; round < 10 && (await world.stateOf())?.processState !== "Error"; round += 1) {
      await world.claim(start);
      for (let looks = 0; (await world.stateOf())?.processState === "Processing" && looks < 10; looks += 1) {
        await stuck();
        await sweep(world);
      }
      counts.push((await world.stateOf())?.failureCount ?? -1);
      start = world.startAttempts.at(-1) ?? start;
    }
    expect(counts).toEqual([0, 0, 1, 2, 3]);
    const record = await world.stateOf();
    expect(record?.error).toMatchObject({ kind: "expired", step: "pickUp", agent: "shipping" });
    expect(record?.error?.message).toContain("not taken up by the agent shipping");
    expect(record?.steps["pickUp"]).toMatchObject({ failureCount: 2, retryCount: 0 });
    expect(world.statuses.map(({ status }) => status)).toContain("RetryScheduled");
    expect(world.statuses.at(-1)).toMatchObject({ status: "Failed" });
    const expired = world.events.filter(({ name }) => name === "JobExpired");
    expect(expired).toHaveLength(3);
    expect(expired[0]?.attributes).toMatchObject({
      agent: "shipping",
      message: "its agent did not take it up in time",
    });
    expect(world.eventNames()).toContain("JobErrored");
  });

  test.each([
    [
      "stood still",
      async () => {
        world.clock += 150_000;
      },
    ],
    [
      "had no store",
      async () => {
        const { due } = world.store;
        const away = () => {
          throw new Error("away");
        };
        Object.assign(world.store, { due: away });
        for (let sweeps = 0; sweeps < 3; sweeps += 1) {
          await sweep(world).catch(() => undefined);
          world.clock += 25_000;
        }
        Object.assign(world.store, { due });
        await sweep(world);
      },
    ],
  ])("P26 counts no failure where the app %s while a step waited for its agent", async (_, pass) => {
    world.timing.mostTimesUntaken = 1;
    await world.claim(await submitted());
    const { availability } = world.presence;
    // It is watched, and was not seen.
    await availability("shipping", 1000);
    await pass();
    for (let looks = 0; looks < 3 && (await world.stateOf())?.processState === "Processing"; looks += 1) {
      world.clock += 30_000;
      await sweep(world);
    }
    expect(await world.stateOf()).toMatchObject({ processState: "Pending", attempt: 2, failureCount: 0 });
  });

  test("P26 a paused agent's steps wait, are not tried and never fail; resumed, they go on", async () => {
    let isPaused = true;
    const presence = createMemoryPresence(
      () => world.clock,
      async () => isPaused,
    );
    Object.assign(world, { presence });
    for (let index = 0; index < 30; index += 1) await world.claim(await submitted(`job-${index}`));
    for (let minute = 0; minute < 5; minute += 1) {
      world.clock += 60_000;
      expect(await sweep(world)).toMatchObject({ found: 30, later: 30 });
    }
    isPaused = false;
    const pause = { from: new Date(NOON_MS).toISOString(), until: new Date(world.clock).toISOString() };
    presence.pausesOf = async () => [pause];
    world.clock += 12_000;
    await workingOnOthers();
    // It waited for a person, and not for an engine with too much to do: all at once.
    expect(await sweep(world)).toMatchObject({ rescheduled: 30, retried: 0, failed: 0 });
    const records = await Promise.all(Array.from({ length: 30 }, (_, index) => world.stateOf(`job-${index}`)));
    expect(records.map((record) => record?.failureCount)).toEqual(records.map(() => 0));
    expect(records.every((record) => record?.attempt === 2)).toBe(true);
  });

  test("P26 a step that was offered while its agent was paused is no failure, though that was short and long ago", async () => {
    const { pauses, presence } = createMemoryPauses(() => world.clock);
    Object.assign(world, { presence });
    world.timing.mostTimesUntaken = 1;
    await world.claim(await submitted());
    await pauses.pause({ kind: "agent", name: "shipping", by: "ada", reason: "they move house" });
    world.clock += 1000;
    await pauses.resume({ kind: "agent", name: "shipping" });
    await stuck();
    await sweep(world);
    expect(await world.stateOf()).toMatchObject({ processState: "Pending", attempt: 2, failureCount: 0 });
  });

  test("P12 two at once raise the failure count once", async () => {
    await claimed();
    await stuck();
    const reports = await Promise.all([sweep(world), sweep(world)]);
    const sum = (name: "retried" | "lost") =>
      reports.reduce((total, report) => total + (report.kind === "swept" ? report[name] : 0), 0);
    expect([sum("retried"), sum("lost")]).toEqual([1, 1]);
    expect(await world.stateOf()).toMatchObject({ failureCount: 1, attempt: 2 });
  });

  test("one record that can't be dealt with does not stop it", async () => {
    await claimed();
    const broken = await world.store.state("job-1");
    if (!broken) throw new Error("no record");
    await world.store.replace(broken, { ...broken.record, workflow: { name: "forgotten", version: 9 } });
    await submitted("job-2");
    world.clock += 3_600_000;
    expect(await sweep(world)).toMatchObject({ found: 2, broken: 1, startsRepeated: 1 });
  });

  test("P11 what one step failed does not count against the next; the job keeps the sum", async () => {
    const failing = async (operation: string) => {
      world.answers.set(operation, () => ({ kind: "expired" }));
      const startAttempt = world.startAttempts.at(-1) ?? (await submitted());
      expect(await world.runAttempt(startAttempt)).toBe("expired");
      world.answers.delete(operation);
      await stuck();
      return sweep(world);
    };
    for (const operation of ["pickUp", "pickUp", "restock"])
      expect(await failing(operation)).toMatchObject({ retried: 1, failed: 0 });
    expect(await world.stateOf()).toMatchObject({ processState: "Pending", attempt: 4, failureCount: 3 });
    const counts = Object.values((await world.stateOf())?.steps ?? {}).map(({ failureCount = 0 }) => failureCount);
    expect(counts).toEqual([2, 1, 0]);
  });

  test("the bus away while Error is published: the next sweep publishes it", async () => {
    await claimed();
    const read = await world.store.state("job-1");
    if (!read) throw new Error("no record");
    const failing = Object.entries(read.record.steps).map(([name, step]) => [name, { ...step, failureCount: 2 }]);
    await world.store.replace(read, { ...read.record, steps: Object.fromEntries(failing) });
    await stuck();
    world.publishFault = new Error("bus down");
    await sweep(world);
    expect(await world.stateOf()).toMatchObject({ processState: "Error", failureCount: 1 });
    world.publishFault = undefined;
    await stuck();
    expect(await sweep(world)).toMatchObject({ published: 1 });
    expect(world.statuses.at(-1)).toMatchObject({ status: "Failed" });
  });
});

test("P26 of many that wait for their agents a sweep schedules a few again, and looks at the others later", async () => {
  for (let index = 0; index < 30; index += 1) await world.claim(await submitted(`job-${index}`));
  world.clock += 60_000;
  expect(await sweep(world)).toMatchObject({ found: 30, rescheduled: 10, later: 20 });
  expect(world.startAttempts).toHaveLength(10);
  expect(await sweep(world)).toMatchObject({ found: 0 });
  world.clock += 20_000;
  expect(await sweep(world)).toMatchObject({ found: 20, rescheduled: 10, later: 10 });
});
