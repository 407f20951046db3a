// P7: a step over an agent's queue, without a queue: the order of effects, and what each repeat finds.

import { createMemoryPauses } from "@scheduler-agent-supervisor/testing/memory";
import { beforeEach, expect, test, vi } from "vitest";
import { Outage } from "../../src/domain/outage.ts";
import { planOf } from "../../src/domain/record/plan.ts";
import { startAttemptOf } from "../../src/domain/recovery/recovery.ts";
import { attemptOf, type StepTask, tasksToBegin } from "../../src/domain/steps/attempt.ts";
import { scheduled } from "../../src/domain/steps/step-run.ts";
import type { AgentReplyMessage } from "../../src/messaging/agent-messages.ts";
import { claimJob } from "../../src/scheduler/claim-job.ts";
import { answerRequest } from "../../src/scheduler/steps/answer-request.ts";
import { askAgent } from "../../src/scheduler/steps/ask-agent.ts";
import { runStep } from "../../src/scheduler/steps/run-step.ts";
import { takeReply, takeReport } from "../../src/scheduler/steps/take-reply.ts";
import { measureWith } from "../../src/telemetry/metrics.ts";
import { GRAPH, NOON_MS, SCHEDULING, sampleJob, sampleRecord } from "../jobs.ts";
import { createWorld, type World } from "../world.ts";

let world: World;
beforeEach(async () => {
  world = createWorld(NOON_MS);
  const record = sampleRecord("job-1", GRAPH);
  await world.store.create(sampleJob(), record);
  await claimJob(startAttemptOf(record), world);
  await run(await open("reserveStock"));
});

async function open(step: string): Promise<StepTask> {
  const record = (await world.store.state("job-1"))?.record;
  if (!record?.lockedBy) throw new Error("nobody holds the job");
  const plan = planOf(GRAPH, record.steps, record.direction);
  const task = tasksToBegin(attemptOf(record, record.lockedBy, plan), new Set()).find((one) => one.step === step);
  if (!task) throw new Error(`${step} is not open`);
  return task;
}

const run = async (task: StepTask) => (await runStep(task, world)).outcome;
const take = (reply: unknown) => takeReply(reply, world);

async function ask(): Promise<AgentReplyMessage> {
  await askAgent(await open("checkFraud"), world);
  const asked = world.requests.at(-1);
  if (!asked) throw new Error("nothing was asked");
  await answerRequest(asked.agent, asked.request, "agent-replies", world);
  const reply = world.replies.at(-1);
  if (!reply) throw new Error("there was no reply");
  return reply;
}

test("P7 the request lives until it may be taken up no more; the outcome is the one that an activity would have had", async () => {
  world.clock += 4000;
  const received = await take(await ask());
  expect(world.requests).toMatchObject([{ agent: "fraud", leftMs: 26_000, request: { operation: "check" } }]);
  expect(received).toMatchObject({
    ticket: { jobId: "job-1", attempt: 1, step: "checkFraud" },
    outcome: { kind: "completed", steps: { checkFraud: { state: "Completed" } } },
    // Nothing can be begun before the payment is taken.
    receiver: null,
  });
  const outcome = await run(await open("takePayment"));
  expect(outcome).toMatchObject({ kind: "completed", steps: { arrangeShipping: { state: "Scheduled" } } });
});

test("P26 a request that can't be sent because the bus is away: nobody is known to be absent", async () => {
  const { presence } = createMemoryPauses(() => world.clock);
  const ask = () => Promise.reject(new Outage("the bus is away"));
  Object.assign(world, { presence, messenger: { ...world.messenger, ask } });
  expect(await presence.availability("fraud", 20_000)).toBe("unknown");
  world.clock += 25_000;
  await expect(askAgent(await open("checkFraud"), world)).rejects.toThrow(Outage);
  world.clock += 10_000;
  expect(await presence.availability("fraud", 20_000)).toBe("unknown");
});

test("P8 P27 why an agent behind its queue will not be done in time is recorded until complete-by, and rejected after it", async () => {
  const task = await open("checkFraud");
  const lastError = { endpoint: "http://fraud/", message: "HTTP 401", misconfigured: true };
  world.answers.set("check", () => ({ kind: "expired", lastError }));
  const note = await ask();
  expect(note).toMatchObject({ kind: "started", failure: { tries: 1, ...lastError } });
  const [said] = world.replies;
  await take(said);
  expect(await take(note)).toBeUndefined();
  const step = async () => (await world.stateOf())?.steps["checkFraud"];
  expect(await step()).toMatchObject({ state: "Running", expiry: { attempt: 1, tries: 1, ...lastError } });
  expect(world.eventNames()).not.toContain("LateReplyRejected");
  const before = await step();
  world.clock = Date.parse(task.completeBy) + 500;
  expect(note?.kind).toBe("started");
  const other = { ...note, failure: { tries: 9, endpoint: "http://fraud/", message: "HTTP 503" } };
  expect(await take(other as AgentReplyMessage)).toBeUndefined();
  expect(await step()).toEqual(before);
  expect(world.eventNames()).toContain("LateReplyRejected");
});

test.each([
  ["why it is not done", { kind: "expired", lastError: { endpoint: "http://fraud/", message: "HTTP 503" } }],
  ["that it is done", { kind: "done" }],
  ["a rejection", { kind: "rejected", message: "declined" }],
] as const)("P8 past complete-by an agent behind its queue sends nothing: %s", async (_, answer) => {
  const task = await open("checkFraud");
  world.answers.set("check", () => {
    world.clock = Date.parse(task.completeBy) + 1;
    return answer;
  });
  await expect(ask()).rejects.toThrow("there was no reply");
  expect(world.replies).toEqual([]);
});

test("P27 a note that comes after the step is done changes nothing", async () => {
  const reply = await ask();
  await take(reply);
  const failure = { tries: 1, endpoint: null, message: "HTTP 503" };
  await take({ ticket: reply.ticket, kind: "started", failure });
  expect((await world.stateOf())?.steps["checkFraud"]).not.toHaveProperty("expiry");
});

test("P7 the last of its level schedules the next one, whichever way it went", async () => {
  await run(await open("takePayment"));
  expect((await take(await ask()))?.outcome).toMatchObject({
    kind: "completed",
    steps: { arrangeShipping: { state: "Scheduled" } },
  });
  expect((await world.stateOf())?.steps["arrangeShipping"]?.state).toBe("Scheduled");
});

test("P7 P13 what an agent is of unknown outcome of when it is rejected stands in the record, for a compensation to see to", async () => {
  world.answers.set("check", () => ({ kind: "rejected", message: "a known fraud", outcomeUnknown: true }));
  expect((await take(await ask()))?.outcome).toEqual({ kind: "rejected" });
  expect((await world.stateOf())?.steps["checkFraud"]).toMatchObject({ state: "Failed", outcomeUnknown: true });
});

test("P7 P16 a reply taken twice has the same outcome; the client may receive it twice, under one id", async () => {
  const reply = await ask();
  const [first, second] = [await take(reply), await take(reply)];
  // What it led to can't be distinguished from the record: so the attempt may be notified again.
  expect(first?.outcome).toMatchObject({ kind: "completed" });
  // Its event has only what changed.
  expect(second).toMatchObject({ receiver: 1, outcome: { steps: { [reply.ticket.step]: { state: "Completed" } } } });
  const published = world.statuses.filter(({ step }) => step === "checkFraud");
  expect(new Set(published.map((message) => JSON.stringify(message))).size).toBe(1);
  expect((await world.stateOf())?.history.filter(({ what }) => what.startsWith("checkFraud"))).toHaveLength(1);
});

test("P7 P8 past complete-by nothing is asked, nothing is replied, and a reply is rejected, counted and kept", async () => {
  const reply = await ask();
  world.clock += 40_001;
  const before = await world.stateOf();
  expect(await take(reply)).toBeUndefined();
  expect(await world.stateOf()).toEqual(before);
  expect(world.eventNames()).toContain("LateReplyRejected");
  const kept = [];
  for await (const entry of world.supervision.entries("2026-01-01")) kept.push(entry);
  expect(kept).toMatchObject([
    { kind: "lateReply", step: "checkFraud", reason: expect.stringContaining("complete-by") },
  ]);

  const asked = world.requests.at(-1);
  if (!asked) throw new Error("nothing was asked");
  await answerRequest("fraud", asked.request, "agent-replies", world);
  expect(world.replies).toHaveLength(1);
  await askAgent(await open("checkFraud"), world);
  expect(world.requests).toHaveLength(1);
  expect(world.eventNames().filter((name) => name === "StepNotTakenUp")).toHaveLength(2);
});

test("P7 P10 P26 only a request whose agent says that it is at work may be counted as a failure", async () => {
  world.answers.set("check", () => ({ kind: "expired" }));
  world.clock += 5000;
  await askAgent(await open("checkFraud"), world);
  const asked = world.requests.at(-1);
  if (!asked) throw new Error("nothing was asked");
  await answerRequest(asked.agent, asked.request, "agent-replies", world);
  const started = world.replies.at(-1);
  const completeBy = new Date(world.clock + 10_000).toISOString();
  expect(started).toMatchObject({ kind: "started" });
  expect((await world.stateOf())?.steps["checkFraud"]).toMatchObject({ state: "Scheduled" });
  expect(await take(started)).toBeUndefined();
  expect((await world.stateOf())?.steps["checkFraud"]).toMatchObject({ state: "Running", completeBy });
  // Said again, it gets no more time.
  world.clock += 5000;
  expect(await take(started)).toBeUndefined();
  expect((await world.stateOf())?.steps["checkFraud"]).toMatchObject({ completeBy });
});

test.each([
  ["another holder", { lockedBy: "job-1-1@elsewhere" }],
  ["a later attempt", { attempt: 2, lockedBy: "job-1-2@hub" }],
])("P7 P8 a ticket of %s changes nothing, and is late", async (_, change) => {
  const reply = await ask();
  const before = await world.stateOf();
  const received = await take({ ...reply, ticket: { ...reply.ticket, ...change } });
  expect(received?.outcome ?? { kind: "superseded" }).toEqual({ kind: "superseded" });
  expect(await world.stateOf()).toEqual(before);
  expect(world.eventNames()).toContain("LateReplyRejected");
});

test.each([
  ["a job that nobody knows", { jobId: "job-2" }],
  ["a step that is none", { step: "wrapGift" }],
  ["a step that every object has", { step: "__proto__" }],
  ["a step that was not begun", { step: "capturePayment" }],
  ["the other direction", { direction: "compensate" }],
  ["a step that is not asked over a queue", { step: "takePayment" }],
  ["its own step, with another nonce", { nonce: "00000000-0000-4000-8000-000000000000" }],
  ["its own step, without a nonce", { nonce: undefined }],
  ["its own step in a later attempt, without a nonce", { attempt: 2, nonce: undefined }],
  ["its own step, with texts of its sender's", { nonce: "n".repeat(900), lockedBy: "l".repeat(900) }],
])(
  "P7 P8 a ticket of %s changes nothing, writes nothing, and is one count of which its sender chooses nothing",
  async (_, change) => {
    const reply = await ask();
    const before = JSON.stringify([await world.stateOf(), world.events, world.statuses, world.quarantined]);
    const changed = vi.spyOn(world.store, "change");
    const replaced = vi.spyOn(world.store, "replace");
    const meter = vi.fn();
    measureWith(meter);
    try {
      for (const answer of [reply, { kind: "started" }, { kind: "unavailable", message: "m" }, { kind: "progress" }]) {
        expect(await take({ ...answer, ticket: { ...reply.ticket, ...change } })).toBeUndefined();
      }
    } finally {
      measureWith(undefined);
    }
    expect(meter.mock.calls).toEqual(Array.from({ length: 4 }, () => ["replies.unverified", 1, {}]));
    expect(JSON.stringify([await world.stateOf(), world.events, world.statuses, world.quarantined])).toBe(before);
    expect(changed.mock.calls.length + replaced.mock.calls.length).toBe(0);
    for await (const entry of world.supervision.entries("2026-01-01")) expect(entry.kind).not.toBe("lateReply");
  },
);

test("P7 with another agent's nonce a reply completes nothing: each request has a nonce of its own", async () => {
  await askAgent(await open("checkFraud"), world);
  const payment = { ...(await open("takePayment")), transport: "queue" } as const;
  const own = scheduled({ ...payment, name: payment.step }, 1, "forward", payment.completeBy, SCHEDULING).record;
  const state = await world.store.state("job-1");
  if (!state) throw new Error("there is no record");
  await world.store.replace(state, { ...state.record, steps: { ...state.record.steps, takePayment: own } });
  const ticket = world.requests.at(-1)?.request.ticket;
  const before = await world.stateOf();
  expect(own.nonce).toBeTypeOf("string");
  expect(
    await take({ ticket: { ...ticket, nonce: own.nonce }, kind: "done", result: { checkId: "c-1" } }),
  ).toBeUndefined();
  expect(await world.stateOf()).toEqual(before);
  expect(await take({ ticket, kind: "done", result: { checkId: "c-1" } })).toMatchObject({
    outcome: { kind: "completed" },
  });
});

test("P7 P8 a reply to an earlier attempt's request has the step's nonce: it is late, and stands in the audit log", async () => {
  const first = await open("checkFraud");
  const { nonce } = first.record;
  expect(nonce).toBeTypeOf("string");
  const again = { name: "checkFraud", transport: "queue", completeWithin: "PT10S" } as const;
  const anew = scheduled({ ...again, record: first.record }, 2, "forward", first.completeBy, SCHEDULING);
  expect(anew.record.nonce).toBe(nonce);
});

test("P7 a reply that can't be read is kept, every fault named", async () => {
  const { ticket } = await ask();
  const body = { ticket: { ...ticket, attempt: 0 }, kind: "done", result: { deep: { er: [[[[1]]]] } } };
  expect(await take(body)).toBeUndefined();
  expect(world.quarantined).toMatchObject([{ subject: "InvalidReply", body }]);
  expect(world.quarantined[0]?.faults.map((fault) => fault.split(":")[0])).toEqual(["ticket.attempt", "result.deep"]);
});

test("P7 what a reply says may have lists and objects in it, and is recorded as it is", async () => {
  const { ticket } = await ask();
  const result = { checkId: "c-1", matches: [{ name: "Ada", score: 3, lists: ["eu", "un"] }] };
  await take({ ticket, kind: "done", result });
  expect(world.quarantined).toEqual([]);
  expect((await world.stateOf())?.steps["checkFraud"]).toMatchObject({ state: "Completed", result });
});

test("P7 P9 a request that is too large for its queue is rejected for good, with its cause, and not asked again and again", async () => {
  world.tooLarge = true;
  await askAgent(await open("checkFraud"), world);
  const record = await world.stateOf();
  expect(record?.steps["checkFraud"]).toMatchObject({ state: "Failed", error: expect.stringContaining("larger") });
  expect(record?.steps["checkFraud"]).not.toHaveProperty("outcomeUnknown");
  expect(world.requests).toEqual([]);
});

test("P7 a nonce of a request that went over a queue is no address: by HTTP nothing is reported of a step that was given none", async () => {
  await askAgent(await open("checkFraud"), world);
  const { jobId, step, direction, nonce } = world.requests.at(-1)?.request.ticket ?? {};
  const before = await world.stateOf();
  const address = { jobId: jobId ?? "", step: step ?? "", direction: direction ?? "forward", nonce };
  expect(nonce).toBeTypeOf("string");
  expect(await takeReport({ kind: "done", address, result: {} }, world)).toEqual({ kind: "unknown" });
  expect(await world.stateOf()).toEqual(before);
});

test.each<[string, string, (secret: string) => object]>([
  ["a member's name", "tok_canary_4711", (secret) => ({ kind: "done", result: { [secret]: 1, checkId: "7" } })],
  ["a name alone", "tok_canary_4711", (secret) => ({ kind: "done", result: { [secret]: true } })],
  ["a text of digits", "4111111111111111", (secret) => ({ kind: "rejected", message: secret })],
  ["a number", "4111111111111111", (secret) => ({ kind: "done", result: { checkId: Number(secret) } })],
])("P31 a reply that repeats a secret in %s is recorded and logged without it", async (_, secret, said) => {
  world = createWorld(NOON_MS);
  const record = sampleRecord("job-1", GRAPH);
  await world.store.create(sampleJob("job-1", { paymentToken: secret }), record);
  await claimJob(startAttemptOf(record), world);
  await run(await open("reserveStock"));
  await askAgent(await open("checkFraud"), world);
  const { ticket } = world.requests.at(-1)?.request ?? {};
  expect(ticket?.nonce).toBeTypeOf("string");
  await take({ ticket, ...said(secret) });
  const kept = JSON.stringify([await world.stateOf(), world.events]);
  expect(kept).toContain("(hidden)");
  expect(kept).not.toContain(secret);
});
