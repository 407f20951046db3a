// P25: which results of a job's steps its requester receives, and with which status.
import { expect, test } from "vitest";
import { GRAPH, NOON, sampleRecord } from "../../../tests/jobs.ts";
import { stepIn } from "../../../tests/records.ts";
import type { JobStatus, StepResult } from "../record/state-record.ts";
import { statusMessage } from "./outputs.ts";

const record = sampleRecord("job-1", GRAPH);
const completed = (name: string, result: StepResult) => ({
  ...stepIn(record, name),
  state: "Completed" as const,
  result,
});
const done = {
  ...record,
  steps: {
    ...record.steps,
    takePayment: completed("takePayment", { chargeId: "c-1", internal: "not shown" }),
    arrangeShipping: completed("arrangeShipping", { shipmentId: "s-1" }),
  },
};
const outputsOf = (status: JobStatus, step?: string) =>
  statusMessage(done, { status, attempt: 1, at: NOON, ...(step && { step }) }, GRAPH)?.outputs;

test("P25 the last status has all of them, and a step's status its own", () => {
  expect(outputsOf("Completed")).toEqual({ chargeId: "c-1", shipmentId: "s-1" });
  expect(outputsOf("StepCompleted", "takePayment")).toEqual({ chargeId: "c-1" });
  expect(outputsOf("StepCompleted", "reserveStock")).toBeUndefined();
  expect(outputsOf("Started")).toBeUndefined();
});
