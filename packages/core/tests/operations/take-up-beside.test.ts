// P21: when the supervisor reads a record with several steps in hand: when the first of them expires, whoever is taken up beside it.
import { expect, test } from "vitest";
import { after } from "../../src/domain/duration.ts";
import { expiresAt } from "../../src/domain/record/due.ts";
import { afterStep } from "../../src/domain/steps/step-end.ts";
import { takenUp } from "../../src/domain/steps/step-run.ts";
import { recordMark } from "../../src/scheduler/steps/take-up.ts";
import { GRAPH, NOON, NOON_MS, SCHEDULING, sampleJob, sampleRecord } from "../jobs.ts";
import { claimed, claimWrite, route, stepIn, taskOf } from "../records.ts";
import { createWorld } from "../world.ts";

const within = { workflow: GRAPH, now: NOON, scheduling: SCHEDULING, claimWithinMs: 60_000 };

/** Two steps are scheduled. */
function beside() {
  const begun = claimed(sampleRecord("job-1", GRAPH), GRAPH);
  const next = afterStep(begun, taskOf(begun, "reserveStock"), { kind: "done", result: {}, ...route }, within);
  if (!next) throw new Error("the record waits for no step");
  return next;
}

test("P21 a step that is taken up with an hour of its own leaves the record due when the one beside it expires", async () => {
  const world = createWorld(NOON_MS);
  const record = beside();
  await world.store.create(sampleJob(), record);
  const task = { ...taskOf(record, "takePayment"), isAlone: false };
  const written = await recordMark(task, takenUp("forward", NOON, after(NOON, 3_600_000)), NOON, world);
  expect(written.kind).toBe("written");
  const left = await world.stateOf();
  expect(left).toMatchObject({ steps: { takePayment: { state: "Running", completeBy: after(NOON, 3_600_000) } } });
  expect(left?.dueAt).toBe(expiresAt(stepIn(record, "checkFraud")));
});

test("P21 of steps that are scheduled together the first to expire decides when the record is due", () => {
  const { steps } = beside();
  const names = ["takePayment", "checkFraud"];
  const next = names.map((name, index) => {
    const record = { ...stepIn({ ...sampleRecord(), steps }, name), completeBy: after(NOON, (2 - index) * 100_000) };
    return { name, record };
  });
  const due = claimWrite(sampleRecord(), next, "job-1-1@hub").changes.find(({ path }) => path[0] === "dueAt");
  expect(due).toMatchObject({ value: after(NOON, 100_000) });
});
