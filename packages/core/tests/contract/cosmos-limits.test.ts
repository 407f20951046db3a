// Nothing that the app writes exceeds what Cosmos DB takes, on the local server, which keeps Microsoft's limits; and what is refused is no outage.
import { ErrorResponse } from "@azure/cosmos";
import { createMemoryJobStore } from "@scheduler-agent-supervisor/testing/memory";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { Workflow } from "../../src/domain/definition/workflow.ts";
import { type Change, isOneWrite, MOST_CHANGES, MOST_REVISIONS } from "../../src/domain/record/guarded-write.ts";
import {
  DOCUMENT_BYTES,
  jsonBytes,
  MOST_NOTED,
  MOST_RUNS,
  RESULT_BYTES,
} from "../../src/domain/record/record-limits.ts";
import { closed } from "../../src/domain/record/retention.ts";
import type { OutboxMessage, StateRecord, StepRecord, StepResult } from "../../src/domain/record/state-record.ts";
import { historyWith } from "../../src/domain/recovery/next-attempt.ts";
import { startAttemptOf } from "../../src/domain/recovery/recovery.ts";
import type { StepTask } from "../../src/domain/steps/attempt.ts";
import { skippedFor } from "../../src/domain/steps/skip.ts";
import { noted } from "../../src/domain/steps/step-end.ts";
import { accepted, done, rejected, scheduled, withRun } from "../../src/domain/steps/step-run.ts";
import { BusUnavailable } from "../../src/messaging/messenger.ts";
import { publishOrKeep } from "../../src/scheduler/publishing/publish.ts";
import { BatchRejected, isNotStorable } from "../../src/store/cosmos-answers.ts";
import { createCosmosJobStore } from "../../src/store/cosmos-job-store.ts";
import type { Versioned } from "../../src/store/job-store.ts";
import { type ClosingStore, type JobStore, NotStorable } from "../../src/store/job-store.ts";
import { sweep } from "../../src/supervisor/sweep.ts";
import { contracts, type Goods } from "../goods.ts";
import { CHAIN, NOON, NOON_MS, SCHEDULING, sampleJob, sampleRecord } from "../jobs.ts";
import { startJobsContainer } from "../jobs-container.ts";
import { createWorld } from "../world.ts";

let cosmos: Awaited<ReturnType<typeof startJobsContainer>>;
beforeAll(async () => {
  cosmos = await startJobsContainer();
});
afterAll(() => cosmos[Symbol.asyncDispose]());

type Store = JobStore & ClosingStore;
const STORES = [
  ["memory", () => createMemoryJobStore() as Store],
  ["cosmos", (): Store => createCosmosJobStore(cosmos)],
] as const;

const policy = { failureThreshold: 3, waits: [], onExhausted: "fail", onRejected: "fail" } as const;
const step = { agent: "inventory", operation: "reserve", completeWithin: "PT10S", compensation: "nothing" } as const;
/** As many runs beside each other as a record has room for, with a step before and one after them. */
const WIDEST: Workflow = {
  name: "job-fulfilment",
  version: 1,
  policy,
  steps: [
    { ...step, name: "first", after: [] },
    { ...step, name: "pack", after: ["first"], forEach: "lines" },
    { ...step, name: "last", after: ["pack"] },
  ],
};
const WIDE = MOST_RUNS - 2;
const FIFTY = 50;
const RULES = { conditions: {}, lists: { lines: ({ lines }: Goods) => lines.map(({ sku }) => ({ sku })) } };
const LINES = Array.from({ length: WIDE }, (_, index) => ({ sku: `SKU-${index}`, quantity: 1, unitPrice: 1 }));

let made = 0;
function newId(): string {
  made += 1;
  return `limit-${made}`;
}

async function read(store: JobStore, jobId: string): Promise<Versioned> {
  const found = await store.state(jobId);
  if (!found) throw new Error(`no job ${jobId}`);
  return found;
}

describe.each(STORES)("%s", (_name, open) => {
  test.each(["not closed", "closed at once"])(
    "the messages of the most runs of an ended job are kept in its record, in their sequence: %s",
    async (how) => {
      const store = open();
      const world = createWorld(NOON_MS, store);
      const jobId = newId();
      await store.create(sampleJob(jobId), { ...sampleRecord(jobId), processState: "Processed", overAt: NOON });
      let ended = await read(store, jobId);
      if (how === "closed at once") {
        const lifetime = { revisions: 1, keepMs: 86_400_000, secrets: [] };
        const written = await store.close(ended, closed(ended.record, NOON, 86_400_000), lifetime);
        if (written.kind === "rejected") throw new Error("nobody else writes");
        ended = written;
      }
      const messages: OutboxMessage[] = Array.from({ length: MOST_RUNS }, (_, index) => {
        return { status: "StepCompleted", attempt: 1, at: NOON, step: `pack_${index + 1}` };
      });
      messages.push({ status: "Completed", attempt: 1, at: NOON });
      world.publishFault = new BusUnavailable("replies-shop", new Error("away"));
      await publishOrKeep(ended, messages, world);
      const { record } = await read(store, jobId);
      expect(record.outbox).toEqual(messages);
      expect(record.keptUntil ?? null).toBeNull();
      world.publishFault = undefined;
      world.clock += 60_000;
      await sweep(world);
      expect(world.statuses.filter((status) => status.jobId === jobId).at(-1)).toMatchObject({ status: "Completed" });
      expect((await read(store, jobId)).record.outbox).toEqual([]);
    },
  );

  test("the widest workflow is Processed while no message can be sent, and its requester receives all of them afterwards", async () => {
    const store = open();
    const world = createWorld(NOON_MS, store, { workflows: [WIDEST], rules: RULES });
    const jobId = newId();
    world.failing = "StepCompleted";
    expect((await world.submit(sampleJob(jobId, { lines: LINES })))?.kind).toBe("claimed");
    await world.runAttempt(startAttemptOf((await read(store, jobId)).record));
    const { processState, outbox } = (await read(store, jobId)).record;
    expect(processState).toBe("Processed");
    expect(outbox).toHaveLength(WIDE + 3);
    world.failing = undefined;
    world.clock += 60_000;
    await sweep(world);
    const said = new Set(world.statuses.filter((one) => one.jobId === jobId).map((one) => one.step ?? one.status));
    for (let item = 1; item <= WIDE; item += 1) expect(said).toContain(`pack_${item}`);
    expect(said).toContain("Completed");
  });

  test("a write with one change too many is refused, and no outage", async () => {
    const store = open();
    const jobId = newId();
    const record = sampleRecord(jobId);
    await store.create(sampleJob(jobId), record);
    const changes = Array.from({ length: MOST_CHANGES + 1 }, (_, at): Change => {
      return { op: "append", path: ["history"], value: { at: NOON, what: `${at}`, by: "x" } };
    });
    const guard = { processStates: ["Pending"] } as const;
    expect(isOneWrite({ guard, changes })).toBe(false);
    await expect(store.change(jobId, { guard, changes })).rejects.toBeInstanceOf(NotStorable);
    expect(await store.change(jobId, { guard, changes: changes.slice(1) })).toMatchObject({ kind: "written" });
    const lifetime = { revisions: 1, keepMs: null, secrets: [] };
    await expect(store.change(jobId, { guard, changes: changes.slice(1), lifetime })).rejects.toBeInstanceOf(
      NotStorable,
    );
  });

  test("a content with the most revisions is closed and erased in one write", async () => {
    const store = open();
    const jobId = newId();
    await store.create(sampleJob(jobId), { ...sampleRecord(jobId), processState: "Processed", overAt: NOON });
    let last = await read(store, jobId);
    for (let revision = 2; revision <= MOST_REVISIONS; revision += 1) {
      const revised = await store.revise(last, { ...last.record, jobRevision: revision }, sampleJob(jobId));
      if (revised.kind === "rejected") throw new Error("nobody else writes");
      last = revised;
    }
    const lifetime = { revisions: MOST_REVISIONS, keepMs: 86_400_000, secrets: ["paymentToken"] };
    const ended = await store.close(last, closed(last.record, NOON, 86_400_000), lifetime);
    if (ended.kind === "rejected") throw new Error("nobody else writes");
    expect(await store.erase(ended)).toBe("erased");
  });
});

/** In JSON a control character takes six bytes. */
const LONG = "\u0001".repeat(5000);

function fullStep(record: StepRecord, name: string): StepRecord {
  const toSchedule = {
    name,
    transport: "queue",
    completeWithin: "PT10S",
    awaitWithin: "P1D",
  } as const;
  const route = { endpoint: LONG, because: LONG, outcomeUnknown: true };
  const acceptance = { at: NOON, reference: LONG, lastReportAt: NOON, progress: LONG, pollAt: NOON };
  const member = "x".repeat(RESULT_BYTES - jsonBytes({ id: "" }));
  const result: StepResult = { id: member };
  let full = record;
  for (const direction of ["forward", "compensate"] as const) {
    full = scheduled({ ...toSchedule, record: full }, 99, direction, NOON, {
      ...SCHEDULING,
      nonce: () => crypto.randomUUID(),
    }).record;
    full = withRun(full, direction, {
      expiry: { at: NOON, attempt: 99, tries: 99, endpoint: LONG, message: LONG, misconfigured: true },
    });
    full = withRun(full, direction, {
      again: { round: 99, at: NOON },
      notBefore: NOON,
      retryCount: 99,
      waitCount: 99,
      failureCount: 99,
    });
    full = accepted(direction, acceptance, route, NOON).change(full);
    full = done(full, 99, direction, result, route, NOON);
    full = rejected(full, direction, LONG, route, NOON);
  }
  return skippedFor(
    { ...full, decided: { condition: "isHeavy", holds: true, at: NOON } },
    { cause: "rejected", message: LONG },
    true,
    NOON,
  );
}

/** All that a record can hold at once, and more: no run is everything at the same time. */
function largest(jobId: string, runs: number): StateRecord {
  const base = sampleRecord(jobId);
  const [one] = Object.values(base.steps);
  if (!one) throw new Error("no step");
  const steps = Object.fromEntries(
    Array.from({ length: runs }, (_, index) => [`arrangeLongShipment_${index + 10}`, fullStep(one, `s${index}`)]),
  );
  const context = { by: "a".repeat(200), now: NOON, claimWithinMs: 1, clockSkewMs: 1 };
  let record: StateRecord = { ...base, steps };
  for (let entry = 0; entry < 100; entry += 1) record = { ...record, history: historyWith(record, context, LONG) };
  const [name = ""] = Object.keys(steps);
  const noting = { step: name, direction: "forward", lockedBy: "b".repeat(100), record: one } as StepTask;
  const expiry = { at: NOON, attempt: 1, tries: 2, endpoint: LONG, message: LONG };
  // What an attempt and its agents append: two entries a run, and as many notes as an agent of another team may make.
  for (let entry = 0; entry < MOST_NOTED - 100 + runs * 2; entry += 1) {
    record = noted(record, noting, expiry, false);
  }
  const outbox = Object.keys(steps).map(
    (name): OutboxMessage => ({ status: "StepCompleted", attempt: 99, at: NOON, step: name }),
  );
  return { ...record, outbox, published: outbox.slice(0, 20) };
}

test("the largest record of fifty runs is under 1 MB, and the store takes it; with the most runs it fits too", async () => {
  const store = createCosmosJobStore(cosmos);
  expect(jsonBytes(largest(newId(), FIFTY))).toBeLessThan(DOCUMENT_BYTES / 2);
  const record = largest(newId(), MOST_RUNS);
  await store.create(sampleJob(record.jobId), record);
  const before = await read(store, record.jobId);
  const written = await store.replace(before, { ...before.record, attempt: 2 });
  expect(written.kind).toBe("written");
  const guard = { processStates: ["Pending"] } as const;
  expect(
    (await store.change(record.jobId, { guard, changes: [{ op: "set", path: ["attempt"], value: 3 }] })).kind,
  ).toBe("written");
});

test("a submission that the store will never take is in the quarantine, with the reason, and its sender knows it", async () => {
  // A contract without a limit for its texts.
  const lax = { ...contracts, usual: { ...contracts.usual, schema: z.any() }, of: {} };
  const store = createCosmosJobStore(cosmos);
  const world = createWorld(NOON_MS, store, { workflows: [CHAIN], contracts: lax });
  const jobId = newId();
  const lines = [{ sku: "x".repeat(DOCUMENT_BYTES), quantity: 1, unitPrice: 1 }];
  expect(await world.submit(sampleJob(jobId, { lines }))).toBeUndefined();
  expect(world.quarantined).toMatchObject([
    { subject: "InvalidSubmission", faults: [expect.stringMatching(/will never record a job/)] },
  ]);
  expect(world.rejections).toMatchObject([
    { jobId, status: "Rejected", faults: [expect.stringMatching(/too large/i)] },
  ]);
  expect(await world.store.state(jobId)).toBeUndefined();
});

test.each([
  [400, undefined, true],
  [413, undefined, true],
  [403, 1014, true],
  [403, undefined, false],
  [403, 5300, false],
  [404, undefined, false],
  [409, undefined, false],
  [412, undefined, false],
  [429, 3200, false],
  [449, undefined, false],
  [410, undefined, false],
  [503, undefined, false],
])(
  "the answer %i, substatus %s: refused for good is %s, alone and in a batch",
  (statusCode, subStatusCode, isFinal) => {
    const alone = Object.assign(new ErrorResponse("no"), { code: statusCode, substatus: subStatusCode });
    expect(isNotStorable(alone)).toBe(isFinal);
    expect(isNotStorable(new Error("wrapped", { cause: alone }))).toBe(isFinal);
    expect(isNotStorable(new BatchRejected({ statusCode, subStatusCode }))).toBe(isFinal);
  },
);
