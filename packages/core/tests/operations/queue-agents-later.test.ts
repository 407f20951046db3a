// P7, P26: agents that are asked over a queue and can't do it now, or whose service does it later: they are asked again, in time.

import { beforeEach, expect, test } from "vitest";
import type { Workflow } from "../../src/domain/definition/workflow.ts";
import { planOf } from "../../src/domain/record/plan.ts";
import type { StepRecord } from "../../src/domain/record/state-record.ts";
import { attemptOf, type StepTask, tasksToBegin } from "../../src/domain/steps/attempt.ts";
import { loadWorkflows } from "../../src/domain/workflows/workflows.ts";
import { requestId } from "../../src/messaging/agent-messages.ts";
import { claimJob } from "../../src/scheduler/claim-job.ts";
import { answerRequest } from "../../src/scheduler/steps/answer-request.ts";
import { askAgent } from "../../src/scheduler/steps/ask-agent.ts";
import { takeReply } from "../../src/scheduler/steps/take-reply.ts";
import { sweep } from "../../src/supervisor/sweep.ts";
import { NOON_MS, sampleJob, sampleRecord } from "../jobs.ts";
import { createWorld, type World } from "../world.ts";

const within = { completeWithin: "PT2M" };
/** A check that an agent elsewhere makes; the second workflow lets it wait for a day. */
const CHECKED: Workflow = {
  name: "checked",
  version: 1,
  policy: { failureThreshold: 3, waits: [], onExhausted: "fail", onRejected: "compensate" },
  steps: [
    {
      name: "check",
      agent: "fraud",
      operation: "check",
      transport: "queue",
      after: [],
      ...within,
      compensation: "nothing",
    },
  ],
};
const LATER: Workflow = {
  ...CHECKED,
  name: "later",
  steps: CHECKED.steps.map((step) => ({ ...step, awaitWithin: "P1D" })),
};

let world: World;
beforeEach(() => {
  world = createWorld(NOON_MS);
  const agents = [...world.agents].map(([name, { operationNames: operations }]) => {
    return [name, { operations, transports: ["activity", "queue"] }] as const;
  });
  Object.assign(world, { workflows: loadWorkflows(new Map(agents), [CHECKED, LATER]) });
});

/** Asks the agent of the step. */
async function asked(workflow: Workflow = CHECKED, attempt = 1) {
  if (attempt === 1) await world.store.create(sampleJob("job-1"), sampleRecord("job-1", workflow));
  await claimJob({ jobId: "job-1", attempt, direction: "forward" }, world);
  const record = await world.stateOf();
  if (!record?.lockedBy) throw new Error("nobody holds the job");
  const plan = planOf(workflow, record.steps, record.direction);
  const [task] = tasksToBegin(attemptOf(record, record.lockedBy, plan), new Set()) as [StepTask];
  await askAgent(task, world);
  return latest();
}

function latest() {
  const found = world.requests.at(-1);
  if (!found) throw new Error("nothing was asked");
  return found;
}

const reply = (body: object, request = latest().request) => takeReply({ ticket: request.ticket, ...body }, world);
const step = async () => (await world.stateOf())?.steps["check"] as StepRecord;
const at = (ms: number) => new Date(NOON_MS + ms).toISOString();
const away = { kind: "unavailable", message: "our database is away", retryAfterMs: 20_000 };

test("P26 an agent that can't do it now is asked again when it says, under the same key and another message's id; its cause is recorded", async () => {
  const { request: first } = await asked();
  world.clock += 5000;
  expect(await reply(away)).toBeUndefined();
  const again = latest();
  expect(again).toMatchObject({ agent: "fraud", at: at(25_000), leftMs: 100_000 });
  expect(again.request).toMatchObject({
    ticket: { ...first.ticket, round: 2 },
    idempotencyKey: first.idempotencyKey,
    mayHaveHappened: true,
    startBy: at(125_000),
    completeBy: at(125_000),
  });
  expect(requestId(again.request.ticket, again.at)).toMatch(/^job-1:1:check:forward:[\da-z]{6}$/);
  // From then on its time runs: the supervisor counts it once that is over.
  expect(await step()).toMatchObject({
    state: "Running",
    completeBy: at(125_000),
    expiry: { attempt: 1, tries: 1, endpoint: null, message: "our database is away" },
  });
  world.clock += 25_000;
  await reply({ kind: "done", result: { checkId: "c-1" } });
  expect(await world.stateOf()).toMatchObject({ processState: "Processed", failureCount: 0 });
});

test("P26 without a time the pauses grow; it gets no more time by that", async () => {
  await asked();
  const unavailable = { kind: "unavailable", message: "busy" };
  const pauses: number[] = [];
  for (let round = 1; round < 5; round += 1) {
    await reply(unavailable);
    pauses.push(Date.parse(latest().at ?? "") - world.clock);
    world.clock = Date.parse(latest().at ?? "");
  }
  expect(pauses).toEqual([1000, 2000, 4000, 8000]);
  expect((await step()).completeBy).toBe(at(120_000));
});

test("P8 P10 past its time it is not asked again: the step expires with its cause, is counted and asked anew", async () => {
  await asked();
  await reply({ ...away, retryAfterMs: 120_000, misconfigured: false });
  expect(world.requests).toHaveLength(1);
  world.clock += 125_000;
  await sweep(world);
  expect(await world.stateOf()).toMatchObject({ processState: "Pending", attempt: 2, failureCount: 1 });
  const { request } = await asked(CHECKED, 2);
  expect(request.ticket).not.toHaveProperty("round");
  expect(requestId(request.ticket)).toBe("job-1:2:check:forward");
});

test.each([
  [undefined, 11, "Pending"],
  [undefined, 12, "Error"],
  [false, 30, "Pending"],
] as const)(
  "P27 P30 misconfigured, with ofRequest %s, for %i attempts: %s",
  async (ofRequest, attempts, processState) => {
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      await asked(CHECKED, attempt);
      const unavailable = { ...away, message: "HTTP 400", retryAfterMs: 120_000, misconfigured: true };
      await reply({ ...unavailable, ...(ofRequest === false && { ofRequest }) });
      world.clock += 125_000;
      await sweep(world);
    }
    expect(await world.stateOf()).toMatchObject({ processState, direction: "forward" });
    const isTold = world.statuses.some(({ status }) => status === "RetryScheduled");
    expect(isTold).toBe(ofRequest === undefined);
  },
);

test("P16 delivered again after a death, the reply has the same request sent again; one to an earlier request changes nothing", async () => {
  const { request: first } = await asked();
  await reply(away);
  const sent = latest();
  world.clock += 3000;
  await reply(away, first);
  expect(world.requests).toHaveLength(3);
  expect(latest()).toEqual(sent);
  await reply(away, sent.request);
  const before = await world.stateOf();
  await reply(away, first);
  expect(await world.stateOf()).toEqual(before);
  expect(world.events.at(-1)).toMatchObject({ name: "LateReplyRejected" });
  // Done is done, whichever request it answers.
  await reply({ kind: "done", result: {} }, first);
  expect(await world.stateOf()).toMatchObject({ processState: "Processed" });
});

test("P6 an agent whose service does it later is asked for it: with its reference, again and again, until it is done", async () => {
  await asked(LATER);
  const received = await reply({ kind: "pending", retryAfterMs: 60_000, reference: "case 7" });
  expect(received).toMatchObject({ receiver: 1, outcome: { kind: "completed", hasEnded: false } });
  expect(await step()).toMatchObject({
    state: "Awaiting",
    accepted: { reference: "case 7" },
    completeBy: at(86_400_000),
  });
  expect(await world.stateOf()).toMatchObject({ dueAt: at(86_400_000) });
  expect(latest()).toMatchObject({ at: at(60_000), request: { awaited: { reference: "case 7" } } });
  expect(latest().request).not.toHaveProperty("mayHaveHappened");
  world.clock = NOON_MS + 60_000;
  await reply({ kind: "pending", retryAfterMs: 60_000 });
  expect(latest()).toMatchObject({
    at: at(120_000),
    request: { awaited: { reference: "case 7" }, ticket: { round: 3 } },
  });
  world.clock = NOON_MS + 120_000;
  await reply(away);
  expect(await step()).toMatchObject({ state: "Awaiting", expiry: { message: "our database is away" } });
  world.clock = NOON_MS + 140_000;
  await reply({ kind: "done", result: { checkId: "c-7" } });
  expect(await step()).toMatchObject({ state: "Completed", result: { checkId: "c-7" } });
  // It was accepted once, however often it was asked for.
  expect(world.eventNames().filter((name) => name === "StepAccepted")).toHaveLength(1);
});

test("P6 an agent of this app that is asked over its queue polls its service, and is asked again where it can't", async () => {
  await asked(LATER);
  world.answers.set("check", () => ({ kind: "pending", retryAfterMs: 60_000, reference: "case 7" }));
  const answer = async () => {
    const { agent, request } = latest();
    await answerRequest(agent, request, "agent-replies", world);
    return takeReply(world.replies.at(-1), world);
  };
  await answer();
  world.clock += 60_000;
  const lastError = { endpoint: "http://fraud/", message: "HTTP 503" };
  world.answers.set("check", () => ({ kind: "expired", lastError }));
  await answer();
  expect(world.calls.at(-1)).toMatchObject({ awaited: { reference: "case 7" } });
  expect(await step()).toMatchObject({ state: "Awaiting", expiry: { ...lastError, tries: 2 } });
  world.clock = Date.parse(latest().at ?? "");
  world.answers.set("check", () => ({ kind: "done" }));
  await answer();
  expect(await step()).toMatchObject({ state: "Completed" });
});

test("a step that may not wait is rejected for good where its agent wants to be asked later", async () => {
  await asked();
  await reply({ kind: "pending", retryAfterMs: 60_000 });
  expect(await step()).toMatchObject({
    state: "Failed",
    outcomeUnknown: true,
    error: expect.stringContaining("awaitWithin"),
  });
});
