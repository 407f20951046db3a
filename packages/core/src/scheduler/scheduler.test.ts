// What an attempt's orchestration leaves behind when it goes on: a timer that is still pending would keep it from ending.
import type { OrchestrationContext, Task } from "durable-functions";
import { expect, test } from "vitest";
import { CHAIN, NOON, NOON_MS, sampleRecord } from "../../tests/jobs.ts";
import { claimed, stepIn } from "../../tests/records.ts";
import { planOf } from "../domain/record/plan.ts";
import { type Attempt, attemptOf, type StepOutcome } from "../domain/steps/attempt.ts";
import { scheduler } from "./scheduler.ts";

interface FakeTask {
  isCompleted: boolean;
  isFaulted?: boolean;
  result?: unknown;
}
interface FakeTimer extends FakeTask {
  isCancelled: boolean;
}

/** An engine in which nothing happens by itself. */
function engineFor(attempt: Attempt) {
  const timers: FakeTimer[] = [];
  const events: FakeTask[] = [];
  const activities: (FakeTask & { readonly name: string })[] = [];
  const begun = (task: FakeTask) => task;
  const called = (name: string) => {
    const activity = { name, isCompleted: false };
    activities.push(activity);
    return activity;
  };
  const df = {
    getInput: () => attempt,
    currentUtcDateTime: new Date(NOON_MS),
    waitForExternalEvent: (name: string) => {
      const event = begun({ isCompleted: false });
      if (name === "progress") events.push(event);
      return event;
    },
    createTimer: () => {
      const timer = { isCompleted: false, isCancelled: false };
      timers.push(timer);
      return {
        ...timer,
        get isCompleted() {
          return timer.isCompleted;
        },
        cancel: () => {
          timer.isCancelled = true;
        },
      };
    },
    callActivity: (name: string) => called(name),
    callActivityWithRetry: (name: string) => called(name),
    Task: { any: (tasks: Task[]) => tasks, all: (tasks: Task[]) => tasks },
  };
  return { timers, events, activities, context: { df } as unknown as OrchestrationContext };
}

/** An attempt at a job whose step is done later, and the same after it was reported. */
function waiting() {
  const record = claimed(sampleRecord());
  const step = { ...stepIn(record, "reserveStock"), state: "Awaiting", completeBy: NOON } as const;
  const steps = { ...record.steps, reserveStock: step };
  return attemptOf({ ...record, steps }, "job-1-1@hub", planOf(CHAIN, steps, "forward"));
}

test("P14 an attempt that receives an event in time cancels its timer", () => {
  const { timers, events, context } = engineFor(waiting());
  const run = scheduler(context);
  run.next();
  Object.assign(events[0] as FakeTask, { isCompleted: true, result: { kind: "completed", steps: {}, hasEnded: true } });
  expect(run.next()).toEqual({ done: true, value: "concluded" });
  expect(timers).toMatchObject([{ isCancelled: true }]);
});

test("P14 a timer that has fired is not cancelled", () => {
  const { timers, context } = engineFor(waiting());
  const run = scheduler(context);
  run.next();
  Object.assign(timers[0] as FakeTimer, { isCompleted: true });
  expect(run.next().done).toBe(false);
  expect(timers).toMatchObject([{ isCancelled: false }, { isCancelled: false }]);
});

test("P16 what an activity recorded that then failed is published when another step ends the job", () => {
  const { timers, events, activities, context } = engineFor(waiting());
  const run = scheduler(context);
  run.next();
  Object.assign(timers[0] as FakeTimer, { isCompleted: true });
  run.next();
  Object.assign(activities[0] as FakeTask, { isCompleted: true, isFaulted: true });
  run.next();
  Object.assign(events[0] as FakeTask, { isCompleted: true, result: { kind: "completed", steps: {}, hasEnded: true } });
  expect(run.next()).toMatchObject({ done: false, value: { name: "publishEnd" } });
  expect(run.next()).toEqual({ done: true, value: "concluded" });
});

test.each<[string, StepOutcome, readonly string[]]>([
  ["whose job has another one runs no activity more", { kind: "superseded", by: 2 }, []],
  ["that does not hold its job says its end, if it has ended", { kind: "superseded" }, ["publishEnd"]],
  ["whose step is too late says its job's end, if it has ended", { kind: "expired" }, ["publishEnd"]],
])("P14 P26 an attempt %s", (_, result, wanted) => {
  const { events, activities, context } = engineFor(waiting());
  const run = scheduler(context);
  run.next();
  Object.assign(events[0] as FakeTask, { isCompleted: true, result });
  for (let left = 2; left > 0 && !run.next().done; ) left -= 1;
  expect(activities.map(({ name }) => name)).toEqual(wanted);
});
