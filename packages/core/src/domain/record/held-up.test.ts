// Which agent a job in flight waits for.
import { expect, test } from "vitest";
import { GRAPH, NOON, NOON_MS, sampleRecord } from "../../../tests/jobs.ts";
import { endedSince, heldUpBy, isLate } from "./held-up.ts";
import { NOT_STARTED, type StepRun } from "./state-record.ts";

const scheduled: Partial<StepRun> = { state: "Scheduled", scheduledAt: NOON };

test.each<[string, Partial<StepRun>, number, boolean]>([
  ["scheduled just now", scheduled, 1000, false],
  ["scheduled for long", scheduled, 6000, true],
  ["scheduled again, because it was not taken up", { ...scheduled, waitCount: 1 }, 0, true],
  ["tried again after a failure", { state: "Running", failureCount: 1 }, 0, true],
  ["at work for the first time", { state: "Running", failureCount: 0 }, 60_000, false],
  ["done later by its service", { state: "Awaiting", failureCount: 1 }, 60_000, false],
  ["done", { state: "Completed", waitCount: 3 }, 60_000, false],
])("a step %s: held up, or not", (_, run, afterMs, isHeldUp) => {
  const record = sampleRecord("job-1", GRAPH);
  const step = { ...NOT_STARTED, ...record.steps["checkFraud"], ...run };
  const steps = { ...record.steps, checkFraud: step } as typeof record.steps;
  expect(heldUpBy({ steps }, NOON_MS + afterMs, 5000)).toBe(isHeldUp ? "fraud" : undefined);
});

test("the longest waiting step decides, in either direction", () => {
  const record = sampleRecord("job-1", GRAPH);
  const [reserveStock, takePayment] = [record.steps["reserveStock"], record.steps["takePayment"]];
  if (!reserveStock || !takePayment) throw new Error("no such steps");
  const compensation = { ...NOT_STARTED, ...scheduled, scheduledAt: "2026-01-01T11:00:00.000Z" };
  const steps = {
    ...record.steps,
    reserveStock: { ...reserveStock, compensation },
    takePayment: { ...takePayment, ...scheduled },
  };
  expect(heldUpBy({ steps }, NOON_MS + 60_000, 5000)).toBe("inventory");
});

test.each<[string, Partial<StepRun>, number, readonly string[], boolean | "again"]>([
  ["scheduled just now", scheduled, 1000, [], false],
  ["scheduled for long", scheduled, 6000, [], true],
  ["scheduled again", { ...scheduled, waitCount: 1 }, 0, [], "again"],
  ["scheduled for long, for an agent that is away", scheduled, 6000, ["fraud"], false],
  ["scheduled again, for an agent that is away", { ...scheduled, waitCount: 1 }, 6000, ["fraud"], false],
  ["scheduled for long, while another agent is away", scheduled, 6000, ["payment"], true],
  ["tried again after a failure", { ...scheduled, failureCount: 1 }, 6000, [], false],
  ["at work", { state: "Running" }, 60_000, [], false],
])("P26 a step %s: late by the load of app and engine, or not", (_, run, afterMs, away, late) => {
  const { steps } = sampleRecord("job-1", GRAPH);
  const step = { ...NOT_STARTED, ...steps["checkFraud"], ...run };
  const waiting = { ...steps, checkFraud: step } as typeof steps;
  expect(isLate({ steps: waiting }, NOON_MS + afterMs, 5000, new Set(away))).toBe(late);
});

test("the steps that ended since then are counted, in either direction", () => {
  const { steps } = sampleRecord("job-1", GRAPH);
  const { takePayment, reserveStock } = steps;
  if (!takePayment || !reserveStock) throw new Error("no such steps");
  const compensation = { ...NOT_STARTED, endedAt: "2026-01-01T12:00:01.000Z" };
  const ended = {
    takePayment: { ...takePayment, endedAt: NOON, compensation },
    reserveStock: { ...reserveStock, endedAt: "2026-01-01T11:59:59.999Z" },
  };
  expect(endedSince({ steps: { ...steps, ...ended } }, NOON)).toBe(2);
});
