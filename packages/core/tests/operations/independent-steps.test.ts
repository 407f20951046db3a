// Steps side by side are independent (P5, P13, P14, P21): each begins when its own predecessors are done, and what happens to one does
// not wait for the others' times.

import { beforeEach, expect, test } from "vitest";
import type { Workflow, WorkflowStep } from "../../src/domain/definition/workflow.ts";
import type { StepState } from "../../src/domain/record/state-record.ts";
import {
  type Attempt,
  advance,
  runKey,
  type StepEnd,
  type StepOutcome,
  type StepTask,
  tasksToBegin,
} from "../../src/domain/steps/attempt.ts";
import { loadWorkflows } from "../../src/domain/workflows/workflows.ts";
import { claimJob } from "../../src/scheduler/claim-job.ts";
import { operateJob } from "../../src/scheduler/operating/operate-job.ts";
import { runStep } from "../../src/scheduler/steps/run-step.ts";
import { sweep } from "../../src/supervisor/sweep.ts";
import { NOON_MS, sampleJob, sampleRecord } from "../jobs.ts";
import { createWorld, type World } from "../world.ts";

const step = (name: string, agent: string, operation: string, after: string[], compensation: string): WorkflowStep => ({
  name,
  agent,
  operation,
  after,
  completeWithin: "PT10S",
  compensation: compensation === "nothing" ? compensation : { operation: compensation, completeWithin: "PT10S" },
});

/** Money, then hotel, flight and car side by side; a badge follows on the hotel alone, and the capture on all. */
const TRIP: Workflow = {
  name: "trip",
  version: 1,
  policy: { failureThreshold: 3, waits: ["PT5M"], onExhausted: "compensate", onRejected: "compensate" },
  steps: [
    step("money", "payment", "authorize", [], "void"),
    { ...step("hotel", "inventory", "reserve", ["money"], "release"), completeWithin: "PT4M" },
    step("flight", "shipping", "arrange", ["money"], "cancel"),
    step("car", "fraud", "check", ["money"], "nothing"),
    step("badge", "shipping", "pickUp", ["hotel"], "cancelPickUp"),
    step("capture", "payment", "capture", ["hotel", "flight", "car"], "refund"),
  ],
};

let world: World;

beforeEach(async () => {
  world = createWorld(NOON_MS);
  const agents = [...world.agents].map(([name, { operationNames: operations }]) => {
    return [name, { operations, transports: ["activity", "queue"] }] as const;
  });
  Object.assign(world, {
    workflows: loadWorkflows(new Map(agents), [TRIP]),
    timing: { ...world.timing, startWithinMs: 5000 },
  });
  await world.store.create(sampleJob("job-1"), sampleRecord("job-1", TRIP));
});

/** An attempt as its orchestration has it: what it has received, and what it has begun. */
class Scheduler {
  attempt: Attempt;
  readonly begun = new Set<string>();

  constructor(attempt: Attempt) {
    this.attempt = attempt;
  }

  /** Begins what can be begun. */
  tasks(): { [step: string]: StepTask } {
    const tasks = tasksToBegin(this.attempt, this.begun);
    for (const task of tasks) this.begun.add(runKey(task));
    return Object.fromEntries(tasks.map((task) => [task.step, task]));
  }

  take(outcome: StepOutcome): void {
    if (outcome.kind !== "completed") throw new Error(`it receives ${outcome.kind}`);
    this.attempt = advance(this.attempt, outcome);
  }
}

async function claimed(attempt: number, direction: "forward" | "compensate" = "forward"): Promise<Scheduler> {
  const claim = await claimJob({ jobId: "job-1", attempt, direction }, world);
  if (claim.kind !== "claimed") throw new Error(`attempt ${attempt} is ${claim.kind}`);
  return new Scheduler(claim.attempt);
}

const run = (task: StepTask | undefined): Promise<StepEnd> => {
  if (!task) throw new Error("no such task");
  world.clock += 1;
  return runStep(task, world);
};

async function states(): Promise<{ [step: string]: StepState }> {
  const steps = Object.entries((await world.stateOf())?.steps ?? {});
  return Object.fromEntries(steps.map(([name, { state }]) => [name, state]));
}

/** Attempt 1 with the money authorized: hotel, flight and car are to be begun. */
async function abreast() {
  const scheduler = await claimed(1);
  const { outcome } = await run(scheduler.tasks()["money"]);
  scheduler.take(outcome);
  return { scheduler, tasks: scheduler.tasks() };
}

/** As `abreast`, with the car done and the flight's time over; the hotel has still some. */
async function flightExpired() {
  const { tasks } = await abreast();
  world.answers.set("arrange", () => ({ kind: "expired" }));
  await run(tasks["flight"]);
  world.answers.delete("arrange");
  await run(tasks["car"]);
  world.clock += 16_500;
  return tasks;
}

test("P5 a step begins when its own predecessors are done, whatever else is at work", async () => {
  const { scheduler, tasks } = await abreast();
  expect(Object.keys(tasks)).toEqual(["hotel", "flight", "car"]);
  const end = await run(tasks["hotel"]);
  expect(end.receiver).toBe(1);
  scheduler.take(end.outcome);
  const { badge } = scheduler.tasks();
  expect(await states()).toMatchObject({ badge: "Scheduled", flight: "Scheduled", car: "Scheduled" });
  // Nothing is to be begun by these: nobody need be notified.
  for (const task of [badge, tasks["flight"]]) expect((await run(task)).receiver).toBeNull();
  const last = await run(tasks["car"]);
  expect(last.receiver).toBe(1);
  scheduler.take(last.outcome);
  const { capture } = scheduler.tasks();
  expect(Object.keys(capture?.results ?? {}).sort()).toEqual(["badge", "car", "flight", "hotel", "money"]);
  expect((await run(capture)).outcome).toMatchObject({ kind: "completed", hasEnded: true });
  expect(await world.stateOf()).toMatchObject({ processState: "Processed", attempt: 1 });
});

test("P11 the attempt after a pause is asked for at its end", async () => {
  const asked: [attempt: number, at: string | undefined][] = [];
  const startAttempt: World["messenger"]["startAttempt"] = async ({ attempt }, { at } = {}) => {
    asked.push([attempt, at]);
  };
  Object.assign(world, { messenger: { ...world.messenger, startAttempt } });
  const { tasks } = await abreast();
  for (const name of ["hotel", "car"]) await run(tasks[name]);
  const read = await world.store.state("job-1");
  const flight = read?.record.steps["flight"];
  if (!read || !flight) throw new Error("no such step");
  const now = new Date(world.clock).toISOString();
  const failed = { ...flight, state: "Running", startedAt: now, completeBy: now, failureCount: 2 } as const;
  const badge = { ...flight, ...read.record.steps["badge"], state: "Completed" } as const;
  const steps = { ...read.record.steps, flight: failed, badge };
  await world.store.replace(read, { ...read.record, dueAt: now, steps });
  world.clock += world.timing.clockSkewMs + 1000;
  expect(await sweep(world)).toMatchObject({ waiting: 1 });
  expect(asked).toEqual([[2, new Date(world.clock + 300_000).toISOString()]]);
});

test("P10 P21 a step that may still be at work by its agent's clock is left at work when another beside it has expired", async () => {
  await abreast();
  const read = await world.store.state("job-1");
  const { flight, car } = read?.record.steps ?? {};
  if (!read || !flight || !car) throw new Error("no such steps");
  const at = (ms: number) => new Date(world.clock + ms).toISOString();
  const running = { state: "Running", startedAt: at(0) } as const;
  const steps = {
    flight: { ...flight, ...running, completeBy: at(0) },
    car: { ...car, ...running, completeBy: at(500) },
  };
  await world.store.replace(read, { ...read.record, dueAt: at(0), steps: { ...read.record.steps, ...steps } });
  world.clock += world.timing.clockSkewMs + 200;
  expect(await sweep(world)).toMatchObject({ retried: 1 });
  expect((await world.stateOf())?.steps).toMatchObject({
    flight: { state: "NotStarted", failureCount: 1 },
    car: steps.car,
  });
});

test("P21 a step that expired is run again at once while the others go on, and their results are taken by the next attempt", async () => {
  const tasks = await flightExpired();
  expect(await sweep(world)).toMatchObject({ retried: 1 });
  expect(await states()).toMatchObject({ hotel: "Scheduled", flight: "NotStarted", car: "Completed" });
  // The hotel answers while nobody holds the job: it is recorded, and what follows is the next attempt's to begin.
  expect((await run(tasks["hotel"])).receiver).toBeNull();
  expect(world.statuses.at(-1)).toMatchObject({ status: "StepCompleted", step: "hotel", attempt: 1 });
  const second = await claimed(2);
  const begun = second.tasks();
  expect(Object.keys(begun)).toEqual(["flight", "badge"]);
  const end = await run(begun["flight"]);
  expect(end.receiver).toBe(2);
  expect(await states()).toMatchObject({ capture: "Scheduled" });
  expect((await world.stateOf())?.failureCount).toBe(1);
  const calls = world.calls.map(({ operation }) => operation);
  expect(calls.filter((operation) => operation === "reserve")).toHaveLength(1);
});

test("P21 an answer to the attempt before is recorded while the next one holds the job, which is notified of it", async () => {
  const { tasks } = await abreast();
  world.answers.set("arrange", () => ({ kind: "expired" }));
  await run(tasks["flight"]);
  world.answers.delete("arrange");
  world.clock += 16_500;
  await sweep(world);
  const second = await claimed(2);
  expect(Object.keys(second.tasks())).toEqual(["flight", "car"]);
  const end = await run(tasks["hotel"]);
  expect(end).toMatchObject({ receiver: 2, outcome: { kind: "completed" } });
  second.take(end.outcome);
  expect(Object.keys(second.tasks())).toEqual(["badge"]);
  expect((await world.stateOf())?.steps["badge"]).toMatchObject({ state: "Scheduled", attempt: 2 });
});

test("P8 the answer of a run that was scheduled again is late, whoever holds the job", async () => {
  const { tasks } = await abreast();
  const flight = tasks["flight"];
  world.answers.set("arrange", async () => {
    // It is marked as taken up, its time passes, and it is scheduled again before the answer comes.
    world.clock += 16_500;
    await sweep(world);
    await claimed(2);
    return { kind: "done" };
  });
  expect((await run(flight)).outcome).toEqual({ kind: "superseded" });
  expect((await world.stateOf())?.steps["flight"]).toMatchObject({ state: "Scheduled", attempt: 2, result: null });
  expect(world.eventNames()).toContain("LateReplyRejected");
});

test("P11 the pause of a step is its own: meanwhile the others go on, and what follows on them", async () => {
  const read = await world.store.state("job-1");
  if (!read) throw new Error("no job");
  const flight = { ...read.record.steps["flight"], failureCount: 2 };
  await world.store.replace(read, { ...read.record, steps: { ...read.record.steps, flight } as never });
  const tasks = await flightExpired();
  expect(await sweep(world)).toMatchObject({ waiting: 1 });
  const second = await claimed(2);
  expect(Object.keys(second.tasks())).toEqual([]);
  const { outcome } = await run(tasks["hotel"]);
  second.take(outcome);
  await run(second.tasks()["badge"]);
  // Nobody is at work: the job waits for the end of the pause alone.
  expect(await sweep(world)).toMatchObject({ found: 0 });
  world.clock += 5 * 60_000 + 2000;
  expect(await sweep(world)).toMatchObject({ resumed: 1 });
  expect(Object.keys((await claimed(3)).tasks())).toEqual(["flight"]);
});

test("P13 a rejection begins the compensation at once; what is done beside it is recorded when it is done, and compensated before what came before it", async () => {
  const { tasks } = await abreast();
  await run(tasks["car"]);
  world.answers.set("arrange", () => ({ kind: "rejected", message: "sold out" }));
  const rejection = await run(tasks["flight"]);
  expect(rejection).toMatchObject({ outcome: { kind: "rejected" }, receiver: 1 });
  // At once: not when the hotel's time is over.
  expect(world.startAttempts).toMatchObject([{ attempt: 2, direction: "compensate" }]);
  const second = await claimed(2, "compensate");
  expect(Object.keys(second.tasks())).toEqual([]);
  const end = await run(tasks["hotel"]);
  expect(end).toMatchObject({ receiver: 2 });
  second.take(end.outcome);
  const { hotel } = second.tasks();
  expect(hotel).toMatchObject({ direction: "compensate", operation: "release" });
  const compensated = await run(hotel);
  second.take(compensated.outcome);
  expect((await run(second.tasks()["money"])).outcome).toMatchObject({ hasEnded: true });
  expect(await world.stateOf()).toMatchObject({ processState: "Compensated" });
  const calls = world.calls.map(({ operation }) => operation);
  expect(calls.slice(-3)).toEqual(["reserve", "release", "void"]);
});

test("P13 beside a rejection an agent that never answers is compensated when its own time is over, with no failure counted", async () => {
  const { tasks } = await abreast();
  await run(tasks["car"]);
  world.answers.set("arrange", () => ({ kind: "rejected", message: "sold out" }));
  await run(tasks["flight"]);
  await claimed(2, "compensate");
  world.clock += 5 * 60_000;
  expect(await sweep(world)).toMatchObject({ resumed: 1 });
  expect((await world.stateOf())?.failureCount).toBe(0);
  const third = await claimed(3, "compensate");
  const { hotel } = third.tasks();
  expect(hotel).toMatchObject({ operation: "release" });
  // What it did after all is nobody's any more.
  expect((await run(tasks["hotel"])).outcome.kind).not.toBe("completed");
});

test("P9 two rejections side by side lead to one compensation", async () => {
  const { tasks } = await abreast();
  for (const operation of ["arrange", "reserve"])
    world.answers.set(operation, () => ({ kind: "rejected", message: "sold out" }));
  await run(tasks["car"]);
  await run(tasks["flight"]);
  expect((await run(tasks["hotel"])).outcome.kind).toBe("completed");
  expect(await world.stateOf()).toMatchObject({ processState: "Pending", attempt: 2, direction: "compensate" });
  expect(Object.keys((await claimed(2, "compensate")).tasks())).toEqual(["money"]);
});

test("P9 what is done beside a step that ended the job in Error is recorded, and kept when an operator resubmits it", async () => {
  Object.assign(world, {
    workflows: loadWorkflows(
      new Map(
        [...world.agents].map(([name, { operationNames }]) => [
          name,
          { operations: operationNames, transports: ["activity"] },
        ]),
      ),
      [{ ...TRIP, policy: { ...TRIP.policy, onRejected: "fail" } }],
    ),
  });
  const { tasks } = await abreast();
  await run(tasks["car"]);
  world.answers.set("arrange", () => ({ kind: "rejected", message: "sold out" }));
  await run(tasks["flight"]);
  expect((await world.stateOf())?.processState).toBe("Error");
  const [published, alerts] = [
    world.statuses.length,
    world.eventNames().filter((name) => name === "JobErrored").length,
  ];
  await run(tasks["hotel"]);
  expect(await states()).toMatchObject({ hotel: "Completed", flight: "Failed" });
  expect(world.statuses).toHaveLength(published);
  expect(world.eventNames().filter((name) => name === "JobErrored")).toHaveLength(alerts);
  world.answers.delete("arrange");
  const request = {
    kind: "resubmit",
    reason: "there are seats again",
    job: null,
    compensatedManually: false,
  } as const;
  await operateJob("job-1", request, { by: "ann", ifMatch: "any" }, world);
  expect(world.statuses.slice(published)).toContainEqual(
    expect.objectContaining({ status: "StepCompleted", step: "hotel" }),
  );
  expect(Object.keys((await claimed(2)).tasks())).toEqual(["flight", "badge"]);
});

test("P5 a level may be as wide as its workflow is", async () => {
  const wide: Workflow = {
    ...TRIP,
    steps: [
      step("first", "payment", "authorize", [], "void"),
      ...Array.from({ length: 12 }, (_, index) => step(`leg${index}`, "fraud", "check", ["first"], "nothing")),
      step(
        "last",
        "payment",
        "capture",
        Array.from({ length: 12 }, (_, index) => `leg${index}`),
        "refund",
      ),
    ],
  };
  const agents = [...world.agents].map(([name, { operationNames: operations }]) => {
    return [name, { operations, transports: ["activity"] }] as const;
  });
  Object.assign(world, { workflows: loadWorkflows(new Map(agents), [wide]) });
  const record = sampleRecord("wide-1", wide);
  await world.store.create(sampleJob("wide-1"), record);
  expect(await world.runAttempt({ jobId: "wide-1", attempt: 1, direction: "forward" })).toBe("concluded");
  expect(await world.stateOf("wide-1")).toMatchObject({ processState: "Processed" });
  expect(world.calls).toHaveLength(14);
});

test("P13 P15 a step whose end ends the compensation is published before that of the compensation", async () => {
  const { tasks } = await abreast();
  for (const operation of ["arrange", "reserve"])
    world.answers.set(operation, () => ({ kind: "rejected", message: "sold out" }));
  await run(tasks["hotel"]);
  await run(tasks["flight"]);
  const second = await claimed(2, "compensate");
  for (let compensating = second.tasks(); Object.keys(compensating).length > 0; compensating = second.tasks()) {
    for (const task of Object.values(compensating)) second.take((await run(task)).outcome);
  }
  expect(await world.stateOf()).toMatchObject({ processState: "Processing" });
  expect((await run(tasks["car"])).outcome).toMatchObject({ hasEnded: true });
  const published = world.statuses.map(({ status, step: of }) => (of ? `${status} ${of}` : status));
  expect(published.indexOf("StepCompleted car")).toBeGreaterThan(0);
  expect(published.indexOf("StepCompleted car")).toBeLessThan(published.indexOf("Compensated"));
});
