// What a resubmission makes of an order, in Error or waiting.
import { describe, expect, test } from "vitest";
import {
  actions,
  allowed,
  completed,
  errorOf,
  failed,
  fresh,
  LATER,
  NOON,
  notStarted,
  occasion,
  record,
  rejected,
  running,
  step,
  UNDO,
  underWay,
  undone,
  workflow,
} from "../../tests/support/operated-orders.ts";
import { decide } from "./operator.ts";
import { mayHaveHadEffect, planOf } from "./plan.ts";
import { idempotencyKey } from "./state-record.ts";
import type { Workflow } from "./workflow.ts";

describe("resubmit", () => {
  test("P9 is the next attempt forward, unlocked, with the failed step reset and completed ones kept", () => {
    const { record: after, startAt } = allowed(rejected, actions.resubmit);
    expect(after).toMatchObject({
      direction: "forward",
      attempt: 3,
      failureCount: 0,
      lockedBy: null,
      error: null,
      orderRevision: 1,
      dueAt: "2026-01-01T12:01:00.000Z",
      notices: [{ status: "RetryScheduled", attempt: 3 }],
    });
    expect(after.steps["reserve"]).toEqual(completed);
    expect(after.steps["pay"]).toEqual(notStarted);
    expect(startAt).toBeNull();
  });

  test("a step that was refused after an attempt that expired keeps its count: an undo has to see to it", () => {
    const late = record({ ...rejected, steps: { reserve: completed, pay: { ...failed, retryCount: 2 } } });
    const pay = allowed(late, actions.resubmit).record.steps["pay"];
    expect(pay).toEqual({ ...notStarted, retryCount: 2 });
    expect(pay && mayHaveHadEffect(pay)).toBe(true);
  });

  test("an edit is the order's next revision, with its priority; what was refused then goes under another key", () => {
    const { record: after } = allowed(rejected, actions.edit);
    expect(after).toMatchObject({ orderRevision: 2, priority: "high" });
    expect(after.steps["pay"]?.generation).toBe(2);
    expect(after.steps["reserve"]?.generation).toBe(1);
  });

  test("an expired step runs again under its key, and what it may have done is still to be undone", () => {
    const expired = record({ ...rejected, error: errorOf("expired"), steps: { reserve: completed, pay: running } });
    const pay = allowed(expired, actions.resubmit).record.steps["pay"];
    expect(pay).toMatchObject({ state: "NotStarted", retryCount: 1, completeBy: null, generation: 1 });
    expect(pay && mayHaveHadEffect(pay)).toBe(true);
  });

  test("an edit is refused while nobody knows whether a step took effect", () => {
    const expired = record({ ...rejected, error: errorOf("expired"), steps: { reserve: completed, pay: running } });
    expect(decide(expired, actions.edit, workflow, occasion)).toEqual({
      kind: "refused",
      reason: expect.stringContaining("whether pay took effect"),
    });
  });

  test("an edit is refused where a try before the refusal got no answer; as it was the order goes on", () => {
    const unsure = record({ ...rejected, steps: { reserve: completed, pay: { ...failed, unsure: true } } });
    expect(decide(unsure, actions.edit, workflow, occasion)).toEqual({
      kind: "refused",
      reason: expect.stringContaining("whether pay took effect"),
    });
    const pay = allowed(unsure, actions.resubmit).record.steps["pay"];
    expect(pay && mayHaveHadEffect(pay)).toBe(true);
  });

  const outcomes = (["NotStarted", "Scheduled", "Running", "Failed", "Completed", "Undone"] as const).flatMap((state) =>
    [0, 1].flatMap((retryCount) =>
      [null, NOON].flatMap((scheduledAt) =>
        [undefined, true].map((unsure) => ({ ...notStarted, state, retryCount, scheduledAt, unsure })),
      ),
    ),
  );
  test.each(outcomes)(
    "an edit is refused exactly where an undo would see to a step that is not known to be done: $state, $retryCount retries, scheduled $scheduledAt, unsure $unsure",
    (pay) => {
      const [before, steps] = [record({ ...rejected, steps: { reserve: completed, pay } }), workflow.steps.slice(0, 2)];
      const undoable = { ...workflow, steps: steps.map((one) => ({ ...one, undo: UNDO })) };
      const undone = planOf(undoable, before.steps, "undo").flat();
      const isKnown = pay.state === "Completed" || pay.state === "Undone";
      const wanted = !isKnown && undone.some(({ name }) => name === "pay") ? "refused" : "allowed";
      expect(decide(before, actions.edit, undoable, occasion).kind).toBe(wanted);
    },
  );

  test("an edit gives a step that leaves nothing behind another key, whatever became of it", () => {
    const harmless: Workflow = { ...workflow, steps: [step("reserve"), { ...step("pay"), undo: "nothing" }] };
    const beside = record({ ...rejected, steps: { reserve: failed, pay: running } });
    const decision = decide(beside, actions.edit, harmless, occasion);
    if (decision.kind !== "allowed") throw new Error(decision.reason);
    expect(decision.record.steps["pay"]).toMatchObject({ state: "NotStarted", generation: 2 });
  });

  test("no action is taken on an order whose workflow the app no longer has", () => {
    const gone = { kind: "refused", reason: "workflow w v1, which the order needs, is no longer here" };
    expect(decide(rejected, actions.resubmit, undefined, occasion)).toEqual(gone);
  });

  test("what ran beside the step that was refused is awaited", () => {
    const beside = record({ ...rejected, steps: { pay: failed, ship: running } });
    const { startAt, record: after } = allowed(beside, actions.resubmit);
    expect(startAt).toBe("2026-01-01T12:00:21.000Z");
    expect(after.dueAt).toBe("2026-01-01T12:01:21.000Z");
  });

  test("an order of which a person had to undo something takes that person's word", () => {
    const error = { ...errorOf("notUndone"), message: "to be undone by hand: ship" };
    const steps = { reserve: undone, pay: undone, ship: completed };
    const left = record({ processState: "Error", direction: "undo", error, steps });
    expect(decide(left, actions.resubmit, workflow, occasion)).toEqual({
      kind: "refused",
      reason: 'to be undone by hand: ship: have it undone, then resubmit with "compensatedByHand": true',
    });
    const { history, steps: after } = allowed(left, actions.byHand).record;
    expect(history.at(-1)?.what).toBe("resubmitted from the start, the rest undone by hand, attempt 2: fetched back");
    for (const one of Object.values(after)) expect(one).toEqual({ ...notStarted, generation: 2 });
  });

  test("an order that was undone begins from the start, under other keys", () => {
    const ended = record({
      processState: "Error",
      direction: "undo",
      error: errorOf("undone"),
      steps: { reserve: undone, pay: failed, ship: notStarted },
    });
    const { record: after } = allowed(ended, actions.resubmit);
    expect(after.direction).toBe("forward");
    for (const one of Object.values(after.steps)) {
      expect(one).toEqual({ ...notStarted, generation: 2 });
      expect(mayHaveHadEffect(one)).toBe(false);
    }
    expect(idempotencyKey("o", "pay", "forward", 2)).not.toBe(idempotencyKey("o", "pay", "forward", 1));
    expect(idempotencyKey("o", "pay", "undo", 2)).not.toBe(idempotencyKey("o", "pay", "undo", 1));
  });
});

describe("of a Pending order", () => {
  const paused = record({
    attempt: 3,
    failureCount: 2,
    dueAt: "2026-01-01T13:00:00.000Z",
    steps: { reserve: completed, pay: { ...notStarted, retryCount: 2, startedAt: NOON } },
  });

  test("a resubmission is its next attempt at once, without its pause, with its failures forgiven", () => {
    const { record: after, startAt } = allowed(paused, actions.resubmit);
    expect(startAt).toBeNull();
    expect(after).toMatchObject({
      attempt: 4,
      direction: "forward",
      failureCount: 0,
      dueAt: "2026-01-01T12:01:00.000Z",
      steps: paused.steps,
      notices: [{ status: "RetryScheduled", attempt: 4 }],
    });
  });

  test("an undo takes back what was done; of one that is being undone it goes on at once, with its cause", () => {
    const asked = allowed(paused, actions.undo).record;
    expect(asked).toMatchObject({ attempt: 4, direction: "undo", error: { kind: "undoAsked" }, notices: [] });
    const again = allowed(record({ ...asked, error: errorOf("expired") }), actions.undo).record;
    expect(again).toMatchObject({ attempt: 5, direction: "undo", error: { kind: "expired" } });
  });

  test("whoever was at work for an attempt before is awaited, however often the operator asks", () => {
    const besideRefused = record({ ...underWay, processState: "Error", lockedBy: null, error: errorOf("rejected") });
    const first = allowed(besideRefused, actions.resubmit);
    const second = allowed(first.record, actions.undo);
    expect([first.startAt, second.startAt]).toEqual(["2026-01-01T12:00:21.000Z", "2026-01-01T12:00:21.000Z"]);
    expect(second.record).toMatchObject({ busyUntil: LATER, dueAt: "2026-01-01T12:01:21.000Z" });
    const muchLater = { ...occasion, now: "2026-01-01T12:05:00.000Z" };
    const third = decide(second.record, actions.undo, workflow, muchLater);
    if (third.kind !== "allowed") throw new Error(third.reason);
    expect(third.startAt).toBeNull();
    expect(third.record).not.toHaveProperty("busyUntil");
  });

  test("Received is owed where nobody has claimed it yet: it goes before all else", () => {
    const received = { status: "Received", attempt: 1, at: NOON };
    const { notices } = allowed(fresh, actions.resubmit).record;
    expect(notices).toEqual([received, { status: "RetryScheduled", attempt: 2, at: NOON }]);
    expect(allowed(fresh, actions.undo).record.notices).toEqual([received]);
    expect(allowed(fresh, actions.cancel).record.notices).toEqual([
      received,
      { status: "Undone", attempt: 1, at: NOON },
    ]);
  });
});
