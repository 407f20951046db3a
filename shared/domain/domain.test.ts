import { describe, expect, test } from "vitest";
import { CHAIN, GRAPH, NOON, NOON_MS, SCHEDULING, sampleOrder, sampleRecord } from "../../tests/support/orders.ts";
import { claimed, notStarted, route, stepIn, taskOf, withDone } from "../../tests/support/records.ts";
import { holds } from "./apply-changes.ts";
import { durationMs, after as later } from "./duration.ts";
import { orderTotal, sameOrder } from "./order.ts";
import { mayHaveHadEffect, planOf, readySteps, remainingByHand } from "./plan.ts";
import { wakeOf } from "./recovery.ts";
import type { ProcessState, StateRecord, StepRecord } from "./state-record.ts";
import { stepRejected } from "./step-end.ts";
import { done, refused, takenUp } from "./step-run.ts";
import { claim, completeJoin, takeUp } from "./transitions.ts";
import type { Workflow } from "./workflow.ts";

describe("durations", () => {
  test.each([
    ["PT30S", 30_000],
    ["PT1M30S", 90_000],
    ["P1DT2H", 93_600_000],
    ["PT0.5S", 500],
  ])("%s", (text, ms) => expect(durationMs(text)).toBe(ms));
  test.each(["", "P", "PT", "30", "PT-1S", "PT0S", "P1M"])("not %j", (text) =>
    expect(durationMs(text)).toBeUndefined(),
  );
  test("an instant after another", () => expect(Date.parse(later(NOON, 1500))).toBe(NOON_MS + 1500));
});

test("an order's total, and whether two are the same whatever the order of their members", () => {
  const order = sampleOrder();
  expect(orderTotal(order)).toBe(2150);
  const turned = Object.fromEntries(Object.entries(order).reverse()) as unknown as typeof order;
  expect(sameOrder(order, turned)).toBe(true);
  expect(sameOrder(order, sampleOrder("order-1", { currency: "USD" }))).toBe(false);
});

describe("the fence", () => {
  test("P4 takes a record that is Pending, unlocked and in its attempt, and no other", () => {
    const record = sampleRecord();
    const { guard } = claim(wakeOf(record), [], "order-1-1@hub", NOON);
    expect(holds(guard, record)).toBe(true);
    for (const processState of ["Processing", "Processed", "Error"] satisfies ProcessState[]) {
      expect(holds(guard, { ...record, processState })).toBe(false);
    }
    expect(holds(guard, { ...record, lockedBy: "order-1-1" })).toBe(false);
    expect(holds(guard, { ...record, attempt: 2 })).toBe(false);
  });

  test("P8 a superseded attempt's write is refused: another holder, nobody, an ended order, a step that is not in hand", () => {
    const record = claimed(sampleRecord());
    const task = taskOf(record, "reserveStock");
    const { guard } = completeJoin(task, [], task.record, [], NOON);
    expect(holds(guard, record)).toBe(true);
    expect(holds(guard, { ...record, lockedBy: "order-1-2", attempt: 2 })).toBe(false);
    expect(holds(guard, { ...record, processState: "Pending", lockedBy: null })).toBe(false);
    const again = { ...record, steps: { reserveStock: { ...task.record, attempt: 2 } } };
    expect(holds(guard, again)).toBe(false);
    expect(holds(guard, { ...record, processState: "Error" })).toBe(false);
    expect(holds(guard, withDone(record, "reserveStock"))).toBe(false);
  });

  const within = (onRejected: "fail" | "undo") => ({
    workflow: { ...CHAIN, policy: { ...CHAIN.policy, onRejected } },
    now: NOON,
    scheduling: SCHEDULING,
    claimWithinMs: 1000,
  });

  test("P9 a refusal for good sets Error, releases the order and leaves a notice in the same write", () => {
    const record = claimed(sampleRecord());
    const task = taskOf(record, "reserveStock");
    const error = { kind: "rejected", message: "no stock", step: task.step, agent: task.agent, at: NOON } as const;
    const failed = refused(task.record, "forward", "no stock", route, NOON);
    const ended = stepRejected(record, task, failed, within("fail"));
    expect(ended).toMatchObject({ processState: "Error", lockedBy: null, completeBy: null, error });
    expect(ended.notices).toMatchObject([{ status: "Failed" }]);
    expect(ended.steps["reserveStock"]).toMatchObject({ state: "Failed", error: "no stock" });
  });

  test("P9 P11 or, by policy, sends the next attempt the other way", () => {
    const record = claimed(sampleRecord());
    const task = taskOf(record, "reserveStock");
    const error = { kind: "rejected", message: "no stock", step: task.step, agent: task.agent, at: NOON } as const;
    const failed = refused(task.record, "forward", "no stock", route, NOON);
    const undoing = stepRejected(record, task, failed, within("undo"));
    expect(undoing).toMatchObject({ processState: "Pending", direction: "undo", attempt: 2, lockedBy: null, error });
  });

  test("no write changes more than the ten places that a patch may have", () => {
    const record = claimed(sampleRecord("order-1", GRAPH), GRAPH);
    const task = taskOf(record, "reserveStock");
    const four = ["a", "b", "c", "d"].map((name) => ({ name, record: notStarted }));
    const five = [...four, { name: "e", record: notStarted }];
    for (const { changes } of [
      claim(wakeOf(record), four, "order-1-1@hub", NOON),
      completeJoin(task, ["b", "c"], task.record, five, NOON),
      takeUp(task, takenUp("forward", NOON, NOON), NOON),
    ]) {
      expect(changes.length).toBeLessThanOrEqual(10);
    }
  });
});

describe("P13 the plan of an undo", () => {
  const names = (workflow: Workflow, record: StateRecord) =>
    planOf(workflow, record.steps, "undo").map(({ name, operation, after }) => [`${name}:${operation}`, ...after]);

  test("is what was done, each step after all that came after it, with and without steps between that need no undo", () => {
    const all = withDone(sampleRecord("o", GRAPH), "reserveStock", "takePayment", "checkFraud", "arrangeShipping");
    expect(names(GRAPH, all)).toEqual([
      ["reserveStock:release", "takePayment", "arrangeShipping"],
      ["takePayment:void", "arrangeShipping"],
      ["arrangeShipping:cancel"],
    ]);
  });

  test.each<[string, Partial<StepRecord>, boolean]>([
    ["never begun", {}, false],
    ["waiting for its agent when its time ran out", { state: "Scheduled", scheduledAt: NOON }, true],
    ["scheduled, and not known to be taken up", { scheduledAt: NOON, waitCount: 1 }, true],
    ["running when its time ran out", { state: "Running", scheduledAt: NOON }, true],
    ["to be tried again", { retryCount: 1 }, true],
    ["refused for good", { state: "Failed", scheduledAt: NOON }, false],
    ["refused after a try without an answer", { state: "Failed", scheduledAt: NOON, unsure: true }, true],
    ["refused after an attempt that ran out of time", { state: "Failed", scheduledAt: NOON, retryCount: 1 }, true],
    ["refused after a try without an answer, to be tried again", { unsure: true }, true],
    ["completed", { state: "Completed", scheduledAt: NOON }, true],
  ])("a step that was %s: %o may have had an effect: %s", (_, changes, effect) =>
    expect(mayHaveHadEffect({ ...notStarted, ...changes })).toBe(effect),
  );

  test("goes on where an earlier attempt at it ended, and leaves what was refused to a person", () => {
    const all = withDone(sampleRecord("o", GRAPH), "reserveStock", "takePayment", "checkFraud", "arrangeShipping");
    const undone = done(stepIn(all, "arrangeShipping"), 1, "undo", {}, route, NOON);
    const failed = refused(stepIn(all, "takePayment"), "undo", "too late", route, NOON);
    const steps = { ...all.steps, arrangeShipping: undone, takePayment: failed };
    const ready = readySteps(planOf(GRAPH, steps, "undo"), steps, "undo", NOON);
    expect(ready.map(({ name }) => name)).toEqual(["reserveStock"]);
    expect(remainingByHand(GRAPH, steps)).toEqual(["takePayment"]);
    expect(undone).toMatchObject({ state: "Undone", result: { id: "arrangeShipping" } });
  });
});
