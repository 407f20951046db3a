// A step that is done for each item of a list (P5, P6, P13): a run of its own for each, with a key, a record, a compensation and a budget.

import { createMemoryJobStore } from "@scheduler-agent-supervisor/testing/internal/memory/memory-job-store";
import { expect, test } from "vitest";
import { MOST_ITEMS } from "../../src/domain/items.ts";
import { startAttemptOf } from "../../src/domain/recovery.ts";
import { hasEnded, type StateRecord } from "../../src/domain/state-record.ts";
import type { Workflow, WorkflowStep } from "../../src/domain/workflow.ts";
import type { WorkflowRules } from "../../src/domain/workflow-rules.ts";
import { operateJob } from "../../src/scheduler/operate-job.ts";
import { sweep } from "../../src/supervisor/sweep.ts";
import type { Goods } from "../jobs.ts";
import { NOON_MS, sampleJob } from "../jobs.ts";
import { createWorld, ENVELOPE, type World } from "../world.ts";

const step = (name: string, operation: string, after: string[], compensation: string): WorkflowStep => ({
  name,
  agent: "inventory",
  operation,
  after,
  completeWithin: "PT10S",
  compensation: { operation: compensation, completeWithin: "PT10S" },
});

const PACK: WorkflowStep = { ...step("pack", "reserve", [], "release"), forEach: "lines" };

const parcels = (pack: Partial<WorkflowStep> = {}, more: readonly WorkflowStep[] = []): Workflow => ({
  name: "job-fulfilment",
  version: 1,
  policy: { failureThreshold: 2, waits: [], onExhausted: "compensate", onRejected: "compensate" },
  steps: [{ ...PACK, ...pack }, ...more, step("ship", "restock", ["pack"], "withdraw")],
});

const RULES = {
  conditions: { isHeavy: ({ item }) => Number(item?.["quantity"]) > 1 },
  lists: {
    lines: ({ lines }) => lines.map(({ sku, quantity }) => ({ sku, quantity })),
    gifts: ({ lines }) => lines.filter(({ sku }) => sku.startsWith("GIFT")).map(({ sku }) => ({ sku })),
  },
} satisfies WorkflowRules<Goods>;

function worldOf(workflow: Workflow): World {
  return createWorld(NOON_MS, createMemoryJobStore(), { workflows: [workflow], rules: RULES });
}

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

async function run(workflow: Workflow, answers: Parameters<World["answers"]["set"]>[1] = () => ({ kind: "done" })) {
  const world = worldOf(workflow);
  world.answers.set("reserve", answers);
  await world.submitted();
  return { world, record: await goOn(world) };
}

test("has a record and a key for each from the start, and asks for each item", async () => {
  const { world, record } = await run(parcels());
  expect(record.processState).toBe("Processed");
  expect(Object.keys(record.steps)).toEqual(["pack_1", "pack_2", "ship"]);
  const asked = world.calls.filter(({ operation }) => operation === "reserve");
  expect(asked.map(({ item, idempotencyKey }) => [item, idempotencyKey])).toEqual([
    [{ sku: "TEA-1", quantity: 2 }, "job-1:pack_1:forward"],
    [{ sku: "MUG-3", quantity: 1 }, "job-1:pack_2:forward"],
  ]);
  const ship = world.calls.find(({ operation }) => operation === "restock");
  expect(Object.keys(ship?.results ?? {})).toEqual(["pack_1", "pack_2"]);
});

test("compensates each that was done, each under its own key, for its own item", async () => {
  const answer = ({ item }: { item?: unknown }) =>
    (item as { sku: string }).sku === "MUG-3"
      ? ({ kind: "rejected", message: "broken" } as const)
      : ({ kind: "done" } as const);
  const { world, record } = await run(parcels(), answer);
  expect(record).toMatchObject({ processState: "Compensated", error: { step: "pack_2" } });
  const compensated = world.calls.filter(({ operation }) => operation === "release");
  expect(compensated.map(({ item, idempotencyKey }) => [item, idempotencyKey])).toEqual([
    [{ sku: "TEA-1", quantity: 2 }, "job-1:pack_1:compensate"],
  ]);
});

test("has a budget for each: two that fail once each use up none of threshold 2", async () => {
  const failed = new Set<string>();
  const answer = ({ idempotencyKey }: { idempotencyKey: string }) => {
    if (failed.has(idempotencyKey)) return { kind: "done" } as const;
    failed.add(idempotencyKey);
    return { kind: "expired" } as const;
  };
  const { record } = await run(parcels(), answer);
  expect(record.processState).toBe("Processed");
  expect(record.steps).toMatchObject({ pack_1: { failureCount: 1 }, pack_2: { failureCount: 1 } });
});

test("may be optional: the one that can't be done is skipped, the others are not", async () => {
  const answer = ({ item }: { item?: unknown }) =>
    (item as { sku: string }).sku === "MUG-3"
      ? ({ kind: "rejected", message: "broken" } as const)
      : ({ kind: "done" } as const);
  const { record } = await run(parcels({ optional: true }), answer);
  expect(record.processState).toBe("Processed");
  expect(record.steps).toMatchObject({ pack_1: { state: "Completed" }, pack_2: { state: "Skipped" } });
});

test("may have another in its place, for the same item alone", async () => {
  const other: WorkflowStep = { ...step("buy", "restock", ["pack"], "withdraw"), forEach: "lines" };
  const answer = ({ item }: { item?: unknown }) =>
    (item as { sku: string }).sku === "MUG-3"
      ? ({ kind: "rejected", message: "broken" } as const)
      : ({ kind: "done" } as const);
  const { record } = await run(parcels({ otherwise: "buy" }, [other]), answer);
  expect(record.processState).toBe("Processed");
  expect(record.steps).toMatchObject({
    pack_1: { state: "Completed" },
    buy_1: { skipped: { cause: "notNeeded" } },
    pack_2: { state: "Skipped" },
    buy_2: { state: "Completed" },
  });
});

test("may have a condition on the item", async () => {
  const { record } = await run(parcels({ when: "isHeavy" }));
  expect(record.steps).toMatchObject({ pack_1: { state: "Completed" }, pack_2: { skipped: { cause: "condition" } } });
});

test("without items has no runs, and nobody waits for them", async () => {
  const { world, record } = await run(parcels({ forEach: "gifts" }));
  expect(record.processState).toBe("Processed");
  expect(Object.keys(record.steps)).toEqual(["ship"]);
  expect(world.calls).toHaveLength(1);
});

test("can take more runs at once than one write to the store has changes", async () => {
  const world = worldOf(parcels());
  const lines = Array.from({ length: MOST_ITEMS }, (_, index) => ({ sku: `S-${index}`, quantity: 1, unitPrice: 1 }));
  await world.submit(sampleJob("job-1", { lines }), ENVELOPE);
  const record = (await world.stateOf()) as StateRecord;
  expect(Object.values(record.steps).filter(({ state }) => state === "Scheduled")).toHaveLength(MOST_ITEMS);
});

test("of more items than there may be is rejected when it is submitted, in words", async () => {
  const world = worldOf(parcels());
  const line = { sku: "S", quantity: 1, unitPrice: 1 };
  await world.submit(sampleJob("job-1", { lines: Array(MOST_ITEMS + 1).fill(line) }), ENVELOPE);
  expect(await world.stateOf()).toBeUndefined();
  expect(world.rejections[0]?.faults).toEqual([`job: lines has ${MOST_ITEMS + 1} items, and may have ${MOST_ITEMS}`]);
});

test("keeps its number of items when an operator edits the job", async () => {
  const { world, record } = await run(parcels(), () => ({ kind: "rejected", message: "broken" }));
  expect(record.processState).toBe("Compensated");
  const [line] = sampleJob().lines;
  const edited = sampleJob("job-1", { lines: [line ?? { sku: "S", quantity: 1, unitPrice: 1 }] });
  const request = { kind: "resubmit", reason: "one is enough", job: edited, compensatedManually: false } as const;
  const caller = { by: "operator", ifMatch: "any" } as const;
  const operated = await operateJob("job-1", request, caller, world);
  expect(operated).toMatchObject({
    kind: "invalid",
    faults: ["job: lines: has to keep its 2 items, for each of which there is a step; it has 1"],
  });
});

test("can't be cancelled by its requester any more once one run of the step until which it may be has begun", async () => {
  const world = worldOf({ ...parcels(), cancelUntil: "pack" });
  const startAttempt = await world.submitted();
  const cancel = { kind: "cancel", reason: "ill", byRequester: true } as const;
  await world.claim(startAttempt);
  const caller = { by: "requester", ifMatch: "any" } as const;
  const cancelled = await operateJob("job-1", cancel, caller, world);
  expect(cancelled).toMatchObject({ kind: "rejected", reason: "it is too late: pack has begun" });
});
