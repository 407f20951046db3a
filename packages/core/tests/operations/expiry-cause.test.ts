// Why a step was not done in time: what the record keeps of it, at which price, and what the supervisor makes of it.

import { beforeEach, expect, test, vi } from "vitest";
import { operateJob } from "../../src/scheduler/operating/operate-job.ts";
import { runStep } from "../../src/scheduler/steps/run-step.ts";
import { sweep } from "../../src/supervisor/sweep.ts";
import { NOON, NOON_MS } from "../jobs.ts";
import { createWorld, type World } from "../world.ts";

const OUTAGE = { endpoint: "http://inventory/", message: "HTTP 503" };
const UNDECLARED = { endpoint: "http://inventory/", message: "HTTP 400", misconfigured: true, ofRequest: true };
const WRONG_KEY = { endpoint: "http://inventory/", message: "HTTP 401", misconfigured: true };

let world: World;
beforeEach(() => {
  world = createWorld(NOON_MS);
});

const overdue = async () => {
  world.clock = Date.parse((await world.stateOf())?.dueAt ?? "") + 5000;
};
const step = async () => (await world.stateOf())?.steps["reserveStock"];

async function expire(lastError: typeof OUTAGE): Promise<void> {
  world.answers.set("reserve", () => ({ kind: "expired", lastError }));
  const startAttempt = world.startAttempts.at(-1) ?? (await world.submitted());
  expect(await world.runAttempt(startAttempt)).toBe("expired");
}

test("the last technical error and the number of tries stand in the step's record, in the place of a read", async () => {
  const task = await world.firstTask(await world.submitted());
  world.answers.set("reserve", () => ({ kind: "expired", lastError: OUTAGE }));
  const [writes, reads] = [vi.spyOn(world.store, "change"), vi.spyOn(world.store, "state")];
  expect(await runStep(task, world)).toMatchObject({ outcome: { kind: "expired" } });
  // That it was taken up, and why it failed.
  expect(writes).toHaveBeenCalledTimes(2);
  expect(reads).not.toHaveBeenCalled();
  expect(await step()).toMatchObject({ state: "Running", expiry: { at: NOON, attempt: 1, tries: 1, ...OUTAGE } });
  expect((await world.stateOf())?.history.at(-1)).toEqual({
    at: NOON,
    what: "reserveStock: attempt 1 runs out of time, after 1 try (http://inventory/): HTTP 503",
    by: task.lockedBy,
  });
  await overdue();
  await sweep(world);
  const expired = world.events.find(({ name }) => name === "JobExpired");
  expect(expired?.attributes).toMatchObject({ step: "reserveStock", tries: 1, ...OUTAGE });
  const decisions = [];
  for await (const entry of world.supervision.entries(NOON.slice(0, 10), "job-1")) decisions.push(entry);
  expect(decisions).toMatchObject([
    { verdict: "retry", stop: { step: "reserveStock", agent: "inventory", attempt: 1, tries: 1, ...OUTAGE } },
  ]);
});

test("a step that is done in time costs no request more, and one that is done later keeps what it met", async () => {
  await expire(OUTAGE);
  await overdue();
  await sweep(world);
  world.answers.delete("reserve");
  const task = await world.firstTask(world.startAttempts.at(-1) ?? (await world.submitted()));
  const writes = vi.spyOn(world.store, "change");
  await runStep(task, world);
  expect(writes).toHaveBeenCalledTimes(1);
  expect(await step()).toMatchObject({ state: "Completed", retryCount: 1, expiry: { attempt: 1, ...OUTAGE } });
});

test("run again after an earlier run had recorded its outcome, it says that and no cause", async () => {
  const task = await world.firstTask(await world.submitted());
  await runStep(task, world);
  world.answers.set("reserve", () => ({ kind: "expired", lastError: OUTAGE }));
  expect(await runStep(task, world)).toMatchObject({ outcome: { kind: "completed" } });
  expect(await step()).not.toHaveProperty("expiry");
});

test.each([
  ["that it is done", { kind: "done" }, "LateReplyRejected"],
  ["a rejection", { kind: "rejected", message: "declined" }, "LateReplyRejected"],
  ["that it is done later", { kind: "accepted" }, "LateReplyRejected"],
  ["why it is not done", { kind: "expired", lastError: OUTAGE }, "AgentTimedOut"],
] as const)("P8 what an agent says after complete-by is not recorded: %s", async (_, answer, event) => {
  const task = await world.firstTask(await world.submitted());
  world.answers.set("reserve", () => {
    world.clock = Date.parse(task.completeBy) + 1;
    return answer;
  });
  expect(await runStep(task, world)).toMatchObject({ outcome: { kind: "expired" } });
  expect(await step()).toMatchObject({ state: expect.stringMatching(/Scheduled|Running/), result: null, error: null });
  expect((await step())?.expiry).toBeUndefined();
  expect(world.eventNames()).toContain(event);
  await overdue();
  expect(await sweep(world)).toMatchObject({ found: 1 });
});

test("P27 a wrong credential is waited for beyond the threshold: nothing is compensated, no failure counted", async () => {
  for (let round = 1; round <= 5; round += 1) {
    await expire(WRONG_KEY);
    await overdue();
    expect(await sweep(world)).toMatchObject({ found: 1, held: 1, toBeCompensated: 0, failed: 0 });
    expect(await world.stateOf()).toMatchObject({ processState: "Pending", attempt: round + 1, failureCount: 0 });
  }
  expect(world.statuses.map(({ status }) => status)).not.toContain("RetryScheduled");
  expect(world.eventNames()).toContain("JobHeld");
  // Fixed: the operator does not wait for the pause to be over.
  world.answers.delete("reserve");
  const resubmit = { kind: "resubmit", reason: "key renewed", job: null, compensatedManually: false } as const;
  const operated = await operateJob("job-1", resubmit, { by: "ada", ifMatch: "any" }, world);
  expect(operated).toMatchObject({ kind: "done" });
  const startAttempt = world.startAttempts.at(-1);
  if (!startAttempt) throw new Error("no start message");
  expect(await world.runAttempt(startAttempt)).toBe("concluded");
  expect(await world.stateOf()).toMatchObject({ processState: "Processed", failureCount: 0 });
});

test("P27 an attempt after it that runs out of time and says nothing is counted", async () => {
  await expire(WRONG_KEY);
  await overdue();
  expect(await sweep(world)).toMatchObject({ held: 1 });
  const startAttempt = world.startAttempts.at(-1);
  if (!startAttempt) throw new Error("no start message");
  world.answers.set("reserve", () => ({ kind: "expired" }));
  expect(await world.runAttempt(startAttempt)).toBe("expired");
  expect((await step())?.expiry).toMatchObject({ attempt: 1, misconfigured: true });
  await overdue();
  expect(await sweep(world)).toMatchObject({ held: 0, retried: 1 });
});

test("P27 an outage after it is counted as before", async () => {
  await expire(WRONG_KEY);
  await overdue();
  expect(await sweep(world)).toMatchObject({ held: 1 });
  for (const failureCount of [1, 2]) {
    await expire(OUTAGE);
    await overdue();
    expect(await sweep(world)).toMatchObject({ retried: 1 });
    expect(await world.stateOf()).toMatchObject({ failureCount });
  }
  await expire(OUTAGE);
  await overdue();
  expect(await sweep(world)).toMatchObject({ toBeCompensated: 1 });
});

const answered = async (lastError: typeof OUTAGE, kind: "held" | "failed") => {
  await expire(lastError);
  await overdue();
  expect(await sweep(world)).toMatchObject({ found: 1, [kind]: 1 });
};

test("P27 an answer that no agent declares is bounded: the client is told of each pause, and at last a person has to act", async () => {
  for (let round = 1; round < 12; round += 1) await answered(UNDECLARED, "held");
  expect(await world.stateOf()).toMatchObject({ processState: "Pending", attempt: 12, failureCount: 0 });
  await answered(UNDECLARED, "failed");
  expect(await world.stateOf()).toMatchObject({
    ...{ processState: "Error", direction: "forward", failureCount: 1 },
    error: {
      ...{ kind: "expired", step: "reserveStock", agent: "inventory" },
      message: expect.stringMatching(/^12 attempts in a row were answered .* declare: HTTP 400/),
    },
  });
  const told = world.statuses.map(({ status }) => status);
  expect(told.filter((status) => status === "RetryScheduled").length).toBeGreaterThan(9);
  expect(told.at(-1)).toBe("Failed");
  expect(world.eventNames()).toContain("JobErrored");
});

test("P27 in a row: another reason in between, and an operator's resubmission, begin the count anew", async () => {
  for (let round = 1; round < 12; round += 1) await answered(UNDECLARED, "held");
  await answered(WRONG_KEY, "held");
  for (let round = 1; round < 12; round += 1) await answered(UNDECLARED, "held");
  await answered(UNDECLARED, "failed");
  const resubmit = { kind: "resubmit", reason: "corrected", job: null, compensatedManually: false } as const;
  expect(await operateJob("job-1", resubmit, { by: "ada", ifMatch: "any" }, world)).toMatchObject({ kind: "done" });
  expect((await step())?.answerCount).toBeUndefined();
  await answered(UNDECLARED, "held");
});
