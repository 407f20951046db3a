// A requester cancels its job: what becomes of it, and what the requester is notified of.

import { beforeEach, expect, test } from "vitest";
import { SentBack } from "../../src/domain/outage.ts";
import { contentDigest } from "../../src/submission/content-digest.ts";
import type { Envelope } from "../../src/submission/submission-message.ts";
import { takeCancellation } from "../../src/submission/take-cancellation.ts";
import { USUAL_WORKFLOW } from "../goods.ts";
import { NOON_MS, sampleJob } from "../jobs.ts";
import { operateIn, resubmit, runNextIn, runUntilErrorIn } from "../operated-world.ts";
import { createWorld, ENVELOPE, type World } from "../world.ts";

let world: World;
beforeEach(() => {
  world = createWorld(NOON_MS);
});

const digest = contentDigest(sampleJob("job-1"), USUAL_WORKFLOW);
const asked = { kind: "Cancel", jobId: "job-1", reason: "changed my mind", contentDigest: digest };

function cancel(body: object = asked, { ageMs = 0, ...envelope }: Partial<Envelope> & { ageMs?: number } = {}) {
  const enqueuedAt = new Date(world.now() - ageMs).toISOString();
  const message = { body, envelope: { ...ENVELOPE, submissionId: "c1", ...envelope }, traceparent: null, enqueuedAt };
  return takeCancellation(message, world);
}

const answers = () => world.rejections.map(({ id, status, faults }) => ({ id, status, faults }));
const accepted = { id: "job-1:0:CancelAccepted:c1", status: "CancelAccepted", faults: [] };
const rejected = (fault: unknown) => ({ id: "job-1:0:CancelRejected:c1", status: "CancelRejected", faults: [fault] });

test("P13 P15 P24 a job of which nothing is done ends at once; delivered again the cancellation is answered the same", async () => {
  const startAttempt = await world.submitted();
  await cancel();
  await cancel();
  expect(answers()).toEqual([accepted, accepted]);
  expect(await world.stateOf()).toMatchObject({
    processState: "Cancelled",
    error: { kind: "cancelled", message: "cancelled by its requester: changed my mind" },
  });
  expect(world.statuses.at(-1)).toMatchObject({ status: "Cancelled" });
  expect(await world.runAttempt(startAttempt)).toBe("taken");
});

test("P13 P24 a job under way is compensated", async () => {
  world.answers.set("authorize", () => ({ kind: "expired" }));
  await world.runAttempt(await world.submitted());
  await cancel();
  expect(answers()).toEqual([accepted]);
  expect(await world.stateOf()).toMatchObject({
    processState: "Pending",
    direction: "compensate",
    error: { kind: "cancelled" },
  });
});

test("P13 P24 it is too late once the step has begun that the workflow names, and when all is done", async () => {
  world.answers.set("arrange", () => ({ kind: "expired" }));
  await world.runAttempt(await world.submitted());
  await cancel();
  expect(answers()).toEqual([rejected("it is too late: arrangeShipping has begun")]);
  expect(await world.stateOf()).toMatchObject({ processState: "Processing", direction: "forward" });
});

test("P13 P24 cancelled again after an operator has resubmitted it forward, it is not delivered", async () => {
  for (const operation of ["authorize", "void"]) world.answers.set(operation, () => ({ kind: "expired" }));
  await world.runAttempt(await world.submitted());
  await cancel();
  await runUntilErrorIn(world);
  expect(await world.stateOf()).toMatchObject({
    error: { kind: "compensationIncomplete", cause: { kind: "cancelled" } },
  });
  await operateIn(world, { ...resubmit, direction: "forward" });
  expect(await world.stateOf()).toMatchObject({ direction: "compensate", thenForward: true });
  world.answers.clear();
  await cancel(asked, { submissionId: "c2" });
  expect(world.rejections.at(-1)).toMatchObject({ status: "CancelAccepted" });
  await runNextIn(world);
  expect(await world.stateOf()).toMatchObject({ processState: "Cancelled" });
});

test("a processed job stays so, and its requester receives the reason", async () => {
  await world.runAttempt(await world.submitted());
  await cancel();
  expect(answers()).toEqual([rejected(expect.stringContaining("this one is Processed"))]);
});

test("a cancellation that overtakes its job waits for it, and is answered when none has come", async () => {
  await expect(cancel()).rejects.toThrow(SentBack);
  expect(answers()).toEqual([]);
  await cancel(asked, { ageMs: 600_001 });
  expect(answers()).toEqual([rejected("there is no such job of yours")]);
});

test("who does not know what is in the job learns nothing of it, and changes nothing", async () => {
  await world.submitted();
  await cancel({ ...asked, contentDigest: "0".repeat(64) });
  expect(answers()).toEqual([rejected("there is no such job of yours")]);
  expect(await world.stateOf()).toMatchObject({ processState: "Pending", error: null });
});

test("one that can't be read is quarantined with every fault", async () => {
  await cancel({ kind: "Cancel", jobId: "job 1", reason: "", more: true });
  expect(world.quarantined).toMatchObject([{ faults: expect.arrayContaining([expect.stringContaining("jobId")]) }]);
  await cancel({ kind: "Cancel", jobId: "job-1" });
  expect(world.quarantined.at(-1)).toMatchObject({
    faults: ["contentDigest: is needed where several senders share a queue"],
  });
});
