import { describe, expect, test } from "vitest";
import { CHAIN, GRAPH, NOON, NOON_MS, SCHEDULING, sampleOrder, sampleRecord } from "../../tests/support/orders.ts";
import { applyChanges, holds } from "./apply-changes.ts";
import { type StepTask, toSchedule } from "./attempt.ts";
import { durationMs, after as later } from "./duration.ts";
import { orderTotal, sameOrder } from "./order.ts";
import { mayHaveHadEffect, openLevel, planOf, remainingByHand } from "./plan.ts";
import { decideRecovery, overdueStep, recover, told, wakeOf } from "./recovery.ts";
import { type Direction, NOT_STARTED, type ProcessState, type StateRecord, type StepRecord } from "./state-record.ts";
import { done, refused, restarted, scheduled, taken } from "./step-run.ts";
import { claim, completeLevel, type GuardedWrite, rejectAndUndo, rejectStep, takeUp } from "./transitions.ts";
import type { RecoveryPolicy, Workflow } from "./workflow.ts";

const HOLD_MS = 300_000;
const route = { endpoint: "http://x/", because: "only one" };
const reply = { replyTo: null, replyToSessionId: null, correlationId: "c", traceparent: null };
const notStarted: StepRecord = { ...NOT_STARTED, agent: "a", result: null, undo: null, generation: 1 };

function write(record: StateRecord, { guard, changes }: GuardedWrite): StateRecord {
  expect(holds(guard, record)).toBe(true);
  return applyChanges(record, changes);
}

const TIME = { startBy: NOON, completeBy: NOON, completeWithin: "PT10S" };

function stepIn(record: StateRecord, name: string): StepRecord {
  const step = record.steps[name];
  if (!step) throw new Error(`no step ${name}`);
  return step;
}

function claimed(record: StateRecord, workflow: Workflow = CHAIN): StateRecord {
  const { steps, direction } = record;
  const level = openLevel(planOf(workflow, steps, direction), steps, direction);
  const next = level.map((step) => scheduled(toSchedule(step, steps), direction, NOON, SCHEDULING));
  return write(record, claim(wakeOf(record), next, "order-1-1@hub", NOON));
}

function taskOf(record: StateRecord, step: string): StepTask {
  const { orderId, attempt, direction, workflow, orderRevision, priority, lockedBy } = record;
  const held = { orderId, attempt, direction, workflow, orderRevision, priority, lockedBy: lockedBy ?? "" };
  const own = { step, agent: "a", operation: "x", record: stepIn(record, step), ...TIME };
  const transport = "activity" as const;
  return { ...held, ...own, transport, results: {}, siblings: [], siblingsUntil: null, next: [], reply };
}

function withDone(record: StateRecord, ...names: string[]): StateRecord {
  const steps = names.map((name) => [name, done(stepIn(record, name), 1, "forward", { id: name }, route, NOON)]);
  return { ...record, steps: { ...record.steps, ...Object.fromEntries(steps) } };
}

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
    const { guard } = completeLevel(task, task.record, [], NOON);
    expect(holds(guard, record)).toBe(true);
    expect(holds(guard, { ...record, lockedBy: "order-1-2", attempt: 2 })).toBe(false);
    expect(holds(guard, { ...record, lockedBy: null })).toBe(false);
    expect(holds(guard, { ...record, processState: "Error" })).toBe(false);
    expect(holds(guard, withDone(record, "reserveStock"))).toBe(false);
  });

  test("P9 a refusal for good sets Error, releases the order and leaves a notice in the same write", () => {
    const record = claimed(sampleRecord());
    const task = taskOf(record, "reserveStock");
    const error = { kind: "rejected", message: "no stock", step: task.step, agent: task.agent, at: NOON } as const;
    const failed = refused(task.record, "forward", "no stock", route, NOON);
    const ended = write(record, rejectStep(task, failed, error, NOON));
    expect(ended).toMatchObject({ processState: "Error", lockedBy: null, completeBy: null, error });
    expect(ended.notices).toMatchObject([{ status: "Failed" }]);
    expect(ended.steps["reserveStock"]).toMatchObject({ state: "Failed", error: "no stock" });
  });

  test("P9 P11 or, by policy, sends the next attempt the other way", () => {
    const record = claimed(sampleRecord());
    const task = taskOf(record, "reserveStock");
    const error = { kind: "rejected", message: "no stock", step: task.step, agent: task.agent, at: NOON } as const;
    const undoing = write(record, rejectAndUndo(task, task.record, error, NOON, later(NOON, 1000)));
    expect(undoing).toMatchObject({ processState: "Pending", direction: "undo", attempt: 2, lockedBy: null, error });
  });

  test("no write changes more than the ten places that a patch may have", () => {
    const record = claimed(sampleRecord("order-1", GRAPH), GRAPH);
    const task = taskOf(record, "reserveStock");
    const four = ["a", "b", "c", "d"].map((name) => ({ name, record: notStarted }));
    const error = { kind: "rejected", message: "", step: null, agent: null, at: NOON } as const;
    for (const { changes } of [
      claim(wakeOf(record), four, "order-1-1@hub", NOON),
      completeLevel(task, task.record, four, NOON),
      takeUp(task, NOON, NOON, NOON),
      rejectStep(task, task.record, error, NOON),
      rejectAndUndo(task, task.record, error, NOON, NOON),
    ]) {
      expect(changes.length).toBeLessThanOrEqual(10);
    }
  });
});

describe("P13 the plan of an undo", () => {
  const names = (workflow: Workflow, record: StateRecord) =>
    planOf(workflow, record.steps, "undo").map((level) => level.map(({ name, operation }) => `${name}:${operation}`));

  test("is what was done, the last level first, a level's steps side by side", () => {
    const all = withDone(sampleRecord("o", GRAPH), "reserveStock", "takePayment", "checkFraud", "arrangeShipping");
    expect(names(GRAPH, all)).toEqual([["arrangeShipping:cancel"], ["takePayment:void"], ["reserveStock:release"]]);
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
    expect(openLevel(planOf(GRAPH, steps, "undo"), steps, "undo").map(({ name }) => name)).toEqual(["reserveStock"]);
    expect(remainingByHand(GRAPH, steps)).toEqual(["takePayment"]);
    expect(undone).toMatchObject({ state: "Undone", result: { id: "arrangeShipping" } });
  });
});

describe("P10 P11 the supervisor's verdict", () => {
  const patient: RecoveryPolicy = {
    failureThreshold: 3,
    waits: ["PT1M", "PT5M"],
    onExhausted: "undo",
    onRejected: "fail",
  };
  const strict: RecoveryPolicy = { ...patient, waits: [], onExhausted: "fail" };

  test.each<[ProcessState, number, Direction, RecoveryPolicy, object]>([
    ["Pending", 2, "forward", strict, { kind: "wake" }],
    ["Processing", 0, "forward", strict, { kind: "retry", failures: 1 }],
    ["Processing", 1, "forward", strict, { kind: "retry", failures: 2 }],
    ["Processing", 2, "forward", strict, { kind: "fail", failures: 3 }],
    ["Processing", 2, "forward", patient, { kind: "wait", failures: 3, waitMs: 60_000 }],
    ["Processing", 3, "forward", patient, { kind: "wait", failures: 4, waitMs: 300_000 }],
    ["Processing", 4, "forward", patient, { kind: "undo", failures: 5 }],
    ["Processing", 1, "undo", patient, { kind: "retry", failures: 2 }],
    ["Processing", 4, "undo", patient, { kind: "fail", failures: 5 }],
    ["Processed", 0, "forward", strict, { kind: "tell" }],
    ["Error", 3, "undo", strict, { kind: "tell" }],
  ])("%s after %i failures of its step, %s", (processState, failureCount, direction, policy, verdict) => {
    const run = { ...notStarted, state: "Running", completeBy: NOON, failureCount } as const;
    const step = direction === "forward" ? run : { ...notStarted, state: "Completed", undo: run };
    const record = { ...sampleRecord(), processState, direction, steps: { takePayment: step as StepRecord } };
    expect(decideRecovery(record, () => policy, later(NOON, 1), HOLD_MS)).toEqual(
      "failures" in verdict ? { step: "takePayment", ...verdict } : verdict,
    );
  });

  const failing = (failureCount: number): StepRecord => ({
    ...notStarted,
    state: "Running",
    completeBy: NOON,
    failureCount,
  });
  const atWork = (steps: { readonly [name: string]: StepRecord }, failureCount = 0): StateRecord => ({
    ...sampleRecord(),
    processState: "Processing",
    failureCount,
    steps,
  });
  const verdictOf = (record: StateRecord, policyOf: (step: string | undefined) => RecoveryPolicy) =>
    decideRecovery(record, policyOf, later(NOON, 1), HOLD_MS);

  test("P11 each step has a budget of its own: what others failed before does not count", () => {
    const done = { ...failing(2), state: "Completed" } as const;
    const record = atWork({ reserveStock: done, takePayment: failing(0) }, 2);
    expect(verdictOf(record, () => strict)).toEqual({ kind: "retry", step: "takePayment", failures: 1 });
    const again = recover(
      record,
      verdictOf(record, () => strict),
      NOON,
      60_000,
    );
    expect(again).toMatchObject({ failureCount: 3, steps: { takePayment: { failureCount: 1 } } });
    expect(again.steps["reserveStock"]).toEqual(done);
  });

  test.each<[string, RecoveryPolicy, number, RecoveryPolicy, number, object]>([
    ["one has failures left", strict, 0, strict, 2, { kind: "fail", step: "checkFraud", failures: 3 }],
    ["one waits", patient, 2, strict, 0, { kind: "wait", step: "takePayment", failures: 3, waitMs: 60_000 }],
    ["both wait", patient, 2, patient, 3, { kind: "wait", step: "checkFraud", failures: 4, waitMs: 300_000 }],
    ["undo beside wait", patient, 4, patient, 2, { kind: "undo", step: "takePayment", failures: 5 }],
  ])("P11 of steps side by side the gravest verdict holds: %s", (_, first, before, second, other, verdict) => {
    const record = atWork({ takePayment: failing(before), checkFraud: failing(other) });
    expect(verdictOf(record, (step) => (step === "takePayment" ? first : second))).toEqual(verdict);
  });

  test("P11 at the most failures of all steps together the order is given up, whatever its step has left", () => {
    const record = atWork({ takePayment: failing(0) }, 5);
    expect(verdictOf(record, () => ({ ...patient, mostFailures: 7 }))).toMatchObject({ kind: "retry" });
    expect(verdictOf(record, () => ({ ...patient, mostFailures: 6 }))).toMatchObject({ kind: "undo", failures: 1 });
  });

  const FAILED = { step: "takePayment", failures: 3 } as const;
  const ONE_SECOND = { name: "x", transport: "activity", startWithin: "PT30S", completeWithin: "PT1S" } as const;

  /** It waits for the agent of the step. */
  const waiting = (): StateRecord => {
    const record = withDone(claimed(sampleRecord()), "reserveStock");
    const next = scheduled({ ...ONE_SECOND, record: stepIn(record, "takePayment") }, "forward", NOON, SCHEDULING);
    return { ...record, steps: { ...record.steps, takePayment: next.record } };
  };
  /** The agent has taken the step up. */
  const stuck = (): StateRecord => {
    const record = waiting();
    const running = taken(stepIn(record, "takePayment"), "forward", NOON, later(NOON, 1000));
    return { ...record, steps: { ...record.steps, takePayment: running } };
  };

  test("P26 a step that no agent took up in time is scheduled again, and no failure is counted", () => {
    expect(decideRecovery(waiting(), () => strict, later(NOON, 30_001), HOLD_MS)).toEqual({ kind: "reschedule" });
    const again = recover(waiting(), { kind: "reschedule" }, NOON, 60_000);
    expect(again).toMatchObject({ processState: "Pending", attempt: 2, failureCount: 0, lockedBy: null, notices: [] });
    const step = stepIn(again, "takePayment");
    expect(step).toMatchObject({ state: "NotStarted", retryCount: 0, waitCount: 1 });
  });

  test("P21 while one of the steps in hand has time, nothing is decided, and the record is looked at again then", () => {
    const record = stuck();
    const steps = { ...record.steps, arrangeShipping: stepIn(waiting(), "takePayment") };
    const at = later(NOON, 30_000);
    const two = { ...record, steps };
    expect(decideRecovery(two, () => strict, later(NOON, 20_000), HOLD_MS)).toEqual({ kind: "later", at });
    expect(recover(two, { kind: "later", at }, NOON, 60_000)).toMatchObject({
      processState: "Processing",
      lockedBy: record.lockedBy,
      attempt: 1,
      dueAt: at,
    });
    // One was taken up and failed: that is the failure, whatever the other waited for.
    expect(decideRecovery(two, () => strict, later(NOON, 30_001), HOLD_MS)).toEqual({
      kind: "retry",
      step: "takePayment",
      failures: 1,
    });
  });

  test("P7 an agent behind a queue takes a step up unrecorded, however late", () => {
    const step = { ...ONE_SECOND, transport: "queue", record: notStarted } as const;
    expect(scheduled(step, "forward", NOON, SCHEDULING).record).toMatchObject({
      startBy: later(NOON, 30_000),
      completeBy: later(NOON, 31_000),
    });
  });

  test("a retry makes a new attempt that starts at the step that expired, and keeps what is completed", () => {
    const record = stuck();
    expect(overdueStep(record)).toBe("takePayment");
    const retried = recover(record, { kind: "retry", ...FAILED }, NOON, 60_000);
    expect(retried).toMatchObject({
      processState: "Pending",
      lockedBy: null,
      attempt: 2,
      failureCount: 1,
      dueAt: later(NOON, 60_000),
    });
    expect(retried.steps["takePayment"]).toMatchObject({ state: "NotStarted", retryCount: 1 });
    expect(retried.steps["reserveStock"]).toEqual(record.steps["reserveStock"]);
    expect(retried.notices).toMatchObject([{ status: "RetryScheduled", attempt: 2 }]);
  });

  test("P11 waiting is a retry that is due later", () => {
    const paused = recover(stuck(), { kind: "wait", ...FAILED, waitMs: 300_000 }, NOON, 60_000);
    expect(paused).toMatchObject({ processState: "Pending", failureCount: 1, dueAt: later(NOON, 360_000) });
  });

  test("P11 an undo is an attempt the other way, which counts its failures anew and knows its cause", () => {
    const undoing = recover(stuck(), { kind: "undo", ...FAILED }, NOON, 60_000);
    expect(undoing).toMatchObject({ processState: "Pending", direction: "undo", failureCount: 0, attempt: 2 });
    expect(undoing.error).toMatchObject({ kind: "expired", step: "takePayment" });
    expect(
      planOf(CHAIN, undoing.steps, "undo")
        .flat()
        .map(({ name }) => name),
    ).toEqual(["takePayment", "reserveStock"]);
  });

  test("at the threshold the order is in Error with a notice; once told it is no longer due", () => {
    const failed = recover(stuck(), { kind: "fail", ...FAILED }, NOON, 60_000);
    expect(failed).toMatchObject({ processState: "Error", lockedBy: null, failureCount: 1, attempt: 1 });
    expect(failed.error).toMatchObject({
      kind: "expired",
      step: "takePayment",
      message: "3 attempts ran out of time, the last in takePayment",
    });
    expect(failed.notices).toHaveLength(1);
    const quiet = told(failed, NOON);
    expect(quiet.notices).toEqual([]);
    expect(quiet).not.toHaveProperty("dueAt");
  });

  test("an undo that ran out of time is started anew, with the forward run as it was", () => {
    const completed = { ...notStarted, state: "Completed" } as const;
    const { record } = scheduled({ ...ONE_SECOND, record: completed }, "undo", NOON, SCHEDULING);
    const running = taken(record, "undo", NOON, NOON);
    expect(restarted(running, "undo", true)).toMatchObject({
      state: "Completed",
      undo: { state: "NotStarted", retryCount: 1, failureCount: 1 },
    });
    expect(restarted(running, "forward", true)).toEqual(running);
  });
});
