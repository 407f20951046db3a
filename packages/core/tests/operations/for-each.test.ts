// A step that is done for each item of a list (P5, P6, P13): a run of its own for each, with a key, a record, a compensation and a budget.

import { createMemoryJobStore } from "@scheduler-agent-supervisor/testing/memory";
import { describe, expect, test } from "vitest";
import { MOST_ITEMS } from "../../src/domain/definition/items.ts";
import type { Workflow, WorkflowStep } from "../../src/domain/definition/workflow.ts";
import { hasEnded, type StateRecord } from "../../src/domain/record/state-record.ts";
import { startAttemptOf } from "../../src/domain/recovery/recovery.ts";
import type { WorkflowRules } from "../../src/domain/workflows/workflow-rules.ts";
import { operateJob } from "../../src/scheduler/operating/operate-job.ts";
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

type Item = { readonly sku: string };
const DONE = { kind: "done" } as const;
const EXPIRED = { kind: "expired" } as const;
const REJECTED = { kind: "rejected", message: "broken" } as const;

const RULES = {
  conditions: { isHeavy: ({ item }) => Number(item?.["quantity"]) > 1 },
  lists: {
    lines: ({ lines }: Pick<Goods, "lines">) => lines.map(({ sku, quantity }) => ({ sku, quantity })),
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
  const results = [record.steps["pack_1"]?.result, record.steps["pack_2"]?.result];
  expect(results[0]).not.toBeNull();
  expect(ship?.results).toEqual({ pack: results });
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
  const { world, record } = await run(parcels({ optional: true }), answer);
  expect(record.processState).toBe("Processed");
  const ship = world.calls.find(({ operation }) => operation === "restock");
  expect(ship?.results).toEqual({ pack: [record.steps["pack_1"]?.result, null] });
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
  // Those that are done later wait for no place.
  const world = worldOf(parcels({ awaitWithin: "P14D" }));
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
  expect(world.rejections[0]?.faults).toEqual([
    `job: lines has ${MOST_ITEMS + 1} items, and may have ${MOST_ITEMS}: submit it in several parts`,
  ]);
});

test("keeps each run's item when a later version of the app sorts the list in another way", async () => {
  let isSorted = false;
  const lines = ({ lines }: Goods) => {
    const items = RULES.lists.lines({ lines });
    return isSorted ? items.toSorted((one, other) => one.sku.localeCompare(other.sku)) : items;
  };
  const world = createWorld(NOON_MS, createMemoryJobStore(), {
    workflows: [parcels()],
    rules: { ...RULES, lists: { ...RULES.lists, lines } },
  });
  world.answers.set("reserve", ({ item }) => ((item as Item).sku === "MUG-3" && !isSorted ? EXPIRED : DONE));
  await world.submitted();
  await world.runAttempt(startAttemptOf((await world.stateOf()) as StateRecord));
  isSorted = true;
  expect(await goOn(world)).toMatchObject({ processState: "Processed" });
  const asked = world.calls.filter(({ operation }) => operation === "reserve");
  expect(asked.map(({ item, idempotencyKey }) => [(item as Item).sku, idempotencyKey])).toEqual([
    ["TEA-1", "job-1:pack_1:forward"],
    ["MUG-3", "job-1:pack_2:forward"],
    ["MUG-3", "job-1:pack_2:forward"],
  ]);
});

test("of too large items is rejected when it is submitted, in words", async () => {
  const lines = ({ lines }: Goods) => lines.map(({ sku }) => ({ sku, note: "n".repeat(40_000) }));
  const rules = { ...RULES, lists: { ...RULES.lists, lines } };
  const world = createWorld(NOON_MS, createMemoryJobStore(), { workflows: [parcels()], rules });
  await world.submit(sampleJob("job-1"), ENVELOPE);
  expect(world.rejections[0]?.faults).toEqual([
    "job: the items of lines take 80053 bytes of its record, and may take 65536",
  ]);
});

test("of a list that depends on a secret is rejected: a record contains none", async () => {
  const world = createWorld(NOON_MS, createMemoryJobStore(), {
    workflows: [parcels()],
    rules: { ...RULES, lists: { ...RULES.lists, lines: ({ paymentToken }: Goods) => [{ paymentToken }] } },
  });
  await world.submit(sampleJob("job-1"), ENVELOPE);
  expect(world.rejections[0]?.faults).toEqual([
    "job: lines: its items depend on the secret paymentToken; an agent has to read it from the content",
  ]);
});

describe("when an operator edits the job", () => {
  const [TEA, MUG] = sampleJob().lines as [Line, Line];
  type Line = Goods["lines"][number];

  /** Of two runs the first is done, and the second rejected. */
  async function edited(lines: readonly Line[], answers = RUN_2_REJECTED) {
    const workflow = parcels();
    const world = worldOf({ ...workflow, policy: { ...workflow.policy, onRejected: "fail" } });
    world.answers.set("reserve", answers);
    await world.submitted();
    expect(await goOn(world)).toMatchObject({ processState: "Error" });
    world.answers.set("reserve", () => DONE);
    const job = sampleJob("job-1", { lines: [...lines] });
    const request = { kind: "resubmit", reason: "as asked", job, compensatedManually: false } as const;
    return { world, operated: await operateJob("job-1", request, { by: "operator", ifMatch: "any" }, world) };
  }

  const RUN_2_REJECTED = ({ idempotencyKey }: { idempotencyKey: string }) =>
    idempotencyKey.includes("pack_2") ? REJECTED : DONE;

  const packed = ({ calls }: World) =>
    calls.flatMap(({ operation, item, idempotencyKey }) =>
      operation === "reserve" ? [[(item as Item).sku, idempotencyKey]] : [],
    );

  test("the number of items has to stay", async () => {
    const { operated } = await edited([TEA]);
    expect(operated).toMatchObject({
      kind: "invalid",
      faults: ["job: lines: has to keep its 2 items, for each of which there is a step; it has 1"],
    });
  });

  test("the item of a run that is done has to stay", async () => {
    const { operated } = await edited([{ ...TEA, quantity: 7 }, MUG]);
    expect(operated).toMatchObject({
      kind: "invalid",
      faults: ['job: lines: has to keep the item {"sku":"TEA-1","quantity":2} of pack_1, which is Completed for it'],
    });
  });

  test("the item of a rejected run may change, and goes under another key", async () => {
    const { world, operated } = await edited([TEA, { ...MUG, sku: "CUP-3" }]);
    expect(operated.kind).toBe("done");
    expect(await goOn(world)).toMatchObject({ processState: "Processed" });
    expect(packed(world).slice(2)).toEqual([["CUP-3", "job-1:pack_2:forward:2"]]);
  });

  test("another sequence of the items changes no run", async () => {
    const { world, operated } = await edited([MUG, TEA]);
    expect(operated.kind).toBe("done");
    expect(await goOn(world)).toMatchObject({ processState: "Processed" });
    expect(packed(world).slice(2)).toEqual([["MUG-3", "job-1:pack_2:forward:2"]]);
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
