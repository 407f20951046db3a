// Steps that follow one another in one activity: what is recorded and published is the same, also when it dies in between and runs again.

import { createMemoryJobStore } from "@scheduler-agent-supervisor/testing/memory";
import { beforeEach, expect, test } from "vitest";
import type { Workflow } from "../../src/domain/definition/workflow.ts";
import type { StepTask } from "../../src/domain/steps/attempt.ts";
import { runStep, runSteps } from "../../src/scheduler/steps/run-step.ts";
import { CHAIN, GRAPH, NOON_MS } from "../jobs.ts";
import { createWorld, type World } from "../world.ts";

let world: World;
const worldOf = (workflow: Workflow) => createWorld(NOON_MS, createMemoryJobStore(), { workflows: [workflow] });
beforeEach(() => {
  world = worldOf(CHAIN);
});

const first = async () => world.firstTask(await world.submitted());
const run = (task: StepTask, within = world) => runSteps(task, (each) => runStep(each, within), within.now);
const operations = () => world.calls.map(({ operation }) => operation);
const statuses = () => world.statuses.map(({ status, step }) => (step ? `${status} ${step}` : status));

const ALL = [
  "Received",
  "Started",
  "StepCompleted reserveStock",
  "StepCompleted takePayment",
  "StepCompleted arrangeShipping",
  "Completed",
];

class Killed extends Error {}

/** The world, until the process is killed at the call with this number: before it does anything, or after it has. */
function dyingAt(call: number, when: "before" | "after"): World {
  let calls = 0;
  const dies = <Args extends unknown[], Result>(does: (...args: Args) => Promise<Result>) => {
    return async (...args: Args) => {
      calls += 1;
      if (calls > call || (calls === call && when === "before")) throw new Killed();
      const result = await does(...args);
      if (calls === call) throw new Killed();
      return result;
    };
  };
  const { store, messenger, agents } = world;
  return {
    ...world,
    store: { ...store, state: dies(store.state), change: dies(store.change), replace: dies(store.replace) },
    messenger: {
      ...messenger,
      publish: async (...args) => {
        const published = await dies(messenger.publish)(...args).catch((cause: unknown) => cause);
        // An operation takes a bus that fails for one that is away; a process that is killed goes no further.
        if (published instanceof Killed) return new Promise(() => undefined);
        return published as Awaited<ReturnType<typeof messenger.publish>>;
      },
    },
    agents: new Map([...agents].map(([name, agent]) => [name, { ...agent, call: dies(agent.call) }])),
  };
}

test("P5 three steps run one after the other, and each is recorded and published", async () => {
  expect(await run(await first())).toMatchObject({
    outcome: { kind: "completed", hasEnded: true },
    receiver: null,
  });
  expect(operations()).toEqual(["reserve", "authorize", "arrange"]);
  expect(statuses()).toEqual(ALL);
  expect(await world.stateOf()).toMatchObject({ processState: "Processed", outbox: [] });
});

test("once it has run for ten seconds it ends with its step, and leaves its place to others", async () => {
  for (const operation of ["reserve", "authorize"]) {
    world.answers.set(operation, () => {
      world.clock += 5001;
      return { kind: "done" };
    });
  }
  expect(await run(await first())).toMatchObject({ outcome: { kind: "completed", hasEnded: false } });
  expect(operations()).toEqual(["reserve", "authorize"]);
  expect(await world.stateOf()).toMatchObject({ steps: { arrangeShipping: { state: "Scheduled" } } });
});

/** More than an activity of three steps makes. */
const MOST_CALLS = 20;

test.each(["before", "after"] as const)(
  "P16 killed %s any of its calls and run again, it is as if it had lived",
  async (when) => {
    let deaths = 0;
    for (let call = 1; call <= MOST_CALLS; call += 1) {
      world = worldOf(CHAIN);
      const task = await first();
      const lived = await Promise.race([
        run(task, dyingAt(call, when)).then(
          () => true,
          (cause: unknown) => {
            if (!(cause instanceof Killed)) throw cause;
            return false;
          },
        ),
        new Promise<false>((resolve) => setImmediate(() => setImmediate(() => resolve(false)))),
      ]);
      if (!lived) deaths += 1;
      expect(await run(task), `call ${call}`).toMatchObject({ outcome: { kind: "completed", hasEnded: true } });
      // Received again or not, each comes for the first time after those before it.
      expect([...new Set(statuses())], `call ${call}`).toEqual(ALL);
      const keys = world.calls.map(({ operation, idempotencyKey }) => `${operation} ${idempotencyKey}`);
      expect(new Set(keys).size, `call ${call}`).toBe(3);
      expect(await world.stateOf(), `call ${call}`).toMatchObject({ processState: "Processed", outbox: [] });
    }
    // Three calls, three writes and three sends.
    expect(deaths).toBe(9);
  },
);

test("P16 run again after all is done, its agents but the first are not asked again", async () => {
  const task = await first();
  await run(task);
  await run(task);
  expect(operations()).toEqual(["reserve", "authorize", "arrange", "reserve"]);
});

test("P9 a step that is rejected ends the activity, with what its workflow says of it", async () => {
  world.answers.set("authorize", () => ({ kind: "rejected", message: "card expired" }));
  expect(await run(await first())).toMatchObject({ outcome: { kind: "rejected" } });
  expect(operations()).toEqual(["reserve", "authorize"]);
  expect(await world.stateOf()).toMatchObject({ processState: "Error", error: { step: "takePayment" } });
});

test("P8 a step that is out of time ends the activity, and leaves the rest to the supervisor", async () => {
  world.answers.set("authorize", () => ({ kind: "expired" }));
  expect(await run(await first())).toMatchObject({ outcome: { kind: "expired" } });
  expect(await world.stateOf()).toMatchObject({
    processState: "Processing",
    steps: { takePayment: { state: "Running" }, arrangeShipping: { state: "NotStarted" } },
  });
});

test("a compensation runs in one activity too", async () => {
  world = worldOf({ ...CHAIN, policy: { ...CHAIN.policy, onRejected: "compensate" } });
  world.answers.set("arrange", () => ({ kind: "rejected", message: "nobody delivers there" }));
  await run(await first());
  const [asked] = world.startAttempts;
  if (!asked) throw new Error("no compensation was asked for");
  expect(await run(await world.firstTask(asked))).toMatchObject({ outcome: { kind: "completed", hasEnded: true } });
  expect(operations()).toEqual(["reserve", "authorize", "arrange", "void", "release"]);
  expect(await world.stateOf()).toMatchObject({ processState: "Compensated" });
});

test("steps side by side, and one over its agent's queue, are the scheduler's to begin", async () => {
  world = worldOf(GRAPH);
  const attempt = await world.submitted();
  expect(await world.runAttempt(attempt)).toBe("concluded");
  world = worldOf(GRAPH);
  expect(await run(await first())).toMatchObject({ outcome: { kind: "completed", hasEnded: false } });
  expect(operations()).toEqual(["reserve"]);
});

test("of two steps side by side that agents in this app do, none is the activity's to go on with", async () => {
  const after = ["reserveStock"];
  const wide = CHAIN.steps.map((step) => (step.after.length > 0 ? { ...step, after } : step));
  world = worldOf({ ...CHAIN, steps: wide });
  expect(await run(await first())).toMatchObject({ outcome: { kind: "completed", hasEnded: false } });
  expect(operations()).toEqual(["reserve"]);
});

test("a step that might outlast the host's limit of an activity is left to one of its own", async () => {
  const long = CHAIN.steps.map((step) => ({ ...step, completeWithin: "PT4M" }));
  world = worldOf({ ...CHAIN, steps: long });
  world.answers.set("reserve", () => {
    // Not so long that it would end for that.
    world.clock += 1000;
    return { kind: "done" };
  });
  expect(await run(await first())).toMatchObject({ outcome: { kind: "completed", hasEnded: false } });
  expect(operations()).toEqual(["reserve"]);
  expect(await world.stateOf()).toMatchObject({ steps: { takePayment: { state: "Scheduled" } } });
});

test("steps that another attempt has scheduled meanwhile are not this one's to go on with", async () => {
  const task = await first();
  world.answers.set("reserve", async () => {
    const stored = await world.store.state(task.jobId);
    if (!stored) throw new Error("no record");
    const { record } = stored;
    const { reserveStock, ...rest } = record.steps;
    const taken = { ...record, attempt: 2, lockedBy: "job-1-2@hub", steps: { ...rest, reserveStock } } as typeof record;
    await world.store.replace(stored, taken);
    return { kind: "done" };
  });
  await run(task);
  expect(operations()).toEqual(["reserve"]);
});
