// P26 an engine that is slow, or was lost: the steps that it did not hand out in time are no agent's failure, and what is scheduled again does not add to its load.

import { setImmediate } from "node:timers/promises";
import { createMemoryPresence, recordJob } from "@scheduler-agent-supervisor/testing/memory";
import { beforeEach, describe, expect, test } from "vitest";
import type { Workflow } from "../../src/domain/definition/workflow.ts";
import { runOf } from "../../src/domain/record/plan.ts";
import { startAttemptOf } from "../../src/domain/recovery/recovery.ts";
import type { StartAttempt, StepTask } from "../../src/domain/steps/attempt.ts";
import { createLossHandler } from "../../src/scheduler/publishing/publish-ends-again.ts";
import { askAgent } from "../../src/scheduler/steps/ask-agent.ts";
import { runStep } from "../../src/scheduler/steps/run-step.ts";
import { sweep } from "../../src/supervisor/sweep.ts";
import { CHAIN, GRAPH, NOON_MS, RETURNS, sampleJob } from "../jobs.ts";
import { createWorld, type World } from "../world.ts";

const byQueue = (workflow: Workflow): Workflow => ({
  ...workflow,
  steps: workflow.steps.map((step) => ({ ...step, transport: "queue" })),
});

let world: World;
beforeEach(() => {
  world = createWorld(NOON_MS);
});

async function submitted(jobId: string, workflow = "returns") {
  const body = sampleJob(jobId, { workflow });
  const record = await recordJob(
    { body, envelope: { messageId: jobId, replyTo: "replies-shop" }, traceparent: null },
    world,
  );
  if (!record) throw new Error("nothing to start");
  return startAttemptOf(record);
}

const recordOf = async (jobId: string) => {
  const record = await world.stateOf(jobId);
  if (!record) throw new Error(`no job ${jobId}`);
  return record;
};

/** Everything that waits is overdue. */
async function stuck(jobId = "job-1"): Promise<void> {
  world.clock = Date.parse((await recordOf(jobId)).dueAt ?? "") + 5000;
}

describe.each(["activity", "queue"] as const)("P26 a step by %s that the engine does not hand out", (transport) => {
  beforeEach(() => {
    const workflows = [CHAIN, GRAPH, RETURNS];
    const store = world.store;
    world = createWorld(NOON_MS, store, { workflows: transport === "queue" ? workflows.map(byQueue) : workflows });
  });

  test("has twice the time with each further attempt, to half an hour, and no failure is counted", async () => {
    let start = await submitted("job-1");
    const minutes: number[] = [];
    for (let attempt = 1; attempt <= 9; attempt += 1) {
      await world.claim(start);
      const { pickUp } = (await recordOf("job-1")).steps;
      minutes.push((Date.parse(pickUp?.startBy ?? "") - Date.parse(pickUp?.scheduledAt ?? "")) / 60_000);
      await stuck();
      world.presence.seen("shipping");
      await setImmediate();
      expect(await sweep(world)).toMatchObject({ rescheduled: 1 });
      start = world.startAttempts.at(-1) ?? start;
    }
    expect(minutes).toEqual([0.5, 1, 2, 4, 8, 16, 30, 30, 30]);
    expect(await recordOf("job-1")).toMatchObject({ failureCount: 0, attempt: 10 });
  });

  test("is one of a few that a sweep schedules again, whatever is known of its agent", async () => {
    for (let index = 0; index < 30; index += 1) await world.claim(await submitted(`job-${index}`));
    await stuck("job-29");
    expect(await sweep(world)).toMatchObject({ found: 30, rescheduled: 10, later: 20 });
    // By now its agent is known to be absent.
    world.clock += 60_000;
    expect(await sweep(world)).toMatchObject({ rescheduled: 10 });
  });

  test("P8 begins late, when another attempt has it: nothing is asked, done or recorded", async () => {
    const late = await world.firstTask(await submitted("job-1"));
    await stuck();
    world.presence.seen("shipping");
    await setImmediate();
    await sweep(world);
    const start = world.startAttempts.at(-1);
    if (!start) throw new Error("no attempt");
    const own = await world.firstTask(start);
    const [before, reads] = [await recordOf("job-1"), readsOf()];
    const end = transport === "queue" ? await askAgent(late, world) : await runStep(late, world);
    expect(end).toEqual({ outcome: { kind: "superseded", by: 2 }, receiver: null });
    expect(reads.count).toBeLessThanOrEqual(2);
    expect([world.calls, world.requests]).toEqual([[], []]);
    expect(await recordOf("job-1")).toEqual(before);
    await (transport === "queue" ? askAgent(own, world) : runStep(own, world));
    expect(world.calls.length + world.requests.length).toBe(1);
  });

  test("waits while its agent is paused: it is neither scheduled again nor given up, however often a sweep looks", async () => {
    world.timing.mostTimesRescheduled = 1;
    const presence = createMemoryPresence(
      () => world.clock,
      async () => true,
    );
    Object.assign(world, { presence });
    await world.claim(await submitted("job-1"));
    for (let looks = 0; looks < 5; looks += 1) {
      await stuck();
      expect(await sweep(world)).toMatchObject({ found: 1, later: 1, rescheduled: 0, failed: 0 });
    }
    expect(await recordOf("job-1")).toMatchObject({ processState: "Processing", attempt: 1, failureCount: 0 });
  });

  test("waits while the engine may still hand it out, by how late it was seen to be; a queue's request is not sent so late", async () => {
    await world.claim(await submitted("job-1"));
    world.clock += 22_000;
    world.presence.began(new Date(NOON_MS).toISOString());
    await stuck();
    const [later, rescheduled] = transport === "queue" ? [0, 1] : [1, 0];
    expect(await sweep(world)).toMatchObject({ found: 1, later, rescheduled });
    await stuck();
    expect(await sweep(world)).toMatchObject({ rescheduled: 1 - rescheduled });
  });

  test("leaves more time to the steps that are scheduled after it", async () => {
    const task = await world.firstTask(await submitted("job-1"));
    world.clock += 45_000;
    await (transport === "queue" ? askAgent(task, world) : runStep(task, world));
    await world.claim(await submitted("job-2"));
    expect(waitOf((await world.stateOf("job-2"))?.steps["pickUp"])).toBe(90_000);
    world.clock += 300_000;
    await world.claim(await submitted("job-3"));
    expect(waitOf((await world.stateOf("job-3"))?.steps["pickUp"])).toBe(30_000);
  });
});

const waitOf = (run: { startBy: string | null; scheduledAt: string | null } | undefined) =>
  Date.parse(run?.startBy ?? "") - Date.parse(run?.scheduledAt ?? "");

function readsOf(): { count: number } {
  const reads = { count: 0 };
  const { store } = world;
  for (const name of ["job", "state", "latest"] as const) {
    const read = store[name].bind(store) as (...args: unknown[]) => Promise<never>;
    Object.assign(store, {
      [name]: (...args: unknown[]) => {
        reads.count += 1;
        return read(...args);
      },
    });
  }
  return reads;
}

test("P26 a step that is late, and still its task's, is done", async () => {
  const task = await world.firstTask(await submitted("job-1"));
  world.clock += 59_000;
  expect(await runStep(task, world)).toMatchObject({ outcome: { kind: "completed" } });
});

test("P26 the more time for the engine is none for a busy service: it waits for a place as long as ever", async () => {
  const task = await world.firstTask(await submitted("job-1"));
  const patient: StepTask = { ...task, startBy: new Date(NOON_MS + 1_800_000).toISOString() };
  let patience = "";
  const shipping = world.agents.get("shipping");
  if (!shipping) throw new Error("no agent");
  const asked = {
    ...shipping,
    call: (...[operation, request, bounds]: Parameters<typeof shipping.call>) => {
      patience = bounds.startBy;
      return shipping.call(operation, request, bounds);
    },
  };
  Object.assign(world, { agents: new Map([...world.agents, ["shipping", asked]]) });
  await runStep(patient, world);
  expect(patience).toBe(new Date(NOON_MS + 30_000).toISOString());
});

test("P26 where the engine hands nothing out, no agent is absent: 60 jobs at several steps, and no failure is counted", async () => {
  for (let index = 0; index < 60; index += 1) {
    const workflow = index % 2 === 0 ? "returns" : "job-fulfilment";
    await world.claim(await submitted(`job-${index}`, workflow));
  }
  const counted = async () => {
    const records = await Promise.all(Array.from({ length: 60 }, (_, index) => recordOf(`job-${index}`)));
    return records.reduce((sum, { failureCount }) => sum + failureCount, 0);
  };
  for (let sweeps = 0; sweeps < 60; sweeps += 1) {
    world.clock += 10_000;
    await sweep(world);
    for (const start of world.startAttempts.splice(0)) await world.claim(start);
  }
  expect(await counted()).toBe(0);
  // It hands out again, and one of the agents still takes nothing: now that is a failure.
  for (let sweeps = 0; sweeps < 60; sweeps += 1) {
    world.clock += 10_000;
    world.presence.began(new Date(world.clock).toISOString());
    world.presence.seen("inventory");
    await setImmediate();
    await sweep(world);
    for (const start of world.startAttempts.splice(0)) await world.claim(start);
  }
  const failed = (await Promise.all(Array.from({ length: 60 }, (_, index) => recordOf(`job-${index}`)))).filter(
    ({ failureCount }) => failureCount > 0,
  );
  expect(failed.length).toBeGreaterThan(0);
  expect(failed.every(({ workflow }) => workflow.name === "returns")).toBe(true);
});

test("P26 a wait that was counted as its agent's failure gives the next one no more time", async () => {
  world.timing.mostTimesUntaken = 1;
  let start = await submitted("job-1");
  const waits: number[] = [];
  for (let attempt = 1; attempt <= 3 && (await recordOf("job-1")).processState !== "Error"; attempt += 1) {
    await world.claim(start);
    waits.push(waitOf(runOf((await recordOf("job-1")).steps["pickUp"], "forward") ?? undefined));
    for (let looks = 0; (await recordOf("job-1")).processState === "Processing" && looks < 5; looks += 1) {
      await stuck();
      await sweep(world);
    }
    start = world.startAttempts.at(-1) ?? start;
  }
  expect((await recordOf("job-1")).failureCount).toBeGreaterThan(0);
  expect(waits).toEqual([30_000, 60_000, 30_000]);
});

describe("P26 in a row", () => {
  async function waitedInVain(start: StartAttempt, isSeen: boolean): Promise<StartAttempt> {
    if ((await recordOf("job-1")).processState === "Pending") await world.claim(start);
    for (let looks = 0; (await recordOf("job-1")).processState === "Processing" && looks < 5; looks += 1) {
      await stuck();
      if (isSeen) world.presence.seen("shipping");
      await setImmediate();
      await sweep(world);
    }
    return startAttemptOf(await recordOf("job-1"));
  }
  const failures = async () => (await recordOf("job-1")).failureCount;

  test("an agent that took up other work while the step waited before has missed the step once", async () => {
    let start = await submitted("job-1");
    for (let waits = 0; waits < 3; waits += 1) start = await waitedInVain(start, true);
    start = await waitedInVain(start, false);
    expect(await failures()).toBe(0);
    await waitedInVain(start, false);
    expect(await failures()).toBe(1);
  });

  test("a wait that began before the engine was found to be lost is none: its only agent is not absent", async () => {
    const afterLoss = createLossHandler();
    let start = await waitedInVain(await submitted("job-1"), false);
    await world.claim(start);
    await afterLoss(start, world);
    start = await waitedInVain(start, false);
    expect(await failures()).toBe(0);
    // The engine that took its place hands work out, and the agent takes none.
    for (let waits = 0; waits < 3; waits += 1) {
      await world.claim(start);
      for (let looks = 0; (await recordOf("job-1")).processState === "Processing" && looks < 5; looks += 1) {
        await stuck();
        world.presence.began(new Date(world.clock).toISOString());
        await setImmediate();
        await sweep(world);
      }
      start = startAttemptOf(await recordOf("job-1"));
    }
    expect(await failures()).toBeGreaterThan(0);
  });

  test("a step that was taken up has waited for nobody until then", async () => {
    let start = await waitedInVain(await submitted("job-1"), false);
    world.answers.set("pickUp", () => ({ kind: "expired" }));
    await runStep(await world.firstTask(start), world);
    await stuck();
    await sweep(world);
    expect(await failures()).toBe(1);
    expect((await recordOf("job-1")).steps["pickUp"]).toMatchObject({ waitCount: 0 });
    world.clock += 600_000;
    start = startAttemptOf(await recordOf("job-1"));
    start = await waitedInVain(start, false);
    expect(await failures()).toBe(1);
    await waitedInVain(start, false);
    expect(await failures()).toBe(2);
  });
});
