// The operations over the store in memory: what each does, and what a second run of it after a death finds.
import { beforeEach, describe, expect, test } from "vitest";
import { callWithin } from "../../shared/agents/call-within.ts";
import type { Wake } from "../../shared/domain/attempt.ts";
import { nextTask } from "../../shared/domain/attempt.ts";
import { claimOrder } from "../../shared/operations/claim-order.ts";
import { runStep } from "../../shared/operations/run-step.ts";
import { submitOrder } from "../../shared/operations/submit-order.ts";
import { sweep } from "../../shared/operations/sweep.ts";
import { NOON_MS, sampleOrder } from "../support/orders.ts";
import { createWorld, type World } from "../support/world.ts";

let world: World;
beforeEach(() => {
  world = createWorld(NOON_MS);
});

const envelope = { messageId: "m-1", correlationId: "request-1", replyTo: "replies-shop" };

function submit(body: unknown = sampleOrder(), from: Record<string, unknown> = envelope): Promise<Wake | undefined> {
  return submitOrder({ body, envelope: from, traceparent: null }, world, world.telemetry);
}

async function submitted(): Promise<Wake> {
  const wake = await submit();
  if (!wake) throw new Error("nothing to start");
  return wake;
}

async function firstTask(wake: Wake) {
  const claim = await claimOrder(wake, world, world.telemetry);
  if (claim.kind !== "claimed") throw new Error("the claim was refused");
  const task = nextTask(claim.attempt);
  if (!task) throw new Error("no task");
  return task;
}

const stateOf = async (orderId = "order-1") => (await world.store.state(orderId))?.record;

describe("submission", () => {
  test("P1 P2 writes order and record, says Received with the request's correlation id, and gives the wake", async () => {
    const wake = await submitted();
    expect(wake).toMatchObject({ orderId: "order-1", attempt: 1 });
    expect(await stateOf()).toMatchObject({
      processState: "Pending",
      lockedBy: null,
      completeBy: null,
      failureCount: 0,
      correlationId: "request-1",
    });
    expect(world.statuses).toMatchObject([{ orderId: "order-1", status: "Received" }]);
  });

  test("P1 delivered twice: one order, and the start is asked for again while it is Pending", async () => {
    await submitted();
    expect(await submit()).toMatchObject({ orderId: "order-1", attempt: 1 });
    expect(world.eventNames()).toEqual(["OrderSubmitted", "DuplicateSubmission"]);
  });

  test("a duplicate of an order under way starts nothing", async () => {
    await world.runAttempt(await submitted());
    expect(await submit()).toBeUndefined();
    expect((await stateOf())?.processState).toBe("Processed");
  });

  test("another order under a known id is quarantined, not lost and not mixed up", async () => {
    await submitted();
    expect(await submit(sampleOrder("order-1", { currency: "USD" }))).toBeUndefined();
    expect(world.quarantined).toMatchObject([
      { body: { currency: "USD" }, faults: [expect.stringContaining("order-1")] },
    ]);
    expect((await world.store.order("order-1")).currency).toBe("EUR");
  });

  test.each([
    ["text", "{not json", ["the body must be a JSON object"]],
    ["null", null, ["the body must be a JSON object"]],
    ["a list", [sampleOrder()], ["the body must be a JSON object"]],
    [
      "many faults",
      {
        ...sampleOrder("bad id!"),
        lines: [{ sku: "", quantity: 0, unitPrice: 1 }],
        currency: "euro",
        surprise: 1,
        workflow: 3,
      },
      ["orderId", "lines[0].sku", "lines[0].quantity", "currency", "surprise", "workflow"],
    ],
    ["members that would hide metadata", { ...sampleOrder(), messageId: "x", replyTo: "replies-evil" }, ["messageId"]],
    [
      "an unknown workflow",
      sampleOrder("order-1", { workflow: "returns" }),
      ["workflow: must be one of order-fulfilment"],
    ],
  ])("bad input is quarantined with every fault named: %s", async (_, body, named) => {
    expect(await submit(body)).toBeUndefined();
    const faults = world.quarantined[0]?.faults ?? [];
    for (const name of named) expect(faults.some((fault) => fault.includes(name))).toBe(true);
    expect(await stateOf()).toBeUndefined();
  });

  test("P15 a reply queue whose name is not allowed is a fault", async () => {
    expect(await submit(sampleOrder(), { ...envelope, replyTo: "orders" })).toBeUndefined();
    expect(world.quarantined[0]?.faults.join()).toContain("replyTo");
  });

  test("P15 nobody to reply to, or a queue that is not there, does not fail the order", async () => {
    expect(await submit(sampleOrder("order-2"), {})).toMatchObject({ orderId: "order-2" });
    world.tellFault = "no-such-queue";
    expect(await submit(sampleOrder("order-3"))).toMatchObject({ orderId: "order-3" });
    expect(world.eventNames()).toContain("StatusUndeliverable");
  });
});

describe("an attempt", () => {
  test("runs all steps with stable keys and tells the shop in order", async () => {
    expect(await world.runAttempt(await submitted())).toBe("processed");
    expect(world.calls.map(({ request }) => request.idempotencyKey)).toEqual([
      "order-1:reserveStock:forward",
      "order-1:takePayment:forward",
      "order-1:arrangeShipping:forward",
    ]);
    expect(world.statuses.map(({ status }) => status)).toEqual(["Received", "Started", "Completed"]);
    expect(await stateOf()).toMatchObject({ processState: "Processed", lockedBy: null, notices: [] });
  });

  test("P4 a second attempt at one claim is refused; the same one's second run is not", async () => {
    const wake = await submitted();
    const first = await claimOrder(wake, world, world.telemetry);
    expect(await claimOrder(wake, world, world.telemetry)).toEqual(first);
    expect(await claimOrder({ ...wake, attempt: 2 }, world, world.telemetry)).toEqual({ kind: "taken" });
  });

  test("P16 a step run again after its write was made changes nothing and gives the same outcome", async () => {
    const task = await firstTask(await submitted());
    const outcome = await runStep(task, world, world.telemetry);
    const before = await stateOf();
    world.clock += 500;
    expect(await runStep(task, world, world.telemetry)).toEqual(outcome);
    expect(await stateOf()).toEqual(before);
  });

  test("P16 a last step run again past complete-by still tells the shop", async () => {
    const wake = await submitted();
    await world.runAttempt(wake);
    const last = (await stateOf())?.steps["arrangeShipping"];
    if (!last?.completeBy) throw new Error("no last step");
    world.statuses.length = 0;
    world.clock = Date.parse(last.completeBy) + 1;
    const holder = {
      orderId: "order-1",
      attempt: 1,
      lockedBy: "order-1-1",
      step: "arrangeShipping",
      agent: "shipping",
    };
    const reply = { replyTo: "replies-shop", correlationId: "request-1", traceparent: null };
    const task = { ...holder, record: last, completeBy: last.completeBy, results: {}, next: null, reply };
    expect((await runStep(task, world, world.telemetry)).kind).toBe("completed");
    expect(world.statuses.map(({ status }) => status)).toEqual(["Completed"]);
  });

  test("P9 a refusal for good ends in Error, tells Failed with the reason and calls no further agent", async () => {
    world.answers.set("payment", () => ({ kind: "rejected", message: "card expired", endpoint: "http://payment" }));
    expect(await world.runAttempt(await submitted())).toBe("rejected");
    expect(await stateOf()).toMatchObject({
      processState: "Error",
      error: { kind: "rejected", message: "card expired", step: "takePayment", agent: "payment" },
      notices: [],
    });
    expect(await stateOf()).not.toHaveProperty("dueAt");
    expect(world.statuses.at(-1)).toMatchObject({ status: "Failed", detail: "card expired" });
    expect(world.calls.map(({ agent }) => agent)).toEqual(["inventory", "payment"]);
  });

  test("P8 a late agent is refused by the fence, counted, and changes nothing", async () => {
    const task = await firstTask(await submitted());
    world.answers.set("inventory", async () => {
      world.clock = Date.parse(task.completeBy) + 5000;
      await sweep(world, world.telemetry);
      return { kind: "done", result: { id: "late" }, endpoint: "http://inventory" };
    });
    expect((await runStep(task, world, world.telemetry)).kind).toBe("superseded");
    expect(await stateOf()).toMatchObject({ processState: "Pending", attempt: 2, lockedBy: null });
    expect((await stateOf())?.steps["reserveStock"]).toMatchObject({ state: "NotStarted", result: null });
    expect(world.eventNames()).toContain("AttemptSuperseded");
  });

  test("P8 past complete-by the agent is not called, nothing is written, nothing is sent", async () => {
    const task = await firstTask(await submitted());
    const [before, sent] = [await stateOf(), world.statuses.length];
    world.clock = Date.parse(task.completeBy);
    expect((await runStep(task, world, world.telemetry)).kind).toBe("expired");
    expect(await stateOf()).toEqual(before);
    expect(world.statuses).toHaveLength(sent);
    expect(world.calls).toEqual([]);
    expect(world.eventNames()).toContain("AgentStoppedSilently");
  });

  test("the bus away at the end: the order is Processed, a notice waits, and the sweep tells it", async () => {
    const wake = await submitted();
    world.answers.set("shipping", () => {
      world.tellFault = new Error("bus down");
      return { kind: "done", result: { id: "s" }, endpoint: "http://shipping" };
    });
    expect(await world.runAttempt(wake)).toBe("processed");
    expect((await stateOf())?.notices).toHaveLength(1);
    world.tellFault = undefined;
    world.clock += 60_000;
    expect(await sweep(world, world.telemetry)).toMatchObject({ found: 1, told: 1 });
    expect(world.statuses.at(-1)).toMatchObject({ status: "Completed" });
    expect(await sweep(world, world.telemetry)).toMatchObject({ found: 0 });
  });
});

describe("P6 an agent's call", () => {
  const request = { order: sampleOrder(), results: {}, idempotencyKey: "k" };
  const agentOf = (call: (typeof world.agents extends ReadonlyMap<string, infer A> ? A : never)["call"]) => ({
    name: "a",
    call,
  });
  const unavailable = { kind: "unavailable", message: "503", endpoint: "http://a" } as const;
  const done = { kind: "done", result: {}, endpoint: "http://a" } as const;
  const within = (ms: number) => new Date(Date.now() + ms).toISOString();

  test("is tried again while the service is unavailable", async () => {
    let tries = 0;
    const agent = agentOf(async () => (++tries < 3 ? unavailable : done));
    expect(await callWithin(agent, request, within(5000), Date.now)).toEqual(done);
    expect(tries).toBe(3);
  });

  test("is aborted at complete-by, in the middle of a call and in the pause between two", async () => {
    let aborted = false;
    const hanging = agentOf(
      ({ signal }) =>
        new Promise(() => {
          signal.addEventListener("abort", () => {
            aborted = true;
          });
        }),
    );
    expect(await callWithin(hanging, request, within(100), Date.now)).toMatchObject({ kind: "expired" });
    expect(aborted).toBe(true);
    const patient = agentOf(async () => ({ ...unavailable, retryAfterMs: 60_000 }));
    expect(await callWithin(patient, request, within(100), Date.now)).toEqual({ kind: "expired", tries: 1 });
  });

  test("is not tried again after a refusal", async () => {
    let tries = 0;
    const agent = agentOf(async () => {
      tries += 1;
      return { kind: "rejected", message: "no", endpoint: "http://a" };
    });
    expect(await callWithin(agent, request, within(5000), Date.now)).toMatchObject({ kind: "rejected" });
    expect(tries).toBe(1);
  });
});

describe("P10 a sweep", () => {
  async function stuck(): Promise<void> {
    const state = await stateOf();
    world.clock = Date.parse(state?.dueAt ?? "") + 5000;
  }

  test("retries below the threshold from the step reached, then sets Error, and says so once", async () => {
    world.answers.set(
      "shipping",
      (request) =>
        new Promise((resolve) =>
          request.signal.addEventListener("abort", () =>
            resolve({ kind: "unavailable", message: "down", endpoint: "x" }),
          ),
        ),
    );
    const task = await firstTask(await submitted());
    await runStep(task, world, world.telemetry);
    for (const failureCount of [1, 2]) {
      await stuck();
      expect(await sweep(world, world.telemetry)).toMatchObject({ found: 1, retried: 1 });
      expect(await stateOf()).toMatchObject({ processState: "Pending", failureCount, attempt: failureCount + 1 });
      const wake = world.wakes.at(-1);
      if (!wake) throw new Error("the scheduler was not told");
      expect((await claimOrder(wake, world, world.telemetry)).kind).toBe("claimed");
    }
    await stuck();
    expect(await sweep(world, world.telemetry)).toMatchObject({ failed: 1 });
    expect(await stateOf()).toMatchObject({ processState: "Error", failureCount: 3, error: { kind: "expired" } });
    expect(world.statuses.at(-1)).toMatchObject({ status: "Failed" });
    expect(await sweep(world, world.telemetry)).toMatchObject({ found: 0 });
  });

  test("leaves what is not overdue by more than the clocks may differ", async () => {
    const task = await firstTask(await submitted());
    world.clock = Date.parse(task.completeBy) + 900;
    expect(await sweep(world, world.telemetry)).toMatchObject({ found: 0 });
  });

  test("wakes an order that nobody claimed, and counts no failure", async () => {
    await submitted();
    await stuck();
    expect(await sweep(world, world.telemetry)).toMatchObject({ woken: 1 });
    expect(world.wakes).toMatchObject([{ orderId: "order-1", attempt: 1 }]);
    expect(await stateOf()).toMatchObject({ processState: "Pending", failureCount: 0, attempt: 1 });
  });

  test("P12 two at once raise the failure count once", async () => {
    await firstTask(await submitted());
    await stuck();
    const reports = await Promise.all([sweep(world, world.telemetry), sweep(world, world.telemetry)]);
    expect(reports.reduce((sum, { retried }) => sum + retried, 0)).toBe(1);
    expect(reports.reduce((sum, { lost }) => sum + lost, 0)).toBe(1);
    expect(await stateOf()).toMatchObject({ failureCount: 1, attempt: 2 });
  });

  test("one record that can't be dealt with does not stop it", async () => {
    await firstTask(await submitted());
    const broken = await world.store.state("order-1");
    if (!broken) throw new Error("no record");
    await world.store.replace(broken, { ...broken.record, workflow: { name: "forgotten", version: 9 } });
    await submit(sampleOrder("order-2"));
    world.clock += 3_600_000;
    expect(await sweep(world, world.telemetry)).toMatchObject({ found: 2, broken: 1, woken: 1 });
  });

  test("the bus away while Error is told: the next sweep tells it", async () => {
    await firstTask(await submitted());
    const read = await world.store.state("order-1");
    if (!read) throw new Error("no record");
    await world.store.replace(read, { ...read.record, failureCount: 2 });
    await stuck();
    world.tellFault = new Error("bus down");
    expect(await sweep(world, world.telemetry)).toMatchObject({ broken: 1 });
    expect(await stateOf()).toMatchObject({ processState: "Error", failureCount: 3 });
    world.tellFault = undefined;
    await stuck();
    expect(await sweep(world, world.telemetry)).toMatchObject({ told: 1 });
    expect(world.statuses.at(-1)).toMatchObject({ status: "Failed" });
  });
});
