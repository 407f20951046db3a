// The supervisor's verdict on a record that is overdue, and what it makes of the record.

import { describe, expect, test } from "vitest";
import { CHAIN, NOON, SCHEDULING, sampleRecord } from "../../../tests/jobs.ts";
import { claimed, notStarted, stepIn, withDone } from "../../../tests/records.ts";
import type { RecoveryPolicy } from "../definition/workflow.ts";
import { after as later } from "../duration.ts";
import { owed, published } from "../record/outbox.ts";
import { mayHaveHadEffect, planOf, readySteps } from "../record/plan.ts";
import {
  type Direction,
  NOT_STARTED,
  type ProcessState,
  type StateRecord,
  type StepRecord,
  type StepRun,
} from "../record/state-record.ts";
import { restarted, scheduled, takenUp } from "../steps/step-run.ts";
import { overdueStep } from "./overdue.ts";
import type { Sweeping } from "./recovered.ts";
import { decideRecovery, failuresOf, recover } from "./recovery.ts";

const HOLD_MS = 300_000;
const SWEEPING: Sweeping = { now: NOON, overdueBefore: later(NOON, 300_000), claimWithinMs: 60_000 };

describe("P10 P11 the supervisor's verdict", () => {
  const patient: RecoveryPolicy = {
    failureThreshold: 3,
    waits: ["PT1M", "PT5M"],
    onExhausted: "compensate",
    onRejected: "fail",
  };
  const strict: RecoveryPolicy = { ...patient, waits: [], onExhausted: "fail" };

  test.each<[ProcessState, number, Direction, RecoveryPolicy, object]>([
    ["Pending", 2, "forward", strict, { kind: "repeatStart" }],
    ["Processing", 0, "forward", strict, { kind: "retry", failures: 1 }],
    ["Processing", 1, "forward", strict, { kind: "retry", failures: 2 }],
    ["Processing", 2, "forward", strict, { kind: "fail", failures: 3 }],
    ["Processing", 2, "forward", patient, { kind: "wait", failures: 3, waitMs: 60_000 }],
    ["Processing", 3, "forward", patient, { kind: "wait", failures: 4, waitMs: 300_000 }],
    ["Processing", 4, "forward", patient, { kind: "compensate", failures: 5 }],
    ["Processing", 1, "compensate", patient, { kind: "retry", failures: 2 }],
    ["Processing", 4, "compensate", patient, { kind: "skip", failures: 5, skips: ["takePayment"] }],
    ["Processed", 0, "forward", strict, { kind: "publish" }],
    ["Error", 3, "compensate", strict, { kind: "publish" }],
  ])("%s after %i failures of its step, %s", (processState, failureCount, direction, policy, verdict) => {
    const run = { ...notStarted, state: "Running", completeBy: NOON, failureCount } as const;
    const step = direction === "forward" ? run : { ...notStarted, state: "Completed", compensation: run };
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
      SWEEPING,
    );
    expect(again).toMatchObject({ failureCount: 3, steps: { takePayment: { failureCount: 1 } } });
    expect(again.steps["reserveStock"]).toEqual(done);
  });

  test.each<[string, Direction, RecoveryPolicy, object]>([
    ["are retried", "forward", strict, { kind: "retry", failures: 1 }],
    ["wait", "forward", { ...patient, failureThreshold: 1 }, { kind: "wait" }],
    ["are given up", "forward", { ...strict, failureThreshold: 1 }, { kind: "fail" }],
    ["are compensated", "forward", { ...patient, failureThreshold: 1, waits: [] }, { kind: "compensate" }],
    ["are gone on without", "compensate", { ...strict, failureThreshold: 1 }, { kind: "skip" }],
  ])("P10 ten steps that fail in one sweep count as ten failures where they %s", (_, direction, policy, verdict) => {
    const steps = Array.from({ length: 10 }, (__, index) => [
      `pack_${index + 1}`,
      direction === "forward" ? failing(0) : { ...notStarted, state: "Completed", compensation: failing(0) },
    ]);
    const others = {
      waits: { ...failing(0), completeBy: later(NOON, 900_000) },
      done: { ...failing(0), state: "Completed" },
    };
    const record = { ...atWork({ ...Object.fromEntries(steps), ...others } as StateRecord["steps"], 3), direction };
    const decided = verdictOf(record, () => policy);
    expect(decided).toMatchObject(verdict);
    expect(recover(record, decided, { ...SWEEPING, overdueBefore: later(NOON, 1) }).failureCount).toBe(13);
  });

  test.each<[string, RecoveryPolicy, number, RecoveryPolicy, number, object]>([
    ["one has failures left", strict, 0, strict, 2, { kind: "fail", step: "checkFraud", failures: 3 }],
    ["one waits", patient, 2, strict, 0, { kind: "wait", step: "takePayment", failures: 3, waitMs: 60_000 }],
    ["both wait", patient, 2, patient, 3, { kind: "wait", step: "checkFraud", failures: 4, waitMs: 300_000 }],
    ["compensation beside wait", patient, 4, patient, 2, { kind: "compensate", step: "takePayment", failures: 5 }],
  ])("P11 of steps side by side the gravest verdict holds: %s", (_, first, before, second, other, verdict) => {
    const record = atWork({ takePayment: failing(before), checkFraud: failing(other) });
    expect(verdictOf(record, (step) => (step === "takePayment" ? first : second))).toEqual(verdict);
  });

  const FAILED = { step: "takePayment", failures: 3 } as const;
  const ONE_SECOND = { name: "x", transport: "activity", completeWithin: "PT1S" } as const;

  /** It waits for the agent of the step. */
  const waiting = (): StateRecord => {
    const record = withDone(claimed(sampleRecord()), "reserveStock");
    const next = scheduled({ ...ONE_SECOND, record: stepIn(record, "takePayment") }, 1, "forward", NOON, SCHEDULING);
    return { ...record, steps: { ...record.steps, takePayment: next.record } };
  };
  /** The agent has taken the step up. */
  const stuck = (): StateRecord => {
    const record = waiting();
    const running = takenUp("forward", NOON, later(NOON, 1000)).change(stepIn(record, "takePayment"));
    return { ...record, steps: { ...record.steps, takePayment: running } };
  };

  test("P26 a step that no agent took up in time is scheduled again, and no failure is counted", () => {
    expect(decideRecovery(waiting(), () => strict, later(NOON, 30_001), HOLD_MS)).toEqual({ kind: "reschedule" });
    // Its complete-by lies in the past only if it is overdue.
    expect(waiting().completeBy).toBe(waiting().dueAt);
    const lookedAt = recover(waiting(), { kind: "later", at: later(NOON, 60_000) }, SWEEPING);
    expect(lookedAt).toMatchObject({ completeBy: later(NOON, 60_000), dueAt: later(NOON, 60_000) });
    const again = recover(waiting(), { kind: "reschedule" }, SWEEPING);
    expect(again).toMatchObject({ processState: "Pending", attempt: 2, failureCount: 0, lockedBy: null, outbox: [] });
    const step = stepIn(again, "takePayment");
    expect(step).toMatchObject({ state: "NotStarted", retryCount: 0, waitCount: 1 });
  });

  /** The agent of one step is past its time; beside it another step still waits for its own. */
  const beside = (): StateRecord => {
    const record = stuck();
    return { ...record, steps: { ...record.steps, arrangeShipping: stepIn(waiting(), "takePayment") } };
  };

  test("P21 while no step in hand is overdue nothing is decided, and the record is looked at again then", () => {
    const at = later(NOON, 1000);
    expect(decideRecovery(beside(), () => strict, later(NOON, 500), HOLD_MS)).toEqual({ kind: "later", at });
    expect(recover(beside(), { kind: "later", at }, SWEEPING)).toMatchObject({
      processState: "Processing",
      lockedBy: beside().lockedBy,
      attempt: 1,
      dueAt: at,
    });
  });

  test("P21 a step that is overdue is run again at once, and those beside it go on", () => {
    const overdueBefore = later(NOON, 20_000);
    const verdict = { kind: "retry", step: "takePayment", failures: 1 } as const;
    expect(decideRecovery(beside(), () => strict, overdueBefore, HOLD_MS)).toEqual(verdict);
    const retried = recover(beside(), verdict, { ...SWEEPING, overdueBefore });
    expect(retried).toMatchObject({ processState: "Pending", attempt: 2, dueAt: later(NOON, 60_000) });
    expect(retried.steps["takePayment"]).toMatchObject({ state: "NotStarted", retryCount: 1 });
    expect(retried.steps["arrangeShipping"]).toEqual(stepIn(beside(), "arrangeShipping"));
  });

  test("P21 its pause is its own: the job is claimed at once, the step is begun when the pause is over", () => {
    const overdueBefore = later(NOON, 20_000);
    const paused = recover(beside(), { kind: "wait", ...FAILED, waitMs: 300_000 }, { ...SWEEPING, overdueBefore });
    expect(paused).toMatchObject({ dueAt: later(NOON, 60_000) });
    const plan = planOf(CHAIN, paused.steps, "forward");
    const ready = (now: string) => readySteps(plan, paused.steps, "forward", now).map(({ name }) => name);
    expect(ready(later(NOON, 299_999))).toEqual([]);
    expect(ready(later(NOON, 300_000))).toEqual(["takePayment"]);
    // Once nobody is at work any more, the supervisor sees to it.
    const alone = {
      ...paused,
      processState: "Processing",
      steps: { ...paused.steps, arrangeShipping: notStarted },
    } as const;
    const verdictAt = (ms: number) => decideRecovery(alone, () => strict, later(NOON, ms), HOLD_MS);
    expect(verdictAt(299_999)).toEqual({ kind: "later", at: later(NOON, 300_000) });
    expect(verdictAt(300_001)).toEqual({ kind: "resume" });
  });

  test("P13 a compensation does not wait for the end of a pause of what it compensates", () => {
    const overdueBefore = later(NOON, 20_000);
    const paused = recover(beside(), { kind: "wait", ...FAILED, waitMs: 1000 }, { ...SWEEPING, overdueBefore });
    const { reserveStock, takePayment } = paused.steps as { [name: string]: StepRecord };
    const running: StepRun = { ...NOT_STARTED, state: "Running", completeBy: later(NOON, 600_000) };
    const steps = {
      reserveStock: { ...reserveStock, compensation: running } as StepRecord,
      takePayment: takePayment as StepRecord,
    };
    const compensating = { ...paused, processState: "Processing", direction: "compensate", steps } as const;
    expect(decideRecovery(compensating, () => strict, later(NOON, 60_000), HOLD_MS)).toEqual({
      kind: "later",
      at: later(NOON, 600_000),
    });
  });

  test("P13 a compensation goes on once the time of a step beside the one that was rejected is over, with no failure counted", () => {
    const record = { ...beside(), direction: "compensate" } as const;
    expect(decideRecovery(record, () => strict, later(NOON, 20_000), HOLD_MS)).toEqual({ kind: "resume" });
    const resumed = recover(record, { kind: "resume" }, { ...SWEEPING, overdueBefore: later(NOON, 20_000) });
    expect(resumed).toMatchObject({
      processState: "Pending",
      attempt: 2,
      direction: "compensate",
      failureCount: 0,
      outbox: [],
    });
    expect(mayHaveHadEffect(stepIn(resumed, "takePayment"))).toBe(true);
  });

  test("P7 an agent behind a queue takes a step up unrecorded, however late", () => {
    const step = { ...ONE_SECOND, transport: "queue", record: notStarted } as const;
    expect(scheduled(step, 1, "forward", NOON, SCHEDULING).record).toMatchObject({
      startBy: later(NOON, 30_000),
      completeBy: later(NOON, 31_000),
    });
  });

  test("a retry makes a new attempt that starts at the step that expired, and keeps what is completed", () => {
    const record = stuck();
    expect(overdueStep(record)).toBe("takePayment");
    const retried = recover(record, { kind: "retry", ...FAILED }, SWEEPING);
    expect(retried).toMatchObject({
      processState: "Pending",
      lockedBy: null,
      attempt: 2,
      failureCount: 1,
      dueAt: later(NOON, 60_000),
    });
    expect(retried.steps["takePayment"]).toMatchObject({ state: "NotStarted", retryCount: 1 });
    expect(retried.steps["reserveStock"]).toEqual(record.steps["reserveStock"]);
    expect(retried).toMatchObject({ retryScheduled: { attempt: 2, at: NOON }, outbox: [] });
    expect(owed(retried)).toEqual([{ status: "RetryScheduled", attempt: 2, at: NOON }]);
  });

  test("P11 waiting is a retry that is due later", () => {
    const paused = recover(stuck(), { kind: "wait", ...FAILED, waitMs: 300_000 }, SWEEPING);
    expect(paused).toMatchObject({ processState: "Pending", failureCount: 1, dueAt: later(NOON, 360_000) });
  });

  test("P11 a compensation is an attempt the other way, with budgets of its own; the job's count goes on, and it knows its cause", () => {
    const before = { ...stuck(), failureCount: 2 };
    const compensating = recover(before, { kind: "compensate", ...FAILED }, SWEEPING);
    expect(failuresOf(compensating)).toBe(0);
    expect(compensating).toMatchObject({
      processState: "Pending",
      direction: "compensate",
      failureCount: 3,
      attempt: 2,
    });
    expect(compensating.error).toMatchObject({ kind: "expired", step: "takePayment" });
    const names = planOf(CHAIN, compensating.steps, "compensate").map(({ name }) => name);
    expect(names).toEqual(["reserveStock", "takePayment"]);
  });

  test("at the threshold the job is in Error with an outbox message; once that is published it is no longer due", () => {
    const failed = recover(stuck(), { kind: "fail", ...FAILED }, SWEEPING);
    expect(failed).toMatchObject({ processState: "Error", lockedBy: null, failureCount: 1, attempt: 1 });
    expect(failed.error).toMatchObject({
      kind: "expired",
      step: "takePayment",
      message: "3 attempts ran out of time, the last in takePayment",
    });
    expect(failed.outbox).toHaveLength(1);
    const quiet = published(failed, NOON);
    expect(quiet.outbox).toEqual([]);
    expect(quiet).not.toHaveProperty("dueAt");
  });

  test("a compensation that ran out of time is started anew, with the forward run as it was", () => {
    const completed = { ...notStarted, state: "Completed" } as const;
    const { record } = scheduled({ ...ONE_SECOND, record: completed }, 1, "compensate", NOON, SCHEDULING);
    const running = takenUp("compensate", NOON, NOON).change(record);
    expect(restarted(running, "compensate", true, NOON)).toMatchObject({
      state: "Completed",
      compensation: { state: "NotStarted", retryCount: 1, failureCount: 1 },
    });
    expect(restarted(running, "forward", true, NOON)).toEqual(running);
  });
});
