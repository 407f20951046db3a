// A job whose compensation is incomplete, over the store in memory: how it came to that, and how one request takes it on.

import { inspectJob } from "@scheduler-agent-supervisor/operator/adapters";
import { beforeEach, describe, expect, test } from "vitest";
import { sweep } from "../../src/supervisor/sweep.ts";
import { GRAPH, NOON_MS } from "../jobs.ts";
import { compensate, operateIn, resubmit, runNextIn, runUntilErrorIn } from "../operated-world.ts";
import { createWorld, type World } from "../world.ts";

let world: World;
beforeEach(() => {
  world = createWorld(NOON_MS);
});

const forward = { ...resubmit, direction: "forward" } as const;
const fromTheStart = { ...resubmit, compensatedManually: true } as const;

/** Nobody delivers there, so it is compensated, and so it goes with voiding the charge. */
async function incomplete(answer: "expired" | "rejected"): Promise<void> {
  world.answers.set("arrange", () => ({ kind: "rejected", message: "no such country" }));
  world.answers.set("void", () => (answer === "expired" ? { kind: answer } : { kind: answer, message: "captured" }));
  await world.runAttempt(await world.submitted());
  await runUntilErrorIn(world);
  expect(await world.stateOf()).toMatchObject({
    processState: "Error",
    direction: "compensate",
    steps: { reserveStock: { state: "Compensated" }, takePayment: { compensation: { state: "Failed" } } },
    error: {
      kind: "compensationIncomplete",
      message: "not compensated: takePayment; the cause: no such country",
      cause: { kind: "rejected", step: "arrangeShipping" },
    },
  });
  expect(world.statuses.at(-1)).toMatchObject({ status: "Failed" });
  world.answers.clear();
  world.calls.length = 0;
}

/** Runs attempts until the job has ended. */
async function runToEnd(): Promise<void> {
  for (let attempts = 0; attempts < 5; attempts += 1) {
    await runNextIn(world);
    const { processState } = (await world.stateOf()) ?? {};
    if (processState !== "Pending" && processState !== "Processing") return;
  }
}

const operations = () =>
  world.calls.map(({ operation, idempotencyKey }) => `${operation} ${idempotencyKey.split(":").slice(1).join(":")}`);
const incompleteEvents = () => world.events.filter(({ name }) => name === "CompensationIncomplete");

describe.each(["expired", "rejected"] as const)("P13 a compensation that is %s to its end", (answer) => {
  test("raises the alert once, with the step and why", async () => {
    await incomplete(answer);
    expect(incompleteEvents()).toEqual([
      expect.objectContaining({
        attributes: expect.objectContaining({
          jobId: "job-1",
          step: "takePayment",
          agent: "payment",
          message: answer === "expired" ? expect.stringContaining("attempts ran out of time") : "captured",
        }),
      }),
    ]);
  });

  test("is finished by one resubmission, and the job ends as its cause says", async () => {
    await incomplete(answer);
    expect((await inspectJob("job-1", world))?.actions.resubmit).toEqual({
      allowed: true,
      direction: "compensate",
      keys: answer === "expired" ? { next: [], same: ["takePayment"] } : { next: ["takePayment"], same: [] },
      orForward: true,
    });
    expect(await operateIn(world, resubmit)).toMatchObject({ kind: "done", record: { direction: "compensate" } });
    await runToEnd();
    // What was rejected goes under another key, and what may have taken effect under its own.
    const key = answer === "expired" ? "compensate" : "compensate:1:2";
    expect(operations()).toEqual([`void takePayment:${key}`]);
    expect(await world.stateOf()).toMatchObject({
      processState: "Compensated",
      error: { kind: "rejected", message: "all that was done is compensated; the cause: no such country" },
    });
    expect(world.statuses.at(-1)).toMatchObject({ status: "Compensated" });
    expect(await operateIn(world, compensate)).toMatchObject({ kind: "rejected" });
  });

  test("that fails again is compensationIncomplete again, for the same cause", async () => {
    await incomplete(answer);
    world.answers.set("void", () => ({ kind: "rejected", message: "captured" }));
    await operateIn(world, resubmit);
    await runToEnd();
    expect(await world.stateOf()).toMatchObject({
      processState: "Error",
      error: {
        kind: "compensationIncomplete",
        message: "not compensated: takePayment; the cause: no such country",
        cause: { kind: "rejected" },
      },
    });
  });

  test("can be taken forward by one resubmission: each step has one effect in the end", async () => {
    await incomplete(answer);
    await operateIn(world, forward);
    await runToEnd();
    expect(await world.stateOf()).toMatchObject({ processState: "Processed", direction: "forward", error: null });
    expect(await world.stateOf()).not.toHaveProperty("thenForward");
    const again =
      answer === "expired"
        ? ["void takePayment:compensate", "reserve reserveStock:forward:2", "authorize takePayment:forward:2"]
        : ["reserve reserveStock:forward:2"];
    expect(operations()).toEqual([...again, "arrange arrangeShipping:forward:2", "capture capturePayment:forward"]);
    expect(world.statuses.at(-1)).toMatchObject({ status: "Completed" });
  });

  test("may also be finished by a person: then the job begins from the start", async () => {
    await incomplete(answer);
    await operateIn(world, fromTheStart);
    await runToEnd();
    expect(await world.stateOf()).toMatchObject({ processState: "Processed" });
    expect(operations()).toContain("authorize takePayment:forward:2");
  });
});

test("taken forward, a compensation that still fails without an answer is for an operator again", async () => {
  await incomplete("expired");
  await operateIn(world, forward);
  world.answers.set("void", () => ({ kind: "rejected", message: "captured" }));
  await runToEnd();
  const record = await world.stateOf();
  expect(record).toMatchObject({ processState: "Error", error: { kind: "compensationIncomplete" } });
  expect(record).not.toHaveProperty("thenForward");
});

test("a crash behind the write that turns the job forward: the sweep starts its next attempt", async () => {
  await incomplete("expired");
  await operateIn(world, forward);
  world.failing = "RetryScheduled";
  await runNextIn(world).catch(() => undefined);
  const pending = await world.stateOf();
  expect(pending).toMatchObject({ processState: "Pending", direction: "forward" });
  world.failing = undefined;
  world.clock = Date.parse(pending?.dueAt ?? "") + 5000;
  await sweep(world);
  await runToEnd();
  expect(await world.stateOf()).toMatchObject({ processState: "Processed" });
});

test("what only a person can compensate is named, with the one request that goes on from there", async () => {
  const manual = {
    ...GRAPH,
    steps: GRAPH.steps.map((step) =>
      step.name === "takePayment" ? { ...step, compensation: "manual" as const } : step,
    ),
  };
  world = createWorld(NOON_MS, undefined, { workflows: [manual] });
  world.answers.set("arrange", () => ({ kind: "rejected", message: "no such country" }));
  await world.runAttempt(await world.submitted());
  await runToEnd();
  world.answers.clear();
  expect((await world.stateOf())?.error?.message).toBe(
    "to be compensated manually: takePayment; the cause: no such country",
  );
  expect((await inspectJob("job-1", world))?.actions.resubmit).toEqual({
    allowed: true,
    requires: "compensatedManually",
    keys: { next: ["arrangeShipping"], same: [] },
    direction: "forward",
    orForward: true,
  });
  expect(await operateIn(world, resubmit)).toMatchObject({
    kind: "rejected",
    reason: expect.stringMatching(/^to be compensated manually: takePayment: .*"compensatedManually": true/),
  });
  expect(await operateIn(world, fromTheStart)).toMatchObject({ kind: "done" });
});
