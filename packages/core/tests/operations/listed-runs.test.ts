// A step that is done for each item of a list in another step's result (P5, P13, P23): its runs are recorded once, with the steps that begin then.

import { createMemoryJobStore } from "@scheduler-agent-supervisor/testing/memory";
import { describe, expect, test } from "vitest";
import { MOST_ITEMS } from "../../src/domain/definition/items.ts";
import type { Workflow, WorkflowStep } from "../../src/domain/definition/workflow.ts";
import { mayHaveHadEffect } from "../../src/domain/record/plan.ts";
import { hasEnded, NOT_STARTED, type StateRecord, type StepResult } from "../../src/domain/record/state-record.ts";
import { startAttemptOf } from "../../src/domain/recovery/recovery.ts";
import { operateJob } from "../../src/scheduler/operating/operate-job.ts";
import { sweep } from "../../src/supervisor/sweep.ts";
import { NOON_MS } from "../jobs.ts";
import { createWorld, type World } from "../world.ts";

const step = (name: string, operation: string, after: string[], compensation: string): WorkflowStep => ({
  name,
  agent: "inventory",
  operation,
  after,
  completeWithin: "PT10S",
  compensation: { operation: compensation, completeWithin: "PT10S" },
});

const FIND: WorkflowStep = { ...step("find", "authorize", [], "void"), agent: "payment" };
const PACK: WorkflowStep = { ...step("pack", "reserve", ["find"], "release"), forEach: "find.parcels" };
const SHIP = step("ship", "restock", ["pack"], "withdraw");

const flow = (pack: Partial<WorkflowStep> = {}, more: readonly WorkflowStep[] = [SHIP]): Workflow => ({
  name: "job-fulfilment",
  version: 1,
  policy: { failureThreshold: 2, waits: [], onExhausted: "compensate", onRejected: "compensate" },
  steps: [FIND, { ...PACK, ...pack }, ...more],
});
const failing = (workflow: Workflow): Workflow => ({ ...workflow, policy: { ...workflow.policy, onRejected: "fail" } });

const parcels = (...ids: readonly string[]) => ids.map((id) => ({ id }));
const idOf = ({ item }: { item?: StepResult | undefined }) => item?.["id"];

/** @param result what the step with the list records */
function worldOf(workflow: Workflow, result: StepResult): World {
  const world = createWorld(NOON_MS, createMemoryJobStore(), { workflows: [workflow] });
  found(world, result);
  return world;
}

const found = (world: World, result: StepResult) => world.answers.set("authorize", () => ({ kind: "done", result }));

async function goOn(world: World): Promise<StateRecord> {
  for (let rounds = 0; rounds < 20; rounds += 1) {
    let record = (await world.stateOf()) as StateRecord;
    if (record.processState === "Pending") await world.runAttempt(startAttemptOf(record));
    record = (await world.stateOf()) as StateRecord;
    if (hasEnded(record.processState)) return record;
    world.clock = Date.parse(record.dueAt ?? "") + 2000;
    await sweep(world);
  }
  throw new Error("the job does not end");
}

async function run(workflow: Workflow, result: StepResult, rejects: readonly string[] = []) {
  const world = worldOf(workflow, result);
  world.answers.set("reserve", (call) =>
    rejects.includes(String(idOf(call))) ? { kind: "rejected", message: "broken" } : { kind: "done" },
  );
  await world.submitted();
  return { world, record: await goOn(world) };
}

const asked = ({ calls }: World, wanted: string) =>
  calls.flatMap(({ operation, item, idempotencyKey }) =>
    operation === wanted ? [[idOf({ item }), idempotencyKey]] : [],
  );

const resubmit = (world: World, more: object = {}) =>
  operateJob(
    "job-1",
    { kind: "resubmit", reason: "again", job: null, compensatedManually: false, ...more } as never,
    { by: "operator", ifMatch: "any" },
    world,
  );

test("has one record until the list is recorded, then one for each item, with a key of its own", async () => {
  const world = worldOf(flow(), { parcels: parcels("A", "B") });
  await world.submitted();
  expect(Object.keys((await world.stateOf())?.steps ?? {})).toEqual(["find", "pack", "ship"]);
  const record = await goOn(world);
  // The attempt learns of the runs: no supervisor has to find them.
  expect(record).toMatchObject({ processState: "Processed", attempt: 1 });
  expect(Object.keys(record.steps)).toEqual(["find", "pack_1", "pack_2", "ship"]);
  expect(asked(world, "reserve")).toEqual([
    ["A", "job-1:pack_1:forward"],
    ["B", "job-1:pack_2:forward"],
  ]);
  const ship = world.calls.find(({ operation }) => operation === "restock");
  expect(ship?.results).toMatchObject({ pack: [record.steps["pack_1"]?.result, record.steps["pack_2"]?.result] });
});

test("had no effect if its list can't be used, whatever became of its run: nothing is compensated", () => {
  const record = { ...NOT_STARTED, state: "Scheduled", scheduledAt: "2026-01-10T12:00:00.000Z" } as const;
  expect(mayHaveHadEffect(record)).toBe(true);
  expect(mayHaveHadEffect({ ...record, listFault: "find.parcels is no list of objects" })).toBe(false);
});

test("is done with no run for an empty list", async () => {
  const { world, record } = await run(flow(), { parcels: [] });
  expect(record.processState).toBe("Processed");
  expect(Object.keys(record.steps)).toEqual(["find", "ship"]);
  expect(asked(world, "reserve")).toEqual([]);
  const ship = world.calls.find(({ operation }) => operation === "restock");
  expect(ship?.results).toEqual({ find: { parcels: [] } });
});

test("is the last step: a job with an empty list ends", async () => {
  const { record } = await run(flow({}, []), { parcels: [] });
  expect(record.processState).toBe("Processed");
  expect(Object.keys(record.steps)).toEqual(["find"]);
});

test("compensates each run that was done, and then the step with the list", async () => {
  const { world, record } = await run(flow(), { parcels: parcels("A", "B") }, ["B"]);
  expect(record).toMatchObject({ processState: "Compensated", error: { step: "pack_2" } });
  const undone = world.calls.filter(({ compensates }) => compensates !== null);
  expect(undone.map(({ operation, idempotencyKey }) => [operation, idempotencyKey])).toEqual([
    ["release", "job-1:pack_1:compensate"],
    ["void", "job-1:find:compensate"],
  ]);
});

test("may be optional: only what can't be done is skipped", async () => {
  const { record } = await run(flow({ optional: true }), { parcels: parcels("A", "B") }, ["B"]);
  expect(record).toMatchObject({
    processState: "Processed",
    steps: { pack_1: { state: "Completed" }, pack_2: { state: "Skipped" } },
  });
});

test("may have another in its place, for the same item alone", async () => {
  const buy: WorkflowStep = { ...step("buy", "restock", ["pack"], "withdraw"), forEach: "find.parcels" };
  const { record } = await run(flow({ otherwise: "buy" }, [buy]), { parcels: parcels("A", "B") }, ["B"]);
  expect(record).toMatchObject({
    processState: "Processed",
    steps: {
      pack_1: { state: "Completed" },
      buy_1: { skipped: { cause: "notNeeded" } },
      pack_2: { state: "Skipped" },
      buy_2: { state: "Completed" },
    },
  });
});

test("waits for what else comes before it, with its runs recorded", async () => {
  const slow = step("slow", "restock", [], "withdraw");
  const fetched = { ...step("fetch", "pickUp", ["pack"], "cancelPickUp"), agent: "shipping" };
  const workflow = flow({ after: ["find", "slow"] }, [slow, fetched]);
  const world = worldOf(workflow, { parcels: parcels("A", "B") });
  let before: readonly string[] = [];
  world.answers.set("restock", async () => {
    // The other step ends first.
    await new Promise((resolve) => setTimeout(resolve, 20));
    before = Object.keys((await world.stateOf())?.steps ?? {});
    return { kind: "done" };
  });
  await world.submitted();
  expect(await goOn(world)).toMatchObject({ processState: "Processed" });
  expect(before).toEqual(["find", "pack_1", "pack_2", "slow", "fetch"]);
  expect(asked(world, "reserve").map(([id]) => id)).toEqual(["A", "B"]);
});

test("can take more runs at once than one write to the store has changes", async () => {
  const ids = Array.from({ length: MOST_ITEMS - 1 }, (_, index) => `P${index}`);
  const { record } = await run(flow(), { parcels: parcels(...ids) });
  expect(record.processState).toBe("Processed");
  expect(Object.keys(record.steps)).toHaveLength(MOST_ITEMS + 1);
});

describe("a list that can't be used rejects the step, in words, and no agent is called for it", () => {
  const many = (count: number) => parcels(...Array.from({ length: count }, (_, index) => `P${index}`));
  test.each([
    [
      "too long",
      { parcels: many(120) },
      /cause: find\.parcels has 120 items, and may have 99: submit it in several parts/,
    ],
    [
      "more runs than a record has",
      { parcels: many(99) },
      /cause: find\.parcels has 99 items, which make 101 runs of steps/,
    ],
    ["absent", { id: "1" }, /cause: find\.parcels is no list: the result of find has no parcels$/],
    ["null", { parcels: null }, /cause: find\.parcels is no list: the result of find has no parcels$/],
    ["no list", { parcels: "A" }, /cause: find\.parcels is no list of objects$/],
    ["a list of texts", { parcels: ["A"] }, /cause: find\.parcels is no list of objects$/],
    ["too large", { parcels: [{ id: "x".repeat(70_000) }] }, /cause: find\.parcels has items .* take 70009 bytes/],
  ])("%s", async (_, result, words) => {
    const { world, record } = await run(flow(), result as StepResult);
    expect(record).toMatchObject({ processState: "Compensated", error: { kind: "rejected", step: "pack" } });
    expect(record.error?.message).toMatch(words);
    expect(world.calls.map(({ operation }) => operation)).toEqual(["authorize", "void"]);
  });

  test("because of the items of the other lists of its job", async () => {
    const label = { ...step("label", "capture", ["find"], "refund"), agent: "payment", forEach: "find.letters" };
    const large = (id: string) => [{ id, text: "x".repeat(40_000) }];
    const { record } = await run(flow({}, [label]), { parcels: large("A"), letters: large("B") });
    expect(record).toMatchObject({ processState: "Compensated", error: { kind: "rejected", step: "label" } });
    expect(record.error?.message).toMatch(/find\.letters has items with which all items take 80\d+ bytes/);
  });

  test("an optional one is skipped, with the reason", async () => {
    const { world, record } = await run(flow({ optional: true }), { parcels: null });
    expect(record).toMatchObject({ processState: "Processed", steps: { pack: { skipped: { cause: "rejected" } } } });
    expect(world.calls.map(({ operation }) => operation)).toEqual(["authorize", "restock"]);
  });

  test("a resubmitted one is rejected again, and compensated without a call for it", async () => {
    const { world, record } = await run(failing(flow()), { parcels: null });
    expect(record).toMatchObject({ processState: "Error", error: { step: "pack" } });
    expect((await resubmit(world)).kind).toBe("done");
    expect(await goOn(world)).toMatchObject({ processState: "Error", error: { step: "pack" } });
    const compensation = { kind: "compensate", reason: "too many" } as const;
    await operateJob("job-1", compensation, { by: "operator", ifMatch: "any" }, world);
    expect(await goOn(world)).toMatchObject({ processState: "Compensated" });
    expect(world.calls.map(({ operation }) => operation)).toEqual(["authorize", "void"]);
  });
});

test("a list that is recorded while nobody holds the job is expanded by the next claim", async () => {
  const world = worldOf(flow(), { parcels: parcels("A") });
  world.answers.set("authorize", () => ({ kind: "expired" }));
  await world.submitted();
  await world.runAttempt(startAttemptOf((await world.stateOf()) as StateRecord));
  world.clock += 60_000;
  await sweep(world);
  expect(await world.stateOf()).toMatchObject({ processState: "Pending" });
  const outcome = { kind: "recordOutcome", step: "find", outcome: "done", reason: "seen" } as const;
  const request = { ...outcome, direction: "forward", result: { parcels: parcels("A", "B") } } as never;
  const operated = await operateJob("job-1", request, { by: "operator", ifMatch: "any" }, world);
  expect(operated.kind).toBe("done");
  expect(Object.keys((await world.stateOf())?.steps ?? {})).toEqual(["find", "pack", "ship"]);
  expect(await goOn(world)).toMatchObject({ processState: "Processed" });
  expect(asked(world, "reserve").map(([id]) => id)).toEqual(["A", "B"]);
});

describe("when the step with the list is done again", () => {
  test("its new items have keys that no item had before", async () => {
    const { world, record } = await run(flow(), { parcels: parcels("A", "B") }, ["B"]);
    expect(record.processState).toBe("Compensated");
    found(world, { parcels: parcels("C", "D", "E") });
    expect((await resubmit(world)).kind).toBe("done");
    expect(Object.keys((await world.stateOf())?.steps ?? {})).toEqual(["find", "pack", "ship"]);
    expect(await goOn(world)).toMatchObject({ processState: "Processed" });
    expect(asked(world, "reserve").slice(2)).toEqual([
      ["C", "job-1:pack_1:forward:2"],
      ["D", "job-1:pack_2:forward:2"],
      ["E", "job-1:pack_3:forward:2"],
    ]);
  });

  test("so too after it listed nothing in between", async () => {
    const { world } = await run(flow(), { parcels: parcels("A", "B") }, ["B"]);
    world.answers.set("restock", () => ({ kind: "rejected", message: "closed" }));
    found(world, { parcels: [] });
    await resubmit(world);
    expect(await goOn(world)).toMatchObject({ processState: "Compensated" });
    world.answers.set("restock", () => ({ kind: "done" }));
    found(world, { parcels: parcels("A") });
    await resubmit(world);
    expect(await goOn(world)).toMatchObject({ processState: "Processed" });
    expect(asked(world, "reserve").at(-1)).toEqual(["A", "job-1:pack_1:forward:3"]);
  });

  test.each([
    ["at once", [parcels("C")]],
    ["after it listed nothing in between", [[], parcels("C")]],
    ["after it could not be used in between", [null, parcels("C")]],
  ])("so too after a run of it was resubmitted under other keys: %s", async (_, lists) => {
    const { world } = await run(failing(flow()), { parcels: parcels("A") }, ["A"]);
    await resubmit(world);
    expect(await goOn(world)).toMatchObject({ processState: "Error", error: { step: "pack_1" } });
    world.answers.set("reserve", () => ({ kind: "done" }));
    world.answers.set("restock", () => ({ kind: "rejected", message: "closed" }));
    await resubmit(world);
    expect(await goOn(world)).toMatchObject({ processState: "Error", error: { step: "ship" } });
    expect(asked(world, "reserve").at(-1)).toEqual(["A", "job-1:pack_1:forward:3"]);
    const compensation = { kind: "compensate", reason: "again, from the start" } as const;
    for (const list of lists) {
      await operateJob("job-1", compensation, { by: "operator", ifMatch: "any" }, world);
      expect(await goOn(world)).toMatchObject({ processState: "Compensated" });
      found(world, { parcels: list } as StepResult);
      await resubmit(world);
      await goOn(world);
    }
    const keys = asked(world, "reserve");
    expect(keys.at(-1)).toEqual(["C", expect.any(String)]);
    expect(new Set(keys.map(([, key]) => key)).size).toBe(keys.length);
  });

  test("what is not compensated of its old items is compensated first", async () => {
    const world = worldOf(flow(), { parcels: parcels("A", "B") });
    world.answers.set("restock", () => ({ kind: "rejected", message: "closed" }));
    world.answers.set("release", (call) =>
      idOf(call) === "B" ? { kind: "rejected", message: "gone" } : { kind: "done" },
    );
    await world.submitted();
    expect(await goOn(world)).toMatchObject({ processState: "Error", error: { kind: "compensationIncomplete" } });
    const forward = await resubmit(world, { direction: "forward" });
    expect(forward).toMatchObject({
      kind: "rejected",
      reason: expect.stringMatching(/^pack_2 keeps what was done for an item of a result that will be recorded anew/),
    });
    world.answers.set("restock", () => ({ kind: "done" }));
    found(world, { parcels: parcels("C") });
    expect((await resubmit(world, { compensatedManually: true })).kind).toBe("done");
    expect(await goOn(world)).toMatchObject({ processState: "Processed" });
    expect(asked(world, "reserve").at(-1)).toEqual(["C", "job-1:pack_1:forward:2"]);
  });
});

test("a run that is resubmitted keeps its item: the list is not asked for again", async () => {
  const { world, record } = await run(failing(flow()), { parcels: parcels("A", "B") }, ["B"]);
  expect(record).toMatchObject({ processState: "Error", error: { step: "pack_2" } });
  world.answers.set("reserve", () => ({ kind: "done" }));
  found(world, { parcels: parcels("X") });
  expect((await resubmit(world)).kind).toBe("done");
  expect(await goOn(world)).toMatchObject({ processState: "Processed" });
  expect(asked(world, "reserve").at(-1)).toEqual(["B", "job-1:pack_2:forward:2"]);
  expect(world.calls.filter(({ operation }) => operation === "authorize")).toHaveLength(1);
});
