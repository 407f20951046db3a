// P8, P16, P26: of an agent that is asked over its queue too only the service's own time ends a wait.

import { beforeEach, describe, expect, test } from "vitest";
import { requestId } from "../../src/messaging/agent-messages.ts";
import type { ReceivedMessage } from "../../src/messaging/messenger.ts";
import { takeReply } from "../../src/scheduler/steps/take-reply.ts";
import { sweep } from "../../src/supervisor/sweep.ts";
import { NOON_MS } from "../jobs.ts";
import {
  begun,
  DONE,
  HOUR_MS,
  isOver,
  MINUTE_MS,
  newStay,
  pass,
  pause,
  record,
  resume,
  stay,
  step,
  world,
} from "../stay-world.ts";

beforeEach(newStay);

describe("an agent that is asked over its queue", () => {
  const latest = () => world.requests.at(-1)?.request;
  const reply = (body: object) => takeReply({ ticket: latest()?.ticket, ...body }, world);
  const later = { kind: "pending", retryAfterMs: MINUTE_MS, reference: "booking 7" };

  /** Its reply came into the app's queue at that time. */
  const cameAt = (at: number) => ({ message: { enqueuedAt: new Date(at).toISOString() } as ReceivedMessage });

  test("P8 and whose reply came while the app was away: it was in time, and no failure is counted", async () => {
    await begun(stay("PT1H", "queue"));
    const inTime = world.clock + 5000;
    world.clock += 5 * MINUTE_MS;
    // The supervisor is back before the reply is read.
    await sweep(world);
    expect(await record()).toMatchObject({ processState: "Processing", attempt: 1, failureCount: 0 });
    await takeReply({ ticket: latest()?.ticket, ...DONE }, world, cameAt(inTime));
    expect(await record()).toMatchObject({ processState: "Processed", failureCount: 0 });
  });

  test("P8 and that replies after its complete-by, whenever the reply is read, is late", async () => {
    await begun(stay("PT1H", "queue"));
    const late = world.clock + 2 * MINUTE_MS;
    world.clock += 5 * MINUTE_MS;
    await takeReply({ ticket: latest()?.ticket, ...DONE }, world, cameAt(late));
    expect(await step()).not.toMatchObject({ state: "Completed" });
    await sweep(world);
    await pass(3 * MINUTE_MS);
    expect((await record())?.attempt).toBeGreaterThan(1);
  });

  test("P26 and that is paused over the end of the wait, is asked again, and has the time that it had left", async () => {
    await begun(stay("PT1H", "queue"));
    await reply(later);
    await pause();
    await pass(5 * MINUTE_MS);
    await reply({ kind: "unavailable", message: "it found no place to ask its service" });
    await pass(3 * HOUR_MS);
    expect(await isOver()).toBe(false);
    await resume();
    await pass(50 * MINUTE_MS);
    expect(await isOver()).toBe(false);
    expect(latest()).toMatchObject({ awaited: { reference: "booking 7" } });
    expect(world.requests.length).toBeGreaterThan(3);
    await reply({ kind: "done", result: {} });
    expect(await record()).toMatchObject({ processState: "Processed", failureCount: 0 });
  });

  test("P26 while the app is away over the end, is asked again: its answer may have been lost", async () => {
    await begun(stay("PT1H", "queue"));
    await reply(later);
    world.clock += 2 * HOUR_MS;
    await sweep(world);
    expect(latest()).toMatchObject({ ticket: { round: 3 }, awaited: { reference: "booking 7" } });
    await reply({ kind: "done", result: {} });
    expect(await record()).toMatchObject({ processState: "Processed", failureCount: 0 });
  });

  /** The app was away over the end: the agent is asked again, and the record of that is not written. */
  async function askedUnrecorded(): Promise<void> {
    await begun(stay("PT1H", "queue"));
    await reply(later);
    world.clock += 2 * HOUR_MS;
    const { replace } = world.store;
    Object.assign(world.store, { replace: async () => Promise.reject(new Error("away")) });
    await sweep(world);
    Object.assign(world.store, { replace });
  }

  test("P16 a crash between the request and the record: it is sent again, and the queue does not drop it", async () => {
    await askedUnrecorded();
    world.clock += 10_000;
    await sweep(world);
    const [lost, sent] = world.requests.slice(-2);
    expect(sent?.request.ticket).toEqual(lost?.request.ticket);
    const ids = [lost, sent].map((one) => one && requestId(one.request.ticket, one.at));
    // The answer to the first may have come before the record of it, and counts as late.
    expect(ids[1]).not.toBe(ids[0]);
    expect(await isOver()).toBe(false);
  });

  test("P16 a crash between the request and the record: the answer to that request counts", async () => {
    await askedUnrecorded();
    await takeReply({ ticket: latest()?.ticket, ...later }, world, cameAt(NOON_MS + MINUTE_MS));
    expect(await step()).toMatchObject({ state: "Awaiting", again: { round: 4 } });
  });

  test("P16 whose answer is not there at the end, is asked once more: its queue may have been away", async () => {
    await begun(stay("PT1H", "queue"));
    await reply(later);
    await pass(HOUR_MS + MINUTE_MS);
    expect(latest()).toMatchObject({ ticket: { round: 3 }, awaited: { reference: "booking 7" } });
    await reply({ kind: "done", result: {} });
    expect(await record()).toMatchObject({ processState: "Processed", failureCount: 0 });
  });

  test("P8 and that never answers: the wait ends after it was asked once more", async () => {
    await begun(stay("PT1H", "queue"));
    await reply(later);
    await pass(HOUR_MS + 12 * MINUTE_MS);
    expect(await record()).toMatchObject({ direction: "compensate", error: { kind: "expired" } });
    expect((await record())?.history.filter(({ what }) => what.includes("goes on"))).toHaveLength(1);
  });

  test("P16 whose word that it does it later waited for the app: the service has time to report again", async () => {
    await begun(stay("PT1H", "queue"));
    const inTime = world.clock + 5000;
    world.clock += 50 * MINUTE_MS;
    await takeReply({ ticket: latest()?.ticket, kind: "accepted" }, world, cameAt(inTime));
    expect(await step()).toMatchObject({ state: "Awaiting" });
    await pass(HOUR_MS + 45 * MINUTE_MS);
    expect(await isOver()).toBe(false);
  });
});
