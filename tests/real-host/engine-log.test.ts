// The console of a real host, as far as it says when activities are scheduled, taken up and done.
import { expect, test } from "vitest";
import { distributionOf, EngineLog, figuresOf, momentsOf } from "./engine-log.ts";

function received(entries: readonly (readonly [at: number, head: string, message: string])[]): EngineLog {
  const log = new EngineLog();
  for (const [at, head, message] of entries) {
    log.take(head, at);
    log.take(`      ${message}`, at);
  }
  return log;
}

const scheduled = (at: number, id: string, activity: string) =>
  [at, "info: DurableTask.Core[46]", `${id}: Scheduling activity [${activity}] with 0 bytes of input`] as const;
const started = (at: number, id: string, activity: string) =>
  [at, "info: DurableTask.Core[60]", `${id}: Starting task activity [${activity}]`] as const;
const done = (at: number, id: string, activity: string) =>
  [at, "info: DurableTask.Core[61]", `${id}: Task activity [${activity}] completed successfully`] as const;

const log = received([
  scheduled(1000, "made-a-1-1", "claimJob#0"),
  scheduled(1000, "made-a-2-1", "claimJob#0"),
  [1200, "info: DurableTask.AzureStorage[102]", "made-a-1-1: Fetched [TaskScheduled#0] message from workitems"],
  started(1500, "made-a-1-1", "claimJob#0"),
  [1510, "info: Function.claimJob[1]", "Executing 'Functions.claimJob' [claimJob#0]"],
  done(1520, "made-a-1-1", "claimJob#0"),
  scheduled(1600, "made-a-1-1", "inventoryAgent#1"),
  started(2500, "made-a-2-1", "claimJob#0"),
  done(2600, "made-a-2-1", "claimJob#0"),
  started(3500, "made-a-1-1", "inventoryAgent#1"),
  [
    3600,
    "warn: DurableTask.Core[62]",
    "made-a-1-1: Task activity [inventoryAgent#1] failed with an unhandled exception",
  ],
  scheduled(4000, "made-b-1-1", "claimJob#0"),
]);

test("each activity has the times at which it was scheduled, taken up and done, by its orchestration", () => {
  expect(log.runs("made-a-")).toEqual([
    { orchestration: "made-a-1-1", name: "claimJob", scheduledAt: 1000, startedAt: 1500, doneAt: 1520 },
    { orchestration: "made-a-2-1", name: "claimJob", scheduledAt: 1000, startedAt: 2500, doneAt: 2600 },
    { orchestration: "made-a-1-1", name: "inventoryAgent", scheduledAt: 1600, startedAt: 3500, doneAt: 3600 },
  ]);
  expect(log.runs("made-b-")).toHaveLength(1);
});

test("waits and runs are spread by activity", () => {
  const [claim, step] = figuresOf(log.runs("made-a-"));
  expect(claim).toMatchObject({
    name: "claimJob",
    waitMs: { count: 2, least: 500, most: 1500 },
    runMs: { most: 100 },
  });
  expect(step).toMatchObject({ name: "inventoryAgent", waitMs: { p50: 1900 }, startedMs: { least: 2500 } });
});

test("moments say how many activities waited and ran, and how far claims and first steps had come", () => {
  expect(momentsOf(log.runs("made-a-"), 10, "claimJob", "inventoryAgent")).toEqual([
    { atMs: 1000, waiting: 2, running: 0, firstStepsDone: 1, secondStepsStarted: 0, done: 1 },
    { atMs: 2000, waiting: 1, running: 0, firstStepsDone: 2, secondStepsStarted: 0, done: 2 },
    { atMs: 3000, waiting: 0, running: 0, firstStepsDone: 2, secondStepsStarted: 1, done: 3 },
  ]);
  expect(momentsOf(log.runs("made-a-"), 2, "claimJob", "inventoryAgent").map(({ atMs }) => atMs)).toEqual([2000, 4000]);
});

test("a spread of nothing has no numbers", () => {
  expect(distributionOf([])).toEqual({
    count: 0,
    least: Number.NaN,
    p50: Number.NaN,
    p90: Number.NaN,
    most: Number.NaN,
  });
});
