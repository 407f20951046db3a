// The difference of two records, made to the first, is the second; what its writer does not know stays as it stands in the store.
import { expect, test } from "vitest";
import { NOON, sampleRecord } from "../../../tests/jobs.ts";
import { stepIn } from "../../../tests/records.ts";
import { withRun } from "../steps/step-run.ts";
import { applyChanges } from "./apply-changes.ts";
import { difference, writeOf } from "./difference.ts";
import { NOT_STARTED, type StateRecord } from "./state-record.ts";

const entry = { at: NOON, what: "changed", by: "x" };
const RECORD = sampleRecord();
const STEP = stepIn(RECORD, "reserveStock");
const withStep = (step: StateRecord["steps"][string]) => ({
  ...RECORD,
  steps: { ...RECORD.steps, reserveStock: step },
});
const { dueAt: _due, ...NOT_DUE } = RECORD;

const CHANGED: readonly (readonly [what: string, after: StateRecord, changes: number])[] = [
  ["nothing", { ...RECORD }, 0],
  ["members", { ...RECORD, processState: "Processing", attempt: 2, updatedAt: "later" }, 3],
  ["a member that is new", { ...RECORD, thenForward: true }, 1],
  ["a member that is gone", NOT_DUE, 1],
  ["entries of the history, and messages", { ...RECORD, history: [...RECORD.history, entry, entry] }, 2],
  ["one member of a step", withStep({ ...STEP, retryCount: 3 }), 1],
  ["several members of a step", withStep({ ...STEP, retryCount: 3, state: "Running" }), 1],
  ["a compensation that is new", withStep({ ...STEP, compensation: NOT_STARTED }), 1],
  ["a step that is new", { ...RECORD, steps: { ...RECORD.steps, more: STEP } }, 1],
];

test.each(CHANGED)("of %s", (_what, after, count) => {
  const changes = difference(RECORD, after) ?? expect.fail("it can't be written");
  expect(changes).toHaveLength(count);
  expect(applyChanges(RECORD, changes)).toEqual(after);
});

test.each([
  ["a history that is cut", { history: [entry] }],
  ["a step that is gone", { steps: { reserveStock: STEP } }],
  ["more than one write has room for", { history: [...RECORD.history, ...Array.from({ length: 11 }, () => entry)] }],
])("of %s no write is made without the whole record", (_what, change) => {
  const after = { ...RECORD, ...change };
  expect(writeOf({ before: RECORD, after, guard: { processStates: ["Pending"] } })).toBeUndefined();
});

test("a single member of a run is set by itself, and what others wrote beside it stays", () => {
  const known = withStep(withRun(STEP, "compensate", { state: "Scheduled", attempt: 2 }));
  const expiry = { at: NOON, attempt: 2, tries: 1, endpoint: null, message: "HTTP 503" };
  const after = {
    ...known,
    steps: { ...known.steps, reserveStock: withRun(stepIn(known, "reserveStock"), "compensate", { expiry }) },
  };
  const changes = difference(known, after) ?? expect.fail("it can't be written");
  expect(changes.map(({ path }) => path)).toEqual([["steps", "reserveStock", "compensation", "expiry"]]);
  const stored = withStep(withRun(STEP, "compensate", { state: "Running", attempt: 2, startedAt: NOON }));
  expect(stepIn(applyChanges(stored, changes), "reserveStock").compensation).toMatchObject({
    state: "Running",
    expiry,
  });
});

test("a deadline is set to null, because a record that is not read may be without one", () => {
  const { deadlineAt: _, ...without } = { ...RECORD, deadlineAt: "" };
  expect(difference({ ...RECORD, deadlineAt: "" }, without)).toEqual([
    { op: "set", path: ["deadlineAt"], value: null },
  ]);
});
