// A step's condition is decided once for its run, however many processes run the same task and whatever the condition says to each (P23, P34).
import { createMemoryJobStore, type MemoryJobStore } from "@scheduler-agent-supervisor/testing/memory";
import { beforeEach, expect, test } from "vitest";
import type { Workflow } from "../../src/domain/definition/workflow.ts";
import { type StepTask, tasksToBegin } from "../../src/domain/steps/attempt.ts";
import { loadWorkflows } from "../../src/domain/workflows/workflows.ts";
import { claimJob } from "../../src/scheduler/claim-job.ts";
import { runStep } from "../../src/scheduler/steps/run-step.ts";
import { NOON_MS, sampleJob, sampleRecord } from "../jobs.ts";
import { createWorld, type World } from "../world.ts";

const WANTED: Workflow = {
  name: "wanted",
  version: 1,
  policy: { failureThreshold: 2, waits: [], onExhausted: "compensate", onRejected: "compensate" },
  steps: [
    {
      ...{ name: "hotel", agent: "inventory", operation: "reserve", after: [], when: "isWanted" },
      ...{ completeWithin: "PT10S", compensation: "nothing" },
    },
  ],
};

let world: World;
let there: World;
let lagging: MemoryJobStore;
/** What the condition says to each run, one after the other. */
let says: boolean[];

beforeEach(() => {
  const store = createMemoryJobStore();
  lagging = store.inAnotherProcess();
  world = createWorld(NOON_MS, store);
  const agents = [...world.agents].map(([name, { operationNames: operations }]) => {
    return [name, { operations, transports: ["activity", "queue"] }] as const;
  });
  const rules = { conditions: { isWanted: () => says.shift() ?? false }, lists: {} };
  const workflows = loadWorkflows(new Map(agents), [WANTED], rules);
  Object.assign(world, { workflows, rules: { ...world.rules, workflows: workflows.names } });
  there = Object.assign(Object.create(Object.getPrototypeOf(world)) as World, world, { store: lagging });
});

async function begun(): Promise<StepTask> {
  await world.store.create(sampleJob("job-1"), sampleRecord("job-1", WANTED));
  const claim = await claimJob({ jobId: "job-1", attempt: 1, direction: "forward" }, world);
  if (claim.kind !== "claimed") throw new Error(claim.kind);
  const [task] = tasksToBegin(claim.attempt, new Set());
  if (!task) throw new Error("nothing is to be begun");
  return task;
}

const calls = () => world.calls.filter(({ operation }) => operation === "reserve").length;
const hotel = async () => (await world.stateOf())?.steps["hotel"];

test.each([
  { first: true, second: false, state: "Completed" },
  { first: false, second: true, state: "Skipped" },
])("P23 two runs at once: what $first says first holds for both", async ({ first, second, state }) => {
  says = [first, second];
  const task = await begun();
  await Promise.all([runStep(task, world), runStep(task, there)]);
  expect(await hotel()).toMatchObject({ state, decided: { holds: first } });
  expect(calls() > 0).toBe(first);
});

test("P23 a run whose read is stale finds what the run before it had decided", async () => {
  says = [true, false];
  const task = await begun();
  lagging.lag("job-1");
  world.answers.set("reserve", () => {
    throw new Error("the process dies here");
  });
  await runStep(task, world);
  world.answers.delete("reserve");
  await runStep(task, there);
  expect(await hotel()).toMatchObject({ decided: { holds: true } });
  expect((await hotel())?.state).not.toBe("Skipped");
});

test("P23 a run of an attempt that is over decides nothing, and asks nobody", async () => {
  says = [true];
  const task = await begun();
  const read = await world.store.state("job-1");
  if (!read) throw new Error("no job");
  const { hotel: own } = read.record.steps;
  const steps = { hotel: { ...own, attempt: 2 } } as typeof read.record.steps;
  await world.store.replace(read, { ...read.record, attempt: 2, steps });
  expect(await runStep(task, there)).toMatchObject({ outcome: { kind: "superseded" } });
  expect(calls()).toBe(0);
  expect((await hotel())?.decided).toBeUndefined();
});
