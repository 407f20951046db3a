// What a resubmission makes of a job, in Error or waiting.

import { describe, expect, test } from "vitest";
import {
  actions,
  allowed,
  COMPENSATION,
  compensated,
  completed,
  context,
  errorOf,
  failed,
  fresh,
  NOON,
  notStarted,
  record,
  rejected,
  running,
  step,
  underWay,
  workflow,
} from "../../../tests/operated-jobs.ts";
import type { Workflow } from "../definition/workflow.ts";
import { idempotencyKey } from "../record/idempotency-key.ts";
import { owed } from "../record/outbox.ts";
import { mayHaveHadEffect, planOf } from "../record/plan.ts";
import { decide } from "./operator.ts";

describe("resubmit", () => {
  test("P9 is the next attempt forward, unlocked, with the failed step reset and completed ones kept", () => {
    const { record: after } = allowed(rejected, actions.resubmit);
    expect(after).toMatchObject({
      direction: "forward",
      attempt: 3,
      failureCount: 0,
      lockedBy: null,
      error: null,
      jobRevision: 1,
      dueAt: "2026-01-01T12:01:00.000Z",
      outbox: [],
      retryScheduled: { attempt: 3 },
    });
    expect(after.steps["reserve"]).toEqual(completed);
    // A service that remembers its answer under a key would reject it for ever.
    expect(after.steps["pay"]).toEqual({ ...notStarted, generation: 2 });
  });

  test("a step that was rejected after an attempt that expired keeps its count: a compensation has to see to it", () => {
    const late = record({ ...rejected, steps: { reserve: completed, pay: { ...failed, retryCount: 2 } } });
    const pay = allowed(late, actions.resubmit).record.steps["pay"];
    expect(pay).toEqual({ ...notStarted, retryCount: 2 });
    expect(pay && mayHaveHadEffect(pay)).toBe(true);
  });

  test("an edit is the job's next revision, with its priority; what was rejected then goes under another key", () => {
    const { record: after } = allowed(rejected, actions.edit);
    expect(after).toMatchObject({ jobRevision: 2, priority: "high" });
    expect(after.steps["pay"]?.generation).toBe(2);
    expect(after.steps["reserve"]?.generation).toBe(1);
  });

  test("an expired step runs again under its key, and what it may have done is still to be compensated", () => {
    const expired = record({ ...rejected, error: errorOf("expired"), steps: { reserve: completed, pay: running } });
    const muchLater = decide(expired, actions.resubmit, workflow, { ...context, now: "2026-01-01T12:05:00.000Z" });
    const pay = muchLater.kind === "allowed" ? muchLater.record.steps["pay"] : undefined;
    expect(pay).toMatchObject({ state: "NotStarted", retryCount: 1, completeBy: null, generation: 1 });
    expect(pay && mayHaveHadEffect(pay)).toBe(true);
  });

  test("an edit is rejected while nobody knows whether a step took effect", () => {
    const expired = record({ ...rejected, error: errorOf("expired"), steps: { reserve: completed, pay: running } });
    expect(decide(expired, actions.edit, workflow, context)).toEqual({
      kind: "rejected",
      reason: expect.stringContaining("whether pay took effect"),
    });
  });

  test("an edit is rejected where a try before the rejection got no answer; as it was the job goes on", () => {
    const outcomeUnknown = record({
      ...rejected,
      steps: { reserve: completed, pay: { ...failed, outcomeUnknown: true } },
    });
    expect(decide(outcomeUnknown, actions.edit, workflow, context)).toEqual({
      kind: "rejected",
      reason: expect.stringContaining("whether pay took effect"),
    });
    const pay = allowed(outcomeUnknown, actions.resubmit).record.steps["pay"];
    expect(pay && mayHaveHadEffect(pay)).toBe(true);
  });

  const outcomes = (["NotStarted", "Scheduled", "Running", "Failed", "Completed", "Compensated"] as const).flatMap(
    (state) =>
      [0, 1].flatMap((retryCount) =>
        [null, NOON].flatMap((scheduledAt) =>
          [undefined, true].map((outcomeUnknown) => ({
            ...notStarted,
            state,
            retryCount,
            scheduledAt,
            outcomeUnknown,
          })),
        ),
      ),
  );
  test.each(outcomes)(
    "an edit is rejected exactly where a compensation would see to a step that is not known to be done: $state, $retryCount retries, scheduled $scheduledAt, of unknown outcome $unsure",
    (pay) => {
      const [before, steps] = [record({ ...rejected, steps: { reserve: completed, pay } }), workflow.steps.slice(0, 2)];
      const compensable = { ...workflow, steps: steps.map((one) => ({ ...one, compensation: COMPENSATION })) };
      const compensated = planOf(compensable, before.steps, "compensate").flat();
      const isKnown = pay.state === "Completed" || pay.state === "Compensated";
      const wanted = !isKnown && compensated.some(({ name }) => name === "pay") ? "rejected" : "allowed";
      expect(decide(before, actions.edit, compensable, context).kind).toBe(wanted);
    },
  );

  test("an edit gives a step that leaves nothing behind another key, whatever became of it", () => {
    const harmless: Workflow = { ...workflow, steps: [step("reserve"), { ...step("pay"), compensation: "nothing" }] };
    const beside = record({ ...rejected, steps: { reserve: failed, pay: running } });
    const decision = decide(beside, actions.edit, harmless, context);
    if (decision.kind !== "allowed") throw new Error(decision.reason);
    expect(decision.record.steps["pay"]).toMatchObject({ state: "NotStarted", generation: 2 });
  });

  test("no action is taken on a job whose workflow the app no longer has", () => {
    const gone = {
      kind: "rejected",
      reason: expect.stringMatching(/^workflow w v1, which it needs, is not in this app: /),
    };
    for (const action of [actions.resubmit, actions.compensate])
      expect(decide(rejected, action, undefined, context)).toEqual(gone);
  });

  test("what runs beside the step that was rejected goes on; what has run out of time is run again", () => {
    const beside = record({ ...rejected, steps: { pay: failed, ship: running } });
    expect(allowed(beside, actions.resubmit).record).toMatchObject({
      dueAt: "2026-01-01T12:01:00.000Z",
      steps: { pay: { state: "NotStarted" }, ship: running },
    });
    const muchLater = decide(beside, actions.resubmit, workflow, { ...context, now: "2026-01-01T12:05:00.000Z" });
    if (muchLater.kind !== "allowed") throw new Error(muchLater.reason);
    expect(muchLater.record.steps["ship"]).toMatchObject({ state: "NotStarted", outcomeUnknown: true });
  });

  test("a job of which a person had to compensate something takes that person's word", () => {
    const error = { ...errorOf("compensationIncomplete"), message: "to be compensated manually: ship" };
    const steps = { reserve: compensated, pay: compensated, ship: completed };
    const left = record({ processState: "Error", direction: "compensate", error, steps });
    const { history, steps: after } = allowed(left, actions.manual).record;
    expect(history.at(-1)?.what).toBe(
      "resubmitted from the start, the rest compensated manually, attempt 2: fetched back",
    );
    for (const one of Object.values(after)) expect(one).toEqual({ ...notStarted, generation: 2 });
  });

  test("a job that was compensated begins from the start, under other keys", () => {
    const ended = record({
      processState: "Compensated",
      direction: "compensate",
      error: errorOf("rejected"),
      steps: { reserve: compensated, pay: failed, ship: notStarted },
    });
    const { record: after } = allowed(ended, actions.resubmit);
    expect(after.direction).toBe("forward");
    for (const one of Object.values(after.steps)) {
      expect(one).toEqual({ ...notStarted, generation: 2 });
      expect(mayHaveHadEffect(one)).toBe(false);
    }
    for (const direction of ["forward", "compensate"] as const) {
      const [first, second] = [1, 2].map((generation) => ({ ...notStarted, generation }));
      const keys = [first, second].map((step) => idempotencyKey("o", "pay", direction, step ?? notStarted));
      expect(new Set(keys).size).toBe(2);
    }
  });
});

describe("of a Pending job", () => {
  const paused = record({
    attempt: 3,
    failureCount: 2,
    dueAt: "2026-01-01T13:00:00.000Z",
    steps: { reserve: completed, pay: { ...notStarted, retryCount: 2, startedAt: NOON } },
  });

  test("P9 failures from before a resubmission are not counted after it, of a step and of its compensation", () => {
    const pay = { ...notStarted, failureCount: 2, compensation: { ...notStarted, failureCount: 1 } };
    const { pay: after } = allowed(record({ ...paused, steps: { pay } }), actions.resubmit).record.steps;
    expect(after).not.toHaveProperty("failureCount");
    expect(after?.compensation).not.toHaveProperty("failureCount");
  });

  test("a resubmission is its next attempt at once, without its pause, with its failures forgiven", () => {
    const { record: after } = allowed(paused, actions.resubmit);
    expect(after).toMatchObject({
      attempt: 4,
      direction: "forward",
      failureCount: 0,
      dueAt: "2026-01-01T12:01:00.000Z",
      steps: paused.steps,
      outbox: [],
      retryScheduled: { attempt: 4 },
    });
  });

  test("a compensation takes back what was done; of one that is being compensated it goes on at once, with its cause", () => {
    const asked = allowed(paused, actions.compensate).record;
    expect(asked).toMatchObject({
      attempt: 4,
      direction: "compensate",
      error: { kind: "compensationRequested" },
      outbox: [],
    });
    const again = allowed(record({ ...asked, error: errorOf("expired") }), actions.compensate).record;
    expect(again).toMatchObject({ attempt: 5, direction: "compensate", error: { kind: "expired" } });
  });

  test("whoever is at work for an attempt before goes on, however often the operator asks", () => {
    const besideRejected = record({ ...underWay, processState: "Error", lockedBy: null, error: errorOf("rejected") });
    const first = allowed(besideRejected, actions.resubmit);
    const second = allowed(first.record, actions.compensate);
    for (const { steps } of [first.record, second.record]) expect(steps).toEqual(underWay.steps);
  });

  test("Received is owed where nobody has claimed it yet: it goes before all else", () => {
    const received = { status: "Received", attempt: 1, at: NOON };
    const resubmitted = allowed(fresh, actions.resubmit).record;
    expect(owed(resubmitted)).toEqual([received, { status: "RetryScheduled", attempt: 2, at: NOON }]);
    expect(allowed(fresh, actions.compensate).record.outbox).toEqual([received]);
    expect(allowed(fresh, actions.cancel).record.outbox).toEqual([
      received,
      { status: "Cancelled", attempt: 1, at: NOON },
    ]);
  });
});
