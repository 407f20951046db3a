import { describe, expect, test } from "vitest";
import { NOON, NOON_MS, sampleOrder, sampleRecord } from "../../tests/support/orders.ts";
import { orderFulfilment } from "../workflows/order-fulfilment.ts";
import { applyChanges, holds } from "./apply-changes.ts";
import { advance, firstOpenStep, nextTask } from "./attempt.ts";
import { after, durationMs } from "./duration.ts";
import { orderTotal, sameOrder } from "./order.ts";
import { decideRecovery, recover, told, wakeOf } from "./recovery.ts";
import type { ProcessState, StateRecord } from "./state-record.ts";
import {
  attemptOf,
  claim,
  completed,
  completeStep,
  type GuardedWrite,
  rejected,
  rejectStep,
  started,
} from "./transitions.ts";
import { type Workflow, workflowFaults } from "./workflow.ts";

const plan = orderFulfilment.steps;
const reply = { replyTo: null, correlationId: "c", traceparent: null };

function write(record: StateRecord, { guard, changes }: GuardedWrite): StateRecord {
  expect(holds(guard, record)).toBe(true);
  return applyChanges(record, changes);
}

function claimed(record: StateRecord): StateRecord {
  const step = firstOpenStep(plan, record.steps);
  const waiting = step && record.steps[step.name];
  if (!waiting) throw new Error("no step left");
  return write(
    record,
    claim(wakeOf(record), { name: step.name, record: started(waiting, step.completeWithin, NOON) }, NOON),
  );
}

function taskOf(record: StateRecord) {
  const task = nextTask(attemptOf(wakeOf(record), plan, record.steps, reply));
  if (!task) throw new Error("no task left");
  return task;
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
  test("after", () => expect(Date.parse(after(NOON, 1500))).toBe(NOON_MS + 1500));
});

test("an order's total, and whether two are the same whatever the order of their members", () => {
  const order = sampleOrder();
  expect(orderTotal(order)).toBe(2150);
  const turned = Object.fromEntries(Object.entries(order).reverse()) as unknown as typeof order;
  expect(sameOrder(order, turned)).toBe(true);
  expect(sameOrder(order, sampleOrder("order-1", { currency: "USD" }))).toBe(false);
});

describe("an attempt", () => {
  test("runs each step once, in order, and the last one's write concludes it", () => {
    let record = claimed(sampleRecord());
    let attempt = attemptOf(wakeOf(record), plan, record.steps, reply);
    const ran: string[] = [];
    for (let task = nextTask(attempt); task; task = nextTask(attempt)) {
      ran.push(task.step);
      expect(record).toMatchObject({ processState: "Processing", completeBy: task.completeBy, dueAt: task.completeBy });
      const done = completed(task.record, { id: `${task.agent}-1` }, "http://x", NOON);
      const next = task.next && {
        name: task.next.name,
        record: started(task.next.record, task.next.completeWithin, NOON),
      };
      record = write(record, completeStep(task, done, next, NOON));
      attempt = advance(attempt, task.step, { kind: "completed", record: done, next });
    }
    expect(ran).toEqual(["reserveStock", "takePayment", "arrangeShipping"]);
    expect(record).toMatchObject({ processState: "Processed", lockedBy: null, completeBy: null, error: null });
    expect(record.dueAt).toBeUndefined();
    expect(attempt.steps).toEqual(record.steps);
  });

  test("hands a step what the steps before it recorded", () => {
    const record = claimed(sampleRecord());
    const first = taskOf(record);
    const done = completed(first.record, { reservationId: "res-1" }, "http://x", NOON);
    const next = first.next && { name: first.next.name, record: started(first.next.record, "PT1S", NOON) };
    const second = taskOf(write(record, completeStep(first, done, next, NOON)));
    expect(second).toMatchObject({ step: "takePayment", results: { reserveStock: { reservationId: "res-1" } } });
  });

  test("P4 takes a record that is Pending, unlocked and in its attempt, and no other", () => {
    const record = sampleRecord();
    const { guard } = claim(
      wakeOf(record),
      { name: "reserveStock", record: started(taskless(record), "PT1S", NOON) },
      NOON,
    );
    expect(holds(guard, record)).toBe(true);
    for (const processState of ["Processing", "Processed", "Error"] satisfies ProcessState[]) {
      expect(holds(guard, { ...record, processState })).toBe(false);
    }
    expect(holds(guard, { ...record, lockedBy: "order-1-1" })).toBe(false);
    expect(holds(guard, { ...record, attempt: 2 })).toBe(false);
  });

  test("P8 a superseded attempt's write is refused: another holder, nobody, an ended order, a step that is not running", () => {
    const record = claimed(sampleRecord());
    const task = taskOf(record);
    const { guard } = completeStep(task, completed(task.record, {}, "http://x", NOON), null, NOON);
    expect(holds(guard, record)).toBe(true);
    expect(holds(guard, { ...record, lockedBy: "order-1-2", attempt: 2 })).toBe(false);
    expect(holds(guard, { ...record, lockedBy: null })).toBe(false);
    expect(holds(guard, { ...record, processState: "Error" })).toBe(false);
    const done = completed(task.record, {}, "http://x", NOON);
    expect(holds(guard, { ...record, steps: { ...record.steps, [task.step]: done } })).toBe(false);
  });

  test("P9 a refusal for good sets Error, releases the order and leaves a notice in the same write", () => {
    const record = claimed(sampleRecord());
    const task = taskOf(record);
    const error = { kind: "rejected", message: "no stock", step: task.step, agent: task.agent, at: NOON } as const;
    const ended = write(record, rejectStep(task, rejected(task.record, "no stock", "http://x", NOON), error, NOON));
    expect(ended).toMatchObject({ processState: "Error", lockedBy: null, completeBy: null, error });
    expect(ended.notices).toHaveLength(1);
    expect(ended.dueAt).toBeDefined();
    expect(ended.steps["reserveStock"]).toMatchObject({ state: "Failed", error: "no stock" });
  });
});

describe("P10 the supervisor's verdict", () => {
  const policy = { failureThreshold: 3 };
  const at = (processState: ProcessState, failureCount: number) =>
    decideRecovery({ ...sampleRecord(), processState, failureCount }, policy);

  test.each([
    ["Pending", 0, { kind: "wake" }],
    ["Pending", 2, { kind: "wake" }],
    ["Processing", 0, { kind: "retry", failureCount: 1 }],
    ["Processing", 1, { kind: "retry", failureCount: 2 }],
    ["Processing", 2, { kind: "fail", failureCount: 3 }],
    ["Processed", 0, { kind: "tell" }],
    ["Error", 3, { kind: "tell" }],
  ] as const)("%s after %i failures", (state, failures, verdict) => expect(at(state, failures)).toEqual(verdict));

  test("a retry makes a new attempt that starts at the step that expired, and keeps what is completed", () => {
    const record = claimed(sampleRecord());
    const task = taskOf(record);
    const done = completed(task.record, { reservationId: "res-1" }, "http://x", NOON);
    const next = task.next && { name: task.next.name, record: started(task.next.record, "PT1S", NOON) };
    const stuck = write(record, completeStep(task, done, next, NOON));
    const claimBy = after(NOON, 60_000);
    const retried = recover(stuck, { kind: "retry", failureCount: 1 }, NOON, claimBy);
    expect(retried).toMatchObject({
      processState: "Pending",
      lockedBy: null,
      attempt: 2,
      failureCount: 1,
      dueAt: claimBy,
    });
    expect(retried.steps["takePayment"]).toMatchObject({ state: "NotStarted", retryCount: 1 });
    expect(retried.steps["reserveStock"]).toEqual(stuck.steps["reserveStock"]);
    expect(firstOpenStep(plan, retried.steps)?.name).toBe("takePayment");
  });

  test("at the threshold the order is in Error with a notice; once told it is no longer due", () => {
    const failed = recover(claimed(sampleRecord()), { kind: "fail", failureCount: 3 }, NOON, NOON);
    expect(failed).toMatchObject({ processState: "Error", lockedBy: null, failureCount: 3, attempt: 1 });
    expect(failed.error).toMatchObject({ kind: "expired", step: "reserveStock", agent: "inventory" });
    expect(failed.notices).toHaveLength(1);
    const quiet = told(failed, NOON);
    expect(quiet.notices).toEqual([]);
    expect(quiet).not.toHaveProperty("dueAt");
  });
});

describe("a workflow's faults", () => {
  const agents = ["inventory", "payment", "shipping"];
  const step = { name: "one", agent: "inventory", after: [], completeWithin: "PT1S" };
  const flow = (steps: Workflow["steps"]): Workflow => ({
    name: "w",
    version: 1,
    steps,
    policy: { failureThreshold: 3 },
  });

  test("ours has none", () => expect(workflowFaults(orderFulfilment, agents)).toEqual([]));

  test("all are named at once", () => {
    const faults = workflowFaults(
      flow([
        { ...step, agent: "nobody", completeWithin: "soon" },
        { ...step, name: "a-b", after: ["zero"] },
      ]),
      agents,
    );
    for (const named of ["nobody", "soon", "a-b", "zero"]) expect(faults.join("\n")).toContain(named);
    expect(faults).toHaveLength(4);
  });

  test("a circle", () => {
    const faults = workflowFaults(
      flow([
        { ...step, after: ["two"] },
        { ...step, name: "two", after: ["one"] },
      ]),
      agents,
    );
    expect(faults.join()).toContain("one, two wait for each other");
  });

  test("no steps, a name twice, a threshold of 0", () => {
    expect(workflowFaults(flow([]), agents)).toHaveLength(1);
    expect(workflowFaults(flow([step, step]), agents).join()).toContain("same name");
    expect(workflowFaults({ ...flow([step]), policy: { failureThreshold: 0 } }, agents).join()).toContain("at least 1");
  });

  test("steps side by side are not for this scheduler yet", () => {
    expect(workflowFaults(flow([step, { ...step, name: "two" }]), agents).join()).toContain("one after the other");
  });
});

function taskless(record: StateRecord) {
  const step = record.steps["reserveStock"];
  if (!step) throw new Error("no such step");
  return step;
}
