// What an operator may ask: every action in every state and direction, and what each makes of the record.
import { describe, expect, test } from "vitest";
import { decide, type Occasion, type OperatorAction } from "./operator.ts";
import { mayHaveHadEffect, planOf } from "./plan.ts";
import {
  type Direction,
  idempotencyKey,
  NOT_STARTED,
  newStateRecord,
  type OrderError,
  type ProcessState,
  type StateRecord,
  type StepRecord,
} from "./state-record.ts";
import { transitions } from "./transitions.ts";
import type { Workflow } from "./workflow.ts";

const NOON = "2026-01-01T12:00:00.000Z";
const LATER = "2026-01-01T12:00:20.000Z";
const occasion: Occasion = { by: "ada", now: NOON, claimWithinMs: 60_000, clockSkewMs: 1000 };

const step = (name: string) =>
  ({ name, agent: name, operation: "do", after: [], completeWithin: "PT10S", undo: "byHand" }) as const;
const UNDO = { operation: "undo", completeWithin: "PT10S" } as const;
const workflow: Workflow = {
  name: "w",
  version: 1,
  policy: { failureThreshold: 3, waits: [], onExhausted: "fail", onRejected: "fail" },
  steps: [step("reserve"), step("pay"), step("ship")],
};
const submission = {
  orderId: "o",
  priority: "normal",
  replyTo: "replies-shop",
  replyToSessionId: null,
  correlationId: "c",
  traceparent: null,
} as const;
const fresh = newStateRecord(submission, workflow, NOON, LATER);
const notStarted: StepRecord = { ...NOT_STARTED, agent: "a", result: null, undo: null, generation: 1 };
const completed: StepRecord = {
  ...notStarted,
  state: "Completed",
  startedAt: NOON,
  endedAt: NOON,
  result: { id: "r" },
};
const failed: StepRecord = { ...notStarted, state: "Failed", startedAt: NOON, endedAt: NOON, error: "no" };
const running: StepRecord = {
  ...notStarted,
  state: "Running",
  scheduledAt: NOON,
  startBy: LATER,
  startedAt: NOON,
  completeBy: LATER,
  retryCount: 1,
};
const undone: StepRecord = { ...completed, state: "Undone", undo: { ...NOT_STARTED, state: "Completed" } };

function record(changes: Partial<StateRecord>): StateRecord {
  return { ...fresh, ...changes };
}

function errorOf(kind: OrderError["kind"]): OrderError {
  return { kind, message: "card expired", step: "pay", agent: "pay", at: NOON };
}

const rejected = record({
  processState: "Error",
  attempt: 2,
  failureCount: 1,
  error: errorOf("rejected"),
  steps: { reserve: completed, pay: failed, ship: notStarted },
});
const underWay = record({
  processState: "Processing",
  lockedBy: "o-1",
  completeBy: LATER,
  dueAt: LATER,
  steps: { reserve: completed, pay: running, ship: notStarted },
});

const actions = {
  resubmit: { kind: "resubmit", reason: "card renewed", edited: null, compensatedByHand: false },
  edit: { kind: "resubmit", reason: "card renewed", edited: { priority: "high" }, compensatedByHand: false },
  byHand: { kind: "resubmit", reason: "fetched back", edited: null, compensatedByHand: true },
  undo: { kind: "undo", reason: "shop asked" },
  cancel: { kind: "cancel", reason: "sent by mistake" },
  extend: { kind: "extend", reason: "service is mended", byMs: 60_000 },
  settle: { kind: "settle", reason: "the bank sent it back" },
} as const satisfies Record<string, OperatorAction>;

/** What each action makes of the order; one that is not named is refused. */
type Row = [ProcessState, Direction, OrderError["kind"] | null, { readonly [name in ActionCase]?: ProcessState }];
type ActionCase = keyof typeof actions;

const PENDING = "Pending";
const anew = { resubmit: PENDING, edit: PENDING, byHand: PENDING } as const;
const table: Row[] = [
  ["Pending", "forward", null, { ...anew, undo: "Pending", cancel: "Error", extend: "Pending" }],
  ["Pending", "undo", "rejected", { undo: "Pending", extend: "Pending" }],
  ["Pending", "undo", "cancelled", { undo: "Pending", extend: "Pending" }],
  ["Pending", "undo", "notUndone", { undo: "Pending", extend: "Pending" }],
  ["Processing", "forward", null, { undo: "Pending", cancel: "Pending", extend: "Processing" }],
  ["Processing", "undo", "rejected", { extend: "Processing" }],
  ["Processed", "forward", null, {}],
  ["Error", "forward", "rejected", { ...anew, undo: "Pending", settle: "Error" }],
  ["Error", "forward", "expired", { ...anew, undo: "Pending", settle: "Error" }],
  ["Error", "undo", "expired", { undo: "Pending", settle: "Error" }],
  ["Error", "undo", "undone", anew],
  ["Error", "undo", "cancelled", anew],
  ["Error", "forward", "cancelled", anew],
  ["Error", "forward", "settled", { ...anew, undo: "Pending" }],
  ["Error", "undo", "settled", anew],
  ["Error", "undo", "notUndone", { byHand: "Pending", settle: "Error" }],
];

describe("every action in every state and direction", () => {
  const names = Object.keys(actions) as ActionCase[];
  const cases = table.flatMap(([processState, direction, kind, wanted]) =>
    names.map((name) => ({ processState, direction, kind, name, state: wanted[name] ?? "refused" })),
  );
  test.each(cases)("$name of $processState, $direction, $kind: $state", ({ processState, direction, kind, ...row }) => {
    const before = record({ processState, direction, error: kind && errorOf(kind) });
    const decision = decide(before, actions[row.name], workflow, occasion);
    if (row.state === "refused") {
      expect(decision).toEqual({ kind: "refused", reason: expect.stringMatching(/\w+/) });
      return;
    }
    if (decision.kind !== "allowed") throw new Error(decision.reason);
    expect(decision.record.processState).toBe(row.state);
    expect(decision.record.history.at(-1)).toMatchObject({ at: NOON, by: "ada" });
    const moves = Object.values(transitions).map(({ from, to }) => `${from} ${to}`);
    expect(moves).toContain(`${processState} ${row.state}`);
  });
});

function allowed(before: StateRecord, action: OperatorAction) {
  const decision = decide(before, action, workflow, occasion);
  if (decision.kind !== "allowed") throw new Error(decision.reason);
  return decision;
}

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

describe("undo", () => {
  test("P13 of an order in Error: the next attempt, backwards; what was refused for good has nothing to undo", () => {
    const { record: after, startAt } = allowed(rejected, actions.undo);
    expect(after).toMatchObject({ direction: "undo", attempt: 3, failureCount: 0, error: { message: "card expired" } });
    expect(after.steps).toEqual(rejected.steps);
    expect(startAt).toBeNull();
  });

  test("of a running order: its attempt loses the lock, and the undo begins when its agents have fallen silent", () => {
    const { record: after, startAt } = allowed(underWay, actions.undo);
    expect(after).toMatchObject({
      lockedBy: null,
      attempt: 2,
      error: { kind: "undoAsked", message: "ada asked for it: shop asked" },
    });
    expect(startAt).toBe("2026-01-01T12:00:21.000Z");
    expect(after.steps["pay"]).toMatchObject({ state: "NotStarted", scheduledAt: NOON });
  });

  test("again, after an undo was refused or gave up: what is left is tried again, what is undone is kept", () => {
    const refusedUndo = {
      ...completed,
      undo: { ...NOT_STARTED, state: "Failed", error: "no", retryCount: 1 },
    } as const;
    const stuckUndo = { ...completed, undo: { ...NOT_STARTED, state: "Running", completeBy: LATER } } as const;
    const left = record({
      processState: "Error",
      direction: "undo",
      error: errorOf("notUndone"),
      steps: { reserve: refusedUndo, pay: undone, ship: stuckUndo },
    });
    const { steps } = allowed(left, actions.undo).record;
    expect(steps["reserve"]?.undo).toMatchObject({ state: "NotStarted", retryCount: 1 });
    expect(steps["ship"]?.undo).toMatchObject({ state: "NotStarted", completeBy: null });
    expect(steps["pay"]).toEqual(undone);
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
    const first = allowed(underWay, actions.undo);
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

describe("cancel", () => {
  test("of an order on which nothing was done ends it at once, and says who and why; it needs no workflow", () => {
    const refusedOnce = record({ attempt: 2, steps: { reserve: failed, pay: notStarted, ship: notStarted } });
    const decision = decide(refusedOnce, actions.cancel, undefined, occasion);
    if (decision.kind !== "allowed") throw new Error(decision.reason);
    expect(decision).toMatchObject({
      startAt: null,
      record: {
        processState: "Error",
        direction: "forward",
        attempt: 2,
        lockedBy: null,
        completeBy: null,
        error: { kind: "cancelled", message: "cancelled by ada: sent by mistake", step: null },
        notices: [{ status: "Undone", attempt: 2, at: NOON }],
        dueAt: "2026-01-01T12:00:30.000Z",
      },
    });
  });

  test.each([
    ["done", completed],
    ["begun, with an end that nobody knows", { ...notStarted, scheduledAt: NOON }],
    ["tried in an attempt that ran out of time", { ...notStarted, retryCount: 1 }],
  ])("of an order of which a step was %s has it undone, for that reason", (_, reserve) => {
    const waiting = record({ attempt: 2, steps: { reserve, pay: notStarted, ship: notStarted } });
    const { record: after } = allowed(waiting, actions.cancel);
    expect(after).toMatchObject({
      processState: "Pending",
      direction: "undo",
      attempt: 3,
      error: { kind: "cancelled", message: "cancelled by ada: sent by mistake" },
    });
    expect(after.history.at(-1)?.what).toBe("to be undone, attempt 3: cancelled: sent by mistake");
  });

  test("of a running order has it undone once its agents have fallen silent", () => {
    const { record: after, startAt } = allowed(underWay, actions.cancel);
    expect(after).toMatchObject({ direction: "undo", lockedBy: null, error: { kind: "cancelled" }, busyUntil: LATER });
    expect(startAt).toBe("2026-01-01T12:00:21.000Z");
  });
});

describe("extend", () => {
  test("moves the time of a running order later; the attempt and its steps stay", () => {
    const { record: after } = allowed(underWay, actions.extend);
    expect(after).toMatchObject({
      completeBy: "2026-01-01T12:01:20.000Z",
      dueAt: "2026-01-01T12:01:20.000Z",
      attempt: 1,
      lockedBy: "o-1",
    });
    expect(after.steps).toEqual(underWay.steps);
  });

  test("of an order that is overdue already counts from now", () => {
    const overdue = record({ ...underWay, dueAt: "2026-01-01T11:00:00.000Z" });
    expect(allowed(overdue, actions.extend).record.dueAt).toBe("2026-01-01T12:01:00.000Z");
  });

  test("of a Pending order moves when it is due; it had no complete-by and has none", () => {
    expect(allowed(fresh, actions.extend).record).toMatchObject({
      completeBy: null,
      dueAt: "2026-01-01T12:01:20.000Z",
    });
  });
});

test("settled by hand: the order stays where it is, keeps what it was in trouble for, and needs no workflow", () => {
  const decision = decide(rejected, actions.settle, undefined, occasion);
  if (decision.kind !== "allowed") throw new Error(decision.reason);
  const { error, history, ...rest } = decision.record;
  expect(error).toEqual({
    kind: "settled",
    message: "the bank sent it back; before: card expired",
    step: "pay",
    agent: "pay",
    at: NOON,
  });
  expect(history.at(-1)?.what).toBe("settled by hand: the bank sent it back");
  const { error: _error, history: _history, ...before } = rejected;
  expect(rest).toEqual({ ...before, updatedAt: NOON, overAt: NOON });
});

test("the history keeps its newest entries", () => {
  const entry = { at: NOON, what: "x", by: "x" };
  const long = record({ ...rejected, history: Array.from({ length: 100 }, () => entry) });
  const { history } = allowed(long, actions.resubmit).record;
  expect(history).toHaveLength(100);
  expect(history.at(-1)?.what).toContain("card renewed");
});
