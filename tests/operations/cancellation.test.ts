// A requester cancels its order: what becomes of it, and what the requester is notified of.

import { SentBack } from "@scheduler-agent-supervisor/core/domain/outage";
import { contentDigest } from "@scheduler-agent-supervisor/core/messaging/content-digest";
import type { Envelope } from "@scheduler-agent-supervisor/core/messaging/submission-message";
import { takeCancellation } from "@scheduler-agent-supervisor/core/operations/take-cancellation";
import { beforeEach, expect, test } from "vitest";
import { USUAL_WORKFLOW } from "../../shared/contracts/order.ts";
import { NOON_MS, sampleOrder } from "../support/orders.ts";
import { createWorld, ENVELOPE, type World } from "../support/world.ts";

let world: World;
beforeEach(() => {
  world = createWorld(NOON_MS);
});

const digest = contentDigest(sampleOrder("order-1"), USUAL_WORKFLOW);
const asked = { kind: "Cancel", orderId: "order-1", reason: "changed my mind", contentDigest: digest };

function cancel(body: object = asked, { ageMs = 0, ...envelope }: Partial<Envelope> & { ageMs?: number } = {}) {
  const enqueuedAt = new Date(world.now() - ageMs).toISOString();
  const message = { body, envelope: { ...ENVELOPE, submissionId: "c1", ...envelope }, traceparent: null, enqueuedAt };
  return takeCancellation(message, world);
}

const answers = () => world.rejections.map(({ id, status, faults }) => ({ id, status, faults }));
const accepted = { id: "order-1:0:CancelAccepted:c1", status: "CancelAccepted", faults: [] };
const rejected = (fault: unknown) => ({ id: "order-1:0:CancelRejected:c1", status: "CancelRejected", faults: [fault] });

test("P13 P15 an order of which nothing is done ends at once; delivered again the cancellation is answered the same", async () => {
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

test("P13 an order under way is compensated", async () => {
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

test("P13 it is too late once the step has begun that the workflow names, and when all is done", async () => {
  world.answers.set("arrange", () => ({ kind: "expired" }));
  await world.runAttempt(await world.submitted());
  await cancel();
  expect(answers()).toEqual([rejected("it is too late: arrangeShipping has begun")]);
  expect(await world.stateOf()).toMatchObject({ processState: "Processing", direction: "forward" });
});

test("a processed order stays so, and its requester receives the reason", async () => {
  await world.runAttempt(await world.submitted());
  await cancel();
  expect(answers()).toEqual([rejected(expect.stringContaining("this one is Processed"))]);
});

test("a cancellation that overtakes its order waits for it, and is answered when none has come", async () => {
  await expect(cancel()).rejects.toThrow(SentBack);
  expect(answers()).toEqual([]);
  await cancel(asked, { ageMs: 600_001 });
  expect(answers()).toEqual([rejected("there is no such job of yours")]);
});

test("who does not know what is in the order learns nothing of it, and changes nothing", async () => {
  await world.submitted();
  await cancel({ ...asked, contentDigest: "0".repeat(64) });
  expect(answers()).toEqual([rejected("there is no such job of yours")]);
  expect(await world.stateOf()).toMatchObject({ processState: "Pending", error: null });
});

test("one that can't be read is quarantined with every fault", async () => {
  await cancel({ kind: "Cancel", orderId: "order 1", reason: "", more: true });
  expect(world.quarantined).toMatchObject([{ faults: expect.arrayContaining([expect.stringContaining("orderId")]) }]);
  await cancel({ kind: "Cancel", orderId: "order-1" });
  expect(world.quarantined.at(-1)).toMatchObject({
    faults: ["contentDigest: is needed where several senders share a queue"],
  });
});
