// A step under another key has another address for reports: what is reported of the old request is not of this one.
import { expect, test } from "vitest";
import { NOON, sampleRecord } from "../../../tests/jobs.ts";
import { stepIn } from "../../../tests/records.ts";
import type { StepRecord } from "../record/state-record.ts";
import { begunAnew, reset, withNextCompensationKey } from "./operator-steps.ts";

const step = stepIn(sampleRecord(), "takePayment");
const failed: StepRecord = { ...step, state: "Failed", nonce: "n-1", scheduledAt: NOON, outcomeUnknown: false };

test("P22 a rejected step that is resubmitted", () => {
  const again = reset(failed, NOON);
  expect(again).toMatchObject({ state: "NotStarted", generation: 2 });
  expect(again.nonce).toBeUndefined();
});

test("P22 one whose outcome is unknown keeps its key, and its address", () => {
  expect(reset({ ...failed, outcomeUnknown: true }, NOON)).toMatchObject({
    state: "NotStarted",
    generation: 1,
    nonce: "n-1",
  });
});

test("P22 a step that begins anew, and a compensation that was rejected", () => {
  expect(begunAnew({ ...failed, state: "Compensated" }).nonce).toBeUndefined();
  const compensation = { ...failed, nonce: "n-2" };
  const again = withNextCompensationKey({ ...step, state: "Completed", compensation });
  expect(again).toMatchObject({ compensationGeneration: 2 });
  expect(again.compensation?.nonce).toBeUndefined();
});
