// The supervisor's verdict on a record that is overdue, and what it makes of the record (P10).
import type { Wake } from "./attempt.ts";
import { after } from "./duration.ts";
import type { HistoryEntry, Notice, OrderError, StateRecord, StepRecord } from "./state-record.ts";
import { NOTICE_GRACE_MS, transitions } from "./transitions.ts";
import type { RecoveryPolicy } from "./workflow.ts";

export type Verdict =
  /** The attempt ran out of time: another one, from the step that it had reached. */
  | { readonly kind: "retry"; readonly failureCount: number }
  /** Too many attempts ran out of time: an operator has to look. */
  | { readonly kind: "fail"; readonly failureCount: number }
  /** Nobody claimed it: the scheduler is told again. No failure is counted. */
  | { readonly kind: "wake" }
  /** It ended, but what had to be told of it may not have been. */
  | { readonly kind: "tell" };

const HISTORY_LIMIT = 100;

export function decideRecovery(record: StateRecord, policy: RecoveryPolicy): Verdict {
  switch (record.processState) {
    case "Pending":
      return { kind: "wake" };
    case "Processing": {
      const failureCount = record.failureCount + 1;
      return { kind: failureCount < policy.failureThreshold ? "retry" : "fail", failureCount };
    }
    case "Processed":
    case "Error":
      return { kind: "tell" };
    default:
      return record.processState satisfies never;
  }
}

/** The record as the verdict leaves it. `claimBy` is when a Pending record is looked at again. */
export function recover(record: StateRecord, verdict: Verdict, now: string, claimBy: string): StateRecord {
  switch (verdict.kind) {
    case "retry":
      return {
        ...record,
        processState: transitions.retried.to,
        lockedBy: null,
        completeBy: claimBy,
        dueAt: claimBy,
        failureCount: verdict.failureCount,
        attempt: record.attempt + 1,
        steps: restarted(record),
        history: remembered(record, now, `expired in ${runningSteps(record)}, retried`),
        updatedAt: now,
      };
    case "fail":
      return {
        ...record,
        processState: transitions.givenUp.to,
        lockedBy: null,
        completeBy: null,
        dueAt: after(now, NOTICE_GRACE_MS),
        failureCount: verdict.failureCount,
        error: expiredError(record, verdict.failureCount, now),
        notices: [...record.notices, failedNotice(record, now)],
        history: remembered(record, now, `expired in ${runningSteps(record)}, given up`),
        updatedAt: now,
      };
    case "wake":
      return {
        ...record,
        completeBy: claimBy,
        dueAt: claimBy,
        history: remembered(record, now, "nobody claimed it, woken again"),
        updatedAt: now,
      };
    case "tell":
      return told(record, now);
    default:
      return verdict satisfies never;
  }
}

/** The record once its notices are sent; an ended order is then no longer due. */
export function told(record: StateRecord, now: string): StateRecord {
  const { dueAt, ...rest } = record;
  const ended = record.processState === "Processed" || record.processState === "Error";
  return { ...rest, ...(!ended && dueAt && { dueAt }), notices: [], updatedAt: now };
}

/** What starts the attempt that a Pending record waits for. */
export function wakeOf(record: StateRecord): Wake {
  const { orderId, attempt, workflow, steps } = record;
  return { orderId, attempt, workflow, steps };
}

function restarted(record: StateRecord): StateRecord["steps"] {
  const steps = Object.entries(record.steps).map(([name, step]): [string, StepRecord] => [
    name,
    step.state === "Running"
      ? { ...step, state: "NotStarted", completeBy: null, retryCount: step.retryCount + 1, startedAt: null }
      : step,
  ]);
  return Object.fromEntries(steps);
}

function runningSteps(record: StateRecord): string {
  const names = Object.entries(record.steps).flatMap(([name, { state }]) => (state === "Running" ? [name] : []));
  return names.join(", ");
}

function expiredError(record: StateRecord, failureCount: number, now: string): OrderError {
  const [step, running] = Object.entries(record.steps).find(([, { state }]) => state === "Running") ?? [null, null];
  const message = `${failureCount} attempts ran out of time${step ? `, the last in ${step}` : ""}`;
  return { kind: "expired", message, step, agent: running?.agent ?? null, at: now };
}

function failedNotice(record: StateRecord, now: string): Notice {
  return { status: "Failed", attempt: record.attempt, at: now };
}

function remembered(record: StateRecord, now: string, what: string): readonly HistoryEntry[] {
  return [...record.history, { at: now, what, by: "supervisor" }].slice(-HISTORY_LIMIT);
}
