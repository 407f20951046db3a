// An undo over the store in memory: what is undone, in which order, and what is left to a person.
import { beforeEach, expect, test } from "vitest";
import type { Wake } from "../../shared/domain/attempt.ts";
import { recover, wakeOf } from "../../shared/domain/recovery.ts";
import { runStep } from "../../shared/operations/run-step.ts";
import { sweep } from "../../shared/operations/sweep.ts";
import { NOON, NOON_MS } from "../support/orders.ts";
import { createWorld, type World } from "../support/world.ts";

let world: World;
beforeEach(() => {
  world = createWorld(NOON_MS);
});

async function refusedForGood(): Promise<Wake> {
  world.answers.set("arrange", () => ({ kind: "rejected", message: "no such country" }));
  expect(await world.runAttempt(await world.submitted())).toBe("rejected");
  const wake = world.wakes.at(-1);
  if (!wake) throw new Error("the scheduler was not told");
  world.calls.length = 0;
  return wake;
}

test("P13 an undo: runs in reverse, with what each step recorded and keys of its own, and ends in Error of the kind undone", async () => {
  const wake = await refusedForGood();
  expect(wake).toMatchObject({ attempt: 2, direction: "undo" });
  expect(await world.runAttempt(wake)).toBe("concluded");
  expect(world.calls.map(({ operation }) => operation)).toEqual(["void", "release"]);
  expect(world.calls[0]).toMatchObject({
    idempotencyKey: "order-1:takePayment:undo",
    undoes: { result: { id: expect.stringContaining("payment") }, idempotencyKey: "order-1:takePayment:forward" },
  });
  const state = await world.stateOf();
  expect(state).toMatchObject({ processState: "Error", error: { kind: "undone" }, lockedBy: null, notices: [] });
  expect(state?.error?.message).toContain("no such country");
  expect(Object.values(state?.steps ?? {}).map(({ state }) => state)).toEqual([
    "Undone",
    "Undone",
    "Completed",
    "Failed",
    "NotStarted",
  ]);
  expect(world.statuses.at(-1)).toMatchObject({ status: "Undone" });
  expect(world.eventNames()).toContain("OrderUndone");
});

test("P13 an undo: a step whose outcome is unknown is undone too, by its key", async () => {
  world.answers.set("reserve", () => ({ kind: "expired" }));
  expect(await world.runAttempt(await world.submitted())).toBe("expired");
  const read = await world.store.state("order-1");
  if (!read) throw new Error("no record");
  await world.store.replace(
    read,
    recover(
      read.record,
      { kind: "undo", step: "reserveStock", failures: 3 },
      { now: NOON, overdueBefore: "2030-01-01T00:00:00.000Z", claimWithinMs: 60_000 },
    ),
  );
  const undoing = await world.stateOf();
  if (!undoing) throw new Error("no record");
  world.calls.length = 0;
  expect(await world.runAttempt(wakeOf(undoing))).toBe("concluded");
  expect(world.calls).toMatchObject([
    { operation: "release", undoes: { result: null, idempotencyKey: "order-1:reserveStock:forward" } },
  ]);
});

test("P13 an undo: a step that can't be undone is named for a person; the others are undone all the same", async () => {
  const wake = await refusedForGood();
  world.answers.set("void", () => ({ kind: "rejected", message: "captured already" }));
  expect(await world.runAttempt(wake)).toBe("concluded");
  expect(world.calls.map(({ operation }) => operation)).toEqual(["void", "release"]);
  expect((await world.stateOf())?.error).toMatchObject({
    kind: "notUndone",
    message: expect.stringContaining("by hand: takePayment"),
  });
  expect(world.statuses.at(-1)).toMatchObject({ status: "Failed" });
});

test("P13 an undo: is supervised like any other: an undo step that expires is tried again under the same key", async () => {
  const wake = await refusedForGood();
  world.answers.set("void", () => ({ kind: "expired" }));
  expect(await world.runAttempt(wake)).toBe("expired");
  world.clock = Date.parse((await world.stateOf())?.dueAt ?? "") + 5000;
  expect(await sweep(world, world.telemetry)).toMatchObject({ retried: 1 });
  expect(await world.stateOf()).toMatchObject({ direction: "undo", attempt: 3, failureCount: 1 });
  world.answers.delete("void");
  const again = world.wakes.at(-1);
  expect(again && (await world.runAttempt(again))).toBe("concluded");
  expect(
    new Set(world.calls.filter(({ operation }) => operation === "void").map(({ idempotencyKey }) => idempotencyKey))
      .size,
  ).toBe(1);
});

test("P13 an undo: of an order that has done nothing concludes at the claim", async () => {
  world.answers.set("reserve", () => ({ kind: "rejected", message: "sold out" }));
  await world.runAttempt(await world.submitted());
  const wake = world.wakes.at(-1);
  expect(wake && (await world.runAttempt(wake))).toBe("concluded");
  expect((await world.stateOf())?.error).toMatchObject({ kind: "undone" });
  expect(world.statuses.at(-1)).toMatchObject({ status: "Undone" });
});

test("P16 a death between the refusal's write and the wake: the step run again wakes it", async () => {
  const task = await world.firstTask(await world.submitted());
  world.answers.set("reserve", () => ({ kind: "rejected", message: "sold out" }));
  await runStep(task, world, world.telemetry);
  world.wakes.length = 0;
  expect((await runStep(task, world, world.telemetry)).outcome.kind).toBe("rejected");
  expect(world.wakes).toMatchObject([{ attempt: 2, direction: "undo" }]);
});
