// An attempt over the store in memory: what each of its operations does, and what a second run of it after a death finds.

import { beforeEach, expect, test, vi } from "vitest";
import { planOf } from "../../src/domain/record/plan.ts";
import type { StateRecord } from "../../src/domain/record/state-record.ts";
import { attemptOf, tasksToBegin } from "../../src/domain/steps/attempt.ts";
import { claimJob } from "../../src/scheduler/claim-job.ts";
import { runStep } from "../../src/scheduler/steps/run-step.ts";
import { sweep } from "../../src/supervisor/sweep.ts";
import { GRAPH, NOON, NOON_MS } from "../jobs.ts";
import { createWorld, runTasks, type World } from "../world.ts";

const GRAPH_PLAN = planOf(GRAPH, {}, "forward");

let world: World;
beforeEach(() => {
  world = createWorld(NOON_MS);
});

test("P5 runs the levels in order, a level's steps once each, with stable keys, and notifies the client in order", async () => {
  expect(await world.runAttempt(await world.submitted())).toBe("concluded");
  const operations = world.calls.map(({ operation }) => operation);
  expect([operations[0], operations.slice(1, 3).sort(), ...operations.slice(3)]).toEqual([
    "reserve",
    ["authorize", "check"],
    "arrange",
    "capture",
  ]);
  expect(world.calls.map(({ idempotencyKey }) => idempotencyKey)).toContain("job-1:takePayment:forward");
  const statuses = world.statuses.map(({ status }) => status);
  expect(statuses).toEqual(["Received", "Started", ...Array(5).fill("StepCompleted"), "Completed"]);
  expect(await world.stateOf()).toMatchObject({ processState: "Processed", lockedBy: null, outbox: [] });
});

test("hands a step what the steps before it recorded", async () => {
  await world.runAttempt(await world.submitted());
  const capture = world.calls.find(({ operation }) => operation === "capture");
  expect(Object.keys(capture?.results ?? {}).sort()).toEqual([
    "arrangeShipping",
    "checkFraud",
    "reserveStock",
    "takePayment",
  ]);
});

test("P4 a second attempt at one claim is rejected; the same one's second run is not", async () => {
  const startAttempt = await world.submitted();
  const first = await claimJob(startAttempt, world);
  expect(first).toMatchObject({ kind: "claimed", isBehind: false });
  expect(await claimJob(startAttempt, world)).toEqual({ ...first, isBehind: true });
  expect(await claimJob({ ...startAttempt, attempt: 2 }, world)).toEqual({ kind: "taken" });
});

test("P4 the same attempt started in the hub of another host is rejected", async () => {
  const startAttempt = await world.submitted();
  expect((await claimJob(startAttempt, world)).kind).toBe("claimed");
  expect(await claimJob(startAttempt, { ...world, taskHub: "other" })).toEqual({ kind: "taken" });
  expect((await world.stateOf())?.lockedBy).toBe("job-1-1@hub");
});

test("P16 a step run again after its write was made changes nothing and gives the same outcome", async () => {
  const task = await world.firstTask(await world.submitted());
  const outcome = await runStep(task, world);
  const before = await world.stateOf();
  world.clock += 500;
  expect(await runStep(task, world)).toEqual(outcome);
  expect(await world.stateOf()).toEqual(before);
});

test("P16 every step of an attempt may run twice: one job of steps, one end", async () => {
  const attempt = await world.claim(await world.submitted());
  await runTasks(attempt, async (task) => {
    const first = await runStep(task, world);
    const second = await runStep(task, world);
    expect(second.outcome.kind).toEqual(first.outcome.kind);
    return second.outcome;
  });
  expect(await world.stateOf()).toMatchObject({ processState: "Processed" });
  expect((await world.stateOf())?.history).toHaveLength(7);
});

test("P16 a last step run again past complete-by still notifies the client", async () => {
  const attempt = await world.claim(await world.submitted());
  const { ran } = await runTasks(attempt, async (task) => (await runStep(task, world)).outcome);
  world.statuses.length = 0;
  const task = ran.at(-1);
  if (!task) throw new Error("no last step");
  world.clock = Date.parse(task.completeBy) + 1;
  expect((await runStep(task, world)).outcome.kind).toBe("completed");
  expect(world.statuses.at(-1)).toMatchObject({ status: "Completed" });
});

test("P9 a rejection for good ends in Error, publishes Failed with the reason and goes no further", async () => {
  world.answers.set("authorize", () => ({ kind: "rejected", message: "card expired" }));
  expect(await world.runAttempt(await world.submitted())).toBe("rejected");
  expect(await world.stateOf()).toMatchObject({
    processState: "Error",
    error: { kind: "rejected", message: "card expired", step: "takePayment", agent: "payment" },
    outbox: [],
  });
  expect(await world.stateOf()).not.toHaveProperty("dueAt");
  expect(world.statuses.at(-1)).toMatchObject({ status: "Failed", detail: "card expired" });
  expect(world.calls.map(({ operation }) => operation)).not.toContain("arrange");
});

test("P8 a late agent is rejected by the fence, counted, and changes nothing", async () => {
  const task = await world.firstTask(await world.submitted());
  world.answers.set("reserve", async () => {
    world.clock = Date.parse(task.startBy) + 5000;
    await sweep(world);
    return { kind: "done" };
  });
  expect((await runStep(task, world)).outcome.kind).toBe("superseded");
  expect(await world.stateOf()).toMatchObject({ processState: "Pending", attempt: 2, lockedBy: null });
  expect((await world.stateOf())?.steps["reserveStock"]).toMatchObject({ state: "NotStarted", result: null });
  expect(world.eventNames()).toContain("LateReplyRejected");
  const entries: unknown[] = [];
  for await (const entry of world.supervision.entries(NOON.slice(0, 10), "job-1")) entries.push(entry);
  expect(entries).toContainEqual(expect.objectContaining({ kind: "lateReply", attempt: 1, step: "reserveStock" }));
});

test("P8 P26 once it is scheduled again the agent is not called, nothing is written, nothing is sent", async () => {
  const task = await world.firstTask(await world.submitted());
  world.clock = Date.parse(task.startBy) + 2000;
  expect(await sweep(world)).toMatchObject({ rescheduled: 1 });
  const [before, sent] = [await world.stateOf(), world.statuses.length];
  expect((await runStep(task, world)).outcome).toEqual({ kind: "superseded", by: 2 });
  expect(await world.stateOf()).toEqual(before);
  expect(world.statuses).toHaveLength(sent);
  expect(world.calls).toEqual([]);
});

test("P26 taken up in time a step costs no write; taken up late the record says so first, and its agent has all of its time", async () => {
  const task = await world.firstTask(await world.submitted());
  const { change } = world.store;
  const writes = vi.spyOn(world.store, "change").mockImplementation(change);
  world.clock += 2000;
  await runStep(task, world);
  expect(writes).toHaveBeenCalledTimes(1);

  const [late] = tasksToBegin(attemptOf((await world.stateOf()) as StateRecord, task.lockedBy, GRAPH_PLAN), new Set());
  if (!late) throw new Error("no second step");
  world.clock = Date.parse(late.startBy);
  world.answers.set("authorize", async () => {
    const completeBy = new Date(world.clock + 10_000).toISOString();
    expect((await world.stateOf())?.steps["takePayment"]).toMatchObject({ state: "Running", completeBy });
    expect(await world.stateOf()).toMatchObject({ completeBy, dueAt: completeBy });
    return { kind: "done" };
  });
  expect((await runStep(late, world)).outcome.kind).toBe("completed");
});

test("P8 P16 a step that was taken up and whose process died goes on within what is left of its time", async () => {
  const task = await world.firstTask(await world.submitted());
  world.clock += 5000;
  world.answers.set("reserve", () => new Promise(() => undefined));
  void runStep(task, world);
  await vi.waitFor(async () => {
    expect((await world.stateOf())?.steps["reserveStock"]).toMatchObject({ state: "Running" });
  });
  const before = await world.stateOf();
  world.clock += 9000;
  world.answers.set("reserve", async () => {
    expect(await world.stateOf()).toEqual(before);
    return { kind: "done" };
  });
  expect((await runStep(task, world)).outcome.kind).toBe("completed");
  expect((await runStep(task, world)).outcome.kind).toBe("completed");
});

test("P8 P16 and not at all once that is over", async () => {
  const task = await world.firstTask(await world.submitted());
  world.clock += 5000;
  world.answers.set("reserve", () => new Promise(() => undefined));
  void runStep(task, world);
  await vi.waitFor(() => expect(world.calls).toHaveLength(1));
  world.clock += 10_000;
  expect((await runStep(task, world)).outcome.kind).toBe("expired");
  expect(world.calls).toHaveLength(1);
});

test("the bus away at the end: the job is Processed, its last messages wait in the outbox, and the sweep publishes them", async () => {
  const startAttempt = await world.submitted();
  world.answers.set("capture", () => {
    world.failing = "Completed";
    return { kind: "done" };
  });
  expect(await world.runAttempt(startAttempt)).toBe("concluded");
  expect((await world.stateOf())?.outbox).toMatchObject([{ status: "StepCompleted" }, { status: "Completed" }]);
  world.failing = undefined;
  world.clock += 60_000;
  expect(await sweep(world)).toMatchObject({ found: 1, published: 1 });
  expect(world.statuses.at(-1)).toMatchObject({ status: "Completed" });
  expect(await sweep(world)).toMatchObject({ found: 0 });
});

test("P16 the bus away from the last step on: nothing of it costs the client the job's end", async () => {
  const startAttempt = await world.submitted();
  world.answers.set("capture", () => {
    world.publishFault = new Error("bus down");
    return { kind: "done" };
  });
  expect(await world.runAttempt(startAttempt)).toBe("concluded");
  expect(await world.stateOf()).toMatchObject({
    processState: "Processed",
    outbox: [{ status: "StepCompleted", step: "capturePayment" }, { status: "Completed" }],
  });
  world.publishFault = undefined;
  world.clock += 60_000;
  await sweep(world);
  expect(world.statuses.slice(-2)).toMatchObject([{ status: "StepCompleted" }, { status: "Completed" }]);
  expect(await world.stateOf()).toMatchObject({ outbox: [] });
});

test("P15 a message that can't be sent is not overtaken: it goes before the next one, once", async () => {
  const startAttempt = await world.submitted();
  world.answers.set("reserve", () => {
    world.failing = "StepCompleted";
    return { kind: "done" };
  });
  world.answers.set("arrange", () => {
    world.failing = undefined;
    return { kind: "done" };
  });
  expect(await world.runAttempt(startAttempt)).toBe("concluded");
  const published = world.statuses.map(({ status, step }) => (step ? `${status} ${step}` : status));
  expect(published.slice(0, 3)).toEqual(["Received", "Started", "StepCompleted reserveStock"]);
  expect(new Set(published).size).toBe(8);
  expect(published.slice(-3)).toEqual(["StepCompleted arrangeShipping", "StepCompleted capturePayment", "Completed"]);
  expect(await world.stateOf()).toMatchObject({ processState: "Processed", outbox: [] });
  expect(await world.stateOf()).not.toHaveProperty("dueAt");
});

test("P16 a claim that concluded the job and died before it notified the client: the sweep publishes it", async () => {
  const startAttempt = await world.submitted();
  const read = await world.store.state("job-1");
  if (!read) throw new Error("no record");
  const steps = Object.entries(read.record.steps).map(([name, step]) => [name, { ...step, state: "Completed" }]);
  await world.store.replace(read, { ...read.record, steps: Object.fromEntries(steps) });
  const killed = { ...world.messenger, publish: () => new Promise<never>(() => undefined) };
  void claimJob(startAttempt, { ...world, messenger: killed });
  await vi.waitFor(async () => expect(await world.stateOf()).toMatchObject({ processState: "Processed" }));
  expect(await claimJob(startAttempt, world)).toEqual({ kind: "taken" });
  world.statuses.length = 0;
  world.clock += 60_000;
  expect(await sweep(world)).toMatchObject({ found: 1, published: 1 });
  expect(world.statuses).toMatchObject([{ status: "Completed" }]);
  expect(await world.stateOf()).not.toHaveProperty("dueAt");
});

test("P15 P16 an attempt that is started again where its record stands publishes what its first run died before publishing", async () => {
  const startAttempt = await world.submitted();
  const task = await world.firstTask(startAttempt);
  const killed = { ...world.messenger, publish: () => new Promise<never>(() => undefined) };
  void runStep(task, { ...world, messenger: killed });
  await vi.waitFor(async () => {
    expect((await world.stateOf())?.steps["reserveStock"]).toMatchObject({ state: "Completed" });
  });
  expect(await world.runAttempt(startAttempt)).toBe("concluded");
  const published = world.statuses.map(({ status, step }) => (step ? `${status} ${step}` : status));
  expect(published.slice(0, 4)).toEqual(["Received", "Started", "Started", "StepCompleted reserveStock"]);
});

/** The fraud check is recorded, and whoever did it dies before it reports it; then the card is rejected. */
async function rejectedBesideAKilledStep(atRejection: () => void): Promise<void> {
  const { publish } = world.messenger;
  const startAttempt = await world.submitted();
  let isKilled = false;
  vi.spyOn(world.messenger, "publish").mockImplementation((reply, messages) => {
    if (isKilled || messages.every(({ step }) => step !== "checkFraud")) return publish(reply, messages);
    isKilled = true;
    return new Promise<never>(() => undefined);
  });
  world.answers.set("authorize", async () => {
    await vi.waitFor(() => expect(isKilled).toBe(true));
    atRejection();
    return { kind: "rejected", message: "card expired" };
  });
  void world.runAttempt(startAttempt);
}

const publishedInJob = () => world.statuses.map(({ status, step }) => step ?? status);

test("P15 P16 Failed is not published before a step beside the rejected one whose agent died before it reported it", async () => {
  await rejectedBesideAKilledStep(() => undefined);
  await vi.waitFor(() => expect(world.statuses.at(-1)).toMatchObject({ status: "Failed" }));
  expect(publishedInJob()).toEqual(["Received", "Started", "reserveStock", "reserveStock", "checkFraud", "Failed"]);
});

test("P15 P16 nor by the sweep, where the bus was away at the rejection", async () => {
  await rejectedBesideAKilledStep(() => {
    world.publishFault = new Error("bus down");
  });
  await vi.waitFor(() => expect(world.eventNames()).toContain("StatusDelayed"));
  expect(publishedInJob()).toEqual(["Received", "Started", "reserveStock"]);
  world.publishFault = undefined;
  world.clock += 60_000;
  expect(await sweep(world)).toMatchObject({ found: 1, published: 1 });
  expect(publishedInJob().slice(3)).toEqual(["reserveStock", "checkFraud", "Failed"]);
});
