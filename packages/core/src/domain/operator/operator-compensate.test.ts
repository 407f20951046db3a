// What a compensation, a cancellation, an extension and a settlement make of a job.
import { describe, expect, test } from "vitest";
import {
  actions,
  allowed,
  compensated,
  completed,
  context,
  errorOf,
  failed,
  fresh,
  LATER,
  NOON,
  notStarted,
  record,
  rejected,
  underWay,
  workflow,
} from "../../../tests/operated-jobs.ts";
import type { StepRecord } from "../record/state-record.ts";
import { NOT_STARTED } from "../record/state-record.ts";
import { decide } from "./operator.ts";

describe("compensate", () => {
  test("P13 of a job in Error: the next attempt, backwards; what was rejected for good has nothing to compensate", () => {
    const { record: after } = allowed(rejected, actions.compensate);
    expect(after).toMatchObject({
      direction: "compensate",
      attempt: 3,
      failureCount: 0,
      error: { message: "card expired" },
    });
    expect(after.steps).toEqual(rejected.steps);
  });

  test("of a running job: its attempt loses the lock, and the compensation begins at once; what is at work goes on, and is waited for", () => {
    const { record: after } = allowed(underWay, actions.compensate);
    expect(after).toMatchObject({
      lockedBy: null,
      attempt: 2,
      error: { kind: "compensationRequested", message: "ada asked for it: shop asked" },
    });
    expect(after.steps["pay"]).toEqual(underWay.steps["pay"]);
  });

  test("of a running job whose step ran out of time before anybody saw it: its outcome is not known", () => {
    const compensationAt = (now: string) => {
      const decision = decide(underWay, actions.compensate, workflow, { ...context, now });
      if (decision.kind !== "allowed") throw new Error(decision.reason);
      return decision.record.steps["pay"];
    };
    // By a clock that is behind, its agent may still be at work.
    for (const now of [LATER, "2026-01-01T12:00:21.000Z"]) expect(compensationAt(now)).toEqual(underWay.steps["pay"]);
    expect(compensationAt("2026-01-01T12:00:21.001Z")).toMatchObject({
      state: "NotStarted",
      scheduledAt: NOON,
      completeBy: null,
    });
  });

  test("again, after a compensation was rejected or gave up: what is left is tried again, what is compensated is kept", () => {
    const rejectedCompensation = {
      ...completed,
      compensation: { ...NOT_STARTED, state: "Failed", error: "no", retryCount: 1 },
    } as const;
    const stuckCompensation = {
      ...completed,
      compensation: { ...NOT_STARTED, state: "Running", completeBy: "2026-01-01T11:59:58.000Z" },
    } as const;
    const compensationRunning = {
      ...completed,
      compensation: { ...NOT_STARTED, state: "Running", completeBy: LATER },
    } as const;
    const left = record({
      processState: "Error",
      direction: "compensate",
      error: errorOf("compensationIncomplete"),
      steps: { reserve: rejectedCompensation, pay: compensated, ship: stuckCompensation, call: compensationRunning },
    });
    const { steps } = allowed(left, actions.compensate).record;
    expect(steps["reserve"]?.compensation).toMatchObject({ state: "NotStarted", retryCount: 1 });
    expect(steps["ship"]?.compensation).toMatchObject({ state: "NotStarted", completeBy: null });
    expect(steps["pay"]).toEqual(compensated);
    expect(steps["call"]).toEqual(compensationRunning);
  });
});

describe("cancel", () => {
  test("of a job on which nothing was done ends it at once, and says who and why; it needs no workflow", () => {
    const rejectedOnce = record({ attempt: 2, steps: { reserve: failed, pay: notStarted, ship: notStarted } });
    const decision = decide(rejectedOnce, actions.cancel, undefined, context);
    if (decision.kind !== "allowed") throw new Error(decision.reason);
    expect(decision).toMatchObject({
      record: {
        processState: "Cancelled",
        direction: "forward",
        attempt: 2,
        lockedBy: null,
        completeBy: null,
        error: { kind: "cancelled", message: "cancelled by ada: sent by mistake", step: null },
        outbox: [{ status: "Cancelled", attempt: 2, at: NOON }],
        dueAt: "2026-01-01T12:00:30.000Z",
      },
    });
  });

  test.each([
    ["done", completed],
    ["begun, with an end that nobody knows", { ...notStarted, scheduledAt: NOON }],
    ["tried in an attempt that ran out of time", { ...notStarted, retryCount: 1 }],
  ])("of a job of which a step was %s has it compensated, for that reason", (_, reserve) => {
    const waiting = record({ attempt: 2, steps: { reserve, pay: notStarted, ship: notStarted } });
    const { record: after } = allowed(waiting, actions.cancel);
    expect(after).toMatchObject({
      processState: "Pending",
      direction: "compensate",
      attempt: 3,
      error: { kind: "cancelled", message: "cancelled by ada: sent by mistake" },
    });
    expect(after.history.at(-1)?.what).toBe("to be compensated, attempt 3: cancelled: sent by mistake");
  });

  test("of a running job has it compensated at once; what is at work goes on, and is waited for", () => {
    const { record: after } = allowed(underWay, actions.cancel);
    expect(after).toMatchObject({ direction: "compensate", lockedBy: null, error: { kind: "cancelled" } });
    expect(after.steps["pay"]).toEqual(underWay.steps["pay"]);
  });
});

describe("extend", () => {
  test("moves the time of a running job later; the attempt and its steps stay", () => {
    const { record: after } = allowed(underWay, actions.extend);
    expect(after).toMatchObject({
      completeBy: "2026-01-01T12:01:20.000Z",
      dueAt: "2026-01-01T12:01:20.000Z",
      attempt: 1,
      lockedBy: "o-1",
    });
    expect(after.steps).toEqual(underWay.steps);
  });

  test("gives a step that is done later so much more time of its own", () => {
    const completeBy = "2026-01-02T12:00:00.000Z";
    const [name = ""] = Object.keys(underWay.steps);
    const step = { ...(underWay.steps[name] as StepRecord), state: "Awaiting", completeBy } as const;
    const { record: after } = allowed({ ...underWay, steps: { ...underWay.steps, [name]: step } }, actions.extend);
    expect(after.steps[name]).toEqual({ ...step, completeBy: "2026-01-02T12:01:00.000Z" });
  });

  test("of a job that is overdue already counts from now", () => {
    const overdue = record({ ...underWay, dueAt: "2026-01-01T11:00:00.000Z" });
    expect(allowed(overdue, actions.extend).record.dueAt).toBe("2026-01-01T12:01:00.000Z");
  });

  test("of a Pending job moves when it is due; it had no complete-by and has none", () => {
    expect(allowed(fresh, actions.extend).record).toMatchObject({
      completeBy: null,
      dueAt: "2026-01-01T12:01:20.000Z",
    });
  });
});

test("marked resolved: the job stays where it is, keeps what it was in trouble for, and needs no workflow", () => {
  const decision = decide(rejected, actions.markResolved, undefined, context);
  if (decision.kind !== "allowed") throw new Error(decision.reason);
  const { error, history, ...rest } = decision.record;
  expect(error).toEqual({
    kind: "resolved",
    message: "the bank sent it back; before: card expired",
    step: "pay",
    agent: "pay",
    at: NOON,
  });
  expect(history.at(-1)?.what).toBe("marked resolved: the bank sent it back");
  const { error: _error, history: _history, ...before } = rejected;
  expect(rest).toEqual({ ...before, updatedAt: NOON, overInErrorAt: NOON });
});
