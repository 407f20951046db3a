// An attempt's look at the record, after the process that recorded a reply has crashed before it published that (P15).
import { beforeEach, expect, test } from "vitest";
import { planOf } from "../../src/domain/record/plan.ts";
import { startAttemptOf } from "../../src/domain/recovery/recovery.ts";
import { type Attempt, attemptOf, lookOf, tasksToBegin } from "../../src/domain/steps/attempt.ts";
import { claimJob } from "../../src/scheduler/claim-job.ts";
import { readProgress } from "../../src/scheduler/scheduler-client.ts";
import { answerRequest } from "../../src/scheduler/steps/answer-request.ts";
import { askAgent } from "../../src/scheduler/steps/ask-agent.ts";
import { runStep } from "../../src/scheduler/steps/run-step.ts";
import { takeReply } from "../../src/scheduler/steps/take-reply.ts";
import { GRAPH, NOON_MS, sampleJob, sampleRecord } from "../jobs.ts";
import { createWorld, type World } from "../world.ts";

let world: World;
beforeEach(async () => {
  world = createWorld(NOON_MS);
  const record = sampleRecord("job-1", GRAPH);
  await world.store.create(sampleJob(), record);
  await claimJob(startAttemptOf(record), world);
  await runStep(taskOf(await held(), "reserveStock"), world);
});

async function held(): Promise<Attempt> {
  const record = await world.stateOf();
  if (!record?.lockedBy) throw new Error("nobody holds the job");
  return attemptOf(record, record.lockedBy, planOf(GRAPH, record.steps, record.direction));
}

function taskOf(attempt: Attempt, step: string) {
  const task = tasksToBegin(attempt, new Set()).find((one) => one.step === step);
  if (!task) throw new Error(`${step} is not open`);
  return task;
}

/** Its process is killed after the write. */
async function replyUnpublished(): Promise<void> {
  await askAgent(taskOf(await held(), "checkFraud"), world);
  const asked = world.requests.at(-1);
  if (!asked) throw new Error("nothing was asked");
  await answerRequest(asked.agent, asked.request, "agent-replies", world);
  const killed = { ...world.messenger, publish: () => new Promise<never>(() => undefined) };
  void takeReply(world.replies.at(-1), { ...world, messenger: killed });
  await expect.poll(async () => (await world.stateOf())?.steps["checkFraud"]?.state).toBe("Completed");
}

const published = () => world.statuses.flatMap(({ step }) => step ?? []);

test("the step that it waited for is published, and then the attempt continues", async () => {
  const attempt = await held();
  await replyUnpublished();
  expect(published()).toEqual(["reserveStock"]);
  expect(await readProgress(lookOf(attempt), world)).toMatchObject({
    kind: "completed",
    steps: { checkFraud: { state: "Completed" } },
  });
  expect(published()).toEqual(["reserveStock", "checkFraud"]);
});

test("without anything new nothing is sent", async () => {
  expect(await readProgress(lookOf(await held()), world)).toMatchObject({ kind: "completed" });
  expect(published()).toEqual(["reserveStock"]);
});

test("an attempt that does not hold the job any more is notified of that, and nothing is sent", async () => {
  const look = lookOf(await held());
  await replyUnpublished();
  expect(await readProgress({ ...look, lockedBy: "job-1-7@other" }, world)).toEqual({ kind: "superseded" });
  expect(published()).toEqual(["reserveStock"]);
});
