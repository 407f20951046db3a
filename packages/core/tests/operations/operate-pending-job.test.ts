// What an operator does to a job that waits for its next attempt.

import { beforeEach, describe, expect, test } from "vitest";
import type { StartAttempt } from "../../src/domain/steps/attempt.ts";
import type { OperatorRequest } from "../../src/messaging/operator-request.ts";
import type { JobStore } from "../../src/store/job-store.ts";
import { sweep } from "../../src/supervisor/sweep.ts";
import { NOON_MS } from "../jobs.ts";
import { compensate, operateIn, resubmit, runNextIn } from "../operated-world.ts";
import { createWorld, type World } from "../world.ts";

let world: World;
beforeEach(() => {
  world = createWorld(NOON_MS);
});

const operate = (request: OperatorRequest, store?: JobStore) => operateIn(world, request, store);
const runNext = () => runNextIn(world);

describe("a Pending job", () => {
  const cancel = { kind: "cancel", reason: "sent by mistake" } as const;

  /** In a pause: its payment ran out of time, so that its outcome is not known. */
  async function paused(): Promise<StartAttempt> {
    const startAttempt = await world.submitted();
    world.answers.set("authorize", () => ({ kind: "expired" }));
    await world.runAttempt(startAttempt);
    world.answers.clear();
    world.clock = Date.parse((await world.stateOf())?.dueAt ?? "") + 5000;
    await sweep(world);
    expect(await world.stateOf()).toMatchObject({ processState: "Pending", attempt: 2, failureCount: 1 });
    const scheduled = world.startAttempts.at(-1);
    if (!scheduled) throw new Error("the scheduler was not notified");
    return scheduled;
  }

  test("resubmitted goes on at once; the start message that was on its way starts nothing more", async () => {
    const scheduled = await paused();
    expect(await operate(resubmit)).toMatchObject({ kind: "done", record: { attempt: 3 } });
    expect(await runNext()).toBe("concluded");
    expect(await world.stateOf()).toMatchObject({ processState: "Processed", attempt: 3, failureCount: 0 });
    expect(await world.runAttempt(scheduled)).toBe("taken");
    expect(await world.stateOf()).toMatchObject({ processState: "Processed" });
  });

  test("cancelled after something was done is compensated; its end says by whom and why", async () => {
    const scheduled = await paused();
    expect(await operate(cancel)).toMatchObject({
      kind: "done",
      record: { processState: "Pending", direction: "compensate" },
    });
    expect(await world.runAttempt(scheduled)).toBe("taken");
    expect(await runNext()).toBe("concluded");
    expect(await world.stateOf()).toMatchObject({
      processState: "Cancelled",
      error: {
        kind: "cancelled",
        message: "all that was done is compensated; the cause: cancelled by ada: sent by mistake",
      },
    });
    expect(world.statuses.at(-1)).toMatchObject({ status: "Cancelled", detail: expect.stringContaining("by ada") });
    expect(world.eventNames()).not.toContain("JobErrored");
  });

  test("cancelled before anything was done ends at once; whoever is about to claim it starts nothing", async () => {
    const startAttempt = await world.submitted();
    world.statuses.length = 0;
    expect(await operate(cancel)).toMatchObject({ kind: "done", published: true });
    expect(await world.runAttempt(startAttempt)).toBe("taken");
    expect(world.calls).toEqual([]);
    expect(world.startAttempts).toEqual([]);
    expect(await world.stateOf()).toMatchObject({ processState: "Cancelled", outbox: [] });
    expect(await world.stateOf()).not.toHaveProperty("dueAt");
    expect(world.statuses).toMatchObject([
      { status: "Received", attempt: 1 },
      { status: "Cancelled", attempt: 1, detail: "cancelled by ada: sent by mistake" },
    ]);
    expect(world.eventNames()).toContain("JobCancelled");
  });

  test("claimed while it is cancelled is compensated as one that runs", async () => {
    const startAttempt = await world.submitted();
    let claims = 0;
    const contested: JobStore = {
      ...world.store,
      async replace(read, record) {
        claims += 1;
        if (claims === 1) await world.firstTask(startAttempt);
        return world.store.replace(read, record);
      },
    };
    expect(await operate(cancel, contested)).toMatchObject({
      kind: "done",
      record: { processState: "Pending", direction: "compensate", attempt: 2, error: { kind: "cancelled" } },
    });
  });

  test("P16 the bus away while a cancelled job's end is published: the sweep publishes it, Received first", async () => {
    await world.submitted();
    world.statuses.length = 0;
    world.publishFault = new Error("bus down");
    expect(await operate(cancel)).toMatchObject({ kind: "done", published: false });
    world.publishFault = undefined;
    world.clock += 60_000;
    expect(await sweep(world)).toMatchObject({ published: 1 });
    expect(world.statuses.map(({ status }) => status)).toEqual(["Received", "Cancelled"]);
  });

  test("P12 an operator whose decision another attempt has overtaken looks again", async () => {
    await paused();
    let conflicts = 1;
    const contested: JobStore = {
      ...world.store,
      async replace(read, record) {
        if (conflicts-- > 0) await operate(compensate);
        return world.store.replace(read, record);
      },
    };
    expect(await operate(resubmit, contested)).toMatchObject({
      kind: "rejected",
      reason: expect.stringContaining("look at it again"),
    });
    expect(await world.stateOf()).toMatchObject({ direction: "compensate", attempt: 3 });
  });
});
