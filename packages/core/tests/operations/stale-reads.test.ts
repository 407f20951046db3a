// P8, P16 reads of a process that has not seen what another one wrote: no answer is final because of them.

import { inspectJob } from "@scheduler-agent-supervisor/operator/adapters";
import { createMemoryJobStore, type MemoryJobStore } from "@scheduler-agent-supervisor/testing/memory";
import { beforeEach, expect, test } from "vitest";
import type { Workflow } from "../../src/domain/definition/workflow.ts";
import { planOf } from "../../src/domain/record/plan.ts";
import { attemptOf, type StepTask, tasksToBegin } from "../../src/domain/steps/attempt.ts";
import { loadWorkflows } from "../../src/domain/workflows/workflows.ts";
import { claimJob } from "../../src/scheduler/claim-job.ts";
import { operateJob } from "../../src/scheduler/operating/operate-job.ts";
import { reportStep } from "../../src/scheduler/operating/report-step.ts";
import { publishEndOf } from "../../src/scheduler/publishing/publish.ts";
import { readProgress } from "../../src/scheduler/scheduler-client.ts";
import { answerRequest } from "../../src/scheduler/steps/answer-request.ts";
import { askAgent } from "../../src/scheduler/steps/ask-agent.ts";
import { parseReport } from "../../src/scheduler/steps/completion.ts";
import { pollService } from "../../src/scheduler/steps/poll-service.ts";
import { runStep } from "../../src/scheduler/steps/run-step.ts";
import { takeReply, takeReport } from "../../src/scheduler/steps/take-reply.ts";
import { contentDigest as digestOf } from "../../src/submission/content-digest.ts";
import { takeCancellation } from "../../src/submission/take-cancellation.ts";
import { USUAL_WORKFLOW } from "../goods.ts";
import { CHAIN, NOON_MS, sampleJob, sampleRecord } from "../jobs.ts";
import { createWorld, ENVELOPE, type World } from "../world.ts";

const within = { completeWithin: "PT10S" };
const nothing = { compensation: "nothing" } as const;

/** Side by side: one that is asked over its queue, one that is done later, one at once. */
const TRIP: Workflow = {
  name: "trip",
  version: 1,
  policy: { failureThreshold: 2, waits: [], onExhausted: "compensate", onRejected: "compensate" },
  steps: [
    { name: "check", agent: "fraud", operation: "check", after: [], ...within, transport: "queue", ...nothing },
    { name: "hotel", agent: "inventory", operation: "reserve", after: [], ...within, awaitWithin: "P10D", ...nothing },
    { name: "badge", agent: "shipping", operation: "pickUp", after: [], ...within, ...nothing },
  ],
};

let world: World;
/** As another process of the app sees the same. */
let there: World;
let lagging: MemoryJobStore;

beforeEach(() => {
  const store = createMemoryJobStore();
  lagging = store.inAnotherProcess();
  world = createWorld(NOON_MS, store);
  const agents = [...world.agents].map(([name, { operationNames: operations }]) => {
    return [name, { operations, transports: ["activity", "queue"] }] as const;
  });
  const workflows = loadWorkflows(new Map(agents), [TRIP, CHAIN]);
  Object.assign(world, { workflows, rules: { ...world.rules, workflows: workflows.names } });
  world.answers.set("reserve", () => ({ kind: "accepted", reference: "booking 7" }));
  there = Object.assign(Object.create(Object.getPrototypeOf(world)) as World, world, { store: lagging });
});

async function created(workflow = TRIP): Promise<void> {
  await world.store.create(sampleJob("job-1"), sampleRecord("job-1", workflow));
}

async function claimed(): Promise<readonly StepTask[]> {
  const claim = await claimJob({ jobId: "job-1", attempt: 1, direction: "forward" }, world);
  if (claim.kind !== "claimed") throw new Error(claim.kind);
  return tasksToBegin(claim.attempt, new Set());
}

const task = (tasks: readonly StepTask[], name: string) => tasks.find(({ step }) => step === name) as StepTask;
const state = async (step: string) => (await world.stateOf())?.steps[step]?.state;

test("P7 a reply that is faster than the record of its request is recorded", async () => {
  await created();
  lagging.lag("job-1");
  await askAgent(task(await claimed(), "check"), world);
  const asked = world.requests.at(-1);
  if (!asked) throw new Error("nothing was asked");
  await answerRequest(asked.agent, asked.request, "agent-replies", world);
  expect(await takeReply(world.replies.at(-1), there)).toMatchObject({ outcome: { kind: "completed" } });
  expect(await state("check")).toBe("Completed");
  expect(world.eventNames()).not.toContain("LateReplyRejected");
});

test("P8 a reply in the time that an operator has added is recorded", async () => {
  await created();
  await runStep(task(await claimed(), "hotel"), world);
  lagging.lag("job-1");
  const extend = { kind: "extend", reason: "it is slow", byMs: 3_600_000 } as const;
  expect(await operateJob("job-1", extend, { by: "ann", ifMatch: "any" }, world)).toMatchObject({ kind: "done" });
  const { lockedBy, steps } = (await world.stateOf()) ?? {};
  const about = { jobId: "job-1", attempt: 1, step: "hotel", direction: "forward", lockedBy };
  const ticket = { ...about, nonce: steps?.["hotel"]?.nonce };
  const now = () => NOON_MS + 10 * 86_400_000 + 600_000;
  const reply = { schemaVersion: 1, ticket, kind: "done", result: {} };
  expect(await takeReply(reply, { ...there, now })).toMatchObject({ outcome: { kind: "completed" } });
});

test("P34 a request that must not be repeated is taken up by a process that has not seen its record", async () => {
  await created();
  lagging.lag("job-1");
  await askAgent(task(await claimed(), "check"), world);
  const asked = world.requests.at(-1);
  if (!asked) throw new Error("nothing was asked");
  const agents = new Map([...there.agents].map(([name, agent]) => [name, { ...agent, isNotRepeated: () => true }]));
  await answerRequest(asked.agent, asked.request, "agent-replies", { ...there, agents });
  expect(world.replies.at(-1)).toMatchObject({ kind: "done" });
  expect((await world.stateOf())?.steps["check"]).toMatchObject({ state: "Running", attempt: 1 });
});

test("P4 a start message that is faster than the record of its attempt claims it", async () => {
  await created();
  lagging.lag("job-1");
  const read = await world.store.state("job-1");
  if (!read) throw new Error("no job");
  await world.store.replace(read, { ...read.record, attempt: 2 });
  const claim = await claimJob({ jobId: "job-1", attempt: 2, direction: "forward" }, there);
  expect(claim).toMatchObject({ kind: "claimed", attempt: { attempt: 2 } });
  expect(world.eventNames()).not.toContain("ClaimRejected");
});

test("P6 a report that is faster than the record of its address is not known yet, and taken when it comes again", async () => {
  await created();
  lagging.lag("job-1");
  await runStep(task(await claimed(), "hotel"), world);
  const url = world.calls.at(-1)?.completion?.url ?? "";
  const parsed = parseReport(url.slice(url.lastIndexOf("/") + 1), JSON.stringify({ kind: "done", result: {} }));
  if (parsed.kind !== "valid") throw new Error(parsed.kind);
  expect(await takeReport(parsed.report, there)).toEqual({ kind: "unknown" });
  lagging.lag("job-1");
  expect(await takeReport(parsed.report, there)).toMatchObject({ kind: "recorded" });
  expect(await state("hotel")).toBe("Completed");
});

test("an operator reports a step, and looks at a job, that another process has just recorded", async () => {
  lagging.lag("job-1");
  await created();
  expect(await inspectJob("job-1", there)).toMatchObject({ record: { jobId: "job-1" } });
  lagging.lag("job-1");
  await runStep(task(await claimed(), "hotel"), world);
  const report = { kind: "done", result: {}, reason: "by telephone" } as const;
  const reported = await reportStep("job-1", "hotel", report, { by: "ann", ifMatch: "any" }, there);
  expect(reported).toMatchObject({ kind: "reported" });
});

test("an operator acts on a job as it stands now", async () => {
  lagging.lag("job-1");
  await created();
  const cancel = { kind: "cancel", reason: "not wanted" } as const;
  const cancelled = await operateJob("job-1", cancel, { by: "ann", ifMatch: "any" }, there);
  expect(cancelled).toMatchObject({ kind: "done", record: { processState: "Cancelled" } });
});

test("P13 a cancellation finds a job that another process recorded, however old the message is", async () => {
  lagging.lag("job-1");
  await world.submitted();
  const contentDigest = digestOf(sampleJob("job-1"), USUAL_WORKFLOW);
  const body = { kind: "Cancel", jobId: "job-1", reason: "changed my mind", contentDigest };
  const enqueuedAt = new Date(NOON_MS - 3_600_000).toISOString();
  await takeCancellation({ body, envelope: ENVELOPE, traceparent: null, enqueuedAt }, there);
  expect(world.rejections).toMatchObject([{ status: "CancelAccepted" }]);
});

test("P4 an attempt that holds the job is not told that it is over", async () => {
  await created();
  lagging.lag("job-1");
  await claimed();
  const { lockedBy } = (await world.stateOf()) ?? {};
  const look = { jobId: "job-1", lockedBy: lockedBy ?? "" };
  expect(await readProgress(look as never, there)).toMatchObject({ kind: "completed" });
});

test("P6 a step is polled whose acceptance this process has not seen", async () => {
  await created();
  const tasks = await claimed();
  world.answers.set("reserve", () => ({ kind: "pending", retryAfterMs: 5000 }));
  lagging.lag("job-1");
  await runStep(task(tasks, "hotel"), world);
  const record = await world.stateOf();
  const pollAt = record?.steps["hotel"]?.accepted?.pollAt ?? "";
  const poll = { jobId: "job-1", attempt: 1, step: "hotel", direction: "forward", pollAt, traceparent: null } as const;
  const asked = world.calls.length;
  await pollService({ ...poll, lockedBy: record?.lockedBy ?? "" }, there);
  expect(world.calls).toHaveLength(asked + 1);
});

test("P15 the end of an attempt is published though its process has not seen it", async () => {
  await created(CHAIN);
  world.answers.delete("reserve");
  lagging.lag("job-1");
  await world.runAttempt({ jobId: "job-1", attempt: 1, direction: "forward" });
  expect(await world.stateOf()).toMatchObject({ processState: "Processed" });
  const sent = world.statuses.splice(0).at(-1);
  await publishEndOf({ jobId: "job-1", attempt: 1 }, there);
  expect(world.statuses.at(-1)).toEqual(sent);
});

test("P16 an activity that runs again in another process finds the end that was recorded", async () => {
  await created();
  const badge = task(await claimed(), "badge");
  lagging.lag("job-1");
  const { outcome } = await runStep(badge, world);
  const { record } = badge;
  const again = await runStep({ ...badge, record: { ...record, state: "Completed" } }, there);
  // It may have led to more than the first run told: the attempt is told how far all runs are.
  expect(again.outcome).toEqual({ ...outcome, progress: 4 });
});

test("P21 a step beside others is taken up, and its end recorded, though this process has not seen their record", async () => {
  await created();
  lagging.lag("job-1");
  const tasks = await claimed();
  const { record } = await (async () => {
    const read = await world.store.state("job-1");
    if (!read) throw new Error("no job");
    return read;
  })();
  const plan = planOf(TRIP, record.steps, "forward");
  const own = tasksToBegin(attemptOf(record, record.lockedBy ?? "", plan), new Set());
  expect(own).toHaveLength(tasks.length);
  expect((await runStep(task(own, "hotel"), there)).outcome).toMatchObject({ kind: "completed" });
  expect(await state("hotel")).toBe("Awaiting");
});
