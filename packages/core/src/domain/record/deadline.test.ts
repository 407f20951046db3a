// The deadline of a whole job (P35): its faults, the record's instant, and what a sweep decides.
import { describe, expect, test } from "vitest";
import { GRAPH, NOON, sampleRecord } from "../../../tests/jobs.ts";
import type { JobDeadline, Workflow } from "../definition/workflow.ts";
import { contentOfWorkflow } from "../definition/workflow-content.ts";
import { after } from "../duration.ts";
import { decide } from "../operator/operator.ts";
import { decideDeadline, recover } from "../recovery/recovery.ts";
import { deadlineFaults, deadlineOf } from "./deadline.ts";
import { closed } from "./retention.ts";
import type { StateRecord } from "./state-record.ts";

const DAY_MS = 86_400_000;
const withDeadline = (deadline: unknown): Workflow => ({ ...GRAPH, deadline: deadline as JobDeadline });
const WORKFLOW = withDeadline({ completeWithin: "P1D", onExpired: "compensate" });
const FOR_OPERATOR = withDeadline({ completeWithin: "P1D", onExpired: "fail" });
const PASSED = after(NOON, DAY_MS + 1);
const context = { by: "supervisor", now: PASSED, claimWithinMs: 60_000, clockSkewMs: 1000 };

const begun = (changes: Partial<StateRecord> = {}): StateRecord => ({
  ...sampleRecord("job-1", WORKFLOW),
  ...deadlineOf(WORKFLOW, NOON),
  ...changes,
});

test.each([
  [undefined, []],
  [{ completeWithin: "P14D", onExpired: "compensate" }, []],
  [{ completeWithin: "PT11S", onExpired: "fail" }, []],
  ["P14D", ["must be an object"]],
  [null, ["must be an object"]],
  [[], ["must be an object"]],
  [{}, ["completeWithin is missing", 'onExpired must be "fail" or "compensate"']],
  [{ completeWithin: "14 days", onExpired: "operator" }, ["14 days must be an ISO 8601 duration", "onExpired must be"]],
  [{ completeWithin: "PT0S", onExpired: "fail" }, ["longer than zero"]],
  [{ completeWithin: "P367D", onExpired: "fail" }, ["at most P366D"]],
  [{ completeWithin: "PT10S", onExpired: "fail" }, ["not longer than completeWithin of reserveStock"]],
  [{ completeWithin: "P1D", onExpired: "fail", policy: 1 }, ["policy: it may have completeWithin and onExpired"]],
])("the faults of %j", (deadline, faults) => {
  const found = deadlineFaults(withDeadline(deadline), "w");
  expect(found).toEqual(faults.map((fault) => expect.stringContaining(fault)));
});

test("P35 a new record has it from the time of its submission, and it is no part of the workflow's version", () => {
  expect(begun().deadlineAt).toBe(after(NOON, DAY_MS));
  expect(deadlineOf(GRAPH, NOON)).toEqual({});
  expect(contentOfWorkflow(WORKFLOW)).toEqual(contentOfWorkflow(GRAPH));
});

describe("P35 what a sweep decides", () => {
  test.each<[string, Partial<StateRecord>, string | undefined]>([
    ["Pending", {}, "compensateAtDeadline"],
    ["Processing", { processState: "Processing", lockedBy: "job-1-1" }, "compensateAtDeadline"],
    ["held until later", { attempt: 4, dueAt: after(PASSED, DAY_MS) }, "compensateAtDeadline"],
    ["its deadline is to come", { deadlineAt: PASSED }, undefined],
    ["it has none", { deadlineAt: null }, undefined],
    ["in compensation, and due", { direction: "compensate" }, undefined],
    ["in compensation", { direction: "compensate", dueAt: after(PASSED, 1) }, "dropDeadline"],
    ["ended, with messages to be sent", { processState: "Processed" }, undefined],
    ["ended", { processState: "Error", dueAt: after(PASSED, 1) }, "dropDeadline"],
  ])("%s", (_, changes, kind) => {
    expect(decideDeadline(begun(changes), WORKFLOW, PASSED)?.kind).toBe(kind);
  });

  test("the workflow's policy says what follows", () => {
    expect(decideDeadline(begun(), FOR_OPERATOR, PASSED)?.kind).toBe("failAtDeadline");
    expect(decideDeadline(begun({ dueAt: after(PASSED, 1) }), GRAPH, PASSED)?.kind).toBe("dropDeadline");
  });
});

const passed = (record: StateRecord, workflow: Workflow) => {
  const verdict = decideDeadline(record, workflow, PASSED);
  if (!verdict) throw new Error("its deadline has not passed");
  return recover(record, verdict, { now: PASSED, overdueBefore: PASSED, claimWithinMs: 60_000 });
};

test.each(["Pending", "Processing"] as const)("P35 a %s job: in Error, its sender told, the deadline gone", (state) => {
  const record = begun({ processState: state, attempt: 2, failureCount: 1 });
  const failed = passed(record, FOR_OPERATOR);
  expect(failed).toMatchObject({
    processState: "Error",
    direction: "forward",
    attempt: 2,
    failureCount: 1,
    lockedBy: null,
    completeBy: null,
    error: { kind: "deadlinePassed", step: null },
    outbox: [{ status: "Failed", attempt: 2 }],
  });
  expect(failed).not.toHaveProperty("deadlineAt");
});

test("P35 the error names the steps in progress", () => {
  const base = begun({ processState: "Processing" });
  const { reserveStock } = base.steps;
  if (!reserveStock) throw new Error("no such step");
  const record = { ...base, steps: { ...base.steps, reserveStock: { ...reserveStock, state: "Running" as const } } };
  expect(passed(record, WORKFLOW).error?.message).toBe(
    `it was not done by its deadline ${after(NOON, DAY_MS)}, in progress: reserveStock`,
  );
});

test("P35 a cancelled, a closed and a compensated job have no deadline any more; a resubmitted one has a new one", () => {
  const error = { kind: "rejected", message: "", step: null, agent: null, at: NOON } as const;
  const ended = begun({ processState: "Error", error, deadlineAt: undefined as never });
  const decided = (record: StateRecord, action: Parameters<typeof decide>[1]) => {
    const decision = decide(record, action, WORKFLOW, context);
    if (decision.kind === "rejected") throw new Error(decision.reason);
    return decision.record;
  };
  expect(decided(begun(), { kind: "cancel", reason: "r" })).not.toHaveProperty("deadlineAt");
  expect(decided(begun({ processState: "Processing" }), { kind: "compensate", reason: "r" })).not.toHaveProperty(
    "deadlineAt",
  );
  expect(closed(begun({ processState: "Processed" }), NOON, 1)).not.toHaveProperty("deadlineAt");
  const again = { kind: "resubmit", reason: "r", edited: null, compensatedManually: false } as const;
  expect(decided(ended, again).deadlineAt).toBe(after(PASSED, DAY_MS));
  // It waits for its next attempt, and has not ended.
  expect(decided(begun({ attempt: 2 }), again).deadlineAt).toBe(after(NOON, DAY_MS));
});
