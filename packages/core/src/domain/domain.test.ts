import { describe, expect, test } from "vitest";
import { CHAIN, GRAPH, NOON, NOON_MS, SCHEDULING, sampleJob, sampleRecord } from "../../tests/jobs.ts";
import {
  claimed,
  claimWrite,
  endWrites,
  notStarted,
  oneWrite,
  route,
  stepIn,
  taskOf,
  withDone,
} from "../../tests/records.ts";
import { sameJob } from "./content/job.ts";
import type { Workflow } from "./definition/workflow.ts";
import { durationMs, after as later } from "./duration.ts";
import { holds } from "./record/apply-changes.ts";
import { mayHaveHadEffect, planOf, readySteps } from "./record/plan.ts";
import type { ProcessState, StateRecord, StepRecord } from "./record/state-record.ts";
import { remainingInWords } from "./steps/ending.ts";
import { afterStep } from "./steps/step-end.ts";
import { done, rejected, scheduled, takenUp } from "./steps/step-run.ts";
import { markUnread } from "./steps/unread.ts";

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
  test("an instant after another", () => expect(Date.parse(later(NOON, 1500))).toBe(NOON_MS + 1500));
});

test("whether two jobs are the same, whatever the order of their members", () => {
  const job = sampleJob();
  const turned = Object.fromEntries(Object.entries(job).reverse()) as unknown as typeof job;
  expect(sameJob(job, turned)).toBe(true);
  expect(sameJob(job, sampleJob("job-1", { currency: "USD" }))).toBe(false);
});

describe("the fence", () => {
  test("P4 takes a record that is Pending, unlocked and in its attempt, and no other", () => {
    const record = sampleRecord();
    const { guard } = claimWrite(record, [], "job-1-1@hub");
    expect(holds(guard, record)).toBe(true);
    for (const processState of ["Processing", "Processed", "Error"] satisfies ProcessState[]) {
      expect(holds(guard, { ...record, processState })).toBe(false);
    }
    expect(holds(guard, { ...record, lockedBy: "job-1-1" })).toBe(false);
    expect(holds(guard, { ...record, attempt: 2 })).toBe(false);
  });

  test("P8 a superseded attempt's write is rejected: another holder, nobody, an ended job, a step that is not in hand", () => {
    const record = claimed(sampleRecord());
    const task = taskOf(record, "reserveStock");
    const { guard } = endWrites({ ...task, join: { siblings: [], next: [] } })[0] ?? expect.fail();
    expect(holds(guard, record)).toBe(true);
    expect(holds(guard, { ...record, lockedBy: "job-1-2", attempt: 2 })).toBe(false);
    expect(holds(guard, { ...record, processState: "Pending", lockedBy: null })).toBe(false);
    const again = { ...record, steps: { reserveStock: { ...task.record, attempt: 2 } } };
    expect(holds(guard, again)).toBe(false);
    expect(holds(guard, { ...record, processState: "Error" })).toBe(false);
    expect(holds(guard, withDone(record, "reserveStock"))).toBe(false);
  });

  const NO_STOCK = { kind: "rejected", message: "no stock", ...route } as const;
  const within = (onRejected: "fail" | "compensate") => ({
    workflow: { ...CHAIN, policy: { ...CHAIN.policy, onRejected } },
    now: NOON,
    scheduling: SCHEDULING,
    claimWithinMs: 1000,
  });

  test("P9 a rejection for good sets Error, releases the job and leaves an outbox message in the same write", () => {
    const record = claimed(sampleRecord());
    const task = taskOf(record, "reserveStock");
    const error = { kind: "rejected", message: "no stock", step: task.step, agent: task.agent, at: NOON } as const;
    const ended = afterStep(record, task, NO_STOCK, within("fail"));
    expect(ended).toMatchObject({ processState: "Error", lockedBy: null, completeBy: null, error });
    expect(ended?.outbox).toMatchObject([{ status: "Failed" }]);
    expect(ended?.steps["reserveStock"]).toMatchObject({ state: "Failed", error: "no stock" });
  });

  test("P9 P11 or, by policy, sends the next attempt the other way", () => {
    const record = claimed(sampleRecord());
    const task = taskOf(record, "reserveStock");
    const error = { kind: "rejected", message: "no stock", step: task.step, agent: task.agent, at: NOON } as const;
    const compensating = afterStep(record, task, NO_STOCK, within("compensate"));
    expect(compensating).toMatchObject({
      processState: "Pending",
      direction: "compensate",
      attempt: 2,
      lockedBy: null,
      error,
    });
  });

  test("no write changes more than the ten places that a patch may have", () => {
    const record = claimed(sampleRecord("job-1", GRAPH), GRAPH);
    const task = taskOf(record, "reserveStock");
    const times = { transport: "activity", completeWithin: "PT10S", record: notStarted } as const;
    const five = ["a", "b", "c", "d", "e"].map((name) => ({ ...times, name }));
    const four = five.slice(1).map((step) => scheduled(step, 1, "forward", NOON, SCHEDULING));
    const [mark] = markUnread(task, takenUp("forward", NOON, NOON), NOON).map(oneWrite);
    const ends = endWrites({ ...task, join: { siblings: ["b", "c"], next: five } });
    const sizes = [claimWrite({ ...sampleRecord(), updatedAt: "" }, four, "job-1-1@hub"), mark, ...ends].map(
      (write) => write?.changes.length ?? 0,
    );
    expect(sizes).toEqual([10, 4, 3, 10]);
  });
});

describe("P13 the plan of a compensation", () => {
  const names = (workflow: Workflow, record: StateRecord) =>
    planOf(workflow, record.steps, "compensate").map(({ name, operation, after }) => [
      `${name}:${operation}`,
      ...after,
    ]);

  test("is what was done, each step after all that came after it, with and without steps between that need no compensation", () => {
    const all = withDone(sampleRecord("o", GRAPH), "reserveStock", "takePayment", "checkFraud", "arrangeShipping");
    expect(names(GRAPH, all)).toEqual([
      ["reserveStock:release", "takePayment", "arrangeShipping"],
      ["takePayment:void", "arrangeShipping"],
      ["arrangeShipping:cancel"],
    ]);
  });

  test.each<[string, Partial<StepRecord>, boolean]>([
    ["never begun", {}, false],
    ["waiting for its agent when its time ran out", { state: "Scheduled", scheduledAt: NOON }, true],
    ["scheduled, and not known to be taken up", { scheduledAt: NOON, waitCount: 1 }, true],
    ["running when its time ran out", { state: "Running", scheduledAt: NOON }, true],
    ["to be tried again", { retryCount: 1 }, true],
    ["rejected for good", { state: "Failed", scheduledAt: NOON }, false],
    ["rejected after a try without an answer", { state: "Failed", scheduledAt: NOON, outcomeUnknown: true }, true],
    ["rejected after an attempt that ran out of time", { state: "Failed", scheduledAt: NOON, retryCount: 1 }, true],
    ["rejected after a try without an answer, to be tried again", { outcomeUnknown: true }, true],
    ["completed", { state: "Completed", scheduledAt: NOON }, true],
  ])("a step that was %s: %o may have had an effect: %s", (_, changes, effect) =>
    expect(mayHaveHadEffect({ ...notStarted, ...changes })).toBe(effect),
  );

  test("goes on where an earlier attempt at it ended, and leaves what was rejected to a person", () => {
    const all = withDone(sampleRecord("o", GRAPH), "reserveStock", "takePayment", "checkFraud", "arrangeShipping");
    const compensated = done(stepIn(all, "arrangeShipping"), 1, "compensate", {}, route, NOON);
    const failed = rejected(stepIn(all, "takePayment"), "compensate", "too late", route, NOON);
    const steps = { ...all.steps, arrangeShipping: compensated, takePayment: failed };
    const ready = readySteps(planOf(GRAPH, steps, "compensate"), steps, "compensate", NOON);
    expect(ready.map(({ name }) => name)).toEqual(["reserveStock"]);
    expect(remainingInWords(GRAPH, steps)).toBe("not compensated: takePayment");
    expect(compensated).toMatchObject({ state: "Compensated", result: { id: "arrangeShipping" } });
  });
});
