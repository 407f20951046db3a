// P10, P15, P16: what a recovery writes, and what a crash between its writes leaves: the claim removes the outbox messages that were sent.
import { createMemoryJobStore } from "@scheduler-agent-supervisor/testing/internal/memory/memory-job-store";
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { StartAttempt } from "../../src/domain/attempt.ts";
import type { OutboxMessage, StateRecord, StepRecord, Steps } from "../../src/domain/state-record.ts";
import { runStep } from "../../src/scheduler/run-step.ts";
import { recordJob } from "../../src/submission/submit-job.ts";
import { sweep } from "../../src/supervisor/sweep.ts";
import { NOON, NOON_MS, RETURNS, sampleJob } from "../jobs.ts";
import { createWorld, type World } from "../world.ts";

const RETRY = { status: "RetryScheduled", attempt: 2 } as const;
const KEPT: OutboxMessage = { status: "StepCompleted", attempt: 1, at: NOON, step: "pickUp" };
const WAITING = { ...RETURNS, policy: { ...RETURNS.policy, failureThreshold: 1, waits: ["PT1H"] } };

let world: World;
beforeEach(() => {
  world = createWorld(NOON_MS);
});

async function state(): Promise<StateRecord> {
  const record = await world.stateOf();
  if (!record) throw new Error("no job");
  return record;
}

async function stuck(): Promise<void> {
  world.clock = Date.parse((await state()).dueAt ?? "") + 5000;
}

/** A job whose agent took up the first step, and never answered. */
async function overdue(): Promise<void> {
  const envelope = { messageId: "job-1", replyTo: "replies-shop" };
  const record = await recordJob(
    { body: sampleJob("job-1", { workflow: RETURNS.name }), envelope, traceparent: null },
    world,
  );
  if (!record) throw new Error("nothing to start");
  world.answers.set("pickUp", () => ({ kind: "expired" }));
  const { jobId, attempt, direction } = record;
  await runStep(await world.firstTask({ jobId, attempt, direction }), world);
  await stuck();
  world.statuses.length = 0;
}

function started(): StartAttempt {
  const startAttempt = world.startAttempts.at(-1);
  if (!startAttempt) throw new Error("the scheduler was not notified");
  return startAttempt;
}

function counting() {
  const replaces = vi.spyOn(world.store, "replace");
  const changes = vi.spyOn(world.store, "change");
  const sends = vi.spyOn(world.messenger, "publish");
  const calls = (...spies: { readonly mock: { readonly calls: readonly unknown[] } }[]) =>
    spies.reduce((count, { mock }) => count + mock.calls.length, 0);
  return { writes: () => calls(replaces, changes), sends: () => calls(sends) };
}

/** Another process adds a message that it could not send. */
async function addKept(): Promise<void> {
  const read = await world.store.state("job-1");
  if (read) await world.store.replace(read, { ...read.record, outbox: [...read.record.outbox, KEPT] });
}

/** The next failure of its first step is the last. */
function failedTwice({ steps }: StateRecord): Steps {
  return { ...steps, pickUp: { ...steps["pickUp"], failureCount: 2 } as StepRecord };
}

const failOnce = (port: "publish" | "startAttempt") =>
  vi.spyOn(world.messenger, port).mockImplementationOnce(async () => {
    throw new Error("bus down");
  });

test("P10 a recovery is two writes and two sends: the decision and its status, the claim and its status", async () => {
  await overdue();
  const { writes, sends } = counting();
  await sweep(world);
  expect([writes(), sends()]).toEqual([1, 1]);
  expect(await state()).toMatchObject({ processState: "Pending", outbox: [RETRY] });
  await world.claim(started());
  expect([writes(), sends()]).toEqual([2, 2]);
  expect(await state()).toMatchObject({ processState: "Processing", outbox: [], published: [RETRY] });
  expect(world.statuses).toMatchObject([RETRY, { status: "Started", attempt: 2 }]);
});

test("P15 the statuses of an end in Error go in one send, with those of the completed steps before it", async () => {
  await overdue();
  const read = await world.store.state("job-1");
  const done = { state: "Completed", completedIn: 1, endedAt: NOON } as const;
  const restock = { ...read?.record.steps["restock"], ...done } as StepRecord;
  if (read)
    await world.store.replace(read, {
      ...read.record,
      failureCount: 2,
      steps: { ...failedTwice(read.record), restock },
    });
  const { writes, sends } = counting();
  await sweep(world);
  expect([writes(), sends()]).toEqual([2, 1]);
  expect(world.statuses).toMatchObject([
    { status: "StepCompleted", step: "restock" },
    { status: "Failed", attempt: 1 },
  ]);
  expect(await state()).toMatchObject({ processState: "Error", outbox: [] });
});

describe("P16 after a crash", () => {
  test.each([
    ["before the status is sent", "publish", 1],
    ["before the start message is sent", "startAttempt", 2],
  ] as const)("%s the next sweep does the rest, and the claim clears the outbox", async (_when, port, sent) => {
    await overdue();
    failOnce(port);
    await sweep(world);
    expect(world.startAttempts).toEqual([]);
    expect(await state()).toMatchObject({ processState: "Pending", outbox: [RETRY] });
    await stuck();
    await sweep(world);
    expect(world.statuses).toMatchObject(Array(sent).fill(RETRY));
    await world.claim(started());
    expect(await state()).toMatchObject({ processState: "Processing", outbox: [], published: [RETRY] });
  });

  test("between the claim and Started the start message is delivered again, and publishes it", async () => {
    await overdue();
    await sweep(world);
    failOnce("publish");
    await expect(world.claim(started())).rejects.toThrow("bus down");
    expect(world.statuses).toMatchObject([RETRY]);
    await world.claim(started());
    expect(world.statuses).toMatchObject([RETRY, { status: "Started", attempt: 2 }]);
    expect(await state()).toMatchObject({ processState: "Processing", outbox: [] });
  });

  test("a claim whose answer was lost recognises itself", async () => {
    await overdue();
    await sweep(world);
    const { replace } = world.store;
    vi.spyOn(world.store, "replace").mockImplementationOnce(async (...write) => {
      await replace(...write);
      return { kind: "rejected" };
    });
    await world.claim(started());
    expect(world.statuses).toMatchObject([RETRY, { status: "Started", attempt: 2 }]);
    expect(await state()).toMatchObject({ processState: "Processing", outbox: [], published: [RETRY] });
  });
});

describe("P15 the claim removes what was sent, and nothing else", () => {
  test("a message that was added after the start message stays", async () => {
    await overdue();
    await sweep(world);
    await addKept();
    await world.claim(started());
    expect(await state()).toMatchObject({ processState: "Processing", outbox: [RETRY, KEPT] });
  });

  test("so does one that is added between its read and its write", async () => {
    await overdue();
    await sweep(world);
    const { state: read } = world.store;
    vi.spyOn(world.store, "state").mockImplementationOnce(async (jobId) => {
      const before = await read(jobId);
      await addKept();
      return before;
    });
    await world.claim(started());
    expect(await state()).toMatchObject({ processState: "Processing", outbox: [RETRY, KEPT] });
  });

  test("a start message of a version that names none removes none: the next status of the attempt does", async () => {
    await overdue();
    await sweep(world);
    const { sent: _, ...startAttempt } = started();
    world.answers.clear();
    const task = await world.firstTask(startAttempt);
    expect(await state()).toMatchObject({ processState: "Processing", outbox: [RETRY] });
    await runStep(task, world);
    expect(await state()).toMatchObject({ outbox: [], published: [RETRY] });
  });

  test("P11 before a wait they are removed at once: for as long as it lasts, nothing is owed", async () => {
    world = createWorld(NOON_MS, createMemoryJobStore(), { workflows: [WAITING] });
    await overdue();
    await sweep(world);
    expect(await state()).toMatchObject({ processState: "Pending", outbox: [], published: [RETRY] });
    expect(started().sent).toBeUndefined();
  });
});
