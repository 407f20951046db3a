// Submission over the store in memory: what it writes and says, and what a second delivery finds.

import { submitJob } from "@scheduler-agent-supervisor/testing/memory";
import { beforeEach, expect, test } from "vitest";
import { BusUnavailable } from "../../src/messaging/messenger.ts";
import { claimFirst, readSubmission, recordSubmission } from "../../src/submission/record-submission.ts";
import type { Goods } from "../jobs.ts";
import { CHAIN, NOON_MS, sampleJob } from "../jobs.ts";
import { createWorld, ENVELOPE, type World } from "../world.ts";

let world: World;
beforeEach(() => {
  world = createWorld(NOON_MS);
});

test("P1 P2 writes job and record, and says Received with the request's correlation id", async () => {
  const startAttempt = await world.submitted();
  expect(startAttempt).toMatchObject({ jobId: "job-1", attempt: 1 });
  expect(await world.stateOf()).toMatchObject({
    processState: "Pending",
    lockedBy: null,
    completeBy: null,
    failureCount: 0,
    correlationId: "request-1",
  });
  expect(world.statuses).toMatchObject([{ jobId: "job-1", status: "Received" }]);
});

test("P19 the record has the job's priority", async () => {
  await world.submit(sampleJob("job-1", { priority: "high" }));
  expect((await world.stateOf())?.priority).toBe("high");
});

test("a new job starts with the newest version of its workflow, however the versions are listed", async () => {
  const versions = [1, 3, 2].map((version) => ({ ...CHAIN, version }));
  for (const workflows of [versions, versions.toReversed()]) {
    world = createWorld(NOON_MS, undefined, { workflows });
    await world.submit();
    expect((await world.stateOf())?.workflow.version).toBe(3);
  }
});

test("P33 an id that reads as a number stays the sender's own", async () => {
  const envelope = { ...ENVELOPE, messageId: 1001, correlationId: 1002, replyToSessionId: 1003, submissionId: 1004 };
  await submitJob({ body: sampleJob(), envelope: envelope as never, traceparent: null }, world);
  expect(await world.stateOf()).toMatchObject({ correlationId: "1002", replyToSessionId: "1003" });
  await submitJob({ body: BAD, envelope: envelope as never, traceparent: null }, world);
  expect(world.rejections).toMatchObject([{ correlationId: "1002", replyToSessionId: "1003", submissionId: "1004" }]);
});

test("P1 P4 claims the job for its first attempt, which the caller starts", async () => {
  expect(await world.submit()).toMatchObject({ kind: "claimed", attempt: { jobId: "job-1", attempt: 1 } });
  expect(await world.stateOf()).toMatchObject({ processState: "Processing", lockedBy: "job-1-1@hub" });
  expect(world.statuses.map(({ status }) => status)).toEqual(["Received", "Started"]);
});

test.each<[string, () => Promise<unknown>]>([
  ["before its claim", () => world.submitted()],
  ["before the start of its attempt", () => world.submit()],
])("P1 P16 delivered again after a death %s: one job, claimed once, and started", async (_, first) => {
  await first();
  expect(await world.submit()).toMatchObject({ kind: "claimed", attempt: { jobId: "job-1", attempt: 1 } });
  const record = await world.stateOf();
  expect(record).toMatchObject({ processState: "Processing", attempt: 1 });
  expect(record?.history.filter(({ what }) => what.startsWith("claimed"))).toHaveLength(1);
  expect(world.eventNames()).toContain("DuplicateSubmission");
});

test("a duplicate of a job under way starts nothing", async () => {
  await world.runAttempt(await world.submitted());
  expect(await world.submit()).toBeUndefined();
  expect((await world.stateOf())?.processState).toBe("Processed");
});

test("another job under a known id is quarantined, not lost and not mixed up", async () => {
  await world.submitted();
  expect(await world.submit(sampleJob("job-1", { currency: "USD" }))).toBeUndefined();
  expect(world.quarantined).toMatchObject([{ body: { currency: "USD" }, faults: [expect.stringContaining("job-1")] }]);
  expect(((await world.store.job("job-1", 1)) as Goods).currency).toBe("EUR");
});

test.each([
  ["text", "{not json", ["the body must be a JSON object"]],
  ["null", null, ["the body must be a JSON object"]],
  ["a list", [sampleJob()], ["the body must be a JSON object"]],
  [
    "many faults",
    {
      ...sampleJob("bad id!"),
      lines: [{ sku: "", quantity: 0, unitPrice: 1 }],
      currency: "euro",
      surprise: 1,
      workflow: 3,
    },
    ["jobId", "lines[0].sku", "lines[0].quantity", "currency", "surprise", "workflow"],
  ],
  ["members that would hide metadata", { ...sampleJob(), messageId: "x", replyTo: "replies-evil" }, ["messageId"]],
  [
    "an unknown workflow",
    sampleJob("job-1", { workflow: "alchemy" }),
    ["workflow: must be one of job-fulfilment, returns"],
  ],
  [
    "an unknown workflow, and what stands for a value that is not shown",
    sampleJob("job-1", { workflow: "alchemy", paymentToken: "(hidden)" }),
    ["workflow: must be one of", "paymentToken: must not be (hidden)"],
  ],
])("bad input is quarantined with every fault named: %s", async (_, body, named) => {
  expect(await world.submit(body)).toBeUndefined();
  const faults = world.quarantined[0]?.faults ?? [];
  for (const name of named) expect(faults.some((fault) => fault.includes(name))).toBe(true);
  expect(await world.stateOf()).toBeUndefined();
});

test("P15 a reply queue whose name is not allowed is a fault", async () => {
  expect(await world.submit(sampleJob(), { ...ENVELOPE, replyTo: "jobs" })).toBeUndefined();
  expect(world.quarantined[0]?.faults.join()).toContain("replyTo");
});

const BAD = { ...sampleJob(), currency: "euro", lines: [] };

test("P15 a rejected submission is kept, then its sender receives every fault, under one id each time", async () => {
  await world.submit(BAD);
  await world.submit(BAD);
  const { faults } = world.quarantined[0] ?? {};
  expect(faults).toHaveLength(2);
  expect(world.rejections).toMatchObject([
    { jobId: "job-1", replyTo: "replies-shop", correlationId: "request-1", submissionId: null, faults },
    { faults },
  ]);
  expect(new Set(world.rejections.map(({ id }) => id)).size).toBe(1);
  expect(world.statuses).toEqual([]);
});

test("P15 what is published of another job under a known id goes to its own sender, and says nothing of the first", async () => {
  await world.submitted();
  const envelope = { messageId: "m-2", replyTo: "replies-other", replyToSessionId: "s-2", submissionId: "second" };
  await world.submit(sampleJob("job-1", { currency: "USD" }), envelope);
  expect(world.rejections).toMatchObject([
    { replyTo: "replies-other", replyToSessionId: "s-2", correlationId: "m-2", submissionId: "second" },
  ]);
  expect(world.rejections[0]?.faults).toEqual([`jobId: "job-1" is the id of another job`]);
});

test.each<[string, unknown, Record<string, unknown>]>([
  ["names no reply queue", BAD, { messageId: "m-1" }],
  ["names one that is not allowed", BAD, { ...ENVELOPE, replyTo: "jobs" }],
  ["names a session that can't be", BAD, { ...ENVELOPE, replyToSessionId: "x".repeat(129) }],
  ["has a body that hides the reply queue", { ...BAD, replyTo: "replies-evil" }, ENVELOPE],
  ["has a body that hides its session, in another case", { ...BAD, ReplyToSessionID: "evil" }, ENVELOPE],
])("P15 nobody is notified of a rejected submission that %s", async (_, body, envelope) => {
  await world.submit(body, envelope);
  expect(world.quarantined).toHaveLength(1);
  expect(world.rejections).toEqual([]);
});

test.each<[string, unknown, string | null]>([
  ["no usable id", { jobId: "bad id!" }, "bad id!"],
  ["a long one", { jobId: "x".repeat(300) }, "x".repeat(80)],
  ["none", { jobId: 7 }, null],
  ["no JSON object", "{not json", null],
])("P15 a rejection names the job as far as the message does: %s", async (_, body, jobId) => {
  await world.submit(body);
  expect(world.rejections).toMatchObject([{ jobId: jobId }]);
  expect((world.rejections[0]?.id ?? "").length).toBeLessThanOrEqual(128);
});

test("P15 a reply queue that can't be reached does not hold a rejected submission for ever", async () => {
  world.publishFault = new BusUnavailable("replies-shop", "down");
  await world.submit(BAD);
  expect(world.quarantined).toHaveLength(1);
  expect(world.eventNames()).toContain("StatusUndeliverable");
});

test("P15 nobody to reply to, or a queue that is not there, does not fail the job", async () => {
  expect(await world.submit(sampleJob("job-2"), {})).toMatchObject({ attempt: { jobId: "job-2" } });
  world.publishFault = "no-such-queue";
  expect(await world.submit(sampleJob("job-3"))).toMatchObject({ attempt: { jobId: "job-3" } });
  expect(world.eventNames()).toContain("StatusUndeliverable");
});

async function byHttp(caller: string, body: unknown) {
  const message = { body, envelope: { caller, isApart: true }, traceparent: null };
  const job = await recordSubmission(await readSubmission(message, world), message, world);
  return job.kind === "recorded" ? { ...job, claim: await claimFirst(job, world) } : job;
}

test("P1 P15 who submits it by HTTP owns the job; the same again is the same job, and another's is none", async () => {
  expect(await byHttp("caller:ada", sampleJob())).toMatchObject({ kind: "recorded", claim: { kind: "claimed" } });
  expect(await world.stateOf()).toMatchObject({ owner: "caller:ada", processState: "Processing", attempt: 1 });
  // As after a death before its attempt was started.
  expect(await byHttp("caller:ada", sampleJob())).toMatchObject({ kind: "recorded", claim: { kind: "claimed" } });
  expect((await world.stateOf())?.history.filter(({ what }) => what.startsWith("claimed"))).toHaveLength(1);
  for (const other of ["caller:bob", "shop"]) {
    expect(await byHttp(other, sampleJob())).toMatchObject({ kind: "taken" });
  }
  expect(await byHttp("caller:ada", sampleJob("job-1", { currency: "USD" }))).toMatchObject({ kind: "taken" });
  expect([world.quarantined, world.rejections]).toEqual([[], []]);
});

test("P1 what is at fault by HTTP is answered with every fault, and kept nowhere", async () => {
  expect(await byHttp("caller:ada", BAD)).toMatchObject({ kind: "invalid", faults: { length: 2 } });
  expect([world.quarantined, world.rejections, await world.stateOf()]).toEqual([[], [], undefined]);
});

test("P1 a job by HTTP can't have an id that belongs to a queue's owner", async () => {
  const tea = { queue: "jobs-tea", owner: "tea", idPrefix: "tea-", replyQueues: ["replies-tea"] };
  Object.assign(world, { rules: { ...world.rules, ownedQueues: [tea] } });
  expect(await byHttp("caller:ada", sampleJob("tea-1"))).toMatchObject({
    kind: "invalid",
    faults: [expect.stringContaining("tea-")],
  });
});

const SECRET = "tok_canary_4711";

test.each<[string, object, object, string]>([
  ["a known text", { customer: { id: `pays with ${SECRET}` } }, {}, "customer"],
  ["a member in it", { lines: [{ sku: SECRET, quantity: 1, unitPrice: 1 }] }, {}, "lines"],
  ["its id", { jobId: SECRET }, {}, "jobId"],
  ["the message's id", {}, { messageId: SECRET }, "message property messageId"],
  ["the correlation id", {}, { correlationId: `c-${SECRET}` }, "message property correlationId"],
  ["the session", {}, { replyToSessionId: `s-${SECRET}` }, "message property replyToSessionId"],
])(
  "P31 a job whose secret is repeated in %s is quarantined: it would be shown there",
  async (_, members, around, place) => {
    const job = { ...sampleJob("job-1", { paymentToken: SECRET }), ...members };
    await world.submit(job, { ...ENVELOPE, ...around });
    const [{ faults = [] } = {}] = world.quarantined;
    expect(faults).toEqual([`${place}: must not repeat paymentToken, which is a secret`]);
    expect(JSON.stringify([world.events, faults])).not.toMatch(/tok_canary/i);
    expect(await world.store.state("job-1")).toBeUndefined();
  },
);
