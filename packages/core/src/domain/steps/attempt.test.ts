// What an attempt knows of its job: what it is told late changes nothing that it knows better.
import { describe, expect, test } from "vitest";
import { CHAIN, NOON, sampleRecord } from "../../../tests/jobs.ts";
import { claimed, stepIn } from "../../../tests/records.ts";
import { planOf } from "../record/plan.ts";
import type { StepRecord } from "../record/state-record.ts";
import { advance, attemptOf, looksAt, runKey, tasksToBegin } from "./attempt.ts";

const record = claimed(sampleRecord());
const attempt = attemptOf(record, "job-1-1@hub", planOf(CHAIN, record.steps, "forward"));
const step = stepIn(record, "reserveStock");
const knowing = (known: StepRecord) => ({ ...attempt, steps: { ...attempt.steps, reserveStock: known } });
const after = (news: StepRecord) => ({ kind: "completed", steps: { reserveStock: news }, hasEnded: false }) as const;

describe("P14 an attempt's knowledge of a step", () => {
  const done: StepRecord = { ...step, state: "Completed", endedAt: NOON };
  const awaiting: StepRecord = { ...step, state: "Awaiting", completeBy: NOON };

  test.each<[string, StepRecord, StepRecord]>([
    ["it is done, and an older event says that it runs", done, { ...step, state: "Running" }],
    ["it waits, and an older event says that it is scheduled", awaiting, step],
    ["a later attempt runs it, and an older event is of the one before", { ...step, attempt: 2 }, awaiting],
    [
      "its time was extended, and an older event has the time before",
      { ...awaiting, completeBy: "2030-01-01T00:00:00.000Z" },
      awaiting,
    ],
  ])("%s: it stays", (_, known, older) => {
    expect(advance(knowing(known), after(older)).steps["reserveStock"]).toBe(known);
  });

  test.each<[string, StepRecord, StepRecord]>([
    ["it runs, and is done", { ...step, state: "Running" }, done],
    ["it is scheduled again by a later attempt", awaiting, { ...step, attempt: 2 }],
    ["its compensation begins", done, { ...done, compensation: { ...step, state: "Scheduled" } }],
  ])("%s: it is taken", (_, known, newer) => {
    expect(advance(knowing(known), after(newer)).steps["reserveStock"]).toBe(newer);
  });
});

test("P14 an attempt that receives nothing looks at its record less and less often", () => {
  const pauses = [0, 1, 2, 5].map((looks) => looksAt(NOON, looks).getTime() - Date.parse(NOON));
  expect(pauses).toEqual([5000, 10_000, 20_000, 160_000]);
});

test("P5 a step that an attempt has begun is not begun a second time", () => {
  const [task, ...others] = tasksToBegin(attempt, new Set());
  if (!task) throw new Error("there is no task");
  expect([task.step, others]).toEqual(["reserveStock", []]);
  expect(tasksToBegin(attempt, new Set([runKey(task)]))).toEqual([]);
});
