// A step that waits for a person (P22): who has to act, and the reminder when half of the time is over.
import { recordJob } from "@scheduler-agent-supervisor/testing/memory";
import { beforeEach, describe, expect, test } from "vitest";
import type { Workflow } from "../../src/domain/definition/workflow.ts";
import { startAttemptOf } from "../../src/domain/recovery/recovery.ts";
import { operateJob } from "../../src/scheduler/operating/operate-job.ts";
import { parseReport } from "../../src/scheduler/steps/completion.ts";
import { runStep } from "../../src/scheduler/steps/run-step.ts";
import { takeReport } from "../../src/scheduler/steps/take-reply.ts";
import { sweep } from "../../src/supervisor/sweep.ts";
import { dyingSweep } from "../dying-sweep.ts";
import { NOON_MS, sampleJob } from "../jobs.ts";
import { createWorld, type World } from "../world.ts";

const DAY_MS = 86_400_000;
const within = { completeWithin: "PT10S" };
const at = (ms: number) => new Date(NOON_MS + ms).toISOString();

const approval = (assignee?: string): Workflow => ({
  name: "job-fulfilment",
  version: 1,
  policy: { failureThreshold: 2, waits: [], onExhausted: "compensate", onRejected: "compensate" },
  steps: [
    {
      ...{ name: "approve", agent: "inventory", operation: "reserve", after: [], ...within, awaitWithin: "P10D" },
      ...(assignee !== undefined && { assignee }),
      compensation: { operation: "release", completeWithin: "PT10S" },
    },
    { name: "badge", agent: "shipping", operation: "pickUp", after: ["approve"], ...within, compensation: "nothing" },
  ],
});

let world: World;

/** Its first step waits for a person. */
async function waiting(workflow = approval("underwriters")): Promise<void> {
  world = createWorld(NOON_MS, undefined, { workflows: [workflow] });
  world.answers.set("reserve", () => ({ kind: "accepted", reference: "file 7" }));
  const envelope = { messageId: "job-1", replyTo: "replies-shop" };
  const record = await recordJob({ body: sampleJob("job-1"), envelope, traceparent: null }, world);
  if (!record) throw new Error("nothing to start");
  await runStep(await world.firstTask(startAttemptOf(record)), world);
  world.statuses.splice(0);
}

beforeEach(() => waiting());

const step = async () => (await world.stateOf())?.steps["approve"];
const reminders = () => world.statuses.filter(({ status }) => status === "StepReminder");

async function report(): Promise<void> {
  const url = world.calls.at(-1)?.completion?.url ?? "";
  const parsed = parseReport(
    url.slice(url.lastIndexOf("/") + 1),
    JSON.stringify({ kind: "done", result: { reservationId: "r-1" } }),
  );
  if (parsed.kind !== "valid") throw new Error("no report");
  await takeReport(parsed.report, world);
}

test("[step | it waits for a person | half of its time is over] its assignee is reminded once, with an event and a status, and the job waits on", async () => {
  expect(await step()).toMatchObject({ state: "Awaiting", assignee: "underwriters" });
  expect(await world.stateOf()).toMatchObject({ dueAt: at(5 * DAY_MS), completeBy: at(10 * DAY_MS) });
  world.clock = NOON_MS + 5 * DAY_MS - 60_000;
  expect(await sweep(world)).toMatchObject({ found: 0 });
  world.clock = NOON_MS + 5 * DAY_MS + 60_000;
  expect(await sweep(world)).toMatchObject({ found: 1, later: 1, broken: 0 });
  expect(reminders()).toMatchObject([
    { step: "approve", attempt: 1, assignee: "underwriters", until: at(10 * DAY_MS), at: at(5 * DAY_MS + 60_000) },
  ]);
  expect(world.events.filter(({ name }) => name === "StepReminder")).toMatchObject([
    { attributes: { jobId: "job-1", step: "approve", agent: "inventory", assignee: "underwriters" } },
  ]);
  expect(await world.stateOf()).toMatchObject({ processState: "Processing", attempt: 1, failureCount: 0, outbox: [] });
  expect((await world.stateOf())?.dueAt).toBe(at(10 * DAY_MS));
  world.clock = NOON_MS + 10 * DAY_MS - 60_000;
  expect(await sweep(world)).toMatchObject({ found: 0 });
  world.clock = NOON_MS + 10 * DAY_MS + 60_000;
  expect(await sweep(world)).toMatchObject({ found: 1, retried: 1 });
  expect(reminders()).toHaveLength(1);
});

test("P22 without an assignee the record is due when its time is over, and nobody is reminded", async () => {
  await waiting(approval());
  expect((await world.stateOf())?.dueAt).toBe(at(10 * DAY_MS));
  expect((await step())?.accepted).not.toHaveProperty("remindedAt");
});

test("P22 P12 of two supervisors that have read it, one reminds", async () => {
  world.clock = NOON_MS + 6 * DAY_MS;
  const reports = await Promise.all([sweep(world), sweep(world)]);
  expect(reports.map((each) => ("lost" in each ? each.lost : 0)).sort()).toEqual([0, 1]);
  expect(reminders()).toHaveLength(1);
});

test("P22 a step that is reported in time reminds nobody", async () => {
  world.clock = NOON_MS + 5 * DAY_MS - 60_000;
  await report();
  world.clock = NOON_MS + 6 * DAY_MS;
  await sweep(world);
  expect(reminders()).toEqual([]);
});

test("P22 with more time, the reminder comes at half of it", async () => {
  const extended = await operateJob(
    "job-1",
    { kind: "extend", reason: "a holiday", byMs: 10 * DAY_MS },
    { by: "desk", ifMatch: "any" },
    world,
  );
  expect(extended.kind).toBe("done");
  expect(await world.stateOf()).toMatchObject({ dueAt: at(10 * DAY_MS) });
  expect((await step())?.completeBy).toBe(at(20 * DAY_MS));
  world.clock = NOON_MS + 10 * DAY_MS + 60_000;
  await sweep(world);
  expect(reminders()).toHaveLength(1);
  expect((await world.stateOf())?.dueAt).toBe(at(20 * DAY_MS));
});

test("P22 P35 a cancelled job that waits no longer for the person reminds nobody", async () => {
  await operateJob("job-1", { kind: "cancel", reason: "no", byRequester: true }, { by: "it", ifMatch: "any" }, world);
  world.clock = NOON_MS + 6 * DAY_MS;
  await sweep(world);
  expect(reminders()).toEqual([]);
});

test("P22 while the bus does not take it, the reminder stays in the record, and the next sweep sends it", async () => {
  world.clock = NOON_MS + 6 * DAY_MS;
  const messenger = { ...world.messenger, publish: () => Promise.reject(new Error("the bus is down")) };
  expect(await sweep({ ...world, messenger })).toMatchObject({ found: 1, broken: 1 });
  expect(await world.stateOf()).toMatchObject({ outbox: [{ status: "StepReminder", step: "approve" }] });
  expect(await sweep(world)).toMatchObject({ found: 0 });
  world.clock += 60_000;
  expect(await sweep(world)).toMatchObject({ found: 1, published: 1 });
  expect(reminders()).toHaveLength(1);
  expect(await world.stateOf()).toMatchObject({ outbox: [], dueAt: at(10 * DAY_MS) });
});

describe.each(["before", "after"] as const)("P22 P16 %s a call", (when) => {
  test("[supervisor | a reminder is due | it dies before or after any call] the next one reminds, decided once, and the job waits on", async () => {
    let deaths = 0;
    for (let hasDied = true; hasDied; deaths += 1) {
      await waiting();
      world.clock = NOON_MS + 6 * DAY_MS;
      hasDied = await dyingSweep(world, deaths + 1, when);
      world.clock += 10 * 60_000;
      await sweep(world);
      const what = `call ${deaths + 1}`;
      const record = await world.stateOf();
      expect(record, what).toMatchObject({ processState: "Processing", attempt: 1, outbox: [] });
      expect(record?.dueAt, what).toBe(at(10 * DAY_MS));
      expect(
        record?.history.filter(({ what: entry }) => entry.includes("a reminder is sent")),
        what,
      ).toHaveLength(1);
      // Sent again under the same id where the process died between the send and the record of it.
      expect(reminders().length, what).toBeGreaterThan(0);
      expect(new Set(reminders().map(({ attempt, step: of }) => `${attempt} ${of}`)).size, what).toBe(1);
      expect(await sweep(world), what).toMatchObject({ found: 0 });
    }
    expect(deaths).toBeGreaterThan(2);
  });
});
