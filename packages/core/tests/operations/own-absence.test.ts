// P8, P22, P26: only the service's own time ends a wait. A pause is the operator's time, and an outage of the app is the app's.

import { beforeEach, describe, expect, test } from "vitest";
import { nextPolls } from "../../src/domain/steps/next-polls.ts";
import { pollService } from "../../src/scheduler/steps/poll-service.ts";
import { sweep } from "../../src/supervisor/sweep.ts";
import { NOON_MS } from "../jobs.ts";
import {
  asked,
  attempt,
  begun,
  DONE,
  HOUR_MS,
  isOver,
  LONG,
  MINUTE_MS,
  newStay,
  pass,
  pause,
  record,
  report,
  resume,
  SHORT,
  stay,
  step,
  world,
} from "../stay-world.ts";

beforeEach(newStay);

describe("an operator pauses the agent", () => {
  test.each([SHORT, LONG])(
    "P26 that is polled, over the end of a wait of %s: it goes on with the time that it had left",
    async (awaitWithin) => {
      await begun(stay(awaitWithin));
      await pass(3 * MINUTE_MS);
      await pause();
      await pass(26 * HOUR_MS);
      expect(await record()).toMatchObject({ processState: "Processing", error: null, failureCount: 0 });
      world.answers.set("reserve", () => ({ kind: "done" }));
      await resume();
      await pass(2 * HOUR_MS);
      expect(await step()).toMatchObject({ state: "Completed" });
      expect(await record()).toMatchObject({ processState: "Processed", failureCount: 0 });
    },
  );

  test("P26 for a while within the wait: the wait lasts longer by that, and not for ever", async () => {
    await begun(stay("PT2H"));
    await pass(HOUR_MS);
    await pause();
    await pass(30 * MINUTE_MS);
    await resume();
    await pass(55 * MINUTE_MS);
    expect(await isOver()).toBe(false);
    await pass(15 * MINUTE_MS);
    expect(await record()).toMatchObject({ direction: "compensate", error: { kind: "expired" } });
  });

  test("P26 whose service reports: the report that comes in the time that is added counts", async () => {
    world.answers.set("reserve", () => ({ kind: "accepted", reference: "booking 7" }));
    await begun(stay("PT2H"));
    await pass(HOUR_MS);
    await pause();
    await pass(3 * HOUR_MS);
    await resume();
    await pass(50 * MINUTE_MS);
    expect(await report(DONE)).toBe("recorded");
    expect(await record()).toMatchObject({ processState: "Processed" });
  });

  test("P26 whose service reports, and it does not: the wait ends once its own time is over", async () => {
    world.answers.set("reserve", () => ({ kind: "accepted" }));
    await begun(stay("PT2H"));
    await pass(HOUR_MS);
    await pause();
    await pass(3 * HOUR_MS);
    await resume();
    await pass(HOUR_MS + 2 * MINUTE_MS);
    expect(await record()).toMatchObject({ direction: "compensate", error: { kind: "expired" } });
  });

  test("P26 while a compensation is awaited: no failure of it is counted", async () => {
    world.answers.set("release", () => ({ kind: "pending", retryAfterMs: MINUTE_MS }));
    await begun(stay(SHORT), "compensate");
    await pause();
    await pass(2 * HOUR_MS);
    expect(await record()).toMatchObject({ processState: "Processing", failureCount: 0 });
    await resume();
    world.answers.set("release", () => ({ kind: "done" }));
    await pass(21 * MINUTE_MS);
    expect(await step()).toMatchObject({ compensation: { state: "Completed" } });
  });

  test("P26 after the wait was over: that is no reason", async () => {
    world.answers.set("reserve", () => ({ kind: "accepted" }));
    await begun(stay(SHORT));
    await pass(8 * MINUTE_MS, { sweeps: false });
    world.clock += 1001;
    await pause();
    world.clock += 1000;
    await sweep(world);
    expect(await record()).toMatchObject({ direction: "compensate" });
  });
});

describe("a poll that is not made", () => {
  test("P16 because the store was away for half a minute: it is made before the wait is over", async () => {
    await begun(stay(SHORT));
    const { state } = world.store;
    await pass(MINUTE_MS / 2);
    // The activity fails, and nobody runs it again.
    world.clock += MINUTE_MS / 2;
    Object.assign(world.store, { state: async () => Promise.reject(new Error("away")) });
    const [poll] = nextPolls(attempt, asked)?.polls ?? [];
    if (!poll) throw new Error("nothing is polled");
    asked.add(`${poll.step} ${poll.direction} ${poll.pollAt}`);
    await expect(pollService(poll, world)).rejects.toThrow("away");
    Object.assign(world.store, { state });
    world.answers.set("reserve", () => ({ kind: "done" }));
    await pass(9 * MINUTE_MS);
    expect(await record()).toMatchObject({ processState: "Processed", failureCount: 0, error: null });
  });

  test("P16 by an attempt that is gone, at the end of a long wait", async () => {
    await begun(stay(LONG));
    await pass(24 * HOUR_MS - 5 * MINUTE_MS);
    await pass(4 * MINUTE_MS, { polls: false });
    world.answers.set("reserve", () => ({ kind: "done" }));
    const due = (await step()).accepted?.pollAt ?? "";
    await pass(2 * MINUTE_MS, { polls: false });
    if (Date.parse(due) < NOON_MS + 24 * HOUR_MS) expect(await isOver()).toBe(false);
    await pass(10 * MINUTE_MS);
    expect(await record()).toMatchObject({ processState: "Processed", failureCount: 0 });
  });

  test("P16 each time: the wait does not last for ever", async () => {
    await begun(stay(SHORT));
    await pass(3 * HOUR_MS, { polls: false });
    expect(await record()).toMatchObject({ direction: "compensate", error: { kind: "expired" } });
  });

  test("P8 a service that was asked at the end of the wait, and is not done, has no more time", async () => {
    await begun(stay(SHORT));
    await pass(9 * MINUTE_MS);
    expect(await record()).toMatchObject({ direction: "compensate", error: { kind: "expired" } });
    expect(world.calls.filter(({ awaited }) => awaited).length).toBeGreaterThan(6);
  });

  test("P8 a service that can't be asked, up to the end of the wait, has no more time", async () => {
    await begun(stay(SHORT));
    const lastError = { endpoint: "http://inventory/", message: "HTTP 503" };
    world.answers.set("reserve", () => ({ kind: "expired", lastError }));
    await pass(9 * MINUTE_MS);
    expect(await record()).toMatchObject({ direction: "compensate", error: { kind: "expired" } });
  });
});

describe("the app is away", () => {
  beforeEach(() => world.answers.set("reserve", () => ({ kind: "accepted" })));

  test("over the end of a wait: the service reports again, and that counts", async () => {
    await begun(stay(LONG));
    await pass(23 * HOUR_MS);
    world.clock += 2 * HOUR_MS;
    await sweep(world);
    expect(await isOver()).toBe(false);
    await pass(5 * MINUTE_MS);
    expect(await report(DONE)).toBe("recorded");
    expect(await record()).toMatchObject({ processState: "Processed", failureCount: 0 });
  });

  test("over the end of a wait, and no report comes: it ends, once", async () => {
    await begun(stay(SHORT));
    world.clock += 30 * MINUTE_MS;
    await sweep(world);
    expect(await isOver()).toBe(false);
    await pass(HOUR_MS);
    expect(await record()).toMatchObject({ direction: "compensate", error: { kind: "expired" } });
    expect((await record())?.history.filter(({ what }) => what.includes("goes on"))).toHaveLength(1);
  });

  test("until shortly before the end, as the leader saw: the service has time to report again", async () => {
    await begun(stay("PT1H"));
    await pass(40 * MINUTE_MS);
    const { due } = world.store;
    Object.assign(world.store, {
      due: () => {
        throw new Error("away");
      },
    });
    for (let sweeps = 0; sweeps < 38; sweeps += 1) {
      world.clock += 30_000;
      await sweep(world).catch(() => undefined);
    }
    Object.assign(world.store, { due });
    await pass(4 * MINUTE_MS);
    expect(await isOver()).toBe(false);
    expect(await report(DONE)).toBe("recorded");
    expect(await record()).toMatchObject({ processState: "Processed" });
  });
});

describe("the app is away twice", () => {
  test("and once more over the end: what is found last counts", async () => {
    world.answers.set("reserve", () => ({ kind: "accepted" }));
    await begun(stay("PT1H"));
    world.absences.failed();
    world.clock += MINUTE_MS;
    world.absences.seen();
    world.clock += 2 * HOUR_MS;
    await sweep(world);
    expect(await isOver()).toBe(false);
    expect(await report(DONE)).toBe("recorded");
  });
});
