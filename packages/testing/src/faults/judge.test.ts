// What the judge of a fault run finds wrong, and what it lets pass.

import type { StateRecord, StepRecord } from "@scheduler-agent-supervisor/core/domain";
import type { Workflow } from "@scheduler-agent-supervisor/core/workflows";
import { expect, test } from "vitest";
import { sampleRecord } from "../../../core/tests/jobs.ts";
import type { Evidence, ServiceEffect } from "./evidence.ts";
import { aloneOf, faultsOfLife, unprocessed, usualOf } from "./judge.ts";

const policy = { failureThreshold: 1, waits: [], onExhausted: "compensate", onRejected: "compensate" } as const;
const step = (name: string, after: readonly string[], compensation: Workflow["steps"][number]["compensation"]) => ({
  ...{ name, agent: "accounts", operation: name, after, completeWithin: "PT10S", compensation },
});
const WORKFLOW: Workflow = {
  ...{ name: "registration", version: 1, policy },
  steps: [step("open", [], { operation: "close", completeWithin: "PT10S" }), step("greet", ["open"], "nothing")],
};

const BASE = sampleRecord("job-1", WORKFLOW);
const at = (name: string, changes: Partial<StepRecord>): StepRecord => ({
  ...(BASE.steps[name] as StepRecord),
  ...changes,
});

function record(changes: Partial<StateRecord>, open: Partial<StepRecord>, greet: Partial<StepRecord>): StateRecord {
  const { dueAt: _, ...rest } = BASE;
  return {
    ...rest,
    lockedBy: null,
    outbox: [],
    ...changes,
    steps: { open: at("open", open), greet: at("greet", greet) },
  };
}

const effect = (key: string, path = "/accounts", action = "create"): ServiceEffect => ({
  ...{ service: "accounts", path, action, key, body: {} },
});
const OPENED = effect("job-1:open:forward");
const GREETED = effect("job-1:greet:forward", "/mails");
const CLOSED = effect("job-1:open:compensate", "/accounts", "close");

const status = (name: string, step?: string) => ({
  messageId: `${name} ${step}`,
  body: { attempt: 1, status: name, ...(step && { step }) },
});
const BEGUN = [status("Received"), status("Started"), status("StepCompleted", "open")];

const done = { state: "Completed", result: {} } as const;
const PROCESSED: Evidence = {
  record: record({ processState: "Processed" }, done, done),
  effects: [OPENED, GREETED],
  published: [...BEGUN, status("StepCompleted", "greet"), status("Completed")],
  running: [],
};
const COMPENSATED: Evidence = {
  record: record({ processState: "Compensated" }, { state: "Compensated", result: {} }, { state: "Failed" }),
  effects: [OPENED, CLOSED],
  published: [...BEGUN, status("Compensated")],
  running: [],
};
const USUAL = usualOf([PROCESSED, COMPENSATED]);
const faults = (evidence: Evidence, alone = PROCESSED) => faultsOfLife(WORKFLOW, evidence, USUAL, aloneOf(alone));

test("what ends as it did without a death is right", () => {
  expect(faults(PROCESSED)).toEqual([]);
  expect(faults(COMPENSATED, COMPENSATED)).toEqual([]);
  expect(faults({ ...COMPENSATED, effects: [] }, COMPENSATED)).toEqual([]);
});

test.each<[string, Partial<Evidence>, string]>([
  ["an effect twice", { effects: [OPENED, { ...OPENED, key: `${OPENED.key}:2` }, GREETED] }, "open is Completed"],
  ["an effect that is lost", { effects: [OPENED] }, "greet is Completed: its effects are none"],
  ["an effect under a key of the agent's own", { effects: [OPENED, GREETED, effect("any")] }, "name no step"],
  ["another end", { record: COMPENSATED.record, published: COMPENSATED.published }, "it ended Compensated"],
  ["a status that never came", { published: PROCESSED.published.slice(0, -1) }, "never received Completed"],
  ["statuses out of sequence", { published: PROCESSED.published.toReversed() }, "was received after"],
  ["an orchestration that runs", { running: ["job-1-1"] }, "still runs: job-1-1"],
  ["no record", { record: undefined }, "there is no record"],
])("%s is found", (_, changes, fault) => {
  expect(faults({ ...PROCESSED, ...changes }).join("; ")).toContain(fault);
});

test.each<[string, Partial<StateRecord>, string]>([
  ["that has not ended", { processState: "Processing" }, "it has not ended"],
  ["that is held", { lockedBy: "job-1-1@hub" }, "still holds it"],
  ["that is due", { dueAt: "2026-01-01T12:00:00.000Z" }, "still due"],
  ["with a message unsent", { outbox: [{ status: "Completed", attempt: 1, at: "" }] }, "not published: Completed"],
])("a job %s is found", (_, changes, fault) => {
  expect(
    faults({ ...PROCESSED, record: record({ processState: "Processed", ...changes }, done, done) }),
  ).toContainEqual(expect.stringContaining(fault));
});

test("what is left after a compensation is found", () => {
  expect(faults({ ...COMPENSATED, effects: [OPENED] }, COMPENSATED).join()).toContain("what it did stands");
  const left = record({ processState: "Compensated" }, done, { state: "Failed" });
  expect(faults({ ...COMPENSATED, record: left, effects: [OPENED] }, COMPENSATED)).toContainEqual(
    expect.stringContaining("open is left after the compensation"),
  );
});

test("content that does not go through is said to be none to test with", () => {
  expect(unprocessed(PROCESSED)).toEqual([]);
  expect(unprocessed(COMPENSATED).join()).toContain("Give content that goes through");
});

const FAILED_UNKNOWN = { state: "Failed", outcomeUnknown: true } as const;
const UNKNOWN: Evidence = {
  record: record(
    {
      processState: "Error",
      error: { kind: "rejected", message: "it may have been done", step: "greet", agent: "accounts", at: "" },
    },
    done,
    FAILED_UNKNOWN,
  ),
  effects: [OPENED, GREETED],
  published: [...BEGUN, status("Failed")],
  running: [],
};

test("P34 a step that is done at most once and was cut off may end in Error, its outcome unknown: done once or not at all", () => {
  expect(faults(UNKNOWN)).toEqual([]);
  expect(faults({ ...UNKNOWN, effects: [OPENED] })).toEqual([]);
});

test("P34 two effects are never right, and neither is an Error whose outcome is known", () => {
  const twice = [OPENED, GREETED, { ...GREETED, key: `${GREETED.key}:2` }];
  expect(faults({ ...UNKNOWN, effects: twice }).join()).toContain("greet was done twice, and its outcome is unknown");
  const { record: unknown } = UNKNOWN;
  if (!unknown) throw new Error("no record");
  const known = {
    ...unknown,
    steps: { ...unknown.steps, greet: at("greet", { state: "Failed", outcomeUnknown: false }) },
  };
  expect(faults({ ...UNKNOWN, record: known }).join()).toContain(
    "it ended Error rejected, and without a fault Processed",
  );
  const completed = { ...unknown, steps: { ...unknown.steps, greet: at("greet", { ...done, outcomeUnknown: true }) } };
  expect(faults({ ...UNKNOWN, record: completed, effects: twice }).join()).toContain("greet is Completed");
});

test("P34 a job that was compensated beside a step of unknown outcome waits in Error for a person too", () => {
  const compensating = record(
    {
      processState: "Error",
      error: { kind: "compensationIncomplete", message: "greet", step: "greet", agent: "accounts", at: "" },
    },
    { state: "Compensated", result: {} },
    FAILED_UNKNOWN,
  );
  const evidence = { ...UNKNOWN, record: compensating, effects: [OPENED, CLOSED, GREETED] };
  expect(faults(evidence)).toEqual([]);
  expect(faults({ ...evidence, effects: [OPENED, CLOSED, CLOSED, GREETED] }).join()).toContain("open is Compensated");
});
