// Jobs that an operator acts on, in the states that the tests of operators' actions need.

import type { Workflow } from "../src/domain/definition/workflow.ts";
import { decide } from "../src/domain/operator/operator.ts";
import type { OperatorAction } from "../src/domain/operator/operator-action.ts";
import { newStateRecord } from "../src/domain/record/new-state-record.ts";
import { type JobError, NOT_STARTED, type StateRecord, type StepRecord } from "../src/domain/record/state-record.ts";
import type { DecisionContext } from "../src/domain/recovery/next-attempt.ts";

export const NOON = "2026-01-01T12:00:00.000Z";
export const LATER = "2026-01-01T12:00:20.000Z";
export const context: DecisionContext = { by: "ada", now: NOON, claimWithinMs: 60_000, clockSkewMs: 1000 };

export const step = (name: string) =>
  ({ name, agent: name, operation: "do", after: [], completeWithin: "PT10S", compensation: "manual" }) as const;
export const COMPENSATION = { operation: "compensate", completeWithin: "PT10S" } as const;
export const workflow: Workflow = {
  name: "w",
  version: 1,
  policy: { failureThreshold: 3, waits: [], onExhausted: "fail", onRejected: "fail" },
  steps: [step("reserve"), step("pay"), step("ship")],
};
const submission = {
  ...{ jobId: "o", keys: {}, contentDigest: "" },
  priority: "normal",
  replyTo: "replies-shop",
  replyToSessionId: null,
  correlationId: "c",
  traceparent: null,
} as const;
export const fresh = newStateRecord(submission, workflow, NOON, LATER);
export const notStarted: StepRecord = { ...NOT_STARTED, agent: "a", result: null, compensation: null, generation: 1 };
export const completed: StepRecord = {
  ...notStarted,
  state: "Completed",
  startedAt: NOON,
  endedAt: NOON,
  result: { id: "r" },
};
export const failed: StepRecord = { ...notStarted, state: "Failed", startedAt: NOON, endedAt: NOON, error: "no" };
export const running: StepRecord = {
  ...notStarted,
  state: "Running",
  scheduledAt: NOON,
  startBy: LATER,
  startedAt: NOON,
  completeBy: LATER,
  retryCount: 1,
};
export const compensated: StepRecord = {
  ...completed,
  state: "Compensated",
  compensation: { ...NOT_STARTED, state: "Completed" },
};

export function record(changes: Partial<StateRecord>): StateRecord {
  return { ...fresh, ...changes };
}

export function errorOf(kind: JobError["kind"]): JobError {
  return { kind, message: "card expired", step: "pay", agent: "pay", at: NOON };
}

export const rejected = record({
  processState: "Error",
  attempt: 2,
  failureCount: 1,
  error: errorOf("rejected"),
  steps: { reserve: completed, pay: failed, ship: notStarted },
});
export const underWay = record({
  processState: "Processing",
  lockedBy: "o-1",
  completeBy: LATER,
  dueAt: LATER,
  steps: { reserve: completed, pay: running, ship: notStarted },
});

export const actions = {
  resubmit: { kind: "resubmit", reason: "card renewed", edited: null, compensatedManually: false },
  edit: { kind: "resubmit", reason: "card renewed", edited: { priority: "high" }, compensatedManually: false },
  manual: { kind: "resubmit", reason: "fetched back", edited: null, compensatedManually: true },
  forward: {
    kind: "resubmit",
    reason: "address is in reach",
    edited: null,
    compensatedManually: false,
    direction: "forward",
  },
  compensate: { kind: "compensate", reason: "shop asked" },
  cancel: { kind: "cancel", reason: "sent by mistake" },
  extend: { kind: "extend", reason: "service is fixed", byMs: 60_000 },
  markResolved: { kind: "markResolved", reason: "the bank sent it back" },
} as const satisfies Record<string, OperatorAction>;

/** What is decided. @throws where it is rejected */
export function allowed(before: StateRecord, action: OperatorAction) {
  const decision = decide(before, action, workflow, context);
  if (decision.kind !== "allowed") throw new Error(decision.reason);
  return decision;
}
