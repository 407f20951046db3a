// Who is reminded (P22): only whoever the job waits for.

import { expect, test } from "vitest";
import { after } from "../duration.ts";
import { dueReminders, remindersOf } from "./reminder.ts";
import { NOT_STARTED, type StepRecord, type StepRun } from "./state-record.ts";

const NOON = "2026-01-01T12:00:00.000Z";
const HOUR_MS = 3_600_000;
const waits: StepRun = {
  ...NOT_STARTED,
  state: "Awaiting",
  completeBy: after(NOON, 4 * HOUR_MS),
  accepted: { at: NOON, remindedAt: null },
};
const sign: StepRecord = { ...waits, agent: "office", result: null, compensation: null, generation: 1 };
const withdraw: StepRecord = { ...sign, state: "Completed", compensation: waits };
const later = after(NOON, 3 * HOUR_MS);

test("P22 in a compensation nobody is reminded of what it does not wait for, and somebody of what it does", () => {
  const steps = { sign, withdraw };
  expect(dueReminders({ steps, direction: "compensate" }, later)).toEqual([
    { step: "withdraw", direction: "compensate" },
  ]);
  expect(remindersOf({ sign }, "compensate")).toEqual([]);
  expect(dueReminders({ steps, direction: "forward" }, later)).toHaveLength(2);
  expect(remindersOf({ sign }, "forward")).toEqual([after(NOON, 2 * HOUR_MS)]);
});
