// Advice on times: from the times that records keep, and what other limits would have done.
import type { StepRecord, Workflow } from "@scheduler-agent-supervisor/core/domain";
import { describe, expect, test } from "vitest";
import { adviceOn, type EndedJob } from "./advice.ts";

const step = { agent: "bank", operation: "pay", after: [], completeWithin: "PT30S", compensation: "nothing" } as const;
const workflow: Workflow = {
  name: "loan",
  version: 2,
  policy: { failureThreshold: 3, waits: [], onExhausted: "fail", onRejected: "fail" },
  steps: [{ name: "pay", ...step }],
};
const NOON = Date.parse("2026-01-01T12:00:00Z");
const at = (ms: number) => new Date(NOON + ms).toISOString();

function job(workMs: number, changes: Partial<StepRecord> = {}, run = "pay"): EndedJob {
  const times = { scheduledAt: at(0), startedAt: at(50), endedAt: at(50 + workMs) };
  const record = { state: "Completed", retryCount: 0, waitCount: 0, accepted: undefined, ...times, ...changes };
  return { workflow: { name: "loan", version: 2 }, steps: { [run]: record as StepRecord } };
}

/** 1 to `count` hundredths of a second. */
const sample = (count: number) => Array.from({ length: count }, (_, place) => job((place + 1) * 10));
const adviceFor = (jobs: readonly EndedJob[], changes = {}) => adviceOn(workflow, jobs, changes)[0];

test("a step's times are proposed from its percentiles, and never below what an instance needs to start", () => {
  expect(adviceFor(sample(200))).toMatchObject({
    start: { count: 200, p50Ms: 50, p99Ms: 50 },
    work: { count: 200, p50Ms: 1000, p99Ms: 1980, mostMs: 2000 },
    current: { startWithin: "PT30S", completeWithin: "PT30S" },
    proposed: { startWithin: "PT10S", completeWithin: "PT10S" },
    because: "3 times the 99th percentile of 200 runs, rounded up",
  });
});

test("of few runs nothing is proposed, and neither of none", () => {
  expect(adviceFor(sample(99))).toMatchObject({ proposed: null, because: "99 of at least 100 runs are known" });
  expect(adviceFor([])).toMatchObject({ work: null, start: null, proposed: null, timeouts: 0 });
  const other = sample(200).map((each) => ({ ...each, workflow: { name: "other", version: 1 } }));
  expect(adviceFor(other)).toMatchObject({ work: null });
});

test("where attempts ran out of time, longer runs are not seen: the proposal is not shorter than today", () => {
  const timedOut = Array.from({ length: 10 }, () => job(100, { retryCount: 1, failureCount: 1 }));
  expect(adviceFor([...sample(200), ...timedOut])).toMatchObject({
    timeouts: 10,
    proposed: { completeWithin: "PT30S" },
    because: expect.stringContaining("10 attempts ran out of time"),
  });
});

test("a step that is done later works until its acceptance, and waits from then on", () => {
  const later = job(60_000, { accepted: { at: at(250) } });
  expect(adviceFor([later])).toMatchObject({ work: { p50Ms: 200 }, wait: { p50Ms: 59_800 } });
});

describe("what other limits would have done", () => {
  test("runs that took longer would have timed out; with their failures the threshold would have been reached", () => {
    const failed = job(100, { failureCount: 2, retryCount: 2 });
    const advice = adviceFor([...sample(200), failed], { completeWithinMs: 1500, failureThreshold: 2 });
    expect(advice?.outlook).toMatchObject({
      today: { jobs: 201, timedOut: 0, exhausted: 0 },
      asked: { jobs: 201, timedOut: 50, exhausted: 1 },
    });
    expect(adviceFor([job(2000, { failureCount: 2 })], { completeWithinMs: 1000 })?.outlook).toMatchObject({
      today: { exhausted: 0 },
      asked: { timedOut: 1, exhausted: 1 },
    });
  });

  test("the runs of one job's items count once", () => {
    const steps = { ...job(5000, {}, "pay_1").steps, ...job(5000, {}, "pay_2").steps };
    const tour = { workflow: { name: "loan", version: 2 }, steps };
    expect(adviceFor([tour], { completeWithinMs: 1000 })?.outlook.asked).toMatchObject({ jobs: 1, timedOut: 1 });
    expect(adviceFor([tour])?.work).toMatchObject({ count: 2 });
  });

  test("a step that was taken up later would have been scheduled again", () => {
    const late = job(10, { startedAt: at(20_000), endedAt: at(20_010) });
    expect(adviceFor([late], { startWithinMs: 5000 })?.outlook.asked).toMatchObject({ startedLater: 1, timedOut: 0 });
  });
});
