// A wake takes a record's steps along: what its contract left out, the attempt would not know.
import { expect, test } from "vitest";
import type { StepRecord, StepRun } from "../domain/state-record.ts";
import { parseWake } from "./wake-message.ts";

const run: Required<StepRun> = {
  state: "Failed",
  completeBy: "2026-01-01T12:00:10.000Z",
  retryCount: 2,
  error: "sold out",
  endpoint: "http://inventory/",
  because: "only one",
  startedAt: "2026-01-01T12:00:00.000Z",
  endedAt: "2026-01-01T12:00:01.000Z",
};

test("P13 every member of a step's record goes through", () => {
  const reserveStock: Required<StepRecord> = {
    ...run,
    agent: "inventory",
    result: { reservationId: "res-1" },
    completedIn: 1,
    undo: run,
    unsure: true,
    generation: 2,
  };
  const wake = {
    orderId: "order-1",
    attempt: 2,
    direction: "undo",
    workflow: { name: "order-fulfilment", version: 2 },
    steps: { reserveStock },
    traceparent: null,
  };
  expect(parseWake(JSON.parse(JSON.stringify(wake)))).toEqual(wake);
});
