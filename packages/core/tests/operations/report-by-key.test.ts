// A step whose agent has begun something elsewhere (P22): a message names it by its key, and what is reported is read, not said.
import { beforeEach, expect, test, vi } from "vitest";
import type { Workflow } from "../../src/domain/definition/workflow.ts";
import { tasksToBegin } from "../../src/domain/steps/attempt.ts";
import { loadWorkflows } from "../../src/domain/workflows/workflows.ts";
import { claimJob } from "../../src/scheduler/claim-job.ts";
import { operateJob } from "../../src/scheduler/operating/operate-job.ts";
import { type ReadEnd, reportByKey, type StepEnded } from "../../src/scheduler/steps/report-by-key.ts";
import { runStep } from "../../src/scheduler/steps/run-step.ts";
import { NOON_MS, sampleJob, sampleRecord } from "../jobs.ts";
import { createWorld, type World } from "../world.ts";

const within = { completeWithin: "PT10S", awaitWithin: "P10D" };
const STAY: Workflow = {
  name: "stay",
  version: 1,
  policy: { failureThreshold: 2, waits: [], onExhausted: "fail", onRejected: "compensate" },
  steps: [
    {
      ...{ name: "hotel", agent: "inventory", operation: "reserve", after: [], startWithin: "PT5S", ...within },
      compensation: { operation: "release", ...within },
    },
  ],
};
const KEY = "job-1:hotel:forward";
const DONE: StepEnded = { kind: "done", result: { reservationId: "r-1" } };

let world: World;
beforeEach(async () => {
  world = createWorld(NOON_MS);
  const agents = [...world.agents].map(([name, { operationNames: operations }]) => {
    return [name, { operations, transports: ["activity", "queue"] }] as const;
  });
  Object.assign(world, { workflows: loadWorkflows(new Map(agents), [STAY]) });
  await world.store.create(sampleJob("job-1"), sampleRecord("job-1", STAY));
  for (const operation of ["reserve", "release"]) world.answers.set(operation, () => ({ kind: "accepted" }));
});

async function run(attempt = 1, direction: "forward" | "compensate" = "forward") {
  const claim = await claimJob({ jobId: "job-1", attempt, direction }, world);
  const [task] = claim.kind === "claimed" ? tasksToBegin(claim.attempt, new Set()) : [];
  if (!task) throw new Error("there is nothing to begin");
  return runStep(task, world);
}

const reading = (ended: StepEnded | undefined) => vi.fn<ReadEnd>(async () => ended);
const hotel = async () => (await world.stateOf())?.steps["hotel"];

test("P22 the end of a step that waits is recorded once, however often it is said", async () => {
  await run();
  expect(await reportByKey(KEY, reading(undefined), world)).toBeUndefined();
  expect(await hotel()).toMatchObject({ state: "Awaiting" });
  const readEnd = reading(DONE);
  expect(await reportByKey(KEY, readEnd, world)).toMatchObject({ ticket: { jobId: "job-1", step: "hotel" } });
  expect(readEnd).toHaveBeenCalledWith(
    { idempotencyKey: KEY, direction: "forward", job: expect.anything() },
    world.store,
  );
  const record = await world.stateOf();
  expect(record).toMatchObject({ processState: "Processed" });
  const late = reading({ kind: "rejected", message: "no" });
  await reportByKey(KEY, late, world);
  expect(late).not.toHaveBeenCalled();
  expect(await world.stateOf()).toEqual(record);
});

test("P22 an end that is said before the step is recorded as accepted is its end", async () => {
  world.answers.set("reserve", async () => {
    await reportByKey(KEY, reading(DONE), world);
    return { kind: "accepted" };
  });
  await run();
  expect(await world.stateOf()).toMatchObject({ processState: "Processed", steps: { hotel: { state: "Completed" } } });
});

test("P22 of a step that is being compensated it is the compensation's end", async () => {
  await run();
  const caller = { by: "ada", ifMatch: "any" } as const;
  await operateJob("job-1", { kind: "cancel", reason: "not wanted" }, caller, world);
  await reportByKey(KEY, reading(DONE), world);
  await run(2, "compensate");
  const readEnd = reading(DONE);
  await reportByKey(KEY, readEnd, world);
  expect(readEnd.mock.calls[0]?.[0]).toMatchObject({ direction: "compensate", idempotencyKey: KEY });
  expect(await world.stateOf()).toMatchObject({ processState: "Cancelled" });
});

test.each([
  "",
  "nowhere:hotel:forward",
  "job-1:nothing:forward",
  "job-1:toString:forward",
  `${KEY}:2`,
  "job-1:hotel:compensate",
])("P31 a message with another key has nothing read: %s", async (key) => {
  await run();
  const readEnd = reading(DONE);
  expect(await reportByKey(key, readEnd, world)).toBeUndefined();
  expect(readEnd).not.toHaveBeenCalled();
});
