// Steps that are done later (P6, P7, P8): accepted by their service, waited for by their record alone, and reported by whoever does them.
import { createAwaiting } from "@scheduler-agent-supervisor/operator/adapters";
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { Workflow } from "../../src/domain/definition/workflow.ts";
import type { StepRecord } from "../../src/domain/record/state-record.ts";
import { type Attempt, advance, type StepTask, tasksToBegin } from "../../src/domain/steps/attempt.ts";
import { loadWorkflows } from "../../src/domain/workflows/workflows.ts";
import type { StepReport } from "../../src/messaging/operator-request.ts";
import { claimJob } from "../../src/scheduler/claim-job.ts";
import { type Caller, operateJob } from "../../src/scheduler/operating/operate-job.ts";
import { reportStep } from "../../src/scheduler/operating/report-step.ts";
import { parseReport } from "../../src/scheduler/steps/completion.ts";
import { runStep } from "../../src/scheduler/steps/run-step.ts";
import { takeReport } from "../../src/scheduler/steps/take-reply.ts";
import { sweep } from "../../src/supervisor/sweep.ts";
import { CHAIN, NOON_MS, sampleJob, sampleRecord } from "../jobs.ts";
import { createWorld, type World } from "../world.ts";

const DAY_MS = 86_400_000;
const within = { completeWithin: "PT10S" };

/** The hotel answers later, within ten days; the flight at once. */
const STAY: Workflow = {
  name: "stay",
  version: 1,
  policy: { failureThreshold: 2, waits: [], onExhausted: "compensate", onRejected: "compensate" },
  steps: [
    {
      ...{ name: "hotel", agent: "inventory", operation: "reserve", after: [], ...within, awaitWithin: "P10D" },
      compensation: { operation: "release", completeWithin: "PT10S" },
    },
    { name: "badge", agent: "shipping", operation: "pickUp", after: ["hotel"], ...within, compensation: "nothing" },
  ],
};

let world: World;
let attempt: Attempt;
let hotel: StepTask;

beforeEach(async () => {
  world = createWorld(NOON_MS);
  const agents = [...world.agents].map(([name, { operationNames: operations }]) => {
    return [name, { operations, transports: ["activity", "queue"] }] as const;
  });
  Object.assign(world, { workflows: loadWorkflows(new Map(agents), [STAY]) });
  await world.store.create(sampleJob("job-1"), sampleRecord("job-1", STAY));
  world.answers.set("reserve", () => ({ kind: "accepted", reference: "booking 7" }));
  await begin(1);
});

/** Claims the job, and has the attempt begin the hotel. */
async function begin(number: number): Promise<void> {
  const claim = await claimJob({ jobId: "job-1", attempt: number, direction: "forward" }, world);
  if (claim.kind !== "claimed") throw new Error(`attempt ${number} is ${claim.kind}`);
  attempt = claim.attempt;
  const [task] = tasksToBegin(attempt, new Set());
  if (!task) throw new Error("there is nothing to begin");
  hotel = task;
}

const run = () => runStep(hotel, world);
const record = async () => world.stateOf();
const step = async (name = "hotel") => (await record())?.steps[name] as StepRecord;
/** The address that whoever does it was given. */
const address = () => world.calls.at(-1)?.completion?.url ?? "";
const sent = (to: string, body: object) => parseReport(to.slice(to.lastIndexOf("/") + 1), JSON.stringify(body));

async function report(body: object, to = address()) {
  const parsed = sent(to, body);
  if (parsed.kind !== "valid") return parsed.kind;
  return takeReport(parsed.report, world);
}

test("P8 an accepted step waits in its record alone: due when its time is over, found by no sweep before, begun by nobody again", async () => {
  const { outcome, receiver } = await run();
  expect(await step()).toMatchObject({
    state: "Awaiting",
    endpoint: "http://inventory/",
    accepted: { at: new Date(NOON_MS).toISOString(), reference: "booking 7" },
    completeBy: new Date(NOON_MS + 10 * DAY_MS).toISOString(),
  });
  expect(await record()).toMatchObject({
    processState: "Processing",
    dueAt: new Date(NOON_MS + 10 * DAY_MS).toISOString(),
  });
  // It was awaited as an activity: what it returns says to the attempt what to wait for.
  if (outcome.kind !== "completed") throw new Error(outcome.kind);
  expect(receiver).toBeNull();
  attempt = advance(attempt, outcome);
  expect(tasksToBegin(attempt, new Set(["hotel"]))).toEqual([]);
  expect(tasksToBegin(attempt, new Set())).toEqual([]);
  world.clock = NOON_MS + 9 * DAY_MS;
  await sweep(world);
  expect(await record()).toMatchObject({ attempt: 1, failureCount: 0 });
});

test("P6 the address is good for one report: it completes the step, and begins what follows; a second one, and another's, are rejected", async () => {
  await run();
  world.clock = NOON_MS + DAY_MS;
  const taken = await report({ kind: "done", result: { booking: "H-7" } });
  expect(taken).toMatchObject({ kind: "recorded", received: { receiver: 1, outcome: { kind: "completed" } } });
  expect(await step()).toMatchObject({ state: "Completed", result: { booking: "H-7" }, completedIn: 1 });
  expect(await step("badge")).toMatchObject({ state: "Scheduled", attempt: 1 });
  // What was reported twice is published again, for whoever took it first may have died before it said so.
  expect(await report({ kind: "done", result: { booking: "other" } })).toMatchObject({ kind: "recorded" });
  expect(await step()).toMatchObject({ result: { booking: "H-7" } });
  expect(world.events.filter(({ name }) => name === "LateReplyRejected")).toEqual([]);
});

test("P6 a forged address reveals nothing and changes nothing", async () => {
  await run();
  const before = await record();
  const ticket = { jobId: "job-1", attempt: 1, step: "hotel", direction: "forward", lockedBy: attempt.lockedBy };
  const forged = (more: object) => `x/${Buffer.from(JSON.stringify({ ...ticket, ...more })).toString("base64url")}`;
  const guesses = [{ nonce: "guessed" }, { nonce: "guessed", jobId: "job-2" }, { nonce: "guessed", step: "made up" }];
  for (const to of guesses.map(forged)) {
    expect(await report({ kind: "done", result: {} }, to)).toEqual({ kind: "unknown" });
  }
  expect(await report({ kind: "done", result: {} }, forged({}))).toBe("unknown");
  expect(await report({ kind: "done", result: {} }, "x/!!!")).toBe("unknown");
  expect(await report({ kind: "done", result: {} }, `x/${Buffer.from("{}").toString("base64url")}`)).toBe("unknown");
  expect(await record()).toEqual(before);
});

test("every fault of a report is named, but for those of its address", async () => {
  await run();
  expect(sent(address(), { kind: "finished" })).toMatchObject({ faults: [expect.stringContaining("kind")] });
  expect(sent(address(), { kind: "rejected", message: "" })).toMatchObject({
    faults: [expect.stringContaining("message")],
  });
  expect(sent(address(), { kind: "progress", within: "soon" })).toMatchObject({
    faults: [expect.stringContaining("within")],
  });
  expect(parseReport(address().split("/").at(-1) ?? "", "no JSON")).toMatchObject({ kind: "invalid" });
});

test("P9 a rejection that is reported later leads where any rejection leads", async () => {
  await run();
  await report({ kind: "rejected", message: "sold out" });
  expect(await record()).toMatchObject({
    processState: "Pending",
    direction: "compensate",
    attempt: 2,
    error: { kind: "rejected", message: "sold out", step: "hotel" },
  });
});

test("a completion that is faster than the word that it was accepted counts, and is not taken back", async () => {
  world.answers.set("reserve", async () => {
    await report({ kind: "done", result: { booking: "H-7" } });
    return { kind: "accepted" };
  });
  expect((await run()).outcome).toMatchObject({ kind: "completed" });
  expect(await step()).toMatchObject({ state: "Completed", result: { booking: "H-7" } });
});

test("P16 run again after a death the step awaits as it did: nothing is begun or counted anew", async () => {
  await run();
  const before = await record();
  expect((await run()).outcome).toMatchObject({ kind: "completed", hasEnded: false });
  expect(await record()).toEqual(before);
});

/** The same address as somebody would write it who was not given it. */
function guessedFor(to: string): string {
  const address = JSON.parse(Buffer.from(to.slice(to.lastIndexOf("/") + 1), "base64url").toString());
  return `x/${Buffer.from(JSON.stringify({ ...address, nonce: "guessed" })).toString("base64url")}`;
}

test("P10 P11 one that nobody reports in time counts as a failure, and is asked for again under the same key and address: what is reported of either is one effect", async () => {
  await run();
  const first = address();
  world.clock = NOON_MS + 10 * DAY_MS + 2000;
  expect(await report({ kind: "done", result: {} }, first)).toEqual({ kind: "not yet" });
  expect(await report({ kind: "done", result: {} }, guessedFor(first))).toEqual({ kind: "unknown" });
  await sweep(world);
  expect(await record()).toMatchObject({ processState: "Pending", attempt: 2, failureCount: 1 });
  expect(await step()).toMatchObject({ state: "NotStarted", retryCount: 1, failureCount: 1 });
  expect(await report({ kind: "done", result: {} }, first)).toEqual({ kind: "not yet" });
  expect(await report({ kind: "done", result: {} }, guessedFor(first))).toEqual({ kind: "unknown" });
  await begin(2);
  await run();
  expect(world.calls.at(-1)).toMatchObject({ mayHaveHappened: true });
  expect(new Set(world.calls.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
  expect(address()).toBe(first);
  expect(await report({ kind: "done", result: { booking: "H-7" } }, first)).toMatchObject({ kind: "recorded" });
  expect(await step()).toMatchObject({ state: "Completed", attempt: 2, result: { booking: "H-7" } });
});

test("P6 a step that begins anew under another key has another address: a report of what was compensated is late", async () => {
  await run();
  const first = address();
  const cancel = { kind: "cancel", reason: "changed my mind" } as const;
  const caller = { by: "ada", ifMatch: "any" } as const;
  await operateJob("job-1", cancel, caller, world);
  await report({ kind: "done", result: { booking: "H-7" } });
  await world.runAttempt({ jobId: "job-1", attempt: 2, direction: "compensate" });
  expect(await record()).toMatchObject({ processState: "Cancelled" });
  const again = { kind: "resubmit", reason: "wanted after all", job: null, compensatedManually: false } as const;
  await operateJob("job-1", again, caller, world);
  await begin(3);
  await run();
  expect(address()).not.toBe(first);
  expect(await report({ kind: "done", result: { booking: "H-7" } }, first)).toEqual({ kind: "unknown" });
  expect(await step()).toMatchObject({ state: "Awaiting", generation: 2 });
});

test("word that it goes on is kept for people, and gives it more time where it asks for that", async () => {
  await run();
  world.clock = NOON_MS + 9 * DAY_MS;
  expect(await report({ kind: "progress", progress: "asked the owner" })).toEqual({ kind: "noted" });
  const lastReportAt = new Date(world.clock).toISOString();
  expect(await step()).toMatchObject({
    accepted: { reference: "booking 7", progress: "asked the owner", lastReportAt },
  });
  expect((await step()).completeBy).toBe(new Date(NOON_MS + 10 * DAY_MS).toISOString());
  await report({ kind: "progress", within: "PT1M" });
  expect((await step()).completeBy).toBe(new Date(NOON_MS + 10 * DAY_MS).toISOString());
  await report({ kind: "progress", within: "P5D" });
  const later = new Date(NOON_MS + 14 * DAY_MS).toISOString();
  expect(await step()).toMatchObject({ completeBy: later, accepted: { progress: "asked the owner" } });
  expect(await record()).toMatchObject({ dueAt: later });
  await report({ kind: "done", result: {} });
  expect(await report({ kind: "progress" })).toEqual({ kind: "late" });
});

test("P13 a job that is cancelled while it awaits is compensated at once, by its key; what is reported then is late", async () => {
  await run();
  const cancel = { kind: "cancel", reason: "changed my mind" } as const;
  await operateJob("job-1", cancel, { by: "ada", ifMatch: "any" }, world);
  expect(await record()).toMatchObject({ processState: "Pending", direction: "compensate", attempt: 2 });
  expect(await step()).toMatchObject({ state: "Awaiting" });
  const to = address();
  await world.runAttempt({ jobId: "job-1", attempt: 2, direction: "compensate" });
  expect(await record()).toMatchObject({ processState: "Cancelled" });
  expect(world.calls.at(-1)).toMatchObject({
    operation: "release",
    compensates: { result: null, idempotencyKey: "job-1:hotel:forward", reference: "booking 7" },
  });
  const before = await record();
  expect(await report({ kind: "done", result: { booking: "H-7" } }, to)).toEqual({ kind: "late" });
  expect(await record()).toEqual(before);
});

test("P13 a report between a cancellation and its compensation is recorded, and compensated", async () => {
  await run();
  const cancel = { kind: "cancel", reason: "changed my mind" } as const;
  await operateJob("job-1", cancel, { by: "ada", ifMatch: "any" }, world);
  expect(await report({ kind: "done", result: { booking: "H-7" } })).toMatchObject({ kind: "recorded" });
  await world.runAttempt({ jobId: "job-1", attempt: 2, direction: "compensate" });
  expect(world.calls.at(-1)).toMatchObject({ operation: "release", compensates: { result: { booking: "H-7" } } });
});

test("P4 P13 a report between what the compensation's claim read and what it writes is not overwritten: what it reports is compensated", async () => {
  await run();
  const cancel = { kind: "cancel", reason: "changed my mind" } as const;
  await operateJob("job-1", cancel, { by: "ada", ifMatch: "any" }, world);
  const { state } = world.store;
  let isReported = false;
  const reportOnce = async (jobId: string) => {
    const read = await state(jobId);
    if (isReported) return read;
    isReported = true;
    await report({ kind: "done", result: { booking: "H-7" } });
    return read;
  };
  Object.assign(world.store, { state: reportOnce });
  await world.runAttempt({ jobId: "job-1", attempt: 2, direction: "compensate" });
  expect(world.calls.at(-1)).toMatchObject({ operation: "release", compensates: { result: { booking: "H-7" } } });
  expect(await step()).toMatchObject({ state: "Compensated", result: { booking: "H-7" } });
});

test("P13 a question that leaves nothing behind keeps no cancelled job waiting for its answer", async () => {
  const [first, ...rest] = STAY.steps;
  const asks = { ...STAY, steps: [{ ...first, compensation: "nothing" }, ...rest] } as Workflow;
  const known = loadWorkflows(
    new Map(
      [...world.agents].map(([name, { operationNames: operations }]) => [
        name,
        { operations, transports: ["activity", "queue"] },
      ]),
    ),
    [asks],
  );
  Object.assign(world, { workflows: known });
  await run();
  const cancel = { kind: "cancel", reason: "changed my mind" } as const;
  await operateJob("job-1", cancel, { by: "ada", ifMatch: "any" }, world);
  await world.runAttempt({ jobId: "job-1", attempt: 2, direction: "compensate" });
  expect(await record()).toMatchObject({ processState: "Cancelled" });
});

test("a step that may not wait is rejected for good where its service would do it later, and compensated", async () => {
  const { awaitWithin: _, ...task } = hotel;
  await runStep(task, world);
  expect(await step()).toMatchObject({
    state: "Failed",
    outcomeUnknown: true,
    error: expect.stringContaining("awaitWithin"),
  });
});

describe("reported by an operator", () => {
  const ada = { by: "ada", ifMatch: "any" } as const;
  const reported = (given: StepReport, caller: Caller = ada, name = "hotel") =>
    reportStep("job-1", name, given, caller, world);
  const done = { kind: "done", reason: "rang the hotel", result: { booking: "H-7" } } as const;
  const auditLog = async () => {
    const outcomes: string[] = [];
    for await (const entry of world.supervision.entries(new Date(NOON_MS).toISOString().slice(0, 10), "job-1")) {
      if (entry.kind === "operatorAction") outcomes.push(`${entry.operator} ${entry.action} ${entry.outcome}`);
    }
    return outcomes;
  };

  test("P6 it counts as the service's own: the step is completed, what follows begins, and the service's is not taken any more", async () => {
    await run();
    expect(await reported(done)).toMatchObject({ kind: "reported", received: { receiver: 1 } });
    expect(await step()).toMatchObject({
      state: "Completed",
      result: { booking: "H-7" },
      because: "reported by ada: rang the hotel",
      endpoint: "http://inventory/",
    });
    expect(await step("badge")).toMatchObject({ state: "Scheduled" });
    await report({ kind: "done", result: { booking: "other" } });
    expect(await step()).toMatchObject({ result: { booking: "H-7" } });
    expect(await auditLog()).toEqual(["ada report done: hotel was reported as done"]);
  });

  test("P9 a rejection leads where the service's leads, and says who gave it", async () => {
    await run();
    expect(await reported({ kind: "rejected", reason: "no room" })).toMatchObject({ kind: "reported" });
    expect(await record()).toMatchObject({
      direction: "compensate",
      error: { kind: "rejected", message: "no room (ada)" },
    });
  });

  test("P12 of two one is taken; at another version than was looked at none is; all stands in the audit log", async () => {
    await run();
    const stale = { by: "bob", ifMatch: ["old"] };
    expect(await reported(done, stale)).toMatchObject({ kind: "changed" });
    expect(await step()).toMatchObject({ state: "Awaiting" });
    const kinds = (await Promise.all([reported(done), reported(done, { by: "bob", ifMatch: "any" })])).map(
      ({ kind }) => kind,
    );
    expect(kinds).toContain("reported");
    expect(await reported(done)).toMatchObject({ kind: "rejected", reason: "hotel waits for no report" });
    expect(await reported(done, ada, "nothing")).toMatchObject({ kind: "rejected" });
    expect(await auditLog()).toContain("bob report rejected: it is not at the version that was looked at");
    expect(await auditLog()).toContain("ada report rejected: hotel waits for no report");
  });

  test("P8 past its time it is rejected: the step is asked for again", async () => {
    await run();
    world.clock = NOON_MS + 10 * DAY_MS + 1;
    expect(await reported(done)).toMatchObject({
      kind: "rejected",
      reason: "the time of hotel is over, and it is asked for again: report it then",
    });
  });

  test("P13 beside a job that is to be compensated it is taken too; of a job that is not there nothing is", async () => {
    await run();
    const cancel = { kind: "cancel", reason: "changed my mind" } as const;
    await operateJob("job-1", cancel, ada, world);
    expect(await reported(done)).toMatchObject({ kind: "reported" });
    expect(await step()).toMatchObject({ state: "Completed" });
    expect(await reportStep("job-2", "hotel", done, ada, world)).toEqual({ kind: "not-found" });
  });
});

test("what awaits is listed with its time and what was said of it; where no step may wait, the store is not asked", async () => {
  await run();
  await report({ kind: "progress", progress: "asked the owner" });
  const { jobId, workflow, steps } = (await record()) ?? sampleRecord("job-1", STAY);
  const jobs = vi.fn(async () => ({ jobs: [{ jobId, workflow, steps }] }));
  const awaiting = (own: Workflow) => createAwaiting({ jobs, workflows: [own], now: () => world.clock }).read();
  const at = new Date(NOON_MS).toISOString();
  expect(await awaiting(STAY)).toEqual({
    ...{ asOf: at, isAll: true },
    steps: [
      {
        ...{ jobId: "job-1", workflow: { name: "stay", version: 1 }, step: "hotel", agent: "inventory" },
        ...{ direction: "forward", since: at, until: new Date(NOON_MS + 10 * DAY_MS).toISOString() },
        ...{ reference: "booking 7", lastReportAt: at, progress: "asked the owner" },
      },
    ],
  });
  expect(await awaiting(CHAIN)).toMatchObject({ steps: [] });
  expect(jobs).toHaveBeenCalledTimes(1);
});

test("P7 a report says neither where the work was done nor why: it can't pass for an operator's", async () => {
  await run();
  const forged = { endpoint: "https://evil.example", because: "reported by ada@example.com: by telephone" };
  expect(await report({ kind: "done", result: { booking: "H-7" }, ...forged })).toMatchObject({ kind: "recorded" });
  expect(JSON.stringify(await record())).not.toMatch(/evil|ada@/);
});
