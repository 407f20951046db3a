// A step ends beside others: the time that an operator has given these stays.
import { expect, test } from "vitest";
import { GRAPH, NOON, SCHEDULING, sampleRecord } from "../../../tests/jobs.ts";
import { claimed, route, stepIn, taskOf } from "../../../tests/records.ts";
import { after } from "../duration.ts";
import { decide } from "../operator/operator.ts";
import type { StateRecord } from "../record/state-record.ts";
import { afterStep, foundEnd } from "./step-end.ts";

const within = { workflow: GRAPH, now: after(NOON, 2000), scheduling: SCHEDULING, claimWithinMs: 60_000 };
const context = { by: "ada", now: after(NOON, 1000), claimWithinMs: 60_000, clockSkewMs: 1000 };
const done = { kind: "done", result: {}, ...route } as const;

function extended(record: StateRecord): StateRecord {
  const decision = decide(record, { kind: "extend", reason: "a slow day", byMs: 3_600_000 }, GRAPH, context);
  if (decision.kind !== "allowed") throw new Error(decision.reason);
  return decision.record;
}

test("P21 time that an operator gave stays while a step that had it is open", () => {
  const begun = claimed(sampleRecord("job-1", GRAPH), GRAPH);
  const beside = afterStep(begun, taskOf(begun, "reserveStock"), done, within);
  if (!beside) throw new Error("the record waits for no step");
  const record = extended(beside);
  const names = Object.keys(record.steps).filter((name) => stepIn(record, name).state === "Scheduled");
  expect(names.length).toBeGreaterThan(1);
  const [first = "", ...rest] = names;
  const next = afterStep(record, taskOf(record, first), done, within);
  expect(next?.dueAt).toBe(record.dueAt);

  const last = rest.reduce<StateRecord | undefined>(
    (known, name) => known && afterStep(known, taskOf(known, name), done, within),
    next,
  );
  expect(last?.dueAt && last.dueAt < String(record.dueAt)).toBe(true);
});

test("P17 the end that another attempt's run recorded is not this one's", () => {
  const begun = claimed(sampleRecord());
  const task = taskOf(begun, "reserveStock");
  const own = { ...stepIn(begun, "reserveStock"), state: "Completed" } as const;
  const ended = { ...begun, steps: { ...begun.steps, reserveStock: own } };
  expect(foundEnd(ended, task)).toEqual({ isTurn: false, isNews: false });
  expect(foundEnd(ended, { ...task, attempt: 2 })).toBeUndefined();
});

test("P15 a step that is rejected beside a retry that may not be announced yet leaves its announcement to be sent", () => {
  const begun = claimed(sampleRecord("job-1", GRAPH), GRAPH);
  const pending = { ...begun, processState: "Pending", lockedBy: null, attempt: 2 } as const;
  const announced: StateRecord = { ...pending, retryScheduled: { attempt: 2, at: NOON } };
  const [name = ""] = Object.keys(begun.steps).filter((step) => stepIn(begun, step).state === "Scheduled");
  const rejected = { kind: "rejected", message: "no", outcomeUnknown: false, ...route } as const;
  const next = afterStep(announced, taskOf(begun, name), rejected, within);
  expect(next?.processState === "Pending" ? next.attempt : 0).not.toBe(2);
  expect(next?.outbox[0]).toEqual({ status: "RetryScheduled", attempt: 2, at: NOON });
});
