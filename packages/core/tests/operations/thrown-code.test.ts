// P33: an agent's code throws. That is a failed run: recorded with its text, counted, and bounded by the workflow's policy.
import { beforeEach, expect, test } from "vitest";
import type { RoutedAgent } from "../../src/agents/agent.ts";
import { Outage } from "../../src/domain/outage.ts";
import type { StepTask } from "../../src/domain/steps/attempt.ts";
import { runStep } from "../../src/scheduler/steps/run-step.ts";
import { sweep } from "../../src/supervisor/sweep.ts";
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
])("P33 what is thrown %s is recorded, and counted once its time is over", async (_, isTakenUp) => {
  code = fails(new TypeError("undefined is not a warehouse"), isTakenUp);
  const end = await runStep(await firstTask(), world);
  expect(end).toMatchObject({ outcome: { kind: "expired" } });
  const message = "the code of the app failed: TypeError: undefined is not a warehouse";
  expect(await world.stateOf()).toMatchObject({
    failureCount: 0,
    steps: { reserveStock: { state: "Running", expiry: { attempt: 1, tries: 0, message } } },
  });
  expect(world.eventNames()).toContain("CodeFailed");

  world.clock += DAY_MS;
  await sweep(world);
  expect(await world.stateOf()).toMatchObject({ failureCount: 1, steps: { reserveStock: { failureCount: 1 } } });
});

test("P33 something that can't be shown as text is counted too", async () => {
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
