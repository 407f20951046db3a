// A run that begins again: nothing of its last run is left that says something about this one.
import { expect, test } from "vitest";
import { NOON, SCHEDULING, sampleRecord } from "../../../tests/jobs.ts";
import { stepIn } from "../../../tests/records.ts";
import { after } from "../duration.ts";
import { accepted, restarted, scheduled } from "./step-run.ts";

const times = { transport: "activity", completeWithin: "PT10S" } as const;

test.each(["forward", "compensate"] as const)("P3 %s: it has not started, and has no error", (direction) => {
  const run = { state: "Running", attempt: 1, scheduledAt: NOON, startedAt: NOON, endedAt: NOON, error: "x" } as const;
  const step = { ...stepIn(sampleRecord(), "takePayment") };
  const record = direction === "forward" ? { ...step, ...run } : { ...step, compensation: { ...step, ...run } };
  const again = restarted(record, direction, true, NOON);
  const begun = scheduled(
    { name: "takePayment", record: again, ...times },
    2,
    direction,
    after(NOON, 1000),
    SCHEDULING,
  );
  expect(direction === "forward" ? begun.record : begun.record.compensation).toMatchObject({
    ...{ state: "Scheduled", attempt: 2, startedAt: null, endedAt: null, error: null, retryCount: 1 },
  });
});

test.each([
  ["Awaiting", true],
  ["Running", true],
  ["Scheduled", undefined],
] as const)("P13 P34 a step that is %s when it is compensated may have been done: %s", (state, outcomeUnknown) => {
  const record = { ...stepIn(sampleRecord(), "takePayment"), state, attempt: 1, scheduledAt: NOON };
  const begun = scheduled({ name: "takePayment", record, ...times }, 2, "compensate", NOON, SCHEDULING);
  expect(begun.record).toMatchObject({ state: "NotStarted", compensation: { state: "Scheduled", attempt: 2 } });
  expect(begun.record.outcomeUnknown).toBe(outcomeUnknown);
});

test("P17 a step that awaits its completion is not accepted a second time: its time would begin anew", () => {
  const route = { endpoint: "http://x/", because: "only one" };
  expect(accepted("forward", { at: NOON }, route, NOON).from).toEqual(["Scheduled", "Running"]);
});
