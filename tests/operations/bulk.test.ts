// Turns of an action on many orders, over stores in memory: what a death in between leaves, and records that nobody here can read.

import { NewerSchema } from "@scheduler-agent-supervisor/core/domain/newer-schema";
import type { StateRecord } from "@scheduler-agent-supervisor/core/domain/state-record";
import { createAttention } from "@scheduler-agent-supervisor/core/operations/attention";
import { changeBulk, watchBulk } from "@scheduler-agent-supervisor/core/operations/operate-bulk";
import { type BulkPorts, previewBulk } from "@scheduler-agent-supervisor/core/operations/preview-bulk";
import { runBulk } from "@scheduler-agent-supervisor/core/operations/run-bulk";
import { beforeEach, expect, test } from "vitest";
import { createMemoryBulkStore } from "../support/memory-bulk-store.ts";
import { NOON_MS, sampleOrder } from "../support/orders.ts";
import { createWorld, type World } from "../support/world.ts";

let world: World;
let ports: BulkPorts;
beforeEach(() => {
  world = createWorld(NOON_MS);
  const attention = createAttention({
    openJobs: async () => ({ jobs: [], isAll: true }),
    jobGauges: [],
    clockSkewMs: 0,
    now: world.now,
  });
  ports = Object.assign(world, { bulk: createMemoryBulkStore(), attention });
});

const IDS = ["order-1", "order-2", "order-3"];

/** Orders whose payment is rejected. */
async function rejected(orderIds: readonly string[]): Promise<void> {
  world.answers.set("authorize", () => ({ kind: "rejected", message: "card expired" }));
  for (const orderId of orderIds) {
    await world.submit({ ...sampleOrder(), orderId });
    await world.runAttempt({ jobId: orderId, attempt: 1, direction: "forward", traceparent: null });
    expect(await world.stateOf(orderId)).toMatchObject({ processState: "Error" });
  }
  world.answers.clear();
  world.clock += 60_000;
}

async function started(orderIds: readonly string[]): Promise<string> {
  const { run } = await previewBulk("resubmit", { jobIds: orderIds }, "ada", ports);
  const order = { kind: "start", reason: "fixed", count: run.total } as const;
  expect(await changeBulk(run.bulkId, order, "ada", { ...ports, telemetry: world.telemetry })).toMatchObject({
    kind: "changed",
  });
  return run.bulkId;
}

const turn = (bulkId: string, over: Partial<BulkPorts> = {}) =>
  runBulk(bulkId, { ...ports, ...over, telemetry: world.telemetry });

async function finish(bulkId: string): Promise<void> {
  for (let turns = 0; turns < 20; turns += 1) {
    if ((await turn(bulkId)).kind === "over") return;
    for (const startAttempt of world.startAttempts.splice(0)) await world.runAttempt(startAttempt);
  }
  throw new Error("it does not come to an end");
}

test("P16 a death between an order's write and the run's own: the order is known by its mark, and acted on once", async () => {
  await rejected(IDS);
  const bulkId = await started(IDS);
  const dying = { ...ports.bulk, saveWave: () => Promise.reject(new Error("the process died")) };
  await expect(turn(bulkId, { bulk: dying })).rejects.toThrow("the process died");
  expect(await world.stateOf("order-1")).toMatchObject({ attempt: 2, processState: "Pending" });
  await finish(bulkId);
  expect((await watchBulk(bulkId, ports))?.run).toMatchObject({
    state: "done",
    counts: { done: 3, well: 3, skipped: 0 },
  });
  for (const orderId of IDS)
    expect(await world.stateOf(orderId)).toMatchObject({ attempt: 2, processState: "Processed" });
});

test("a newer app's record is left out of a preview, and skipped where it has become one since", async () => {
  await rejected(IDS);
  const newer = (orderId: string) => ({
    store: {
      ...world.store,
      state: async (id: string) => {
        if (id === orderId) throw new NewerSchema("The order's record", 99, 1);
        return world.store.state(id);
      },
    },
  });
  const { run, notPossible } = await previewBulk("resubmit", { jobIds: IDS }, "ada", {
    ...ports,
    ...newer("order-2"),
  });
  expect(run.total).toBe(2);
  expect(notPossible).toEqual([{ jobId: "order-2", reason: expect.stringContaining("newer version of the app") }]);
  const bulkId = await started(IDS);
  await turn(bulkId, newer("order-1"));
  const progress = await watchBulk(bulkId, ports);
  expect(progress?.results).toMatchObject([{ jobId: "order-1", outcome: "skipped" }]);
  await finish(bulkId);
  expect((await watchBulk(bulkId, ports))?.run).toMatchObject({ state: "done", counts: { done: 2, skipped: 1 } });
});

test("of a search all that match are frozen, with what is not possible; what matches no more when it is read is left out", async () => {
  await rejected(IDS);
  await world.submit({ ...sampleOrder(), orderId: "other-1" });
  const filter = { state: "Error", q: "order" } as const;
  const meanwhile = {
    ...world.store,
    async list(query: Parameters<typeof world.store.list>[0]) {
      const page = await world.store.list(query);
      await started(["order-2"]).then(finish);
      return page;
    },
  };
  const preview = await previewBulk("markResolved", { filter }, "ada", { ...ports, store: meanwhile });
  expect(preview.notPossible).toEqual([{ jobId: "order-2", reason: expect.stringContaining("does not match") }]);
  expect(preview.run).toMatchObject({ total: 2, filter, cause: null, isAll: true });
  await rejected(["order-4"]);
  expect((await ports.bulk.items(preview.run.bulkId)).map(({ jobId: orderId }) => orderId).sort()).toEqual([
    "order-1",
    "order-3",
  ]);
});

test("of a search that finds more than a run takes, the preview says so", async () => {
  await rejected(IDS);
  const asked: number[] = [];
  const more = {
    ...world.store,
    async list(query: Parameters<typeof world.store.list>[0]) {
      asked.push(query.limit);
      return world.store.list({ ...query, limit: 2 });
    },
  };
  const { run } = await previewBulk("markResolved", { filter: { state: "Error" } }, "ada", { ...ports, store: more });
  expect(run).toMatchObject({ total: 2, isAll: false });
  expect(asked).toEqual([1000]);
});

test("of a cause of which not all were counted, the others are meant too", async () => {
  await rejected(IDS);
  const of = (records: readonly (StateRecord | undefined)[]) =>
    records.flatMap((record) => (record?.error ? [{ ...record, error: record.error }] : []));
  const counted = of([await world.stateOf("order-1")]);
  const attention = createAttention({
    openJobs: async () => ({ jobs: counted, isAll: false }),
    jobGauges: [],
    clockSkewMs: 0,
    now: world.now,
  });
  const [group] = (await attention.groups()).groups;
  const pages: number[] = [];
  const store = {
    ...world.store,
    async list(query: Parameters<typeof world.store.list>[0]) {
      const page = await world.store.list({ ...query, limit: 2 });
      pages.push(page.jobs.length);
      return page.next ? { ...page, looked: { jobs: 2, downTo: page.next.createdAt } } : page;
    },
  };
  const { run } = await previewBulk("markResolved", { group: group?.id ?? "" }, "ada", { ...ports, attention, store });
  expect(run).toMatchObject({ total: 3, isAll: true, cause: "card expired" });
  expect(pages).toEqual([2, 1]);
});

test("many orders get more time: by how much is said at the start, and no order's end is waited for", async () => {
  for (const orderId of IDS) await world.submit({ ...sampleOrder(), orderId });
  const due = async () => (await Promise.all(IDS.map(world.stateOf))).map((record) => Date.parse(record?.dueAt ?? ""));
  const before = await due();
  const { run } = await previewBulk("extend", { jobIds: [...IDS, "nowhere"] }, "ada", ports);
  expect(run).toMatchObject({ total: 3, extendBy: null });
  const start = { kind: "start", reason: "the bank is slow", count: 3 } as const;
  const asked = (order: typeof start & { by?: string }, bulkId = run.bulkId) =>
    changeBulk(bulkId, order, "ada", { ...ports, telemetry: world.telemetry });
  expect(await asked(start)).toMatchObject({ kind: "rejected", reason: expect.stringContaining("PT30M") });
  const other = await previewBulk("cancel", { jobIds: IDS }, "ada", ports);
  expect(await asked({ ...start, by: "PT1H" }, other.run.bulkId)).toMatchObject({ kind: "rejected" });
  expect(await asked({ ...start, by: "PT1H" })).toMatchObject({ kind: "changed", run: { extendBy: "PT1H" } });
  for (let turns = 0; turns < 10 && (await turn(run.bulkId)).kind === "again"; turns += 1);
  expect((await watchBulk(run.bulkId, ports))?.run).toMatchObject({ state: "done", counts: { done: 3, well: 3 } });
  expect((await due()).map((at, place) => at - (before[place] ?? 0))).toEqual([3_600_000, 3_600_000, 3_600_000]);
});

test("an operator who pauses while a turn is under way is not overruled by it", async () => {
  await rejected(IDS);
  const bulkId = await started(IDS);
  await turn(bulkId);
  for (const startAttempt of world.startAttempts.splice(0)) await world.runAttempt(startAttempt);
  const late = {
    ...ports.bulk,
    wave: async (id: string, wave: number) => {
      await changeBulk(bulkId, { kind: "pause" }, "bob", { ...ports, telemetry: world.telemetry });
      return ports.bulk.wave(id, wave);
    },
  };
  await turn(bulkId, { bulk: late });
  expect((await watchBulk(bulkId, ports))?.run).toMatchObject({ state: "paused", wave: 0 });
  expect(await turn(bulkId)).toEqual({ kind: "again", inMs: 5000 });
  await changeBulk(bulkId, { kind: "resume" }, "bob", { ...ports, telemetry: world.telemetry });
  await finish(bulkId);
  expect((await watchBulk(bulkId, ports))?.run).toMatchObject({ state: "done", counts: { done: 3 } });
});
