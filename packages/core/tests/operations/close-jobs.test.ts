// Jobs that are over, over the store in memory: what is closed, in what order it is written, and what stays as it is.

import { createMemoryJobStore } from "@scheduler-agent-supervisor/testing/memory";
import { beforeEach, expect, test } from "vitest";
import { REMOVED } from "../../src/domain/content/job.ts";
import { operateJob } from "../../src/scheduler/operating/operate-job.ts";
import type { Retention } from "../../src/scheduler/ports.ts";
import { runStep } from "../../src/scheduler/steps/run-step.ts";
import type { ArchivedJob } from "../../src/store/blob-job-archive.ts";
import { closeJobs, STILL_PUBLISHED_MS } from "../../src/supervisor/close-jobs.ts";
import { sweep } from "../../src/supervisor/sweep.ts";
import type { Goods } from "../jobs.ts";
import { NOON_MS, sampleJob } from "../jobs.ts";
import { createWorld, runTasks, type World } from "../world.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const RESUBMIT = { kind: "resubmit", reason: "again", job: null, compensatedManually: false } as const;
const CALLER = { by: "ada", ifMatch: "any" } as const;

type Mutable = { -readonly [name in keyof Retention]: Retention[name] };

let world: World;
let retention: Mutable;
let archived: ArchivedJob[];
beforeEach(() => {
  const store = createMemoryJobStore();
  archived = [];
  retention = { store, keepMs: 90 * DAY_MS, resubmitWithinMs: DAY_MS, archive: undefined };
  world = createWorld(NOON_MS, store);
});

const archive: NonNullable<Retention["archive"]> = { add: async (page) => void archived.push(...page) };
const close = (withinMs = 60_000) => closeJobs(retention, withinMs, world);
const tokenOf = async (revision = 1) => ((await world.store.job("job-1", revision)) as Goods).paymentToken;

async function processed(): Promise<void> {
  expect(await world.runAttempt(await world.submitted())).toBe("concluded");
}

async function compensated(): Promise<void> {
  world.answers.set("arrange", () => ({ kind: "rejected", message: "no such country" }));
  await world.runAttempt(await world.submitted());
  const startAttempt = world.startAttempts.at(-1);
  if (!startAttempt) throw new Error("no start message");
  expect(await world.runAttempt(startAttempt)).toBe("concluded");
}

test("P29 without an archive the write that completes a job closes it", async () => {
  world = Object.assign(world, { retention });
  await processed();
  expect(await world.stateOf()).toMatchObject({ processState: "Processed", keptUntil: "2026-04-01T12:00:00.000Z" });
  expect(await tokenOf()).toBe(REMOVED);
  expect(await close()).toMatchObject({ closed: 0 });
});

test("P16 P29 the last step run again after its job is closed asks no service, and says what was done", async () => {
  world = Object.assign(world, { retention });
  const attempt = await world.claim(await world.submitted());
  const { ran } = await runTasks(attempt, async (task) => (await runStep(task, world)).outcome);
  const calls = world.calls.length;
  const task = ran.at(-1);
  if (!task) throw new Error("no task");
  expect(await runStep(task, world)).toMatchObject({ outcome: { kind: "completed", hasEnded: true } });
  expect(world.calls).toHaveLength(calls);
});

test("P29 a job is closed when no process can still be sending its last message", async () => {
  await processed();
  world.clock += STILL_PUBLISHED_MS / 2;
  expect(await close()).toMatchObject({ closed: 0 });
  world.clock += STILL_PUBLISHED_MS;
  expect(await close()).toMatchObject({ closed: 1 });
});

test("P29 without the setting nothing goes, and the record says since when it is over", async () => {
  await processed();
  expect(await world.stateOf()).toMatchObject({ overAt: "2026-01-01T12:00:00.000Z" });
  expect(await world.stateOf()).not.toHaveProperty("keptUntil");
  expect(await tokenOf()).toBe("tok_visa");
});

test("P29 a job that was over before the setting was made is closed, once", async () => {
  await processed();
  world.clock += HOUR_MS;
  expect(await close()).toEqual({ closed: 1, lost: 0, broken: 0, finished: true });
  expect(await world.stateOf()).toMatchObject({ keptUntil: "2026-04-01T13:00:00.000Z" });
  expect(await tokenOf()).toBe(REMOVED);
  expect(await close()).toMatchObject({ closed: 0 });
});

test("P29 a job that is closed and whose end can't be published is open again until it is", async () => {
  world = Object.assign(world, { retention });
  world.failing = "Completed";
  await processed();
  expect(await world.stateOf()).toMatchObject({
    overAt: null,
    keptUntil: null,
    outbox: [{ status: "StepCompleted" }, { status: "Completed" }],
  });
  world.clock += HOUR_MS;
  expect(await close()).toMatchObject({ closed: 0 });
  world.failing = undefined;
  await sweep(world);
  expect(await world.stateOf()).toMatchObject({ outbox: [], overAt: "2026-01-01T13:00:00.000Z" });
  world.clock += HOUR_MS;
  expect(await close()).toMatchObject({ closed: 1 });
});

test("P29 a job in Error that a person has to see to stays as it is, and is over once it is settled", async () => {
  world.answers.set("arrange", () => ({ kind: "rejected", message: "no such country" }));
  world.answers.set("release", () => ({ kind: "rejected", message: "gone" }));
  await world.runAttempt(await world.submitted());
  const startAttempt = world.startAttempts.at(-1);
  if (!startAttempt) throw new Error("no start message");
  await world.runAttempt(startAttempt);
  expect(await world.stateOf()).toMatchObject({
    processState: "Error",
    error: { kind: "compensationIncomplete" },
    outbox: [],
  });
  world.clock += 10 * DAY_MS;
  expect(await close()).toMatchObject({ closed: 0 });
  expect(await tokenOf()).toBe("tok_visa");
  await operateJob("job-1", { kind: "markResolved", reason: "done manually" }, CALLER, world);
  world.clock += 2 * DAY_MS;
  expect(await close()).toMatchObject({ closed: 1 });
  expect(await tokenOf()).toBe(REMOVED);
});

test("P29 a compensated job can be resubmitted as it is for a time, then only with a new payment token", async () => {
  await compensated();
  world.clock += HOUR_MS;
  expect(await close()).toMatchObject({ closed: 0 });
  const read = await world.store.state("job-1");
  world.clock += DAY_MS;
  expect(await close()).toMatchObject({ closed: 1 });
  const resubmit = (job: ReturnType<typeof sampleJob> | null) =>
    operateJob("job-1", { ...RESUBMIT, job: job }, CALLER, world);
  expect(await resubmit(null)).toMatchObject({
    kind: "rejected",
    reason: expect.stringContaining("its secrets are removed"),
  });
  expect(await resubmit((await world.store.job("job-1", 1)) as Goods)).toMatchObject({
    kind: "invalid",
    faults: ["job: paymentToken: was removed, and a new one is needed"],
  });
  expect(await resubmit(sampleJob("job-1", { paymentToken: "tok_new" }))).toMatchObject({ kind: "done" });
  expect(await world.stateOf()).toMatchObject({ processState: "Pending" });
  for (const name of ["overAt", "overInErrorAt", "keptUntil"]) expect(await world.stateOf()).not.toHaveProperty(name);
  expect(await tokenOf(2)).toBe("tok_new");
  // Whoever still had it as it was before loses.
  if (read)
    expect(await retention.store.close(read, read.record, { revisions: 1, keepMs: 1, secrets: [] })).toEqual({
      kind: "rejected",
    });
});

test("P29 a compensated job is resubmitted as it is before it is closed", async () => {
  await compensated();
  world.clock += HOUR_MS;
  expect(await operateJob("job-1", RESUBMIT, CALLER, world)).toMatchObject({ kind: "done" });
  world.clock += 2 * DAY_MS;
  expect(await close()).toMatchObject({ closed: 0 });
  expect(await tokenOf()).toBe("tok_visa");
});

test("P29 archived first, without its secrets; an archive that is away keeps the job open", async () => {
  retention.archive = { add: () => Promise.reject(new Error("storage away")) };
  world = Object.assign(world, { retention });
  await processed();
  expect(await world.stateOf()).not.toHaveProperty("keptUntil");
  world.clock += HOUR_MS;
  await expect(close()).rejects.toThrow("storage away");
  expect(world.events.at(-1)).toMatchObject({ name: "JobsClosed", attributes: { closed: 0, finished: false } });
  expect(await tokenOf()).toBe("tok_visa");
  retention.archive = archive;
  expect(await close()).toMatchObject({ closed: 1 });
  expect(archived).toMatchObject([
    { record: { jobId: "job-1", processState: "Processed" }, jobs: [{ paymentToken: REMOVED, currency: "EUR" }] },
  ]);
  expect(archived[0]?.record).not.toHaveProperty("keptUntil");
  expect((await world.stateOf())?.contentDigest).toBeTypeOf("string");
  expect(archived[0]?.record).not.toHaveProperty("contentDigest");
});

test("P29 a death between the archive and the closing loses nothing: the same jobs are offered again", async () => {
  retention.archive = archive;
  await processed();
  world.clock += HOUR_MS;
  const { close: real } = retention.store;
  retention.store = { ...retention.store, close: () => Promise.reject(new Error("killed")) };
  await expect(close()).rejects.toThrow("killed");
  retention.store = { ...retention.store, close: real };
  expect(await close()).toMatchObject({ closed: 1 });
  expect(archived).toHaveLength(2);
  expect(archived[0]).toEqual(archived[1]);
});

test("P29 a content that can't be read keeps its job and stops no other", async () => {
  retention.archive = archive;
  await processed();
  await world.submit(sampleJob("job-2"));
  const other = await world.store.state("job-2");
  if (!other) throw new Error("no job-2");
  await world.store.replace(other, { ...other.record, processState: "Processed", overAt: "2026-01-01T12:00:00.000Z" });
  world.clock += HOUR_MS;
  const { job: real } = world.store;
  world.store.job = (jobId, revision) =>
    jobId === "job-1" ? Promise.reject(new Error("no job job-1")) : real(jobId, revision);
  expect(await close()).toEqual({ closed: 1, lost: 0, broken: 1, finished: true });
  expect(world.events.at(-2)).toMatchObject({ name: "JobNotClosed", attributes: { jobId: "job-1" } });
});

test("P29 a run that is out of time says so, and the next one goes on", async () => {
  await processed();
  world.clock += HOUR_MS;
  expect(await close(-1)).toEqual({ closed: 0, lost: 0, broken: 0, finished: false });
  expect(await close()).toMatchObject({ closed: 1, finished: true });
});

test("P1 P29 a message that comes again after the job is closed is a duplicate, not another job", async () => {
  world = Object.assign(world, { retention });
  await processed();
  expect(await world.submit()).toBeUndefined();
  expect(world.eventNames().at(-1)).toBe("DuplicateSubmission");
  await world.submit(sampleJob("job-1", { currency: "USD" }));
  expect(world.quarantined).toHaveLength(1);
});
