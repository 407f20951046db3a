// Stored histories of this app's workflows, replayed: what changed code would do to instances in flight.
import { scheduler } from "@scheduler-agent-supervisor/core/scheduling";
import { createWorld, replay, type StoredEvent } from "@scheduler-agent-supervisor/testing";
import type * as df from "durable-functions";
import { expect, test } from "vitest";
import { business } from "../../shared/business.ts";
import { sampleOrder } from "../support/orders.ts";

/** As it comes out of a file. */
const stored = (history: readonly unknown[]) => JSON.parse(JSON.stringify(history)) as StoredEvent[];

async function histories(): Promise<{ readonly [about: string]: readonly StoredEvent[] }> {
  const world = createWorld({ business });
  world.service("approval").reportsLater("ask", { after: "P1D", result: { approvalId: "yes-1" } });
  world.service("hotel").reportsLater("book", { after: "PT5M", rejection: "no room is free" });
  await world.submit(
    sampleOrder("trip-1", { workflow: "trip", lines: [{ sku: "S", quantity: 1, unitPrice: 900_000 }] }),
  );
  await world.run({ for: "PT1H" });
  const waiting = stored(world.history("trip-1"));
  await world.run();
  return { waiting, rejected: stored(world.history("trip-1")), compensation: stored(world.history("trip-1", 2)) };
}

const TRIP = await histories();

test.each(Object.entries(TRIP))("today's scheduler goes on with it: %s", (_, history) => {
  expect(history.length).toBeGreaterThan(4);
  expect(replay(history)).toEqual({ kind: "same" });
});

test("a history whose events have names, as in the table on Azure, is the same", () => {
  const names: { readonly [code: number]: string } = {
    ...{ 0: "ExecutionStarted", 1: "ExecutionCompleted", 4: "TaskScheduled", 5: "TaskCompleted" },
    ...{ 10: "TimerCreated", 11: "TimerFired", 12: "OrchestratorStarted", 15: "EventRaised" },
  };
  const named = TRIP["rejected"]?.map((event) => ({ ...event, EventType: names[Number(event.EventType)] ?? "" })) ?? [];
  expect(
    replay([...named, { EventType: "OrchestratorCompleted", EventId: -1, Timestamp: "2026-01-01T12:00:00Z" }]),
  ).toEqual({
    kind: "same",
  });
});

test("a scheduler that asks somebody first would break what is in flight", () => {
  function* changed(context: df.OrchestrationContext): Generator<df.Task, unknown, unknown> {
    yield context.df.callActivity("greet");
    return yield* scheduler(context);
  }
  expect(replay(TRIP["waiting"] ?? [], changed)).toEqual({
    kind: "differs",
    differences: expect.arrayContaining(["task 0 was a timer, and is now activity greet"]),
  });
});

test("a scheduler that ends early, waits longer or fails is found out", () => {
  function* ends(): Generator<df.Task, void, unknown> {}
  expect(replay(TRIP["waiting"] ?? [], ends)).toMatchObject({
    differences: expect.arrayContaining(["task 1 was activity paymentAgent, and is not scheduled any more"]),
  });
  function* fails(context: df.OrchestrationContext): Generator<df.Task, void, unknown> {
    yield* scheduler(context);
    throw new Error("a bug at the end");
  }
  expect(replay(TRIP["rejected"] ?? [], fails)).toEqual({
    kind: "differs",
    differences: ["it fails: a bug at the end"],
  });
  function* waits(context: df.OrchestrationContext): Generator<df.Task, void, unknown> {
    yield* scheduler(context);
    yield context.df.waitForExternalEvent("more");
  }
  expect(replay(TRIP["rejected"] ?? [], waits)).toEqual({
    kind: "differs",
    differences: ["it waits, where it had ended"],
  });
});

test("a history that does not say that it has ended, as the local stack's, is the same", () => {
  const ended = TRIP["rejected"] ?? [];
  const open = ended.filter(({ EventType: type }) => type !== 1);
  expect(open).toHaveLength(ended.length - 1);
  expect(replay(open)).toEqual({ kind: "same" });
});

test("what is no history is rejected", () => {
  expect(() => replay([])).toThrow("A history begins with OrchestratorStarted");
});
