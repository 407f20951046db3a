// Returns over the store in memory: what is given back is the original order's own charge, and never more than was captured.

import type { AgentRequest, BoundedReply } from "@scheduler-agent-supervisor/core/agents";
import { loadWorkflows, newStateRecord, Outage, type StateRecord } from "@scheduler-agent-supervisor/core/domain";
import { parseSubmission } from "@scheduler-agent-supervisor/core/scheduling";
import type { Workflow } from "@scheduler-agent-supervisor/core/workflows";
import { createMemoryJobStore, type MemoryJobStore } from "@scheduler-agent-supervisor/testing/memory";
import { beforeEach, expect, test } from "vitest";
import { business } from "../../shared/business.ts";
import type { Order } from "../../shared/contracts/order.ts";
import { contracts } from "../../shared/contracts/order.ts";
import { RESERVING_STEP, type RefundedRecord } from "../../shared/domain/refund.ts";
import { refundsAgent } from "../../shared/operations/refunds-agent.ts";
import { returns } from "../../shared/workflows/returns.ts";
import { GRAPH, NOON, NOON_MS, sampleOrder } from "../support/orders.ts";
import { createSampleWorld } from "../support/sample-world.ts";

const [, RETURNS] = returns;
const CAPTURED = 2150;

let store: MemoryJobStore;
beforeEach(async () => {
  store = createMemoryJobStore();
  await put(sampleOrder("sold-1"), GRAPH, { owner: "tea", ...PROCESSED });
});

const PROCESSED = {
  processState: "Processed",
  steps: { capturePayment: { state: "Completed", result: { status: "captured", chargeId: "ch-1", amount: CAPTURED } } },
} as unknown as Partial<StateRecord>;

async function put(order: Order, workflow: Workflow, changes: Partial<StateRecord>): Promise<void> {
  const { orderId, priority } = order;
  const reply = { replyTo: null, replyToSessionId: null, correlationId: orderId, traceparent: null };
  const record = newStateRecord(
    { jobId: orderId, keys: {}, contentDigest: "", priority, ...reply },
    workflow,
    NOON,
    NOON,
  );
  const steps = { ...record.steps, ...changes.steps };
  await store.create(order, { ...record, ...changes, steps });
}

/** A return of goods worth so much, by an owner or by a shared queue. */
async function returned(orderId: string, amount: number, changes: Partial<Order> = {}, owner: string | null = "tea") {
  const lines = [{ sku: "TEA-1", quantity: 1, unitPrice: amount }];
  const order = sampleOrder(orderId, { workflow: "returns", returnOf: "sold-1", lines, ...changes });
  await put(order, RETURNS, { processState: "Processing", ...(owner && { owner }) });
}

function ask(operation: "reserve" | "release", orderId: string): Promise<BoundedReply> {
  const request = { job: { orderId }, results: {}, idempotencyKey: "", compensates: null } as unknown as AgentRequest;
  const bounds = {
    priority: "normal",
    startBy: NOON,
    takeUp: async () => ({ completeBy: NOON }),
    stillAtWork: async () => {},
  } as const;
  return refundsAgent.create({ store, now: () => NOON_MS, send: null as never }).call(operation, request, bounds);
}

const refundsOf = async (orderId = "sold-1") =>
  ((await store.state(orderId))?.record as RefundedRecord | undefined)?.refunds;

test("P16 reserves the return's worth of the original's charge, once however often it is asked", async () => {
  await returned("return-1", 700);
  const reply = { kind: "done", result: { chargeId: "ch-1", amount: 700, currency: "EUR" } };
  expect(await ask("reserve", "return-1")).toMatchObject(reply);
  expect(await ask("reserve", "return-1")).toMatchObject(reply);
  expect(await refundsOf()).toEqual({ "return-1": 700 });
});

test.each<[string, number, Partial<Order>, string | null, string]>([
  ["of an order that was never sold", 700, { returnOf: "never-1" }, "tea", `no order "never-1" of this sender`],
  ["of another sender's order, as if it were not there", 700, {}, "mug", `no order "sold-1" of this sender`],
  ["by a shared queue, of an owner's order", 700, {}, null, `no order "sold-1" of this sender`],
  ["of itself", 700, { returnOf: "return-1" }, "tea", "is not Processed"],
  ["of nothing", 700, { returnOf: undefined }, "tea", `no order ""`],
  ["worth more than was captured", CAPTURED + 1, {}, "tea", `${CAPTURED} is left to refund`],
  ["worth 10^14", 10 ** 14, {}, "tea", `${CAPTURED} is left to refund`],
  ["worth nothing", 0, {}, "tea", "worth nothing"],
  ["in another currency", 700, { currency: "JPY" }, "tea", "was paid in EUR"],
])("rejects a return %s", async (_, amount, changes, owner, reason) => {
  await returned("return-1", amount, changes, owner);
  expect(await ask("reserve", "return-1")).toMatchObject({
    kind: "rejected",
    message: expect.stringContaining(reason),
  });
  expect(await refundsOf()).toBeUndefined();
});

test.each<[string, Partial<StateRecord>, string]>([
  ["is under way", { ...PROCESSED, processState: "Processing" }, "is not Processed"],
  ["was compensated", { ...PROCESSED, processState: "Error" }, "is not Processed"],
  ["was not paid", { processState: "Processed" }, "nothing was captured"],
])("rejects a return of an order that %s", async (_, changes, reason) => {
  await put(sampleOrder("sold-2"), GRAPH, { owner: "tea", ...changes });
  await returned("return-1", 700, { returnOf: "sold-2" });
  expect(await ask("reserve", "return-1")).toMatchObject({
    kind: "rejected",
    message: expect.stringContaining(reason),
  });
});

test("P16 ten returns at once get no more than was captured together, and as much of it as fits", async () => {
  const ids = Array.from({ length: 10 }, (_, index) => `return-${index}`);
  for (const orderId of ids) await returned(orderId, 300);
  const replies = await Promise.all(ids.map((orderId) => ask("reserve", orderId)));
  expect(replies.filter(({ kind }) => kind === "done")).toHaveLength(7);
  expect(replies.filter(({ kind }) => kind === "rejected")).toHaveLength(3);
  expect(Object.values((await refundsOf()) ?? {})).toEqual(Array(7).fill(300));
  for (const [index, orderId] of ids.entries()) {
    expect((await ask("reserve", orderId)).kind, orderId).toBe(replies[index]?.kind);
  }
});

test("a return that was edited after it had reserved keeps what it has, and gets nothing else", async () => {
  await returned("return-1", 700);
  await ask("reserve", "return-1");
  const read = await store.state("return-1");
  if (!read) throw new Error("there is no return-1");
  const edited = sampleOrder("return-1", {
    returnOf: "sold-1",
    lines: [{ sku: "TEA-1", quantity: 1, unitPrice: 900 }],
  });
  await store.revise(read, { ...read.record, jobRevision: 2 }, edited);
  expect(await ask("reserve", "return-1")).toMatchObject({ kind: "rejected" });
  expect(await refundsOf()).toEqual({ "return-1": 700 });
});

test.each<[string, object, boolean]>([
  ["was never asked for", { state: "NotStarted", scheduledAt: null, retryCount: 0 }, true],
  ["was rejected for good", { state: "Failed", retryCount: 0 }, true],
  ["may have been paid", { state: "Scheduled", scheduledAt: NOON, retryCount: 0 }, false],
  ["ran out of time once", { state: "NotStarted", scheduledAt: NOON, retryCount: 1 }, false],
  ["was paid", { state: "Completed" }, false],
])("P13 a compensated return whose refund %s: released %#", async (_, refundPayment, isReleased) => {
  await returned("return-1", 700);
  await returned("return-2", CAPTURED - 700);
  for (const orderId of ["return-1", "return-2"]) await ask("reserve", orderId);
  const read = await store.state("return-1");
  if (!read) throw new Error("there is no return-1");
  const steps = { ...read.record.steps, refundPayment: refundPayment as StateRecord["steps"][string] };
  await store.replace(read, { ...read.record, direction: "compensate", steps });
  for (let times = 0; times < 2; times += 1) expect(await ask("release", "return-1")).toMatchObject({ kind: "done" });
  const left = { "return-2": CAPTURED - 700 };
  expect(await refundsOf()).toEqual({ ...left, "return-1": isReleased ? 0 : 700 });
});

test("P13 P16 a reservation that comes after its return was compensated is rejected; the return may be asked for again", async () => {
  await returned("return-1", 700);
  const read = await store.state("return-1");
  const sold = await store.state("sold-1");
  if (!read || !sold) throw new Error("an order is missing");
  // It was decided before the compensation, and is written after it.
  await store.replace(read, { ...read.record, direction: "compensate" });
  await ask("release", "return-1");
  const reserved: RefundedRecord = { ...sold.record, refunds: { "return-1": 700 } };
  expect(await store.replace(sold, reserved)).toEqual({ kind: "rejected" });
  expect(await ask("reserve", "return-1")).toMatchObject({ kind: "rejected" });
  expect(await refundsOf()).toEqual({ "return-1": 0 });
  const compensated = await store.state("return-1");
  if (compensated) await store.replace(compensated, { ...compensated.record, direction: "forward" });
  expect(await ask("reserve", "return-1")).toMatchObject({ kind: "done" });
  expect(await refundsOf()).toEqual({ "return-1": 700 });
});

/** The store of a process that dies after its n-th call: what it asked for has been done. */
function dyingAfter(calls: number): { readonly store: MemoryJobStore; readonly made: () => number } {
  let made = 0;
  const died = async <T>(work: Promise<T>): Promise<T> => {
    const answer = await work;
    made += 1;
    // Nothing may handle it, as nothing runs on in a process that is dead.
    if (made === calls) throw new Outage("died");
    return answer;
  };
  const dying = {
    ...store,
    create: (...given: Parameters<MemoryJobStore["create"]>) => died(store.create(...given)),
    state: (...given: Parameters<MemoryJobStore["state"]>) => died(store.state(...given)),
    job: (...given: Parameters<MemoryJobStore["job"]>) => died(store.job(...given)),
    change: (...given: Parameters<MemoryJobStore["change"]>) => died(store.change(...given)),
    replace: (...given: Parameters<MemoryJobStore["replace"]>) => died(store.replace(...given)),
  };
  return { store: dying, made: () => made };
}

test("P16 wherever a process dies on the way of a return, it reserves once, and refunds that charge under one key", async () => {
  const lines = [{ sku: "TEA-1", quantity: 1, unitPrice: 700 }];
  const body = sampleOrder("return-1", { workflow: "returns", returnOf: "sold-1", lines });
  const sold = await store.state("sold-1");
  let deaths = 0;
  for (let calls = 1; ; calls += 1) {
    store = createMemoryJobStore();
    if (sold) await store.create(sampleOrder("sold-1"), { ...sold.record, owner: undefined });
    const { store: dying, made } = dyingAfter(calls);
    const world = createSampleWorld(NOON_MS, dying);
    const agents = new Map([
      ...world.agents,
      ["refunds", refundsAgent.create({ store: dying, now: world.now, send: null as never })],
    ]);
    Object.assign(world, { agents, workflows: loadWorkflows(business.knownAgents, [RETURNS]) });
    const live = async () => {
      const claim = await world.submit(body);
      if (claim?.kind === "claimed") await world.runAttempt({ jobId: "return-1", attempt: 1, direction: "forward" });
    };
    await live().catch(() => {
      deaths += 1;
      return live();
    });
    expect((await store.state("return-1"))?.record.processState, `died after call ${calls}`).toBe("Processed");
    expect(await refundsOf()).toEqual({ "return-1": 700 });
    const paid = world.calls.filter(({ operation }) => operation === "refundReturn");
    expect(new Set(paid.map(({ idempotencyKey }) => idempotencyKey))).toEqual(
      new Set(["return-1:refundPayment:forward"]),
    );
    for (const { results } of paid) expect(results[RESERVING_STEP]).toMatchObject({ chargeId: "ch-1", amount: 700 });
    if (made() < calls) break;
  }
  expect(deaths).toBeGreaterThan(10);
});

test("P1 an order names the order that was sold if it is a return, and only then", () => {
  const rules = {
    workflows: ["order-fulfilment", "returns"],
    contracts,
  };
  const { workflow: _, ...order } = sampleOrder("return-1");
  const faultsOf = (changes: object) => {
    const parsed = parseSubmission({ ...order, ...changes }, {}, rules);
    return parsed.kind === "invalid" ? parsed.faults : [];
  };
  expect(faultsOf({ workflow: "returns" })).toEqual(["returnOf: is missing: the order whose goods come back"]);
  expect(faultsOf({ returnOf: "sold-1" })).toEqual(["returnOf: is not for order-fulfilment"]);
  expect(faultsOf({ workflow: "returns", returnOf: "sold 1" })).toEqual([expect.stringContaining("returnOf: must be")]);
  expect(faultsOf({ workflow: "returns", returnOf: "sold-1" })).toEqual([]);
});
