// A service takes on a step for later while its job is being compensated (P13): nobody waits for that step, as for one that waited before.
import { beforeEach, expect, test } from "vitest";
import type { Workflow } from "../../src/domain/definition/workflow.ts";
import { type StepTask, tasksToBegin } from "../../src/domain/steps/attempt.ts";
import { loadWorkflows } from "../../src/domain/workflows/workflows.ts";
import { claimJob } from "../../src/scheduler/claim-job.ts";
import { operateJob } from "../../src/scheduler/operating/operate-job.ts";
import { askAgent } from "../../src/scheduler/steps/ask-agent.ts";
import { runStep } from "../../src/scheduler/steps/run-step.ts";
import { takeReply } from "../../src/scheduler/steps/take-reply.ts";
import { NOON_MS, sampleJob, sampleRecord } from "../jobs.ts";
import { createWorld, type World } from "../world.ts";

type Step = Workflow["steps"][number];
const within = { completeWithin: "PT10S" };
const HOTEL: Step = {
  ...{ name: "hotel", agent: "inventory", operation: "reserve", after: [], ...within, awaitWithin: "P10D" },
  compensation: { operation: "release", completeWithin: "PT10S" },
};
const BADGE: Step = {
  ...{ name: "badge", agent: "shipping", operation: "pickUp", after: [], ...within, compensation: "nothing" },
};

let world: World;
beforeEach(() => {
  world = createWorld(NOON_MS);
});

/** A job of these steps, whose first attempt has begun the hotel. */
async function begun(steps: readonly Step[]): Promise<StepTask> {
  const agents = [...world.agents].map(([name, { operationNames: operations }]) => {
    return [name, { operations, transports: ["activity", "queue"] }] as const;
  });
  const policy = { failureThreshold: 2, waits: [], onExhausted: "compensate", onRejected: "compensate" } as const;
  const stay: Workflow = { name: "stay", version: 1, policy, steps };
  Object.assign(world, { workflows: loadWorkflows(new Map(agents), [stay]) });
  await world.store.create(sampleJob("job-1"), sampleRecord("job-1", stay));
  const claim = await claimJob({ jobId: "job-1", attempt: 1, direction: "forward" }, world);
  if (claim.kind !== "claimed") throw new Error(claim.kind);
  const task = tasksToBegin(claim.attempt, new Set()).find((one) => one.step === "hotel");
  if (!task) throw new Error("the hotel is not begun");
  return task;
}

const cancelled = async () => {
  await operateJob("job-1", { kind: "cancel", reason: "changed my mind" }, { by: "ada", ifMatch: "any" }, world);
  await claimJob({ jobId: "job-1", attempt: 2, direction: "compensate" }, world);
};
const hotel = async () => (await world.stateOf())?.steps["hotel"];

/** Its service answers when the second attempt compensates. */
function answersMeanwhile(): void {
  world.answers.set("reserve", async () => {
    await cancelled();
    return { kind: "accepted", reference: "booking 7" };
  });
}

test("P13 its compensation begins at once, and the attempt that holds the job has word of it", async () => {
  const task = await begun([HOTEL]);
  answersMeanwhile();
  const { outcome, receiver } = await runStep(task, world);
  expect(await hotel()).toMatchObject({
    ...{ state: "NotStarted", outcomeUnknown: true },
    compensation: { state: "Scheduled", attempt: 2 },
  });
  expect(receiver).toBe(2);
  expect(outcome).toMatchObject({ kind: "completed", hasEnded: false });
  expect(outcome.kind === "completed" && outcome.steps["hotel"]?.compensation?.state).toBe("Scheduled");
  // Run again after a death: what was begun is not begun anew.
  const before = await world.stateOf();
  expect(await runStep(task, world)).toMatchObject({ outcome: { kind: "superseded" } });
  expect(await world.stateOf()).toEqual(before);
});

test("P13 one that needs no compensation ends the job", async () => {
  const task = await begun([{ ...HOTEL, compensation: "nothing" }]);
  answersMeanwhile();
  expect(await runStep(task, world)).toMatchObject({ outcome: { kind: "completed", hasEnded: true } });
  const record = await world.stateOf();
  expect(record).toMatchObject({ processState: "Cancelled", lockedBy: null, outbox: [] });
  expect(record?.dueAt).toBeUndefined();
  expect(world.statuses.map(({ status }) => status)).toContain("Cancelled");
});

test("P13 beside a step that is at work too: that one is waited for, and the other's compensation begins", async () => {
  const task = await begun([HOTEL, BADGE]);
  answersMeanwhile();
  expect(await runStep(task, world)).toMatchObject({ receiver: 2 });
  expect((await hotel())?.compensation).toMatchObject({ state: "Scheduled", attempt: 2 });
  expect((await world.stateOf())?.steps["badge"]?.state).toBe("Scheduled");
});

test.each([
  ["accepts it", { kind: "accepted", reference: "booking 7" }],
  ["asks to be asked again", { kind: "pending", reference: "booking 7", retryAfterMs: 60_000 }],
] as const)("P13 the same of an agent with a queue that %s", async (_, answer) => {
  const task = await begun([{ ...HOTEL, transport: "queue" }]);
  await askAgent(task, world);
  await cancelled();
  const ticket = world.requests.at(-1)?.request.ticket;
  if (!ticket) throw new Error("the agent was not asked");
  expect(await takeReply({ schemaVersion: 1, ticket, ...answer }, world)).toMatchObject({ receiver: 2 });
  expect(await hotel()).toMatchObject({ state: "NotStarted", compensation: { state: "Scheduled", attempt: 2 } });
});
