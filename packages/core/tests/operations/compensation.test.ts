// A compensation over the store in memory: what is compensated, in which job, and what is left to a person.

import { beforeEach, expect, test } from "vitest";
import { recover, startAttemptOf } from "../../src/domain/recovery/recovery.ts";
import type { StartAttempt } from "../../src/domain/steps/attempt.ts";
import { runStep } from "../../src/scheduler/steps/run-step.ts";
import { sweep } from "../../src/supervisor/sweep.ts";
import { NOON, NOON_MS } from "../jobs.ts";
import { createWorld, type World } from "../world.ts";

let world: World;
beforeEach(() => {
  world = createWorld(NOON_MS);
});

async function rejectedForGood(): Promise<StartAttempt> {
  world.answers.set("arrange", () => ({ kind: "rejected", message: "no such country" }));
  expect(await world.runAttempt(await world.submitted())).toBe("rejected");
  const startAttempt = world.startAttempts.at(-1);
  if (!startAttempt) throw new Error("the scheduler was not notified");
  world.calls.length = 0;
  return startAttempt;
}

test("P13 a compensation: runs in reverse, with what each step recorded and keys of its own, and ends in Error of the kind compensated", async () => {
  const startAttempt = await rejectedForGood();
  expect(startAttempt).toMatchObject({ attempt: 2, direction: "compensate" });
  expect(await world.runAttempt(startAttempt)).toBe("concluded");
  expect(world.calls.map(({ operation }) => operation)).toEqual(["void", "release"]);
  expect(world.calls[0]).toMatchObject({
    idempotencyKey: "job-1:takePayment:compensate",
    compensates: { result: { id: expect.stringContaining("payment") }, idempotencyKey: "job-1:takePayment:forward" },
  });
  const state = await world.stateOf();
  expect(state).toMatchObject({ processState: "Compensated", lockedBy: null, outbox: [] });
  expect(state?.error?.message).toContain("no such country");
  expect(Object.values(state?.steps ?? {}).map(({ state }) => state)).toEqual([
    "Compensated",
    "Compensated",
    "Completed",
    "Failed",
    "NotStarted",
  ]);
  expect(world.statuses.at(-1)).toMatchObject({ status: "Compensated" });
  expect(world.eventNames()).toContain("JobCompensated");
});

test("P13 a compensation: a step whose outcome is unknown is compensated too, by its key", async () => {
  world.answers.set("reserve", () => ({ kind: "expired" }));
  expect(await world.runAttempt(await world.submitted())).toBe("expired");
  const read = await world.store.state("job-1");
  if (!read) throw new Error("no record");
  await world.store.replace(
    read,
    recover(
      read.record,
      { kind: "compensate", step: "reserveStock", failures: 3 },
      { now: NOON, overdueBefore: "2030-01-01T00:00:00.000Z", claimWithinMs: 60_000 },
    ),
  );
  const compensating = await world.stateOf();
  if (!compensating) throw new Error("no record");
  world.calls.length = 0;
  expect(await world.runAttempt(startAttemptOf(compensating))).toBe("concluded");
  expect(world.calls).toMatchObject([
    { operation: "release", compensates: { result: null, idempotencyKey: "job-1:reserveStock:forward" } },
  ]);
});

test("P13 a compensation: a step that can't be compensated is named for a person; the others are compensated all the same", async () => {
  const startAttempt = await rejectedForGood();
  world.answers.set("void", () => ({ kind: "rejected", message: "captured already" }));
  expect(await world.runAttempt(startAttempt)).toBe("concluded");
  expect(world.calls.map(({ operation }) => operation)).toEqual(["void", "release"]);
  expect((await world.stateOf())?.error).toMatchObject({
    kind: "compensationIncomplete",
    message: expect.stringContaining("not compensated: takePayment"),
  });
  expect(world.statuses.at(-1)).toMatchObject({ status: "Failed" });
});

test("P13 a compensation: is supervised like any other: a compensation step that expires is tried again under the same key", async () => {
  const startAttempt = await rejectedForGood();
  world.answers.set("void", () => ({ kind: "expired" }));
  expect(await world.runAttempt(startAttempt)).toBe("expired");
  world.clock = Date.parse((await world.stateOf())?.dueAt ?? "") + 5000;
  expect(await sweep(world)).toMatchObject({ retried: 1 });
  expect(await world.stateOf()).toMatchObject({ direction: "compensate", attempt: 3, failureCount: 1 });
  world.answers.delete("void");
  const again = world.startAttempts.at(-1);
  expect(again && (await world.runAttempt(again))).toBe("concluded");
  expect(
    new Set(world.calls.filter(({ operation }) => operation === "void").map(({ idempotencyKey }) => idempotencyKey))
      .size,
  ).toBe(1);
});

test("P13 a compensation: of a job that has done nothing concludes at the claim", async () => {
  world.answers.set("reserve", () => ({ kind: "rejected", message: "sold out" }));
  await world.runAttempt(await world.submitted());
  const startAttempt = world.startAttempts.at(-1);
  expect(startAttempt && (await world.runAttempt(startAttempt))).toBe("concluded");
  expect(await world.stateOf()).toMatchObject({ processState: "Compensated", error: { kind: "rejected" } });
  expect(world.statuses.at(-1)).toMatchObject({ status: "Compensated" });
});

test("P16 a death between the rejection's write and the start message: the step run again sends it", async () => {
  const task = await world.firstTask(await world.submitted());
  world.answers.set("reserve", () => ({ kind: "rejected", message: "sold out" }));
  await runStep(task, world);
  world.startAttempts.length = 0;
  expect((await runStep(task, world)).outcome.kind).toBe("rejected");
  expect(world.startAttempts).toMatchObject([{ attempt: 2, direction: "compensate" }]);
});
