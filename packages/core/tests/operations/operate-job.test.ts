// What an operator does to a job, over the store in memory: written, published, entered in the audit log, and carried on.

import { inspectJob } from "@scheduler-agent-supervisor/operator/adapters";
import { beforeEach, describe, expect, test } from "vitest";
import type { ActionName, OperatorRequest } from "../../src/messaging/operator-request.ts";
import { runStep } from "../../src/scheduler/steps/run-step.ts";
import type { JobStore, WantedVersion } from "../../src/store/job-store.ts";
import type { Goods } from "../jobs.ts";
import { NOON_MS, sampleJob } from "../jobs.ts";
import { compensate, operateIn, resubmit, runNextIn } from "../operated-world.ts";
import { createWorld, type World } from "../world.ts";

let world: World;
beforeEach(() => {
  world = createWorld(NOON_MS);
});

const operate = (request: OperatorRequest, store?: JobStore, ifMatch?: WantedVersion) =>
  operateIn(world, request, store, ifMatch);
const runNext = () => runNextIn(world);

/** A job whose payment is rejected; the workflow puts that before an operator. */
async function rejected(): Promise<void> {
  world.answers.set("authorize", () => ({ kind: "rejected", message: "card expired" }));
  await world.runAttempt(await world.submitted());
  expect(await world.stateOf()).toMatchObject({
    processState: "Error",
    direction: "forward",
    error: { kind: "rejected" },
  });
  world.answers.clear();
  world.calls.length = 0;
  world.clock += 60_000;
}

describe("extend", () => {
  test.each([
    ["late", 30_000],
    ["in time, and is at work for long", 0],
  ])("of a step that its agent then takes up %s: the time stays as it was given", async (_, waitsMs) => {
    const task = await world.firstTask(await world.submitted());
    await operate({ kind: "extend", reason: "service is fixed", byMs: 3_600_000 });
    const { dueAt, completeBy } = (await world.stateOf()) ?? {};
    world.clock += waitsMs;
    world.answers.set(task.operation, () => ({ kind: "expired" }));
    await runStep(task, world);
    expect(await world.stateOf()).toMatchObject({ dueAt, completeBy, steps: { [task.step]: { state: "Running" } } });
  });
});

describe("resubmit", () => {
  test("P9 goes on from the step that was rejected, under its next key; the client is notified", async () => {
    await rejected();
    expect(await operate(resubmit)).toMatchObject({ kind: "done", published: true, record: { attempt: 2 } });
    expect(world.statuses.at(-1)).toMatchObject({ status: "RetryScheduled", attempt: 2 });
    expect(await runNext()).toBe("concluded");
    expect(await world.stateOf()).toMatchObject({ processState: "Processed", error: null, outbox: [] });
    const operations = world.calls.map(({ operation }) => operation);
    expect(operations).not.toContain("reserve");
    expect(world.calls.find(({ operation }) => operation === "authorize")?.idempotencyKey).toBe(
      "job-1:takePayment:forward:2",
    );
    expect((await world.stateOf())?.history.map(({ by }) => by)).toContain("ada");
  });

  test("with an edit works on the new content, under another key", async () => {
    await rejected();
    expect((await world.stateOf())?.keys).toEqual({ customer: "customer-7" });
    const customer = { id: "customer-8" };
    const job = sampleJob("job-1", { paymentToken: "tok_new", priority: "high", customer });
    expect(await operate({ ...resubmit, job: job })).toMatchObject({ kind: "done", record: { jobRevision: 2 } });
    expect((await world.stateOf())?.keys).toEqual({ customer: "customer-8" });
    await runNext();
    expect(await world.stateOf()).toMatchObject({ processState: "Processed", jobRevision: 2, priority: "high" });
    const charge = world.calls.find(({ operation }) => operation === "authorize");
    expect(charge).toMatchObject({
      job: { paymentToken: "tok_new" },
      idempotencyKey: "job-1:takePayment:forward:2",
    });
    expect(((await world.store.job("job-1", 1)) as Goods).paymentToken).toBe("tok_visa");
  });

  test("an edit can't change the workflow", async () => {
    await rejected();
    const job = sampleJob("job-1", { workflow: "returns" });
    expect(await operate({ ...resubmit, job: job })).toEqual({
      kind: "invalid",
      faults: [expect.stringContaining("job-fulfilment")],
    });
  });

  test("P13 of a compensated job does everything anew; its second compensation takes back the second run's effects", async () => {
    await rejected();
    await operate(compensate);
    await runNext();
    expect(await world.stateOf()).toMatchObject({ processState: "Compensated" });
    world.calls.length = 0;
    world.answers.set("capture", () => ({ kind: "rejected", message: "the hold is gone" }));
    expect(await operate(resubmit)).toMatchObject({ kind: "done" });
    expect(await runNext()).toBe("rejected");
    expect(world.calls.map(({ idempotencyKey }) => idempotencyKey)).toContain("job-1:reserveStock:forward:2");
    // This workflow has what is rejected here compensated at once.
    const reserved = (await world.stateOf())?.steps["reserveStock"]?.result;
    await runNext();
    const released = world.calls.find(({ operation }) => operation === "release");
    expect(released).toMatchObject({
      idempotencyKey: "job-1:reserveStock:compensate:2",
      compensates: { result: reserved, idempotencyKey: "job-1:reserveStock:forward:2" },
    });
  });
});

describe("compensate", () => {
  test("P13 of a job in Error takes back what was done", async () => {
    await rejected();
    expect(await operate(compensate)).toMatchObject({ kind: "done" });
    expect(await runNext()).toBe("concluded");
    expect(world.calls.map(({ operation }) => operation)).toEqual(["release"]);
    expect(await world.stateOf()).toMatchObject({ processState: "Compensated" });
    expect(world.statuses.at(-1)).toMatchObject({
      status: "Compensated",
      detail: expect.stringContaining("card expired"),
    });
  });

  test("of a running job supersedes its attempt at once; the result that comes meanwhile is recorded, and compensated", async () => {
    const startAttempt = await world.submitted();
    world.answers.set("reserve", async () => {
      expect(await operate(compensate)).toMatchObject({ kind: "done" });
      return { kind: "done" };
    });
    await world.runAttempt(startAttempt);
    expect(await world.stateOf()).toMatchObject({
      processState: "Pending",
      direction: "compensate",
      attempt: 2,
      lockedBy: null,
    });
    expect(await runNext()).toBe("concluded");
    expect(world.calls.at(-1)).toMatchObject({
      operation: "release",
      compensates: { result: { id: "inventory-1" }, idempotencyKey: "job-1:reserveStock:forward" },
    });
    expect(await world.stateOf()).toMatchObject({
      error: { message: expect.stringContaining("ada asked for it: shop asked") },
    });
  });
});

/** An action that is added has to say here whether it starts an attempt. */
const STARTS = {
  resubmit: true,
  compensate: true,
  cancel: false,
  extend: false,
  markResolved: false,
} as const satisfies Record<ActionName, boolean>;
const REQUESTS = {
  resubmit,
  compensate,
  cancel: { kind: "cancel", reason: "sent by mistake" },
  extend: { kind: "extend", reason: "late", byMs: 1000 },
  markResolved: { kind: "markResolved", reason: "done manually" },
} as const satisfies Record<ActionName, OperatorRequest>;

test.each(Object.entries(STARTS))("%s sends a start message: %s", async (action, starts) => {
  if (action === "extend" || action === "cancel") await world.submitted();
  else await rejected();
  expect(await operate(REQUESTS[action as ActionName])).toMatchObject({ kind: "done", published: true });
  expect(world.startAttempts).toHaveLength(starts ? 1 : 0);
});

describe("the write", () => {
  test("a job that is not there", async () => {
    expect(await operate(compensate)).toEqual({ kind: "not-found" });
  });

  test("a rejection says the state and the reason, and is entered in the audit log as what was done is", async () => {
    await rejected();
    await operate(resubmit);
    expect(await operate(REQUESTS.markResolved)).toEqual({
      kind: "rejected",
      state: "Pending",
      reason: expect.stringContaining("this one is Pending"),
    });
    const entries = [];
    for await (const entry of world.supervision.entries("2026-01-01", "job-1")) {
      if (entry.kind === "operatorAction") entries.push(entry);
    }
    expect(entries).toMatchObject([
      {
        action: "resubmit",
        operator: "ada",
        outcome: "done",
        before: { processState: "Error" },
        after: { attempt: 2 },
      },
      { action: "markResolved", outcome: expect.stringContaining("rejected"), after: null },
    ]);
  });

  test("P12 at the version that was looked at; at another it is not done, and the answer has today's state", async () => {
    await rejected();
    const seen = (await inspectJob("job-1", world))?.etag ?? "";
    const settled = await operate({ kind: "markResolved", reason: "done manually" }, world.store, [seen]);
    expect(settled).toMatchObject({ kind: "done", record: { error: { kind: "resolved" } } });
    expect(await operate(resubmit, world.store, [seen])).toMatchObject({
      kind: "changed",
      record: { processState: "Error", attempt: 1, error: { kind: "resolved" } },
      etag: (await world.store.state("job-1"))?.etag,
    });
    expect(await world.stateOf()).toMatchObject({ attempt: 1 });
    const entries = [];
    for await (const entry of world.supervision.entries("2026-01-01", "job-1")) entries.push(entry);
    expect(entries.at(-1)).toMatchObject({
      action: "resubmit",
      outcome: "rejected: it is not at the version that was looked at",
    });
    const now = (await inspectJob("job-1", world))?.etag ?? "";
    expect(await operate(resubmit, world.store, ['"another"', now])).toMatchObject({ kind: "done" });
  });

  test("P12 at a version: a conflict in between is not decided anew", async () => {
    await rejected();
    const seen = (await inspectJob("job-1", world))?.etag ?? "";
    const contested: JobStore = {
      ...world.store,
      async replace(read, record) {
        const stored = await world.store.state(record.jobId);
        if (stored) await world.store.replace(stored, { ...stored.record, failureCount: 9 });
        return world.store.replace(read, record);
      },
    };
    expect(await operate(compensate, contested, [seen])).toMatchObject({
      kind: "changed",
      record: { failureCount: 9 },
    });
    expect(await world.stateOf()).toMatchObject({ processState: "Error", attempt: 1, failureCount: 9 });
  });

  test("the version that is answered is that after the outbox messages were published", async () => {
    await rejected();
    const done = await operate(resubmit);
    if (done.kind !== "done") throw new Error("not done");
    expect(done.record.outbox).toEqual([]);
    expect(done.etag).toBe((await world.store.state("job-1"))?.etag);
  });

  test("P12 of two operators at once one has it done", async () => {
    await rejected();
    const both = await Promise.all([operate(resubmit), operate(compensate)]);
    expect(both.filter(({ kind }) => kind === "done")).toHaveLength(1);
    expect(both.filter(({ kind }) => kind === "rejected")).toHaveLength(1);
    expect((await world.stateOf())?.attempt).toBe(2);
  });

  test("a conflict is read and decided once more; a second one is reported", async () => {
    await rejected();
    let conflicts = 1;
    const contested: JobStore = {
      ...world.store,
      replace: async (read, record) => (conflicts-- > 0 ? { kind: "rejected" } : world.store.replace(read, record)),
    };
    expect(await operate(resubmit, contested)).toMatchObject({ kind: "done" });
    const hopeless: JobStore = { ...world.store, replace: async () => ({ kind: "rejected" }) };
    expect(await operate({ kind: "extend", reason: "r", byMs: 1000 }, hopeless)).toMatchObject({
      kind: "rejected",
      reason: expect.stringContaining("look at it again"),
    });
  });

  test("P16 a write that was made, and whose answer was lost, is known to be made", async () => {
    await rejected();
    const lossy: JobStore = {
      ...world.store,
      async replace(read, record) {
        await world.store.replace(read, record);
        return { kind: "rejected" };
      },
    };
    expect(await operate(compensate, lossy)).toMatchObject({ kind: "done", published: true });
    expect((await world.stateOf())?.attempt).toBe(2);
  });

  test("P16 the bus away: the record is Pending and due, which the sweep finds", async () => {
    await rejected();
    world.publishFault = new Error("bus down");
    expect(await operate(resubmit)).toMatchObject({ kind: "done", published: false });
    const due = [];
    for await (const { record } of world.store.due("2026-01-01T13:00:00.000Z")) due.push(record.jobId);
    expect(due).toEqual(["job-1"]);
  });

  test("an inspection shows job, record and what may be done", async () => {
    await rejected();
    expect((await inspectJob("job-1", world))?.job).toEqual(sampleJob("job-1", { paymentToken: "(hidden)" }));
    expect(await inspectJob("job-1", world, true)).toMatchObject({
      job: sampleJob(),
      record: { processState: "Error", steps: { takePayment: { state: "Failed" } } },
      actions: { resubmit: { allowed: true }, compensate: { allowed: true }, extend: { allowed: false } },
    });
    expect(await inspectJob("nowhere", world)).toBeUndefined();
  });
});
