// Every kind of Error and every action: one request makes the job go on, or the answer says which one does.
import { describe, expect, test } from "vitest";
import {
  actions,
  COMPENSATION,
  compensated,
  completed,
  context,
  errorOf,
  failed,
  LATER,
  NOON,
  notStarted,
  record,
  running,
  step,
} from "../../../tests/operated-jobs.ts";
import type { Workflow } from "../definition/workflow.ts";
import { isWholeDone, planOf, readySteps, runsInHand, unbegun } from "../record/plan.ts";
import {
  type Direction,
  NOT_STARTED,
  type StateRecord,
  type StepRecord,
  type StepRun,
} from "../record/state-record.ts";
import { courseOf } from "../recovery/next-attempt.ts";
import { endingOf } from "../steps/ending.ts";
import { forwardAgain } from "../steps/forward-again.ts";
import { takenForward } from "../steps/operator-steps.ts";
import { decide } from "./operator.ts";

const compensable = (name: string, after: readonly string[]) => ({ ...step(name), after, compensation: COMPENSATION });
const workflow: Workflow = {
  name: "w",
  version: 1,
  policy: { failureThreshold: 3, waits: [], onExhausted: "compensate", onRejected: "compensate" },
  steps: [
    compensable("reserve", []),
    { ...compensable("pay", ["reserve"]), forEach: "cards" },
    { ...step("check"), after: ["reserve"], compensation: "nothing" },
    { ...compensable("car", ["reserve"]), optional: true },
    { ...step("call"), after: ["pay"] },
    compensable("ship", ["call", "check", "car"]),
  ],
};

const withCompensation = (of: StepRecord, run: Partial<StepRun>): StepRecord => ({
  ...of,
  compensation: { ...NOT_STARTED, ...run },
});
const tried = { scheduledAt: NOON, startBy: NOON, completeBy: NOON } as const;
const rejectedRun = withCompensation(completed, { ...tried, state: "Failed", error: "captured" });
const uncertain = withCompensation(completed, { ...tried, state: "Failed", error: "captured", outcomeUnknown: true });
const exhausted = withCompensation(completed, { ...tried, state: "Failed", error: "no answer", retryCount: 3 });
const stuck = withCompensation(completed, { ...tried, state: "Running", retryCount: 2 });
const skipped: StepRecord = { ...notStarted, state: "Skipped", skipped: { cause: "expired", message: "no answer" } };
const leftBehind = withCompensation({ ...skipped, outcomeUnknown: true }, { ...tried, state: "Failed", retryCount: 3 });

const done = { reserve: completed, pay_1: completed, check: completed, car: skipped, call: notStarted, ship: failed };
const reversed = { ...done, reserve: compensated, pay_1: compensated };

const forward = (kind: "rejected" | "expired" | "resolved", steps: StateRecord["steps"]) =>
  record({ processState: "Error", attempt: 2, failureCount: 3, error: errorOf(kind), steps });
const cause = errorOf("rejected");
const incomplete = (steps: StateRecord["steps"], kind: "rejected" | "cancelled" = "rejected") =>
  record({
    processState: "Error",
    direction: "compensate",
    attempt: 4,
    failureCount: 3,
    error: { ...errorOf("compensationIncomplete"), cause: errorOf(kind) },
    steps,
  });

type Course = Direction | "then forward" | "resolved" | "rejected";
type ActionName = Exclude<keyof typeof actions, "cancel" | "extend">;
interface Row {
  readonly name: string;
  readonly of: StateRecord;
  readonly leadsTo: { readonly [name in ActionName]: Course };
}

const back = { compensate: "compensate", markResolved: "resolved" } as const;
const onward = { resubmit: "forward", forward: "forward", manual: "forward", ...back } as const;
const chosen = { resubmit: "compensate", forward: "forward", manual: "forward", edit: "forward", ...back } as const;
const finished = { ...chosen, forward: "then forward", edit: "rejected" } as const;

const table: readonly Row[] = [
  { name: "rejected", of: forward("rejected", done), leadsTo: { ...onward, edit: "forward" } },
  {
    name: "rejected after a try without an answer",
    of: forward("rejected", { ...done, ship: { ...failed, outcomeUnknown: true } }),
    leadsTo: { ...onward, edit: "rejected" },
  },
  {
    name: "rejected, with another step at work",
    of: forward("rejected", { ...done, car: running }),
    leadsTo: { ...onward, edit: "rejected" },
  },
  {
    name: "rejected, with a skipped step that is not compensated",
    of: forward("rejected", { ...done, car: leftBehind }),
    leadsTo: { ...onward, edit: "rejected" },
  },
  {
    name: "expired",
    of: forward("expired", { ...done, ship: { ...running, completeBy: NOON } }),
    leadsTo: { ...onward, edit: "rejected" },
  },
  {
    name: "resolved",
    of: forward("resolved", done),
    leadsTo: { ...onward, edit: "forward", markResolved: "rejected" },
  },
  { name: "a compensation rejected", of: incomplete({ ...reversed, pay_1: rejectedRun }), leadsTo: chosen },
  {
    name: "a compensation rejected after a try without an answer",
    of: incomplete({ ...reversed, pay_1: uncertain }),
    leadsTo: finished,
  },
  { name: "a compensation exhausted", of: incomplete({ ...reversed, pay_1: exhausted }), leadsTo: finished },
  {
    name: "a cancellation's compensation exhausted",
    of: incomplete({ ...reversed, pay_1: exhausted }, "cancelled"),
    leadsTo: finished,
  },
  {
    name: "one compensation rejected, one exhausted",
    of: incomplete({ ...reversed, reserve: rejectedRun, pay_1: exhausted }),
    leadsTo: finished,
  },
  {
    name: "the compensation of a skipped step exhausted",
    of: incomplete({ ...reversed, car: leftBehind }),
    leadsTo: finished,
  },
  {
    name: "a compensation exhausted, and one to be done manually",
    of: incomplete({ ...reversed, pay_1: exhausted, call: completed }),
    leadsTo: finished,
  },
  {
    name: "one to be done manually",
    of: incomplete({ ...reversed, call: completed }),
    leadsTo: { ...chosen, resubmit: "rejected", compensate: "rejected" },
  },
  {
    name: "a compensation exhausted, as an older version of the app recorded it",
    of: record({
      processState: "Error",
      direction: "compensate",
      attempt: 4,
      failureCount: 3,
      error: errorOf("expired"),
      steps: { ...done, pay_1: stuck },
    }),
    leadsTo: finished,
  },
  {
    name: "resolved after its compensation",
    of: { ...incomplete({ ...reversed, pay_1: exhausted }), error: errorOf("resolved") },
    leadsTo: { ...onward, edit: "forward", compensate: "rejected", markResolved: "rejected" },
  },
];

const cases = table.flatMap(({ name, of, leadsTo }) =>
  Object.entries(leadsTo).map(([action, course]) => ({ name, of, action: action as ActionName, course })),
);

describe("every action on every kind of Error", () => {
  test.each(cases)("$name: $action leads to $course", ({ of, action, course }) => {
    const decision = decide(of, actions[action], workflow, context);
    if (course === "rejected" || decision.kind === "rejected") {
      expect(decision).toEqual({ kind: course, reason: expect.stringMatching(/\w{4,}/) });
      return;
    }
    const { record: after } = decision;
    if (course === "resolved") {
      expect(after).toMatchObject({ processState: "Error", error: { kind: "resolved" } });
      return;
    }
    expect(after).toMatchObject({ processState: "Pending", attempt: of.attempt + 1, failureCount: 0 });
    expect(after.history.at(-1)?.what).toContain("failureCount 3 set to 0");
    expect(after.direction).toBe(course === "forward" ? "forward" : "compensate");
    expect(courseOf(after)).toBe(course === "compensate" ? "compensate" : "forward");
    expect(goesOn(after)).toBe(true);
  });

  test.each(table)(
    "$name: it can't be cancelled or extended, and a resubmission or the reason names a way on",
    ({ of }) => {
      for (const action of [actions.cancel, actions.extend])
        expect(decide(of, action, workflow, context)).toMatchObject({ kind: "rejected" });
      const decision = decide(of, actions.resubmit, workflow, context);
      if (decision.kind === "allowed") return;
      expect(decision.reason).toBe(
        'to be compensated manually: call: have it compensated, then resubmit with "compensatedManually": true, which begins from the start, or mark it resolved; with "direction": "forward" it goes forward and keeps what is not compensated',
      );
    },
  );
});

/** Its next attempt has a step to begin or to wait for, or ends it otherwise than in Error. */
function goesOn(after: StateRecord): boolean {
  const { steps, direction, error } = after;
  const plan = planOf(workflow, steps, direction);
  if (unbegun(plan, steps, direction).length + runsInHand(steps).length > 0) return true;
  const ending = endingOf(workflow, direction === "compensate" ? { steps, cause: error } : null, NOON);
  return isWholeDone(plan, steps, direction) && ending.processState !== "Error";
}

test("an app without the job's workflow says what to do", () => {
  for (const each of [forward("rejected", done), incomplete({ ...reversed, pay_1: exhausted })]) {
    expect(decide(each, actions.resubmit, undefined, context)).toEqual({
      kind: "rejected",
      reason: "workflow w v1, which it needs, is not in this app: deploy a version that has it, or mark it resolved",
    });
    expect(decide(each, actions.markResolved, undefined, context).kind).toBe("allowed");
  }
});

const allow = (of: StateRecord, action: ActionName) => {
  const decision = decide(of, actions[action], workflow, context);
  if (decision.kind === "rejected") throw new Error(decision.reason);
  return decision.record;
};

describe("a resubmission forward", () => {
  test("of a job with a rejected compensation keeps what stands, and begins anew under other keys what is compensated", () => {
    const after = allow(incomplete({ ...reversed, pay_1: rejectedRun, call: completed }), "forward");
    expect(after.steps["reserve"]).toEqual({ ...notStarted, generation: 2 });
    expect(after.steps["pay_1"]).toEqual({ ...completed, compensation: null, compensationGeneration: 2 });
    for (const kept of ["call", "check"]) expect(after.steps[kept]).toEqual(completed);
    expect(after.steps["car"]).toEqual(skipped);
    expect(after.steps["ship"]).toMatchObject({ state: "NotStarted", generation: 2 });
    expect(after).toMatchObject({ error: null, outbox: [], retryScheduled: { attempt: 5 } });
    const ready = readySteps(planOf(workflow, after.steps, "forward"), after.steps, "forward", NOON);
    // What comes after a step that keeps its result waits for the steps before that too.
    expect(ready.map(({ name }) => name)).toEqual(["reserve"]);
  });

  test("evaluates again what was skipped because of another step, and not what was skipped by a fault", () => {
    const because = (cause: "condition" | "needs" | "notNeeded" | "rejected"): StepRecord => ({
      ...skipped,
      skipped: { cause, message: "" },
    });
    for (const cause of ["condition", "needs", "notNeeded"] as const)
      expect(takenForward(because(cause), NOON)).toEqual({ ...notStarted, generation: 2 });
    for (const step of [because("rejected"), skipped, leftBehind]) expect(takenForward(step, NOON)).toEqual(step);
  });

  test("first tries again only what may have reversed effect, and then goes forward", () => {
    const after = allow(incomplete({ ...reversed, reserve: rejectedRun, pay_1: exhausted }), "forward");
    expect(after).toMatchObject({ direction: "compensate", thenForward: true, error: cause, outbox: [] });
    expect(after.history.at(-1)?.what).toBe(
      "resubmitted forward, after the compensation of pay_1 is finished, attempt 5, failureCount 3 set to 0: address is in reach",
    );
    expect(after.steps["reserve"]).toEqual(rejectedRun);
    expect(after.steps["pay_1"]?.compensation).toMatchObject({ state: "NotStarted", retryCount: 3 });
    const at = { now: LATER, claimWithinMs: 60_000, by: "o-5", workflow };
    expect(forwardAgain(after, at)).toBeUndefined();
    const turned = forwardAgain({ ...after, steps: { ...after.steps, pay_1: compensated } }, at);
    expect(turned).toMatchObject({
      processState: "Pending",
      direction: "forward",
      attempt: 6,
      error: null,
      lockedBy: null,
    });
    expect(turned).not.toHaveProperty("thenForward");
    expect(turned?.steps["reserve"]).toEqual({ ...completed, compensation: null, compensationGeneration: 2 });
    expect(turned?.steps["pay_1"]).toEqual({ ...notStarted, generation: 2 });
  });

  test("is given up by a cancellation or a compensation that is asked for later", () => {
    const after = allow(incomplete({ ...reversed, pay_1: exhausted }), "forward");
    const working = { ...after, processState: "Processing", lockedBy: "o-5" } as const;
    for (const action of [actions.cancel, actions.compensate]) {
      for (const before of [after, working]) {
        const decision = decide(before, action, workflow, context);
        expect(decision).toMatchObject({
          kind: "allowed",
          record: { direction: "compensate", processState: "Pending" },
        });
        expect(decision).not.toHaveProperty("record.thenForward");
      }
    }
    const atWork = { ...stuck.compensation, completeBy: LATER, failureCount: 2 } as StepRun;
    const busy = { ...working, steps: { ...working.steps, pay_1: withCompensation(completed, atWork) } };
    const cancelled = decide(busy, actions.cancel, workflow, context);
    expect(cancelled, "what an agent is at").toMatchObject({ record: { steps: { pay_1: { compensation: atWork } } } });
    const again = decide(after, actions.resubmit, workflow, context);
    expect(again).toMatchObject({ record: { thenForward: true, attempt: 6 } });
  });
});

describe("a resubmission of an incomplete compensation", () => {
  test("tries again what is left, keeps what is compensated, and ends as its cause says", () => {
    for (const [kind, end] of [
      ["rejected", "Compensated"],
      ["cancelled", "Cancelled"],
    ] as const) {
      const after = allow(incomplete({ ...reversed, pay_1: exhausted }, kind), "resubmit");
      expect(after).toMatchObject({ direction: "compensate", error: { kind } });
      expect(after.steps["pay_1"]?.compensation).toMatchObject({ state: "NotStarted" });
      expect(after.steps["reserve"]).toEqual(compensated);
      const steps = { ...after.steps, pay_1: compensated };
      expect(endingOf(workflow, { steps, cause: after.error }, NOON).processState).toBe(end);
    }
  });
});
