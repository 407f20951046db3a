// A message during an outage (P27): held under its lock, sent back to wait, and never counted as a delivery that failed.

import { beforeEach, expect, test } from "vitest";
import { instant } from "../../src/domain/duration.ts";
import { holdMessage } from "../../src/functions/hold-message.ts";
import type { ReceivedMessage } from "../../src/messaging/messenger.ts";
import { NotStorable, StoreUnavailable } from "../../src/store/job-store.ts";
import { NOON_MS } from "../jobs.ts";
import { createWorld, type World } from "../world.ts";

let world: World;
let tries: number;
beforeEach(() => {
  world = createWorld(NOON_MS);
  tries = 0;
});

const message: ReceivedMessage = {
  queue: "jobs",
  body: { jobId: "job-1" },
  messageId: "m-1",
  correlationId: undefined,
  subject: undefined,
  replyTo: "replies-shop",
  replyToSessionId: undefined,
  enqueuedAt: undefined,
  properties: {},
};

/** The store comes back after so long. */
const awayFor = (ms: number) => async () => {
  tries += 1;
  if (world.clock < NOON_MS + ms) throw new StoreUnavailable("answer", new Error("403"));
  return "done";
};

const hold = (work: () => Promise<string>) => holdMessage(message, work, world);

test("an outage of two minutes: the message is worked on as soon as it is over", async () => {
  expect(await hold(awayFor(120_000))).toBe("done");
  expect(world.clock).toBeLessThanOrEqual(NOON_MS + 122_000);
  expect(world.postponed).toEqual([]);
});

test("an outage has one event when it begins and one when it ends, however many messages it holds", async () => {
  const many = Array.from({ length: 200 }, () => hold(awayFor(60_000)));
  await Promise.all(many);
  expect(world.events).toMatchObject([
    { name: "MessageHeld", attributes: { queue: "jobs" } },
    { name: "OutageEnded", attributes: { queue: "jobs" } },
  ]);
  expect(world.events[1]?.attributes["ms"]).toBeGreaterThan(50_000);
  await hold(async () => "done");
  expect(world.events).toHaveLength(2);
});

test("messages that went back end the outage when they come again, so that the next one is said too", async () => {
  await hold(awayFor(3_600_000));
  await hold(async () => "done");
  await hold(awayFor(world.clock - NOON_MS + 60_000));
  expect(world.eventNames()).toEqual(["MessageHeld", "MessagePostponed", "OutageEnded", "MessageHeld", "OutageEnded"]);
});

test("a longer one: it goes back to its queue before its lock ends, once", async () => {
  expect(await hold(awayFor(3_600_000))).toBeUndefined();
  expect(world.postponed).toEqual([message]);
  expect(world.postponedTo).toEqual([{ cause: "StoreUnavailable" }]);
  expect(world.clock).toBeLessThanOrEqual(NOON_MS + 180_000);
  expect(world.eventNames()).toEqual(["MessageHeld", "MessagePostponed"]);
  expect(world.events[1]?.attributes).toMatchObject({ outage: "StoreUnavailable" });
});

test("what only another version of the app can do goes back at once, for later: it keeps no other message from being taken", async () => {
  const work = async () => {
    tries += 1;
    return world.workflows.of({ name: "job-fulfilment", version: 99 }).name;
  };
  expect(await hold(work)).toBeUndefined();
  expect(tries).toBe(1);
  expect(world.clock).toBe(NOON_MS);
  expect(world.postponed).toEqual([message]);
  expect(world.postponedTo).toEqual([{ cause: "MissingWorkflow", at: instant(NOON_MS + 30_000) }]);
  expect(world.events).toMatchObject([{ name: "MessagePostponed", attributes: { jobId: "job-1", outage: null } }]);
});

test("a fault that is no outage is thrown at once: the queue counts it, and keeps the message in the end", async () => {
  const work = async () => {
    tries += 1;
    throw new TypeError("no such member");
  };
  await expect(hold(work)).rejects.toThrow("no such member");
  expect(tries).toBe(1);
});

test("what the store will never take is in the quarantine with the reason, from any queue, and is not tried again", async () => {
  const refused = async () => {
    tries += 1;
    throw new NotStorable("change a state record", new Error("413: too large"));
  };
  expect(await hold(refused)).toBeUndefined();
  expect(tries).toBe(1);
  expect(world.postponed).toEqual([]);
  expect(world.quarantined).toMatchObject([
    { subject: "NotStorable", body: message.body, queue: "jobs", faults: [expect.stringMatching(/413: too large/)] },
  ]);
  expect(world.eventNames()).toEqual(["MessageNotStorable"]);
});
