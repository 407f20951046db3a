// Operations that must not be repeated blindly (P34): the service does each request that reaches it, and its requests are delivered twice, or its
// process dies, or an operator acts.

import { inspectJob } from "@scheduler-agent-supervisor/operator/adapters";
import { submitJob } from "@scheduler-agent-supervisor/testing/memory";
import { beforeEach, expect, test } from "vitest";
import type { Agent, AgentCall, AgentReply, OperationPolicy } from "../../src/agents/agent.ts";
import { routeAgent } from "../../src/agents/route-agent.ts";
import type { StateRecord } from "../../src/domain/record/state-record.ts";
import { startAttemptOf } from "../../src/domain/recovery/recovery.ts";
import { type StepTask, tasksToBegin } from "../../src/domain/steps/attempt.ts";
import { claimJob } from "../../src/scheduler/claim-job.ts";
import { operateJob } from "../../src/scheduler/operating/operate-job.ts";
import type { Context } from "../../src/scheduler/ports.ts";
import { answerRequest } from "../../src/scheduler/steps/answer-request.ts";
import { askAgent } from "../../src/scheduler/steps/ask-agent.ts";
import { runStep } from "../../src/scheduler/steps/run-step.ts";
import { takeReply } from "../../src/scheduler/steps/take-reply.ts";
import type { SupervisionEntry } from "../../src/store/audit-log.ts";
import { sweep } from "../../src/supervisor/sweep.ts";
import { sampleJob } from "../jobs.ts";
import { createWorld, ENVELOPE, type World } from "../world.ts";

const NOON_MS = Date.parse("2026-03-01T12:00:00.000Z");
const MINUTE_MS = 60_000;
const MANNERS = ["atMostOnce", "find"] as const;
type Manner = (typeof MANNERS)[number];

/** What the service did, and how often it was asked for it. */
let effects: string[];
let asked: number;
/** What becomes of the next request; done and answered if empty. */
let next: ("dies" | "rejects" | "holds")[];
let isPaused: boolean;
let world: World;
let release: () => void;

beforeEach(() => {
  effects = [];
  asked = 0;
  next = [];
  isPaused = false;
});

const idOf = (key: string) => `made-${effects.indexOf(key) + 1}`;

/** It has no keys: whatever reaches it is done. */
async function serve({ idempotencyKey }: AgentCall): Promise<AgentReply> {
  const fate = next.shift();
  if (fate === "rejects") return { kind: "rejected", message: "not like this" };
  effects.push(idempotencyKey);
  if (fate === "dies") return new Promise(() => undefined);
  if (fate === "holds") await new Promise<void>((resolve) => (release = resolve));
  return { kind: "done", result: { id: idOf(idempotencyKey) } };
}

const FIND: OperationPolicy = {
  find: {
    ask: async ({ idempotencyKey }) => {
      asked += 1;
      return effects.includes(idempotencyKey)
        ? { kind: "done", result: { id: idOf(idempotencyKey) } }
        : { kind: "absent" };
    },
    settlesWithinMs: 0,
  },
};

function appOf(manner: Manner, transport: "activity" | "queue" = "activity"): Context {
  const policy: OperationPolicy = manner === "find" ? FIND : { atMostOnce: true };
  const step = { agent: "payment", after: [], completeWithin: "PT1M", transport } as const;
  const workflow = {
    name: "job-fulfilment",
    version: 1,
    policy: { failureThreshold: 3, waits: [], onExhausted: "fail", onRejected: "fail" },
    steps: [
      { ...step, name: "pay", operation: "capture", compensation: { operation: "refund", completeWithin: "PT1M" } },
      { ...step, name: "check", operation: "authorize", compensation: "nothing", transport: "activity" },
    ],
  } as const;
  world = createWorld(NOON_MS, undefined, { workflows: [workflow] });
  const payment: Agent = {
    name: "payment",
    operations: { capture: serve, refund: serve, authorize: async () => ({ kind: "rejected", message: "no" }) },
    policies: { capture: policy, refund: policy },
  };
  const agent = routeAgent(payment, [{ url: "http://payment.test/", capacity: 9 }], {
    now: () => world.clock,
    mayBegin: async () => !isPaused,
  });
  return { ...world, now: () => world.clock, agents: new Map([["payment", agent]]) };
}

async function begun(app: Context, step = "pay"): Promise<StepTask> {
  const claim = await submitJob({ body: sampleJob(), envelope: ENVELOPE, traceparent: null }, app);
  if (claim?.kind !== "claimed") throw new Error("not claimed");
  return taskOf(step, claim.attempt);
}

function taskOf(step: string, attempt: Parameters<typeof tasksToBegin>[0]): StepTask {
  const task = tasksToBegin(attempt, new Set()).find((one) => one.step === step);
  if (!task) throw new Error(`no ${step} to begin`);
  return task;
}

/** The next attempt's task of the step, once the supervisor or an operator has decided on one. */
async function again(app: Context, step = "pay"): Promise<StepTask> {
  return taskOf(step, await claimed(app));
}

async function claimed(app: Context) {
  const record = (await app.store.state("job-1"))?.record;
  const claim = record && (await claimJob(startAttemptOf(record), app));
  if (claim?.kind !== "claimed") throw new Error("not claimed");
  return claim.attempt;
}

async function recovered(app: Context, step?: string): Promise<StepTask> {
  world.clock += 2.5 * MINUTE_MS;
  await sweep(app);
  return again(app, step);
}

const stepOf = async (app: Context, step = "pay") => (await app.store.state("job-1"))?.record.steps[step];

/** An activity whose process dies once its request is sent. */
async function dies(run: () => Promise<unknown>): Promise<void> {
  next.push("dies");
  const before = effects.length;
  void run();
  await expect.poll(() => effects.length).toBe(before + 1);
}

async function end(app: Context, manner: Manner): Promise<void> {
  expect(effects).toHaveLength(1);
  const pay = await stepOf(app);
  if (manner === "find") expect(pay).toMatchObject({ state: "Completed", result: { id: "made-1" } });
  else expect(pay).toMatchObject({ state: "Failed", outcomeUnknown: true });
}

test.each(MANNERS)("P34 %s: its process dies after sending, and the activity is delivered again", async (manner) => {
  const app = appOf(manner);
  const task = await begun(app);
  await dies(() => runStep(task, app));
  // A person who looks at it meanwhile sees that nobody knows.
  expect(await stepOf(app)).toMatchObject({ state: "Running", outcomeUnknown: true });
  await runStep(task, app);
  if (manner === "atMostOnce") await runStep(await recovered(app), app);
  await end(app, manner);
});

test.each(MANNERS)("P34 %s: the activity runs twice at the same time", async (manner) => {
  const app = appOf(manner);
  const task = await begun(app);
  next.push("holds");
  const first = runStep(task, app);
  await expect.poll(() => effects.length).toBe(1);
  const second = await runStep(task, app);
  release();
  await first;
  expect(effects).toHaveLength(1);
  expect(second.outcome.kind).toBe(manner === "find" ? "completed" : "expired");
  expect(await stepOf(app)).toMatchObject({ state: "Completed", result: { id: "made-1" } });
});

test.each(MANNERS)("P34 %s: the request on its queue is delivered again after a death", async (manner) => {
  const app = appOf(manner, "queue");
  const work = async (task: StepTask) => {
    await askAgent(task, app);
    const request = world.requests.at(-1)?.request;
    if (!request) throw new Error("not asked");
    return () => answerRequest("payment", request, "agent-replies", app);
  };
  const run = await work(await begun(app));
  await dies(run);
  await run();
  if (manner === "atMostOnce") await (await work(await recovered(app)))();
  await takeReply(world.replies.at(-1), app);
  await end(app, manner);
});

test.each(MANNERS)("P34 %s: an operator resubmits the job while the step is at work", async (manner) => {
  const app = appOf(manner);
  const task = await begun(app);
  await dies(() => runStep(task, app));
  const check = { ...task, ...taskFrom(task, await stepOf(app, "check")) };
  await runStep(check, app);
  expect((await app.store.state("job-1"))?.record.processState).toBe("Error");
  const request = { kind: "resubmit", reason: "fixed", job: null, compensatedManually: false } as const;
  const operated = await operateJob("job-1", request, { by: "eve", ifMatch: "any" }, app);
  expect(operated.kind).toBe("done");
  // It goes on, and is run again when its time is over.
  expect(tasksToBegin(await claimed(app), new Set())).toMatchObject([{ step: "check" }]);
  await runStep(await recovered(app), app);
  await end(app, manner);
});

function taskFrom({ record }: StepTask, check: StepTask["record"] | undefined): Partial<StepTask> {
  return { step: "check", operation: "authorize", record: check ?? record, join: null };
}

test.each(MANNERS)("P34 %s: a step that has only waited for its paused agent is done", async (manner) => {
  const app = appOf(manner);
  isPaused = true;
  await runStep(await begun(app), app);
  const task = await recovered(app);
  expect(task.record.waitCount).toBe(1);
  isPaused = false;
  await runStep(task, app);
  expect(await stepOf(app)).toMatchObject({ state: "Completed", result: { id: "made-1" } });
  expect({ effects: effects.length, asked }).toEqual({ effects: 1, asked: 0 });
});

test.each(MANNERS)("P34 %s: a rejection that is certain leaves no unknown outcome", async (manner) => {
  const app = appOf(manner);
  next.push("rejects");
  await runStep(await begun(app), app);
  const pay = await stepOf(app);
  expect(pay).toMatchObject({ state: "Failed", error: "not like this" });
  expect(pay?.outcomeUnknown).toBe(false);
});

const CALLER = { by: "eve", ifMatch: "any" } as const;
type Request = Parameters<typeof operateJob>[1];

/** The job in Error, since it is unknown whether the step was done: its process died, and it may not be tried again. */
async function unknown(app: Context): Promise<void> {
  const task = await begun(app);
  await dies(() => runStep(task, app));
  await runStep(await recovered(app), app);
  expect((await app.store.state("job-1"))?.record).toMatchObject({ processState: "Error", direction: "forward" });
}

function recording(more: object, app: Context) {
  return operateJob(
    "job-1",
    { kind: "recordOutcome", step: "pay", reason: "asked the bank", ...more } as Request,
    CALLER,
    app,
  );
}

const recordOf = async (app: Context) => (await app.store.state("job-1"))?.record;

test("P32 a person records that a step was done: its result is used, and the job goes on", async () => {
  const app = appOf("atMostOnce");
  await unknown(app);
  expect((await inspectJob("job-1", app))?.unknownOutcomes).toEqual([{ step: "pay", direction: "forward" }]);
  const recorded = await recording({ outcome: "done", result: { id: "by-hand" } }, app);
  expect(recorded).toMatchObject({ kind: "done", published: true });
  expect(await recordOf(app)).toMatchObject({ processState: "Pending", attempt: 3, error: null });
  expect(await stepOf(app)).toMatchObject({
    ...{ state: "Completed", result: { id: "by-hand" }, completedIn: 2 },
    because: "recorded by eve: asked the bank",
  });
  expect(world.statuses.map(({ status, step }) => [status, step])).toContainEqual(["StepCompleted", "pay"]);
  const twice = await recording({ outcome: "notDone" }, app);
  expect(twice).toMatchObject({ kind: "rejected", reason: "the outcome of pay is not unknown" });
  await claimed(app);
  const check = await recovered(app, "check");
  expect(check.results).toEqual({ pay: { id: "by-hand" } });
  expect(effects).toHaveLength(1);
  const [entry] = await entriesOf(app);
  expect(entry).toMatchObject({
    action: "recordOutcome",
    operator: "eve",
    reason: "asked the bank",
    outcome: "done: pay was recorded as done",
  });
});

test("P32 a person records that a step was not done: it is tried again, once", async () => {
  const app = appOf("atMostOnce");
  await unknown(app);
  effects = [];
  expect(await recording({ outcome: "notDone" }, app)).toMatchObject({ kind: "done", published: true });
  await runStep(await again(app), app);
  expect(await stepOf(app)).toMatchObject({ state: "Completed", result: { id: "made-1" } });
  expect(effects).toHaveLength(1);
});

test("P32 P34 what a person records while the next attempt is claimed is kept: the claim goes by it", async () => {
  const app = appOf("atMostOnce");
  const task = await begun(app);
  await dies(() => runStep(task, app));
  world.clock += 3 * MINUTE_MS;
  await sweep(app);
  const waiting = (await recordOf(app)) as StateRecord;
  expect(waiting).toMatchObject({ processState: "Pending", attempt: 2 });
  const state: typeof app.store.state = async (jobId) => {
    const read = await app.store.state(jobId);
    await recording({ outcome: "done", result: { id: "by-hand" } }, app);
    return read;
  };
  await claimJob(startAttemptOf(waiting), { ...app, store: { ...app.store, state } });
  expect(await stepOf(app)).toMatchObject({ state: "Completed", result: { id: "by-hand" } });
  expect(await stepOf(app, "check")).toMatchObject({ state: "Scheduled", attempt: 2 });
});

test.each(["done", "notDone"] as const)("P32 the compensation of a step: a person records %s", async (outcome) => {
  const app = appOf("atMostOnce");
  await runStep(await begun(app), app);
  const cancelled = await operateJob("job-1", { kind: "cancel", reason: "unwanted" }, CALLER, app);
  expect(cancelled.kind).toBe("done");
  world.clock += 3 * MINUTE_MS;
  const task = await again(app);
  await dies(() => runStep(task, app));
  await runStep(await recovered(app), app);
  expect(await recordOf(app)).toMatchObject({ processState: "Error", error: { kind: "compensationIncomplete" } });
  const { unknownOutcomes } = (await inspectJob("job-1", app)) ?? {};
  expect(unknownOutcomes).toContainEqual({ step: "pay", direction: "compensate" });
  expect(unknownOutcomes).not.toContainEqual({ step: "pay", direction: "forward" });
  expect(await recording({ outcome: "done", result: { id: "r" } }, app)).toEqual({
    kind: "invalid",
    faults: ["result: a compensation has no result"],
  });
  const before = effects.length;
  expect(await recording({ outcome }, app)).toMatchObject({ kind: "done", published: true });
  if (outcome === "notDone") await runStep(await again(app), app);
  else await claimJob(startAttemptOf((await recordOf(app)) as StateRecord), app);
  expect(effects).toHaveLength(before + (outcome === "done" ? 0 : 1));
  expect(await recordOf(app)).toMatchObject({ processState: "Cancelled", steps: { pay: { state: "Compensated" } } });
});

test("P32 a step that may still be at work, or whose outcome is known, is not recorded", async () => {
  const app = appOf("atMostOnce");
  const task = await begun(app);
  await dies(() => runStep(task, app));
  const check = { ...task, ...taskFrom(task, await stepOf(app, "check")) };
  await runStep(check, app);
  expect(await recording({ outcome: "done" }, app)).toMatchObject({
    kind: "rejected",
    reason: expect.stringContaining("an agent may still be at work on pay, until 2026-03-01T12:01"),
  });
  expect(await recording({ outcome: "done", step: "check" }, app)).toMatchObject({
    reason: "the outcome of check is not unknown",
  });
  expect(await recording({ outcome: "done", step: "nothing" }, app)).toMatchObject({
    reason: "it has no step nothing",
  });
  world.clock += 3 * MINUTE_MS;
  expect(await recording({ outcome: "done", result: { id: "by-hand" } }, app)).toMatchObject({ kind: "done" });
});

test("P32 a result that its agent does not declare is refused with each fault", async () => {
  const app = appOf("atMostOnce");
  await unknown(app);
  const faults = ["result.id: Invalid input"];
  const strict = { ...app, checkResult: () => ({ kind: "misfit", faults }) as const };
  expect(await recording({ outcome: "done", result: {} }, strict)).toEqual({ kind: "invalid", faults });
});

async function entriesOf(app: Context) {
  const found: SupervisionEntry[] = [];
  for await (const entry of app.supervision.entries("2026-03-01", "job-1")) found.push(entry);
  return found.filter(({ kind }) => kind === "operatorAction");
}
