// Steps that are done later by a service that is asked for it (P6, P8, P16): when it is asked, by whom, and what comes of it.

import { runOrchestration, type TaskEvent } from "@scheduler-agent-supervisor/testing/memory";
import { beforeEach, expect, test } from "vitest";
import type { Workflow } from "../../src/domain/definition/workflow.ts";
import type { StepRecord } from "../../src/domain/record/state-record.ts";
import { type Attempt, advance, type StepTask, tasksToBegin } from "../../src/domain/steps/attempt.ts";
import { nextPolls } from "../../src/domain/steps/next-polls.ts";
import type { PollTask } from "../../src/domain/steps/poll.ts";
import { loadWorkflows } from "../../src/domain/workflows/workflows.ts";
import { claimJob } from "../../src/scheduler/claim-job.ts";
import { operateJob } from "../../src/scheduler/operating/operate-job.ts";
import { parseReport } from "../../src/scheduler/steps/completion.ts";
import { pollService } from "../../src/scheduler/steps/poll-service.ts";
import { runStep } from "../../src/scheduler/steps/run-step.ts";
import { takeReport } from "../../src/scheduler/steps/take-reply.ts";
import { sweep } from "../../src/supervisor/sweep.ts";
import { NOON_MS, sampleJob, sampleRecord } from "../jobs.ts";
import { createWorld, type World } from "../world.ts";

const MINUTE_MS = 60_000;
const within = { completeWithin: "PT10S" };

/** The hotel is asked for, within a day; the badge comes at once. */
const STAY: Workflow = {
  name: "stay",
  version: 1,
  policy: { failureThreshold: 2, waits: [], onExhausted: "compensate", onRejected: "compensate" },
  steps: [
    {
      ...{ name: "hotel", agent: "inventory", operation: "reserve", after: [], ...within, awaitWithin: "P1D" },
      compensation: { operation: "release", completeWithin: "PT10S" },
    },
    { name: "badge", agent: "shipping", operation: "pickUp", after: ["hotel"], ...within, compensation: "nothing" },
  ],
};

const later = (retryAfterMs: number) => ({ kind: "pending", retryAfterMs, reference: "booking 7" }) as const;

let world: World;
let attempt: Attempt;
let hotel: StepTask;

beforeEach(async () => {
  world = createWorld(NOON_MS);
  const agents = [...world.agents].map(([name, { operationNames: operations }]) => {
    return [name, { operations, transports: ["activity", "queue"] }] as const;
  });
  Object.assign(world, { workflows: loadWorkflows(new Map(agents), [STAY]) });
  await world.store.create(sampleJob("job-1"), sampleRecord("job-1", STAY));
  world.answers.set("reserve", () => later(MINUTE_MS));
  const claim = await claimJob({ jobId: "job-1", attempt: 1, direction: "forward" }, world);
  if (claim.kind !== "claimed") throw new Error(claim.kind);
  attempt = claim.attempt;
  hotel = tasksToBegin(attempt, new Set())[0] as StepTask;
});

const record = async () => world.stateOf();
const step = async (name = "hotel") => (await record())?.steps[name] as StepRecord;
const at = (ms: number) => new Date(NOON_MS + ms).toISOString();

/** Runs the step, which is then awaited. */
async function begun(): Promise<PollTask> {
  const { outcome } = await runStep(hotel, world);
  if (outcome.kind !== "completed") throw new Error(outcome.kind);
  attempt = advance(attempt, outcome);
  return due();
}

function due(): PollTask {
  const [poll] = nextPolls(attempt, new Set())?.polls ?? [];
  if (!poll) throw new Error("nothing is to be asked");
  return poll;
}

/** Asks when it is time, and lets the attempt receive what came of it. */
async function ask(poll = due()) {
  world.clock = Math.max(world.clock, Date.parse(poll.pollAt));
  const end = await pollService(poll, world);
  if (end.outcome.kind === "completed") attempt = advance(attempt, end.outcome);
  return end;
}

test("P6 P8 a step whose service is to be asked waits in its record: with what, when, and for the supervisor only once nobody asked", async () => {
  const poll = await begun();
  expect(poll).toMatchObject({ step: "hotel", direction: "forward", attempt: 1, pollAt: at(MINUTE_MS) });
  expect(await step()).toMatchObject({
    state: "Awaiting",
    accepted: { at: at(0), reference: "booking 7", pollAt: at(MINUTE_MS) },
    completeBy: at(86_400_000),
  });
  expect(await record()).toMatchObject({ dueAt: at(11 * MINUTE_MS) });
  world.clock += 10 * MINUTE_MS;
  await sweep(world);
  expect(await record()).toMatchObject({ processState: "Processing", attempt: 1 });
});

test("P6 asked, it answers that it is not done yet, and is asked again when it said; nothing is repeated, and its reference stays", async () => {
  await begun();
  world.answers.set("reserve", () => ({ kind: "pending", retryAfterMs: 2 * MINUTE_MS }));
  expect(await ask()).toMatchObject({ receiver: 1, outcome: { kind: "completed", hasEnded: false } });
  expect(world.calls.at(-1)).toMatchObject({ operation: "reserve", awaited: { reference: "booking 7" } });
  expect(world.calls.at(-1)).not.toHaveProperty("mayHaveHappened");
  const pollAt = at(3 * MINUTE_MS);
  expect(await step()).toMatchObject({
    state: "Awaiting",
    accepted: { reference: "booking 7", lastReportAt: at(MINUTE_MS), pollAt },
    completeBy: at(86_400_000),
  });
  expect(due().pollAt).toBe(pollAt);
  expect(await record()).toMatchObject({ dueAt: at(13 * MINUTE_MS), failureCount: 0 });
});

test("P6 asked, it is done: recorded, and what follows begins", async () => {
  await begun();
  world.answers.set("reserve", () => ({ kind: "done" }));
  expect(await ask()).toMatchObject({ receiver: 1, outcome: { kind: "completed" } });
  expect(await step()).toMatchObject({ state: "Completed", result: { id: "inventory-2" } });
  expect(await step("badge")).toMatchObject({ state: "Scheduled", attempt: 1 });
  expect(nextPolls(attempt, new Set())).toBeUndefined();
});

test("P9 asked, it rejects for good: that leads where any rejection leads", async () => {
  await begun();
  world.answers.set("reserve", () => ({ kind: "rejected", message: "sold out" }));
  expect(await ask()).toMatchObject({ receiver: 1, outcome: { kind: "rejected" } });
  expect(await record()).toMatchObject({
    processState: "Pending",
    direction: "compensate",
    error: { message: "sold out" },
  });
});

test("P18 a service that can't be asked is asked again, after longer and longer; why is recorded until it answers, and nothing is counted", async () => {
  await begun();
  const lastError = { endpoint: "http://inventory/", message: "HTTP 503" };
  world.answers.set("reserve", () => ({ kind: "expired", lastError }));
  await ask();
  expect(await step()).toMatchObject({ state: "Awaiting", expiry: { attempt: 1, tries: 1, ...lastError } });
  expect(due().pollAt).toBe(at(2 * MINUTE_MS));
  await ask();
  expect(due().pollAt).toBe(at(4 * MINUTE_MS));
  for (let tries = 0; tries < 4; tries += 1) await ask();
  expect(Date.parse(due().pollAt) - world.clock).toBe(15 * MINUTE_MS);
  expect(await step()).toMatchObject({ retryCount: 0 });
  world.answers.set("reserve", () => later(MINUTE_MS));
  await ask();
  expect((await step()).expiry).toBeUndefined();
});

test("P16 run again after a death it does not ask again what was asked, and says how things stand", async () => {
  const poll = await begun();
  await ask(poll);
  const before = await record();
  const calls = world.calls.length;
  expect(await ask(poll)).toMatchObject({ receiver: 1, outcome: { kind: "completed" } });
  expect(world.calls).toHaveLength(calls);
  expect(await record()).toEqual(before);
});

test("P15 P16 run again after it recorded the end and died, it publishes the end", async () => {
  const poll = await begun();
  world.answers.set("reserve", () => ({ kind: "done" }));
  await ask(poll);
  const published = world.statuses.splice(0);
  expect(published).toMatchObject([{ status: "Started" }, { status: "StepCompleted", step: "hotel" }]);
  expect(await ask(poll)).toMatchObject({ receiver: 1, outcome: { kind: "completed" } });
  expect(world.statuses).toEqual(published.slice(1));
  // Also of the last step, once nobody holds the job.
  const badge = tasksToBegin(attempt, new Set()).find(({ step: name }) => name === "badge") as StepTask;
  await runStep(badge, world);
  expect(await record()).toMatchObject({ processState: "Processed", lockedBy: null });
  world.statuses.splice(0);
  expect(await ask(poll)).toMatchObject({ outcome: { kind: "completed", hasEnded: true } });
  // Of both steps: the process that recorded the other one may have died too.
  expect(world.statuses.map(({ status }) => status)).toEqual(["StepCompleted", "StepCompleted", "Completed"]);
});

test("a report that comes while it is asked counts, and keeps the time that it gave", async () => {
  const poll = await begun();
  const url = world.calls.at(-1)?.completion?.url ?? "";
  const report = async (body: object) => {
    const parsed = parseReport(url.slice(url.lastIndexOf("/") + 1), JSON.stringify(body));
    if (parsed.kind === "valid") await takeReport(parsed.report, world);
  };
  world.answers.set("reserve", async () => {
    await report({ kind: "progress", progress: "asked the owner", within: "P5D" });
    return later(MINUTE_MS);
  });
  await ask(poll);
  expect(await step()).toMatchObject({
    accepted: { progress: "asked the owner", pollAt: at(2 * MINUTE_MS) },
    completeBy: at(5 * 86_400_000 + MINUTE_MS),
  });
  world.answers.set("reserve", async () => {
    await report({ kind: "done", result: { booking: "H-7" } });
    return later(MINUTE_MS);
  });
  await ask();
  expect(await step()).toMatchObject({ state: "Completed", result: { booking: "H-7" } });
});

test("P14 P16 a poll that nobody made is found by the supervisor: the next attempt takes the step over and asks, and no failure is counted", async () => {
  const lost = await begun();
  world.clock = NOON_MS + 12 * MINUTE_MS;
  await sweep(world);
  expect(await record()).toMatchObject({ processState: "Pending", attempt: 2, failureCount: 0 });
  expect(await step()).toMatchObject({ state: "Awaiting", attempt: 1, retryCount: 0 });
  const claim = await claimJob({ jobId: "job-1", attempt: 2, direction: "forward" }, world);
  if (claim.kind !== "claimed") throw new Error(claim.kind);
  attempt = claim.attempt;
  expect(tasksToBegin(attempt, new Set())).toEqual([]);
  // It is not found again before the next attempt had its time to ask.
  expect((await record())?.dueAt).toBe(at(22 * MINUTE_MS));
  // Whoever was to ask asks no more.
  const calls = world.calls.length;
  expect(await pollService(lost, world)).toEqual({ outcome: { kind: "superseded" }, receiver: 1 });
  expect(world.calls).toHaveLength(calls);
  world.answers.set("reserve", () => ({ kind: "done" }));
  expect(await ask()).toMatchObject({ receiver: 2, outcome: { kind: "completed" } });
  expect(await step()).toMatchObject({ state: "Completed", completedIn: 1 });
  expect(await step("badge")).toMatchObject({ state: "Scheduled", attempt: 2 });
});

test("P13 a cancelled job asks no more for what was accepted: it is compensated at once, by its key", async () => {
  const poll = await begun();
  const cancel = { kind: "cancel", reason: "changed my mind" } as const;
  await operateJob("job-1", cancel, { by: "ada", ifMatch: "any" }, world);
  const claim = await claimJob({ jobId: "job-1", attempt: 2, direction: "compensate" }, world);
  if (claim.kind !== "claimed") throw new Error(claim.kind);
  expect(nextPolls(claim.attempt, new Set())).toBeUndefined();
  const calls = world.calls.length;
  expect(await pollService(poll, world)).toEqual({ outcome: { kind: "superseded" }, receiver: 1 });
  expect(world.calls).toHaveLength(calls);
  const [compensation] = tasksToBegin(claim.attempt, new Set()) as [StepTask];
  await runStep(compensation, world);
  expect(world.calls.at(-1)).toMatchObject({ operation: "release", compensates: { reference: "booking 7" } });
  expect(await record()).toMatchObject({ processState: "Cancelled" });
});

test.each([
  ["it is not done yet", () => ({ kind: "pending", retryAfterMs: 1000 }) as const],
  ["it could not be asked", () => ({ kind: "expired", lastError: { endpoint: "x", message: "HTTP 503" } }) as const],
])("P8 %s: an answer that comes after its time is not recorded", async (_, answer) => {
  const poll = await begun();
  const before = await record();
  world.answers.set("reserve", () => {
    world.clock = NOON_MS + 86_400_000 + 1;
    return answer();
  });
  await pollService(poll, world);
  expect(await record()).toEqual(before);
});

test("P8 asked in the last moment that counts, it is asked no more: a failure is counted, and the operation is called anew", async () => {
  await begun();
  world.clock = NOON_MS + 86_400_000 - 10_000;
  await ask();
  world.clock = NOON_MS + 86_400_000 + 2000;
  await sweep(world);
  expect(await record()).toMatchObject({ processState: "Pending", attempt: 2, failureCount: 1 });
  expect(await step()).toMatchObject({ state: "NotStarted", retryCount: 1 });
});

/** What the orchestration waits for, and begins, after these events. */
function orchestration(input: Attempt, events: readonly TaskEvent[]) {
  const { open, ended } = runOrchestration(input, events);
  const activities = open.flatMap((task) => (task.kind === "activity" ? [task.name] : []));
  const [timer] = open.flatMap((task) => (task.kind === "timer" ? [task] : []));
  return { activities, timer, ended, open };
}

test("P6 the orchestration waits until the first poll is due, begins it once, and looks at the record only when all is over", async () => {
  await begun();
  const first = orchestration(attempt, []);
  // The harness takes the time of a look from each timer.
  const LOOK_MS = 5000;
  const firesAt = (timer: { readonly at: string } | undefined) => Date.parse(timer?.at ?? "") + LOOK_MS - NOON_MS;
  expect(first.activities).toEqual([]);
  expect(firesAt(first.timer)).toBe(MINUTE_MS);
  const fired = { task: first.timer?.task ?? -1, kind: "fired" } as const;
  const second = orchestration(attempt, [fired]);
  expect(second.activities).toEqual(["pollStep"]);
  expect(firesAt(second.timer)).toBe(86_400_000 + LOOK_MS);
  // What the poll says comes as an event: the next one is waited for.
  const [event] = second.open.flatMap((task) => (task.kind === "event" && task.name === "progress" ? [task.task] : []));
  world.clock += MINUTE_MS;
  const { outcome } = await pollService(due(), world);
  const third = orchestration(attempt, [fired, { task: event ?? -1, kind: "result", value: outcome }]);
  expect(third.activities).toEqual([]);
  expect(firesAt(third.timer)).toBe(2 * MINUTE_MS);
});

test("a wait of many days is made of timers of two, which lead to nothing", () => {
  const completeBy = at(10 * 86_400_000);
  const steps = {
    ...attempt.steps,
    hotel: { ...(attempt.steps["hotel"] as StepRecord), state: "Awaiting", completeBy },
  };
  const waiting = { ...attempt, steps } as Attempt;
  const LOOK_MS = 5000;
  const firesAt = (timer: { readonly at: string } | undefined) => Date.parse(timer?.at ?? "") + LOOK_MS - NOON_MS;
  const first = orchestration(waiting, []);
  expect(firesAt(first.timer)).toBe(2 * 86_400_000);
  const second = orchestration(waiting, [{ task: first.timer?.task ?? -1, kind: "fired" }]);
  expect(second.activities).toEqual([]);
  expect(second.timer?.task).toBeGreaterThan(first.timer?.task ?? 0);
  expect(firesAt(second.timer)).toBe(2 * 86_400_000);
});

test("P8 what a poll learns after complete-by is not recorded", async () => {
  const poll = await begun();
  const { completeBy } = await step();
  world.answers.set("reserve", () => {
    world.clock = Date.parse(completeBy ?? "") + 1;
    return { kind: "done" };
  });
  await ask(poll);
  expect(await step()).toMatchObject({ state: "Awaiting", result: null });
});
