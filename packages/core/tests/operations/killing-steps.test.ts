// P16 steps that end the process that runs them, and steps that are never taken up: each is counted or named, or a person is alerted.

import { setImmediate } from "node:timers/promises";
import { recordJob } from "@scheduler-agent-supervisor/testing/memory";
import { beforeEach, expect, test } from "vitest";
import { startAttemptOf } from "../../src/domain/recovery/recovery.ts";
import type { StartAttempt } from "../../src/domain/steps/attempt.ts";
import { claimJob } from "../../src/scheduler/claim-job.ts";
import { operateJob } from "../../src/scheduler/operating/operate-job.ts";
import { answerRequest } from "../../src/scheduler/steps/answer-request.ts";
import { askAgent } from "../../src/scheduler/steps/ask-agent.ts";
import { taskIn } from "../../src/scheduler/steps/reply-task.ts";
import { runStep } from "../../src/scheduler/steps/run-step.ts";
import { takeReply } from "../../src/scheduler/steps/take-reply.ts";
import { sweep } from "../../src/supervisor/sweep.ts";
import { GRAPH, NOON_MS, sampleJob, sampleRecord } from "../jobs.ts";
import { createWorld, type World } from "../world.ts";

let world: World;
beforeEach(() => {
  world = createWorld(NOON_MS);
});

/** Its workflow gives up at the third failure. */
async function submitted(): Promise<StartAttempt> {
  const body = sampleJob("job-1", { workflow: "returns" });
  const record = await recordJob(
    { body, envelope: { messageId: "m", replyTo: "replies-shop" }, traceparent: null },
    world,
  );
  if (!record) throw new Error("nothing to start");
  return startAttemptOf(record);
}

/** Its time is over, while its agent works on other jobs. */
async function swept(): Promise<StartAttempt | undefined> {
  world.clock = Date.parse((await world.stateOf())?.dueAt ?? "") + 5000;
  world.presence.seen("shipping");
  await setImmediate();
  const before = world.startAttempts.length;
  await sweep(world);
  return world.startAttempts.slice(before).at(-1);
}

const isOver = async () => (await world.stateOf())?.processState === "Error";

test("[agents | a step of this app | it ends its process each time] it is counted from the second death on, and the job ends as its policy says", async () => {
  let killed = 0;
  world.answers.set("pickUp", () => {
    killed += 1;
    return new Promise(() => undefined);
  });
  let start: StartAttempt | undefined = await submitted();
  for (let round = 0; start && round < 20; round += 1) {
    void runStep(await world.firstTask(start), world);
    await setImmediate();
    start = await swept();
  }
  expect(await isOver()).toBe(true);
  expect(killed).toBe(4);
  expect(await world.stateOf()).toMatchObject({ failureCount: 3, error: { kind: "expired", step: "pickUp" } });
  expect(world.eventNames()).toContain("JobErrored");
});

const fail = () => {
  throw new Error("again");
};

test.each<[string, unknown]>([
  ["an object whose toString throws", { toString: fail }],
  ["a proxy that throws at everything", new Proxy({}, { get: fail, getPrototypeOf: fail, has: fail })],
  ["an error whose message throws", Object.defineProperty(new Error("x"), "message", { get: fail })],
  ["null", null],
  ["a symbol", Symbol("s")],
])("P16 a step whose code throws %s is held like any other", async (_, thrown) => {
  world.answers.set("pickUp", () => {
    throw thrown;
  });
  const task = await world.firstTask(await submitted());
  expect((await runStep(task, world)).outcome).toEqual({ kind: "expired" });
  expect((await world.stateOf())?.steps["pickUp"]).toMatchObject({
    state: "Running",
    expiry: { message: expect.stringContaining("the code of the app failed: ") },
  });
  await swept();
  expect(await world.stateOf()).toMatchObject({ processState: "Pending", failureCount: 0 });
});

test("a healthy step's start costs no write", async () => {
  const task = await world.firstTask(await submitted());
  let during: unknown;
  world.answers.set("pickUp", async () => {
    during = (await world.stateOf())?.steps["pickUp"]?.state;
    return { kind: "done" };
  });
  await runStep(task, world);
  expect(during).toBe("Scheduled");
});

test("P16 a request that is delivered again is said to be taken up before it goes out", async () => {
  await world.store.create(sampleJob("job-1"), sampleRecord("job-1", GRAPH));
  await claimJob({ jobId: "job-1", attempt: 1, direction: "forward" }, world);
  await runStep(await taskOf("reserveStock"), world);
  await askAgent(await taskOf("checkFraud"), world);
  const asked = world.requests.at(-1);
  if (!asked) throw new Error("nothing was asked");
  world.answers.set("check", () => new Promise(() => undefined));
  void answerRequest(asked.agent, asked.request, "agent-replies", world);
  await setImmediate();
  expect(world.replies).toEqual([]);
  void answerRequest(asked.agent, asked.request, "agent-replies", world, true);
  await setImmediate();
  expect(world.replies).toMatchObject([{ kind: "started" }]);
  await takeReply(world.replies.at(-1), world);
  expect((await world.stateOf())?.steps["checkFraud"]?.state).toBe("Running");
});

test("[supervisor | a step that no agent ever takes up | 50 times in a row] the job is in Error and an alert names it; resubmitted, it has as many times more", async () => {
  world.timing.mostTimesRescheduled = 3;
  let start: StartAttempt | undefined = await submitted();
  const goesRound = async (most = 20) => {
    let rounds = 0;
    for (; start && rounds < most; rounds += 1) {
      await world.claim(start);
      start = await swept();
    }
    return rounds;
  };
  expect(await goesRound()).toBe(3);
  expect(await world.stateOf()).toMatchObject({ processState: "Error", error: { kind: "expired", agent: "shipping" } });
  expect((await world.stateOf())?.error?.message).toContain("not taken up by the agent shipping");
  const alerts = world.events.filter(({ name }) => name === "JobErrored");
  expect(alerts).toMatchObject([{ attributes: { jobId: "job-1", step: "pickUp", agent: "shipping" } }]);

  const resubmit = { kind: "resubmit", reason: "it works again", job: null, compensatedManually: false } as const;
  expect(await operateJob("job-1", resubmit, { by: "ann", ifMatch: "any" }, world)).toMatchObject({ kind: "done" });
  start = world.startAttempts.at(-1);
  expect(await goesRound(2)).toBe(2);
  expect(await isOver()).toBe(false);
});

async function taskOf(step: string) {
  const record = (await world.store.state("job-1"))?.record;
  if (!record?.lockedBy) throw new Error("nobody holds the job");
  const task = taskIn(record, { attempt: 1, step, direction: "forward", lockedBy: record.lockedBy }, world);
  if (!task) throw new Error(`there is no ${step}`);
  return task;
}
