// What a job's record says of its statuses is what its requester was sent, whatever became of the job.

import { type StatusDelivery, statusesOf } from "@scheduler-agent-supervisor/operator/domain";
import { beforeEach, expect, test, vi } from "vitest";
import { operateJob } from "../../src/scheduler/operating/operate-job.ts";
import { contentDigest } from "../../src/submission/content-digest.ts";
import { sweep } from "../../src/supervisor/sweep.ts";
import { contracts } from "../goods.ts";
import { NOON_MS, sampleJob } from "../jobs.ts";
import { createWorld, ENVELOPE, type World } from "../world.ts";

let world: World;
beforeEach(() => {
  world = createWorld(NOON_MS);
});

const ada = { by: "ada", ifMatch: "any" } as const;
const names = (statuses: readonly { status: string; attempt: number; step?: string | undefined }[]) => [
  ...new Set(statuses.map(({ status, attempt, step = "" }) => `${attempt} ${status} ${step}`)),
];
const statusesThat = async (...wanted: StatusDelivery["delivery"][]) => {
  const record = await world.stateOf();
  if (!record) throw new Error("there is no job");
  return names(statusesOf(record).filter((one) => wanted.includes(one.delivery)));
};

/** Now, where nothing is due any more. */
async function dueMs(): Promise<number> {
  const { dueAt } = (await world.stateOf()) ?? {};
  return dueAt === undefined ? world.clock + 1 : Math.max(world.clock, Date.parse(dueAt));
}

async function sweepWhenDue(): Promise<void> {
  world.clock = (await dueMs()) + 5000;
  await sweep(world);
}

async function runNext(): Promise<void> {
  const startAttempt = world.startAttempts.at(-1);
  if (!startAttempt) throw new Error("nothing was started");
  world.clock = (await dueMs()) - 1;
  await world.runAttempt(startAttempt);
}

/** Each is sent to the same extent as the record says. @param again those that are sent again before the attempt that the record waits for */
async function expectPublished(...again: string[]): Promise<void> {
  expect((await statusesThat("sent", "owed")).sort()).toEqual(names(world.statuses).sort());
  expect(await statusesThat("owed")).toEqual(again);
  expect(await statusesThat("unwanted")).toEqual([]);
}

test("of a job that goes through", async () => {
  await world.runAttempt(await world.submitted());
  await expectPublished();
  expect((await statusesThat("sent")).at(-1)).toBe("1 Completed ");
});

test("of one that expired, was rejected, resubmitted, and compensated", async () => {
  world.answers.set("reserve", () => ({ kind: "expired" }));
  await world.runAttempt(await world.submitted());
  await sweepWhenDue();
  await expectPublished("2 RetryScheduled ");
  world.answers.delete("reserve");
  world.answers.set("authorize", () => {
    world.clock += 10;
    return { kind: "rejected", message: "card expired" };
  });
  // It was at work beside that one, and is published with the next attempt.
  world.answers.set("check", () => {
    world.clock += 10;
    return { kind: "done" };
  });
  await runNext();
  await sweepWhenDue();
  await expectPublished();
  expect(await statusesThat("sent")).toContain("2 Failed ");
  const resubmit = { kind: "resubmit", reason: "renewed", job: null, compensatedManually: false } as const;
  await operateJob("job-1", resubmit, ada, world);
  await expectPublished("3 RetryScheduled ");
  await runNext();
  await sweepWhenDue();
  await expectPublished();
  await operateJob("job-1", { kind: "compensate", reason: "too late" }, ada, world);
  await runNext();
  await sweepWhenDue();
  await expectPublished();
  for (const one of ["2 RetryScheduled ", "3 RetryScheduled ", "4 Compensated "])
    expect(await statusesThat("sent")).toContain(one);
});

test("one that can't be sent is owed, until it is", async () => {
  const startAttempt = await world.submitted();
  expect(await statusesThat("owed")).toEqual(["1 Received "]);
  world.failing = "Completed";
  await world.runAttempt(startAttempt);
  expect(await statusesThat("owed")).toEqual(["1 StepCompleted capturePayment", "1 Completed "]);
  expect(await statusesThat("sent")).not.toContain("1 Completed ");
  world.failing = undefined;
  await sweepWhenDue();
  await expectPublished();
});

test("who wants the end alone, or named no queue, is owed no other", async () => {
  await world.submit(sampleJob(), { ...ENVELOPE, statuses: "end" });
  expect(await statusesThat("owed")).toEqual([]);
  expect(await statusesThat("unwanted")).toContain("1 Received ");
  world = createWorld(NOON_MS);
  await world.submit(sampleJob(), { ...ENVELOPE, replyTo: undefined });
  expect(await statusesThat("sent", "owed")).toEqual([]);
});

test("the last step's completion and the job's end go in one send; what is too large for one goes in several", async () => {
  const { publish } = world.messenger;
  const sends: string[][] = [];
  vi.spyOn(world.messenger, "publish").mockImplementation(async (reply, messages) => {
    sends.push(messages.map(({ status, step }) => step ?? status));
    return messages.length > 1 ? "too-large-together" : publish(reply, messages);
  });
  await world.runAttempt(await world.submitted());
  expect(sends.slice(-3)).toEqual([["capturePayment", "Completed"], ["capturePayment"], ["Completed"]]);
  await expectPublished();
});

test("each status has the digest of what was submitted", async () => {
  await world.runAttempt(await world.submitted());
  const digest = contentDigest(sampleJob(), contracts.usualWorkflow);
  expect(new Set(world.statuses.map((status) => status.contentDigest))).toEqual(new Set([digest]));
});
