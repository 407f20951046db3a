// P33: the app's own code throws around a step. The step is held, with the place and the text, until a version does not throw: no failure is counted.
import { createMemoryJobStore } from "@scheduler-agent-supervisor/testing/memory";
import { beforeEach, expect, test } from "vitest";
import type { RoutedAgent } from "../../src/agents/agent.ts";
import { Outage } from "../../src/domain/outage.ts";
import type { StepTask } from "../../src/domain/steps/attempt.ts";
import { holdMessage } from "../../src/functions/hold-message.ts";
import type { ReceivedMessage } from "../../src/messaging/messenger.ts";
import { askAgent } from "../../src/scheduler/steps/ask-agent.ts";
import { runStep } from "../../src/scheduler/steps/run-step.ts";
import { sweep } from "../../src/supervisor/sweep.ts";
import { contracts, goodsContract } from "../goods.ts";
import { CHAIN, sampleJob } from "../jobs.ts";
import { createWorld, type World } from "../world.ts";

const NOON_MS = Date.parse("2026-03-01T12:00:00.000Z");

let world: World;
/** What the inventory's code does; before or after it is taken up. */
let code: (takeUp: () => Promise<unknown>) => Promise<never>;

beforeEach(() => {
  world = createWorld(NOON_MS);
  const inventory: RoutedAgent = {
    name: "inventory",
    operationNames: ["reserve", "release"],
    call: (_operation, _request, { takeUp }) => code(takeUp),
  };
  (world.agents as Map<string, RoutedAgent>).set("inventory", inventory);
});

const fails = (cause: unknown, isTakenUp: boolean) => async (takeUp: () => Promise<unknown>) => {
  if (isTakenUp) await takeUp();
  throw cause;
};

async function firstTask(): Promise<StepTask> {
  return world.firstTask(await world.submitted());
}

const DAY_MS = 86_400_000;

test.each([
  ["after it was taken up", true],
  ["before it was taken up", false],
])("P33 what is thrown %s is recorded and reported, and held once its time is over", async (_, isTakenUp) => {
  code = fails(new TypeError("undefined is not a warehouse"), isTakenUp);
  const end = await runStep(await firstTask(), world);
  expect(end).toMatchObject({ outcome: { kind: "expired" } });
  const message = "the code of the app failed: TypeError: undefined is not a warehouse";
  expect(await world.stateOf()).toMatchObject({
    failureCount: 0,
    steps: {
      reserveStock: {
        state: "Running",
        expiry: { attempt: 1, tries: 0, endpoint: "inventory.reserve", message, ofCode: true },
      },
    },
  });
  const about = { jobId: "job-1", step: "reserveStock", workflow: "job-fulfilment", version: 2 };
  const failed = world.events.filter(({ name }) => name === "CodeFailed");
  expect(failed).toMatchObject([{ attributes: { ...about, place: "inventory.reserve", message } }]);

  world.clock += DAY_MS;
  expect(await sweep(world)).toMatchObject({ found: 1, held: 1 });
  expect(await world.stateOf()).toMatchObject({ processState: "Pending", direction: "forward", failureCount: 0 });
  expect(world.eventNames()).toContain("JobHeld");
});

test("P33 something that can't be shown as text is held too", async () => {
  code = fails(Object.create(null), true);
  await runStep(await firstTask(), world);
  const expiry = { message: expect.stringContaining("cannot be shown as text") };
  expect(await world.stateOf()).toMatchObject({ steps: { reserveStock: { state: "Running", expiry } } });
});

test("P27 P33 an outage around the call is no failure of the code: the activity runs again", async () => {
  code = fails(new Outage("the store is away"), true);
  await expect(runStep(await firstTask(), world)).rejects.toThrow("the store is away");
  expect((await world.stateOf())?.steps["reserveStock"]?.expiry).toBeUndefined();
});

const thrower = (): never => {
  throw new TypeError("no such line");
};

test("P33 what an agent with a queue sees throws: nothing is sent, and the step is held", async () => {
  const queued = { ...CHAIN, steps: CHAIN.steps.map((step) => ({ ...step, transport: "queue" as const })) };
  world = createWorld(NOON_MS, createMemoryJobStore(), { workflows: [queued] });
  Object.assign(world, { jobFor: thrower });
  expect(await askAgent(await firstTask(), world)).toMatchObject({ outcome: { kind: "expired" } });
  expect(world.requests).toEqual([]);
  const expiry = { endpoint: "what inventory sees", message: expect.stringContaining("no such line"), ofCode: true };
  expect(await world.stateOf()).toMatchObject({ steps: { reserveStock: { state: "Running", expiry } } });
  world.clock += 60_000;
  expect(await sweep(world)).toMatchObject({ held: 1 });
});

test.each([
  ["the contract's faults", { faults: thrower }, "the contract of job-fulfilment"],
  ["the contract's keys", { keysOf: thrower }, "the keys of job-fulfilment"],
])("P33 %s throw: the submission waits in its queue, is said once, and is nobody's fault", async (_, own, place) => {
  world = createWorld(NOON_MS, createMemoryJobStore(), {
    workflows: [CHAIN],
    contracts: { ...contracts, usual: { ...goodsContract, ...own } },
  });
  const message = { queue: "jobs", body: sampleJob(), properties: {} } as ReceivedMessage;
  expect(await holdMessage(message, () => world.submit(), world)).toBeUndefined();
  expect(world.postponedTo).toEqual([{ cause: "CodeThrew", at: new Date(NOON_MS + 30_000).toISOString() }]);
  expect([world.quarantined, world.rejections, await world.stateOf()]).toEqual([[], [], undefined]);
  expect(world.events).toMatchObject([
    { name: "CodeFailed", attributes: { workflow: "job-fulfilment", version: 1, place } },
  ]);
});
