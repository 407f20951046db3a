// The reconciler over an engine and a store that don't agree.
import { beforeEach, expect, test } from "vitest";
import type { Wake } from "../../shared/domain/attempt.ts";
import { wakeOf } from "../../shared/domain/recovery.ts";
import { attemptId, attemptOfId } from "../../shared/domain/state-record.ts";
import { claimOrder } from "../../shared/operations/claim-order.ts";
import type { Orchestrations } from "../../shared/operations/orchestrations.ts";
import { reconcile } from "../../shared/operations/reconcile.ts";
import { NOON_MS, sampleOrder, sampleRecord } from "../support/orders.ts";
import { createWorld, type World } from "../support/world.ts";

class Engine implements Orchestrations {
  readonly statuses = new Map<string, "running" | "ended">();
  readonly started: Wake[] = [];
  readonly terminated: string[] = [];
  readonly unreachable = new Set<string>();

  async statusOf(id: string) {
    if (this.unreachable.has(id)) throw new Error("the engine is away");
    return this.statuses.get(id) ?? "gone";
  }
  async runningSince() {
    return [...this.statuses].flatMap(([id, status]) => (status === "running" ? [id] : []));
  }
  async start(wake: Wake) {
    this.started.push(wake);
  }
  async terminate(id: string) {
    this.terminated.push(id);
  }
}

let world: World;
let engine: Engine;
beforeEach(() => {
  world = createWorld(NOON_MS);
  engine = new Engine();
});

async function held(orderId: string): Promise<Wake> {
  const record = sampleRecord(orderId);
  await world.store.create(sampleOrder(orderId), record);
  await claimOrder(wakeOf(record), world, world.telemetry);
  engine.statuses.set(attemptId(orderId, 1), "running");
  return wakeOf(record);
}

const run = () => reconcile(engine, world, world.telemetry);
const QUIET = { startedAgain: 0, terminated: 0, broken: 0, finished: true };

async function ledger() {
  const found = [];
  for await (const entry of world.supervision.entries("2026-01-01")) found.push(entry);
  return found;
}

test("P14 P16 an orchestration that is gone, or has ended, is started again under the same fence, with no failure counted", async () => {
  await held("gone-1");
  await held("ended-1");
  await held("fine-1");
  engine.statuses.delete("gone-1-1");
  engine.statuses.set("ended-1-1", "ended");
  world.clock += 9_000;
  expect(await run()).toEqual(QUIET);
  world.clock += 999;
  world.timing.reconcileAfterMs = 5000;
  expect(await run()).toEqual({ ...QUIET, startedAgain: 2 });
  expect(engine.started.map(({ orderId, attempt }) => `${orderId}-${attempt}`)).toEqual(["gone-1-1", "ended-1-1"]);
  expect(await world.stateOf("gone-1")).toMatchObject({ attempt: 1, failureCount: 0, processState: "Processing" });
  expect(await ledger()).toMatchObject([
    { kind: "reconciliation", orderId: "gone-1", found: "orchestration gone" },
    { kind: "reconciliation", orderId: "ended-1", found: "orchestration ended" },
  ]);
  expect(world.eventNames().filter((name) => name === "OrchestrationReconciled")).toHaveLength(2);
  // What is started again goes on from where the record stands.
  for (const wake of engine.started) expect(await world.runAttempt(wake)).toBe("concluded");
  expect(await world.stateOf("gone-1")).toMatchObject({ processState: "Processed", attempt: 1 });
});

test("P16 what is overdue is left to the sweep, another hub's to its own hosts, and what just moved to itself", async () => {
  for (const orderId of ["overdue-1", "elsewhere-1", "moving-1"]) await held(orderId);
  engine.statuses.clear();
  world.timing.reconcileAfterMs = 1000;
  const elsewhere = await world.store.state("elsewhere-1");
  if (!elsewhere) throw new Error("no record");
  await world.store.replace(elsewhere, { ...elsewhere.record, lockedBy: "elsewhere-1-1@other" });
  const overdue = await world.store.state("overdue-1");
  if (!overdue) throw new Error("no record");
  await world.store.replace(overdue, { ...overdue.record, completeBy: new Date(NOON_MS + 1000).toISOString() });
  world.clock += 2000;
  const { statusOf } = engine;
  engine.statusOf = async (id) => {
    const moving = await world.store.state("moving-1");
    if (moving) await world.store.replace(moving, { ...moving.record, updatedAt: new Date(world.clock).toISOString() });
    return statusOf.call(engine, id);
  };
  expect(await run()).toEqual(QUIET);
  expect(engine.started).toEqual([]);
});

test("P16 an orchestration whose record moved on is terminated; one that may yet claim is not", async () => {
  await held("moved-1");
  const moved = await world.store.state("moved-1");
  if (!moved) throw new Error("no record");
  await world.store.replace(moved, { ...moved.record, processState: "Pending", lockedBy: null, attempt: 2 });
  engine.statuses.set("moved-1-2", "running");
  engine.statuses.set("vanished-1-1", "running");
  engine.statuses.set("somebody's own orchestration", "running");
  world.clock += 11_000;
  expect(await run()).toEqual({ ...QUIET, terminated: 2 });
  expect(engine.terminated).toEqual(["moved-1-1", "vanished-1-1"]);
  expect(await ledger()).toMatchObject([{ orderId: "moved-1", found: "record moved on" }]);
});

test("P16 one that can't be dealt with never keeps the others, and time bounds the whole", async () => {
  await held("bad-1");
  await held("good-1");
  world.timing.reconcileAfterMs = 1000;
  engine.statuses.clear();
  engine.unreachable.add("bad-1-1");
  world.clock += 2000;
  expect(await run()).toEqual({ ...QUIET, broken: 1, startedAgain: 1 });
  expect(world.eventNames()).toContain("ReconciliationFailed");
  world.timing.sweepWithinMs = -1;
  expect(await run()).toMatchObject({ finished: false, startedAgain: 0 });
});

test.each([
  ["order-1-12", { orderId: "order-1", attempt: 12 }],
  ["a-1", { orderId: "a", attempt: 1 }],
  ["a", undefined],
  ["-1", undefined],
])("the attempt that %s names", (id, own) => expect(attemptOfId(id)).toEqual(own));
