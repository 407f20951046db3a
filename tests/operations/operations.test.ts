// The operations over the store in memory: what each does, and what a second run of it after a death finds.
import { beforeEach, describe, expect, test } from "vitest";
import { advance, nextTasks, type Wake } from "../../shared/domain/attempt.ts";
import { recover, wakeOf } from "../../shared/domain/recovery.ts";
import { claimOrder } from "../../shared/operations/claim-order.ts";
import { runStep } from "../../shared/operations/run-step.ts";
import { submitOrder } from "../../shared/operations/submit-order.ts";
import { sweep } from "../../shared/operations/sweep.ts";
import { NOON, NOON_MS, sampleOrder } from "../support/orders.ts";
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
  const [task] = nextTasks(claim.attempt);
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
    expect((await world.store.order("order-1", 1)).currency).toBe("EUR");
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
      sampleOrder("order-1", { workflow: "alchemy" }),
      ["workflow: must be one of order-fulfilment, returns"],
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
  test("P5 runs the levels in order, a level's steps once each, with stable keys, and tells the shop in order", async () => {
    expect(await world.runAttempt(await submitted())).toBe("concluded");
    const operations = world.calls.map(({ operation }) => operation);
    expect([operations[0], operations.slice(1, 3).sort(), ...operations.slice(3)]).toEqual([
      "reserve",
      ["authorize", "check"],
      "arrange",
      "capture",
    ]);
    expect(world.calls.map(({ idempotencyKey }) => idempotencyKey)).toContain("order-1:takePayment:forward");
    const statuses = world.statuses.map(({ status }) => status);
    expect(statuses).toEqual(["Received", "Started", ...Array(5).fill("StepCompleted"), "Completed"]);
    expect(await stateOf()).toMatchObject({ processState: "Processed", lockedBy: null, notices: [] });
  });

  test("hands a step what the steps before it recorded", async () => {
    await world.runAttempt(await submitted());
    const capture = world.calls.find(({ operation }) => operation === "capture");
    expect(Object.keys(capture?.results ?? {}).sort()).toEqual([
      "arrangeShipping",
      "checkFraud",
      "reserveStock",
      "takePayment",
    ]);
  });

  test("P4 a second attempt at one claim is refused; the same one's second run is not", async () => {
    const wake = await submitted();
    const first = await claimOrder(wake, world, world.telemetry);
    expect(await claimOrder(wake, world, world.telemetry)).toEqual(first);
    expect(await claimOrder({ ...wake, attempt: 2 }, world, world.telemetry)).toEqual({ kind: "taken" });
  });

  test("P4 the same attempt started in the hub of another host is refused", async () => {
    const wake = await submitted();
    expect((await claimOrder(wake, world, world.telemetry)).kind).toBe("claimed");
    expect(await claimOrder(wake, { ...world, taskHub: "other" }, world.telemetry)).toEqual({ kind: "taken" });
    expect((await stateOf())?.lockedBy).toBe("order-1-1@hub");
  });

  test("P16 a step run again after its write was made changes nothing and gives the same outcome", async () => {
    const task = await firstTask(await submitted());
    const outcome = await runStep(task, world, world.telemetry);
    const before = await stateOf();
    world.clock += 500;
    expect(await runStep(task, world, world.telemetry)).toEqual(outcome);
    expect(await stateOf()).toEqual(before);
  });

  test("P16 every step of an attempt may run twice: one order of levels, one end", async () => {
    const claim = await claimOrder(await submitted(), world, world.telemetry);
    if (claim.kind !== "claimed") throw new Error("the claim was refused");
    let attempt = claim.attempt;
    for (let tasks = nextTasks(attempt); tasks.length > 0; tasks = nextTasks(attempt)) {
      const first = await Promise.all(tasks.map((task) => runStep(task, world, world.telemetry)));
      const second = await Promise.all(tasks.map((task) => runStep(task, world, world.telemetry)));
      expect(second.map(({ kind }) => kind)).toEqual(first.map(({ kind }) => kind));
      attempt = advance(attempt, second);
    }
    expect(await stateOf()).toMatchObject({ processState: "Processed" });
    expect((await stateOf())?.history).toHaveLength(7);
  });

  test("P16 a last step run again past complete-by still tells the shop", async () => {
    const claim = await claimOrder(await submitted(), world, world.telemetry);
    if (claim.kind !== "claimed") throw new Error("the claim was refused");
    let attempt = claim.attempt;
    let last = nextTasks(attempt);
    for (let tasks = last; tasks.length > 0; tasks = nextTasks(attempt)) {
      last = tasks;
      attempt = advance(attempt, await Promise.all(tasks.map((task) => runStep(task, world, world.telemetry))));
    }
    world.statuses.length = 0;
    const [task] = last;
    if (!task) throw new Error("no last step");
    world.clock = Date.parse(task.completeBy) + 1;
    expect((await runStep(task, world, world.telemetry)).kind).toBe("completed");
    expect(world.statuses.at(-1)).toMatchObject({ status: "Completed" });
  });

  test("P9 a refusal for good ends in Error, tells Failed with the reason and goes no further", async () => {
    world.answers.set("authorize", () => ({ kind: "rejected", message: "card expired" }));
    expect(await world.runAttempt(await submitted())).toBe("rejected");
    expect(await stateOf()).toMatchObject({
      processState: "Error",
      error: { kind: "rejected", message: "card expired", step: "takePayment", agent: "payment" },
      notices: [],
    });
    expect(await stateOf()).not.toHaveProperty("dueAt");
    expect(world.statuses.at(-1)).toMatchObject({ status: "Failed", detail: "card expired" });
    expect(world.calls.map(({ operation }) => operation)).not.toContain("arrange");
  });

  test("P8 a late agent is refused by the fence, counted, and changes nothing", async () => {
    const task = await firstTask(await submitted());
    world.answers.set("reserve", async () => {
      world.clock = Date.parse(task.completeBy) + 5000;
      await sweep(world, world.telemetry);
      return { kind: "done" };
    });
    expect((await runStep(task, world, world.telemetry)).kind).toBe("superseded");
    expect(await stateOf()).toMatchObject({ processState: "Pending", attempt: 2, lockedBy: null });
    expect((await stateOf())?.steps["reserveStock"]).toMatchObject({ state: "NotStarted", result: null });
    expect(world.eventNames()).toContain("LateReplyRejected");
    const entries: unknown[] = [];
    for await (const entry of world.supervision.entries(NOON.slice(0, 10), "order-1")) entries.push(entry);
    expect(entries).toContainEqual(expect.objectContaining({ kind: "lateReply", attempt: 1, step: "reserveStock" }));
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
    world.answers.set("capture", () => {
      world.failing = "Completed";
      return { kind: "done" };
    });
    expect(await world.runAttempt(wake)).toBe("concluded");
    expect((await stateOf())?.notices).toHaveLength(1);
    world.failing = undefined;
    world.clock += 60_000;
    expect(await sweep(world, world.telemetry)).toMatchObject({ found: 1, told: 1 });
    expect(world.statuses.at(-1)).toMatchObject({ status: "Completed" });
    expect(await sweep(world, world.telemetry)).toMatchObject({ found: 0 });
  });
});

describe("P16 the end of an order", () => {
  test("the bus away from the last step on: nothing of it costs the shop the order's end", async () => {
    const wake = await submitted();
    world.answers.set("capture", () => {
      world.tellFault = new Error("bus down");
      return { kind: "done" };
    });
    expect(await world.runAttempt(wake)).toBe("concluded");
    expect(await stateOf()).toMatchObject({
      processState: "Processed",
      notices: [{ status: "StepCompleted", step: "capturePayment" }, { status: "Completed" }],
    });
    world.tellFault = undefined;
    world.clock += 60_000;
    await sweep(world, world.telemetry);
    expect(world.statuses.slice(-2)).toMatchObject([{ status: "StepCompleted" }, { status: "Completed" }]);
    expect(await stateOf()).toMatchObject({ notices: [] });
  });

  test("P15 a message that can't be sent is not overtaken: it goes before the next one, once", async () => {
    const wake = await submitted();
    world.answers.set("reserve", () => {
      world.failing = "StepCompleted";
      return { kind: "done" };
    });
    world.answers.set("arrange", () => {
      world.failing = undefined;
      return { kind: "done" };
    });
    expect(await world.runAttempt(wake)).toBe("concluded");
    const told = world.statuses.map(({ status, step }) => (step ? `${status} ${step}` : status));
    expect(told.slice(0, 3)).toEqual(["Received", "Started", "StepCompleted reserveStock"]);
    expect(new Set(told).size).toBe(8);
    expect(told.slice(-3)).toEqual(["StepCompleted arrangeShipping", "StepCompleted capturePayment", "Completed"]);
    expect(await stateOf()).toMatchObject({ processState: "Processed", notices: [] });
    expect(await stateOf()).not.toHaveProperty("dueAt");
  });

  test("a claim that concluded the order and died before it told the shop tells it when it runs again", async () => {
    const record = await stateAfterSubmission();
    const steps = Object.entries(record.steps).map(([name, step]) => [name, { ...step, state: "Completed" }]);
    const wake = { ...wakeOf(record), steps: Object.fromEntries(steps) };
    expect(await claimOrder(wake, world, world.telemetry)).toEqual({ kind: "concluded" });
    world.statuses.length = 0;
    expect(await claimOrder(wake, world, world.telemetry)).toEqual({ kind: "concluded" });
    expect(world.statuses).toMatchObject([{ status: "Completed" }]);
    expect(await claimOrder({ ...wake, attempt: 2 }, world, world.telemetry)).toEqual({ kind: "taken" });
  });

  async function stateAfterSubmission() {
    await submitted();
    const record = await stateOf();
    if (!record) throw new Error("no record");
    return record;
  }
});

describe("P13 an undo", () => {
  async function refusedForGood(): Promise<Wake> {
    world.answers.set("arrange", () => ({ kind: "rejected", message: "no such country" }));
    expect(await world.runAttempt(await submitted())).toBe("rejected");
    const wake = world.wakes.at(-1);
    if (!wake) throw new Error("the scheduler was not told");
    world.calls.length = 0;
    return wake;
  }

  test("runs in reverse, with what each step recorded and keys of its own, and ends in Error of the kind undone", async () => {
    const wake = await refusedForGood();
    expect(wake).toMatchObject({ attempt: 2, direction: "undo" });
    expect(await world.runAttempt(wake)).toBe("concluded");
    expect(world.calls.map(({ operation }) => operation)).toEqual(["void", "release"]);
    expect(world.calls[0]).toMatchObject({
      idempotencyKey: "order-1:takePayment:undo",
      undoes: { result: { id: expect.stringContaining("payment") }, idempotencyKey: "order-1:takePayment:forward" },
    });
    const state = await stateOf();
    expect(state).toMatchObject({ processState: "Error", error: { kind: "undone" }, lockedBy: null, notices: [] });
    expect(state?.error?.message).toContain("no such country");
    expect(Object.values(state?.steps ?? {}).map(({ state }) => state)).toEqual([
      "Undone",
      "Undone",
      "Completed",
      "Failed",
      "NotStarted",
    ]);
    expect(world.statuses.at(-1)).toMatchObject({ status: "Undone" });
    expect(world.eventNames()).toContain("OrderUndone");
  });

  test("a step whose outcome is unknown is undone too, by its key", async () => {
    world.answers.set("reserve", () => ({ kind: "expired" }));
    expect(await world.runAttempt(await submitted())).toBe("expired");
    const read = await world.store.state("order-1");
    if (!read) throw new Error("no record");
    await world.store.replace(read, recover(read.record, { kind: "undo", failureCount: 3 }, NOON, 60_000));
    const undoing = await stateOf();
    if (!undoing) throw new Error("no record");
    world.calls.length = 0;
    expect(await world.runAttempt(wakeOf(undoing))).toBe("concluded");
    expect(world.calls).toMatchObject([
      { operation: "release", undoes: { result: null, idempotencyKey: "order-1:reserveStock:forward" } },
    ]);
  });

  test("a step that can't be undone is named for a person; the others are undone all the same", async () => {
    const wake = await refusedForGood();
    world.answers.set("void", () => ({ kind: "rejected", message: "captured already" }));
    expect(await world.runAttempt(wake)).toBe("concluded");
    expect(world.calls.map(({ operation }) => operation)).toEqual(["void", "release"]);
    expect((await stateOf())?.error).toMatchObject({
      kind: "notUndone",
      message: expect.stringContaining("by hand: takePayment"),
    });
    expect(world.statuses.at(-1)).toMatchObject({ status: "Failed" });
  });

  test("is supervised like any other: an undo step that expires is tried again under the same key", async () => {
    const wake = await refusedForGood();
    world.answers.set("void", () => ({ kind: "expired" }));
    expect(await world.runAttempt(wake)).toBe("expired");
    world.clock = Date.parse((await stateOf())?.dueAt ?? "") + 5000;
    expect(await sweep(world, world.telemetry)).toMatchObject({ retried: 1 });
    expect(await stateOf()).toMatchObject({ direction: "undo", attempt: 3, failureCount: 1 });
    world.answers.delete("void");
    const again = world.wakes.at(-1);
    expect(again && (await world.runAttempt(again))).toBe("concluded");
    expect(
      new Set(world.calls.filter(({ operation }) => operation === "void").map(({ idempotencyKey }) => idempotencyKey))
        .size,
    ).toBe(1);
  });

  test("of an order that has done nothing concludes at the claim", async () => {
    world.answers.set("reserve", () => ({ kind: "rejected", message: "sold out" }));
    await world.runAttempt(await submitted());
    const wake = world.wakes.at(-1);
    expect(wake && (await world.runAttempt(wake))).toBe("concluded");
    expect((await stateOf())?.error).toMatchObject({ kind: "undone" });
    expect(world.statuses.at(-1)).toMatchObject({ status: "Undone" });
  });

  test("P16 a death between the refusal's write and the wake: the step run again wakes it", async () => {
    const task = await firstTask(await submitted());
    world.answers.set("reserve", () => ({ kind: "rejected", message: "sold out" }));
    await runStep(task, world, world.telemetry);
    world.wakes.length = 0;
    expect((await runStep(task, world, world.telemetry)).kind).toBe("rejected");
    expect(world.wakes).toMatchObject([{ attempt: 2, direction: "undo" }]);
  });
});
