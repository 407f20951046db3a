// Every operation of every agent, against the simulated services over HTTP.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentCall, AgentReply, Operation, StepResult } from "@scheduler-agent-supervisor/core/agents";
import { FAULT_HEADERS, type RunningRemotes, startRemotes } from "@scheduler-agent-supervisor/local/remotes";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { services } from "../../samples/remotes.ts";
import { type AgentName, agentCases, casesByAgent } from "../../tests/support/agent-cases.ts";
import { sampleOrder } from "../../tests/support/orders.ts";
import { business } from "../business.ts";
import type { Order } from "../contracts/order.ts";

let remotes: RunningRemotes;
let data: string;
let count = 0;
let order: Order;

beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), "agents-"));
  remotes = await startRemotes({
    services: services.map((service) => ({ ...service, port: 0 })),
    data,
    durability: "normal",
  });
});

afterAll(async () => {
  await remotes.close();
  await rm(data, { recursive: true });
});

beforeEach(() => {
  count += 1;
  order = sampleOrder(`order-${count}`);
});

const urlOf = (agent: AgentName) => remotes.services.find(({ name }) => name === agent)?.url ?? "";

function run(agent: AgentName, operation: string, more: Partial<AgentCall> = {}): Promise<AgentReply> {
  const declared = business.serviceAgents.find(({ name }) => name === agent);
  const known = declared?.operations[operation] as Operation | undefined;
  if (!known) throw new Error(`no operation ${operation}`);
  return known({
    job: order,
    results: {},
    idempotencyKey: `${order.orderId}:${operation}`,
    endpoint: `${urlOf(agent)}/`,
    completeBy: new Date(Date.now() + 2000).toISOString(),
    signal: AbortSignal.timeout(2000),
    compensates: null,
    ...more,
  });
}

async function done(agent: AgentName, operation: string, more: Partial<AgentCall> = {}): Promise<StepResult> {
  const reply = await run(agent, operation, more);
  if (reply.kind !== "done") throw new Error(`${operation}: ${JSON.stringify(reply)}`);
  return reply.result;
}

async function effects(
  agent: AgentName,
): Promise<{ action: string; path: string; key: string; calls: number; body: unknown }[]> {
  const response = await fetch(`${urlOf(agent)}/$effects?orderId=${order.orderId}`);
  return ((await response.json()) as { effects: [] }).effects;
}

const actions = async (agent: AgentName) => (await effects(agent)).map(({ action }) => action);

async function fault(agent: AgentName, body: object): Promise<void> {
  const match = { orderId: order.orderId };
  const response = await fetch(`${urlOf(agent)}/$faults`, {
    method: "POST",
    headers: FAULT_HEADERS,
    body: JSON.stringify({ match, ...body }),
  });
  if (!response.ok) throw new Error(await response.text());
}

const PAIRS = casesByAgent.flatMap(([agent, { pairs = [] }]) => pairs.map((pair) => ({ agent, ...pair })));

test("each agent that calls a service has its entry in tests/support/agent-cases.ts", () => {
  expect(Object.keys(agentCases).sort()).toEqual(business.serviceAgents.map(({ name }) => name).sort());
  expect(PAIRS.length).toBeGreaterThan(5);
});

describe.each(PAIRS)("P6 P13 $agent: $forward, compensated by $compensation", (pair) => {
  const { agent, forward, compensation, id, status, action = compensation } = pair;
  const forwardKey = () => `${order.orderId}:${forward}`;

  test("by what was recorded", async () => {
    const result = await done(agent, forward);
    expect(result[id]).toMatch(/^[a-z]+-/);
    const compensates = { result, idempotencyKey: forwardKey() };
    expect(await done(agent, compensation, { compensates })).toEqual({ status });
    expect(await done(agent, compensation, { compensates })).toEqual({ status });
    expect(await actions(agent)).toEqual(["create", action]);
  });

  test("by its key where the outcome is unknown, though it took effect", async () => {
    await fault(agent, { kind: "loseReply", calls: 1 });
    expect(await run(agent, forward)).toMatchObject({ kind: "unavailable" });
    const compensates = { result: null, idempotencyKey: forwardKey() };
    expect(await done(agent, compensation, { compensates })).toEqual({ status });
    expect(await actions(agent)).toHaveLength(2);
  });

  test("by its key before it arrives: it is rejected then, and nothing is left", async () => {
    const compensates = { result: null, idempotencyKey: forwardKey() };
    expect(await done(agent, compensation, { compensates })).toEqual({ status: "nothing-to-compensate" });
    expect(await run(agent, forward)).toMatchObject({ kind: "rejected" });
    expect(await effects(agent)).toEqual([]);
  });
});

describe("P13 payment: capture, compensated by refund", () => {
  let results: { takePayment: StepResult };
  const captureKey = () => `${order.orderId}:capture`;
  beforeEach(async () => {
    results = { takePayment: await done("payment", "authorize") };
  });

  test("captures the charge of takePayment; refund gives it back", async () => {
    const result = await done("payment", "capture", { results });
    expect(result).toEqual({ status: "captured", chargeId: results.takePayment["chargeId"], amount: 2150 });
    const compensates = { result, idempotencyKey: captureKey() };
    expect(await done("payment", "refund", { results, compensates })).toEqual({ status: "refunded" });
    expect(await actions("payment")).toEqual(["create", "capture", "refund"]);
  });

  test("the reply to capture was lost: what it took is refunded, once", async () => {
    await fault("payment", { kind: "loseReply", calls: 1, path: "/charges/*/capture" });
    expect(await run("payment", "capture", { results })).toMatchObject({ kind: "unavailable" });
    const compensates = { result: null, idempotencyKey: captureKey() };
    for (let n = 0; n < 2; n++)
      expect(await done("payment", "refund", { results, compensates })).toEqual({ status: "refunded" });
    expect(await actions("payment")).toEqual(["create", "capture", "refund"]);
  });

  test("capture is still on its way: it is rejected when it arrives", async () => {
    const compensates = { result: null, idempotencyKey: captureKey() };
    expect(await done("payment", "refund", { results, compensates })).toEqual({ status: "nothing-to-compensate" });
    expect(await run("payment", "capture", { results })).toMatchObject({ kind: "rejected" });
    expect(await actions("payment")).toEqual(["create"]);
  });

  test("without a charge there is nothing to capture", async () => {
    expect(await run("payment", "capture")).toMatchObject({
      kind: "rejected",
      message: expect.stringContaining("takePayment"),
    });
  });
});

describe("P13 flight: book, compensated by cancel, at a service without keys", () => {
  const compensates = () => ({ result: null, idempotencyKey: `${order.orderId}:book` });

  test("by what was recorded", async () => {
    const result = await done("flight", "book");
    const recorded = { compensates: { ...compensates(), result } };
    expect(await done("flight", "cancel", recorded)).toEqual({ status: "cancelled" });
    expect(await actions("flight")).toEqual(["create", "cancel"]);
  });

  test("a booking that took effect after its try was given up is found, and cancelled", async () => {
    await fault("flight", { kind: "gateway", calls: 1 });
    expect(await run("flight", "book")).toMatchObject({ kind: "unavailable", mayHaveHappened: true });
    expect(await done("flight", "cancel", { compensates: compensates() })).toEqual({ status: "cancelled" });
    expect(await actions("flight")).toEqual(["create", "cancel"]);
  });

  test("where none was booked there is nothing to compensate", async () => {
    const compensated = await done("flight", "cancel", { compensates: compensates() });
    expect(compensated).toEqual({ status: "nothing-to-compensate" });
    expect(await effects("flight")).toEqual([]);
  });
});

describe("P13 car: rent, compensated by cancel, at a service without keys", () => {
  test("by what was recorded; by nothing else", async () => {
    const result = await done("car", "rent");
    const idempotencyKey = `${order.orderId}:rent`;
    const unseen = { compensates: { result: null, idempotencyKey } };
    expect(await run("car", "cancel", unseen)).not.toMatchObject({ kind: "done", result: { status: "cancelled" } });
    expect(await done("car", "cancel", { compensates: { result, idempotencyKey } })).toEqual({ status: "cancelled" });
    expect(await actions("car")).toEqual(["create", "cancel"]);
  });
});

test("P6 what has nothing to compensate: check and refundReturn", async () => {
  expect(await done("fraud", "check")).toMatchObject({ checkId: expect.stringMatching(/^chk-/) });
  const results = { reserveRefund: { chargeId: "ch-1", amount: 700, currency: "EUR" } };
  expect(await done("payment", "refundReturn", { results })).toEqual({
    refundId: expect.stringMatching(/^rf-/),
    amount: 700,
  });
  expect(await effects("payment")).toMatchObject([{ body: { chargeId: "ch-1", amount: 700, currency: "EUR" } }]);
});

test("what nothing was reserved for is not refunded, whatever the order says", async () => {
  expect(await run("payment", "refundReturn")).toMatchObject({
    kind: "rejected",
    message: expect.stringContaining("reserveRefund"),
  });
  expect(await effects("payment")).toEqual([]);
});

test("P6 the workflows are checked against these operations", () => {
  expect(business.knownAgents.get("payment")).toEqual({
    operations: ["authorize", "void", "capture", "refund", "refundReturn"],
    transports: ["activity", "queue"],
  });
  expect([...business.knownAgents.keys()]).toEqual(expect.arrayContaining(Object.keys(agentCases)));
});

describe("P9 what an answer means", () => {
  test.each([
    ["payment", "authorize", { kind: "reject", status: 402, message: "card declined" }, "rejected"],
    ["fraud", "check", { kind: "reject", status: 403 }, "rejected"],
    ["inventory", "reserve", { kind: "reject", status: 409, code: "out-of-stock" }, "rejected"],
    ["inventory", "reserve", { kind: "reject", status: 423 }, "unavailable"],
    ["payment", "authorize", { kind: "reject", status: 409, code: "request-in-progress" }, "unavailable"],
    ["shipping", "arrange", { kind: "reject", status: 408 }, "unavailable"],
    ["shipping", "arrange", { kind: "down", status: 503 }, "unavailable"],
  ] as const)("%s %s, %o: %s", async (agent, operation, body, kind) => {
    await fault(agent, { ...body, calls: 1 });
    const reply = await run(agent, operation);
    expect(reply.kind).toBe(kind);
    if ("message" in body) expect(reply).toMatchObject({ message: body.message });
  });

  test("429 carries the pause asked for", async () => {
    await fault("inventory", { kind: "down", status: 429, retryAfterS: 7, calls: 1 });
    expect(await run("inventory", "reserve")).toMatchObject({ kind: "unavailable", retryAfterMs: 7000 });
  });

  test("nobody there, and an aborted call", async () => {
    const nobody = await run("inventory", "reserve", { endpoint: "http://127.0.0.1:9/" });
    expect(nobody).toMatchObject({ kind: "unavailable", message: expect.stringMatching(/refused|bad port/i) });
    await fault("inventory", { kind: "slow", delayMs: 5000, calls: 1 });
    const aborted = await run("inventory", "reserve", { signal: AbortSignal.timeout(50) });
    expect(aborted.kind).toBe("unavailable");
  });
});
