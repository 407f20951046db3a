// The budgets of a step: of its requests and of its compensation, each with a count of its own (P11).
import { describe, expect, test } from "vitest";
import { CHAIN, NOON, sampleRecord } from "../../../tests/jobs.ts";
import { notStarted } from "../../../tests/records.ts";
import { policyFor, type RecoveryPolicy, type StepPolicy, type Workflow } from "../definition/workflow.ts";
import { after } from "../duration.ts";
import {
  type Direction,
  NOT_STARTED,
  type StateRecord,
  type StepRecord,
  type StepRun,
} from "../record/state-record.ts";
import { decideRecovery, recover } from "../recovery/recovery.ts";
import { ruleInWords } from "../recovery/verdicts.ts";
import { workflowFaults } from "../workflows/workflow-faults.ts";
import { forgiven } from "./operator-steps.ts";
import { restarted } from "./step-run.ts";

const POLICY: RecoveryPolicy = { failureThreshold: 1, waits: [], onExhausted: "fail", onRejected: "compensate" };
const running = (failureCount = 0): StepRun => ({ ...NOT_STARTED, state: "Running", completeBy: NOON, failureCount });

function atWork(direction: Direction, step: StepRecord, failureCount = 0): StateRecord {
  return { ...sampleRecord(), processState: "Processing", direction, failureCount, steps: { takePayment: step } };
}
const compensated = (failures: number): StepRecord => ({
  ...notStarted,
  state: "Completed",
  failureCount: 1,
  compensation: running(failures),
});
const verdictOf = (record: StateRecord, policy: StepPolicy) =>
  decideRecovery(record, () => policy, after(NOON, 1), 300_000);

describe("P11 P13 a compensation's own budget", () => {
  const own = { failureThreshold: 3, waits: ["PT1M"] };

  test.each<[number, Partial<RecoveryPolicy>, object]>([
    [0, {}, { kind: "skip", failures: 1 }],
    [0, { compensation: own }, { kind: "retry", failures: 1, budget: "compensation" }],
    [2, { compensation: own }, { kind: "wait", failures: 3, waitMs: 60_000, budget: "compensation" }],
    [3, { compensation: own }, { kind: "skip", failures: 4, budget: "compensation" }],
    [0, { compensation: { waits: ["PT2M"] } }, { kind: "wait", failures: 1, waitMs: 120_000 }],
  ])("after %i failures, with %j", (failures, more, verdict) =>
    expect(verdictOf(atWork("compensate", compensated(failures)), { ...POLICY, ...more })).toMatchObject(verdict),
  );

  test("a step's way forward does not have it", () => {
    const record = atWork("forward", { ...notStarted, ...running() });
    expect(verdictOf(record, { ...POLICY, compensation: own })).toEqual({
      kind: "fail",
      step: "takePayment",
      failures: 1,
    });
  });

  test("what its job failed on its way forward does not limit the compensation of a skipped step", () => {
    const skipped: StepRecord = { ...notStarted, state: "Skipped", compensation: running() };
    const record = atWork("forward", skipped, 5);
    const verdict = verdictOf(record, { ...POLICY, compensation: { failureThreshold: 3 } });
    expect(verdict).toMatchObject({ kind: "retry", failures: 1 });
  });

  test("the rule of the verdict names its threshold", () => {
    const policy = { ...POLICY, compensation: own };
    const record = atWork("compensate", compensated(0));
    expect(ruleInWords(record, verdictOf(record, policy), () => policy)).toContain("below the threshold of 3");
  });
});

test("P11 a step's own members go over the workflow's, one by one", () => {
  const [first, ...others] = CHAIN.steps;
  if (!first) throw new Error("CHAIN has no steps");
  const workflow: Workflow = {
    ...CHAIN,
    policy: { ...POLICY, compensation: { failureThreshold: 5, waits: ["PT1M"] } },
    steps: [{ ...first, policy: { compensation: { failureThreshold: 7 } } }, ...others],
  };
  expect(policyFor(workflow, first.name).compensation).toEqual({ failureThreshold: 7, waits: ["PT1M"] });
  expect(policyFor(workflow, undefined).compensation).toEqual({ failureThreshold: 5, waits: ["PT1M"] });
});

describe("P5 the faults of budgets", () => {
  const agents = new Map([["inventory", { operations: ["reserve", "release"], transports: ["activity"] as const }]]);
  const faultsOf = (policy: object, stepPolicy: object = {}) =>
    workflowFaults(
      {
        name: "w",
        version: 1,
        policy: { ...POLICY, ...policy } as RecoveryPolicy,
        steps: [
          {
            ...{ name: "one", agent: "inventory", operation: "reserve", after: [], completeWithin: "PT1S" },
            ...{ compensation: "nothing", policy: stepPolicy },
          },
        ],
      },
      agents,
    ).join("\n");

  test("none", () => expect(faultsOf({ compensation: { failureThreshold: 9, waits: ["PT1M"] } })).toBe(""));

  test("each is named", () => {
    const faults = faultsOf(
      {
        failureThreshold: undefined,
        compensation: { failureThreshold: 0, waits: ["soon"], onExhausted: "compensate" },
      },
      { failureThreshold: 0.5, compensation: { failureThreshold: -1 }, onAwaitExpired: "hold" },
    );
    for (const named of [
      "workflow w v1: policy.failureThreshold must be",
      "workflow w v1: policy.compensation.failureThreshold must be",
      "policy.compensation.waits: soon is not",
      "policy.compensation.onExhausted: it may have failureThreshold, waits",
      "step one: policy.failureThreshold must be",
      "step one: policy.compensation.failureThreshold must be",
      'step one: policy.onAwaitExpired must be "retry" or "fail" or "compensate"',
      "step one: policy.onAwaitExpired: the step has no awaitWithin",
      'step one: policy.compensation: the step\'s compensation is "nothing"',
    ]) {
      expect(faults).toContain(named);
    }
  });
});

describe("P11 P22 a wait's own policy", () => {
  const waits = { failureThreshold: 2, onAwaitExpired: "compensate" } as const;
  const open = (state: "Awaiting" | "Running", more: Partial<StepRun> = {}): StateRecord =>
    atWork("forward", { ...notStarted, ...running(), state, ...more });

  test.each<[string, StateRecord, Partial<RecoveryPolicy>, object]>([
    ["counts as any other failure", open("Awaiting"), { failureThreshold: 2 }, { kind: "retry", failures: 1 }],
    ["with retry too", open("Awaiting"), { ...waits, onAwaitExpired: "retry" }, { kind: "retry", failures: 1 }],
    ["compensates", open("Awaiting"), waits, { kind: "compensate", failures: 1, budget: "wait" }],
    ["fails", open("Awaiting"), { ...waits, onAwaitExpired: "fail" }, { kind: "fail", failures: 1 }],
    ["whatever its requests failed", open("Awaiting", { failureCount: 1 }), waits, { kind: "compensate", failures: 1 }],
    ["while its requests have their own budget", open("Running"), waits, { kind: "retry", failures: 1 }],
  ])("an expired wait %s", (_, record, policy, verdict) =>
    expect(verdictOf(record, { ...POLICY, ...policy })).toMatchObject(verdict),
  );

  test("the record counts an expired wait among the failures, and an operator's forgiveness is for it too", () => {
    const again = restarted({ ...notStarted, ...running(1), state: "Awaiting" }, "forward", true, NOON);
    expect(again).toMatchObject({ state: "NotStarted", failureCount: 2 });
    expect(forgiven(again)).not.toHaveProperty("failureCount");
  });

  test("the error and the rule say that a wait expired", () => {
    const policy = { ...POLICY, ...waits };
    const record = open("Awaiting");
    const verdict = verdictOf(record, policy);
    const sweeping = { now: NOON, overdueBefore: after(NOON, 1), claimWithinMs: 1000 };
    expect(recover(record, verdict, sweeping).error?.message).toBe(
      "its wait for a report expired, the last in takePayment",
    );
    expect(ruleInWords(record, verdict, () => policy)).toContain(
      "the wait of takePayment for a report expired: the policy says compensate",
    );
  });

  test("a step that may be skipped is skipped", () => {
    const [first] = CHAIN.steps;
    if (!first) throw new Error("CHAIN has no steps");
    const optional = { ...CHAIN, steps: [{ ...first, optional: true, policy: waits }] };
    expect(policyFor(optional, first.name).onAwaitExpired).toBe("skip");
  });
});
