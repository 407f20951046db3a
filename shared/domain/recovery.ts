// The supervisor's verdict on a record that is overdue, and what it makes of the record (P10, P11).
import type { Wake } from "./attempt.ts";
import { after, durationMs } from "./duration.ts";
import { isInHand, runOf } from "./plan.ts";
import { over, reopened } from "./retention.ts";
import type {
  Expiry,
  HistoryEntry,
  Notice,
  OrderError,
  OrderStatus,
  StateRecord,
  StepRecord,
  StepRun,
} from "./state-record.ts";
import { expiresAt, restarted } from "./step-run.ts";
import { NOTICE_GRACE_MS, transitions } from "./transitions.ts";
import type { RecoveryPolicy } from "./workflow.ts";

/** What failed: the step that decides, null where none is in hand, and how many attempts of it have failed since it last began. */
interface Failed {
  readonly step: string | null;
  readonly failures: number;
}

export type Verdict =
  /** The attempt ran out of time: another one, from the step that it had reached. */
  | ({ readonly kind: "retry" } & Failed)
  /** At the threshold: another one, later. */
  | ({ readonly kind: "wait"; readonly waitMs: number } & Failed)
  /** The endpoint's address or our credential for it is wrong: another one, later, with no failure counted, until a person has mended that. */
  | { readonly kind: "hold"; readonly waitMs: number }
  /** All attempts are used up: what was done is undone. */
  | ({ readonly kind: "undo" } & Failed)
  /** All attempts are used up: an operator has to look. */
  | ({ readonly kind: "fail" } & Failed)
  /** No agent took up what it waits for: another attempt, with no failure counted. */
  | { readonly kind: "reschedule" }
  /** A step of it has still time, or enough others are scheduled again: it is looked at again then. */
  | { readonly kind: "later"; readonly at: string }
  /** Nobody claimed it: the scheduler is told again. No failure is counted. */
  | { readonly kind: "wake" }
  /** It ended, but what had to be told of it may not have been. */
  | { readonly kind: "tell" };

/** Entries that a record keeps; the oldest go first. */
export const HISTORY_LIMIT = 100;

/**
 * @param policyOf the policy that holds for a step; the workflow's own where no step is in hand
 * @param overdueBefore what expires from this instant on may still be at work, by some clock
 * @param holdMs when an order is tried again for which a person has to mend something
 */
export function decideRecovery(
  record: StateRecord,
  policyOf: (step: string | undefined) => RecoveryPolicy,
  overdueBefore: string,
  holdMs: number,
): Verdict {
  switch (record.processState) {
    case "Pending":
      return { kind: "wake" };
    case "Processing":
      return decideHeld(record, policyOf, overdueBefore, holdMs);
    case "Processed":
    case "Error":
      return { kind: "tell" };
    default:
      return record.processState satisfies never;
  }
}

/** Overload is no failure (P26): one is counted only where an agent is known to have taken the step up. */
function decideHeld(
  record: StateRecord,
  policyOf: (step: string | undefined) => RecoveryPolicy,
  overdueBefore: string,
  holdMs: number,
): Verdict {
  const inHand = runsInHand(record);
  const [at] = inHand
    .map(([, run]) => expiresAt(run))
    .filter((expiry) => expiry >= overdueBefore)
    .sort();
  if (at !== undefined) return { kind: "later", at };
  const running = inHand.filter(([, { state }]) => state === "Running");
  if (inHand.length > 0 && running.length === 0) return { kind: "reschedule" };
  // Neither the order's fault nor the service's: counting it would undo orders for a password that was changed.
  const isHeld = running.length > 0 && running.every(([, { expiry }]) => isMisconfigured(expiry, record.attempt));
  if (isHeld) return { kind: "hold", waitMs: holdMs };
  if (running.length === 0) return decideFailed(record, null, record.failureCount, policyOf(undefined));
  // Each has a budget of its own, and the first that is used up decides for the order.
  return running
    .map(([step, { failureCount = 0 }]) => decideFailed(record, step, failureCount, policyOf(step)))
    .reduce((gravest, verdict) => (isGraver(verdict, gravest) ? verdict : gravest));
}

/** What an attempt before met says nothing of this one, whose agent may have died. */
function isMisconfigured(expiry: Expiry | undefined, attempt: number): boolean {
  return expiry?.attempt === attempt && expiry.misconfigured === true;
}

type FailedVerdict = Extract<Verdict, Failed>;

function decideFailed(
  { direction, failureCount }: StateRecord,
  step: string | null,
  before: number,
  policy: RecoveryPolicy,
): FailedVerdict {
  const failures = before + 1;
  const failed = { step, failures };
  // An undo that can't be had is not undone in turn.
  const exhausted = { kind: direction === "forward" ? policy.onExhausted : "fail", ...failed } as const;
  if (failureCount + 1 >= (policy.mostFailures ?? Number.POSITIVE_INFINITY)) return exhausted;
  if (failures < policy.failureThreshold) return { kind: "retry", ...failed };
  const wait = policy.waits[failures - policy.failureThreshold];
  const waitMs = wait === undefined ? undefined : durationMs(wait);
  return waitMs === undefined ? exhausted : { kind: "wait", ...failed, waitMs };
}

const KINDS = ["retry", "wait", "undo", "fail"] as const;

/** Of two pauses the longer one. */
function isGraver(one: FailedVerdict, other: FailedVerdict): boolean {
  if (one.kind === "wait" && other.kind === "wait") return one.waitMs > other.waitMs;
  return KINDS.indexOf(one.kind) > KINDS.indexOf(other.kind);
}

/** The step that events name: the first that is Running in the record's direction, or else that waits for its agent. */
export function overdueStep(record: StateRecord): string | undefined {
  const inHand = runsInHand(record);
  return (inHand.find(([, { state }]) => state === "Running") ?? inHand[0])?.[0];
}

/** The record as the verdict leaves it. `claimWithinMs` is how long a Pending record may wait for its claim. */
export function recover(record: StateRecord, verdict: Verdict, now: string, claimWithinMs: number): StateRecord {
  switch (verdict.kind) {
    case "retry":
      return pending(
        record,
        transitions.retried.to,
        record.failureCount + 1,
        now,
        after(now, claimWithinMs),
        "retried",
      );
    case "reschedule": {
      const { failureCount, notices } = record;
      const claimBy = after(now, claimWithinMs);
      const again = pending(record, transitions.rescheduled.to, failureCount, now, claimBy, "");
      const history = remembered(record, now, `no agent took up ${stepsInHand(record)}, scheduled again`);
      return { ...again, notices, history };
    }
    case "later":
      return {
        ...record,
        processState: transitions.lookedAtEarly.to,
        dueAt: verdict.at,
        updatedAt: now,
      };
    case "wait": {
      const wakeAt = after(now, verdict.waitMs);
      const claimBy = after(wakeAt, claimWithinMs);
      return pending(
        record,
        transitions.waited.to,
        record.failureCount + 1,
        now,
        claimBy,
        `to be retried at ${wakeAt}`,
      );
    }
    case "hold": {
      const { failureCount, notices } = record;
      const wakeAt = after(now, verdict.waitMs);
      const held = pending(record, transitions.held.to, failureCount, now, after(wakeAt, claimWithinMs), "");
      const what = `${stepsInHand(record)} needs an endpoint's address or credential mended, to be tried again at ${wakeAt}`;
      return { ...held, notices, history: remembered(record, now, what) };
    }
    case "undo": {
      const error = expiredError(record, verdict, now);
      const begun = pending(record, transitions.undoBegun.to, 0, now, after(now, claimWithinMs), "to be undone");
      return { ...begun, direction: "undo", error, notices: record.notices };
    }
    case "fail":
      return {
        ...record,
        processState: transitions.givenUp.to,
        lockedBy: null,
        completeBy: null,
        dueAt: after(now, NOTICE_GRACE_MS),
        failureCount: record.failureCount + 1,
        error: expiredError(record, verdict, now),
        notices: [...record.notices, notice(record.attempt, "Failed", now)],
        history: remembered(record, now, `expired in ${stepsInHand(record)}, given up`),
        updatedAt: now,
      };
    case "wake": {
      const claimBy = after(now, claimWithinMs);
      const history = remembered(record, now, "nobody claimed it, woken again");
      const processState = transitions.wokenAgain.to;
      return { ...record, processState, completeBy: claimBy, dueAt: claimBy, history, updatedAt: now };
    }
    case "tell":
      return told(record, now);
    default:
      return verdict satisfies never;
  }
}

/** The record once its notices are sent; an ended order is then no longer due, and may be over. */
export function told(record: StateRecord, now: string): StateRecord {
  const { dueAt, ...rest } = reopened(record);
  const ended = record.processState === "Processed" || record.processState === "Error";
  const settled: StateRecord = { ...rest, ...(!ended && dueAt && { dueAt }), notices: [], updatedAt: now };
  return { ...settled, ...over(settled, now) };
}

/** What starts the attempt that a Pending record waits for. */
export function wakeOf(record: StateRecord): Wake {
  const { orderId, attempt, direction, traceparent } = record;
  return { orderId, attempt, direction, traceparent };
}

/** The record for its next attempt, with word of it for the shop. */
function pending(
  record: StateRecord,
  processState: "Pending",
  failureCount: number,
  now: string,
  claimBy: string,
  what: string,
): StateRecord {
  const attempt = record.attempt + 1;
  const isFailure = failureCount > record.failureCount;
  const steps = Object.entries(record.steps).map(([name, step]): [string, StepRecord] => [
    name,
    restarted(step, record.direction, isFailure),
  ]);
  return {
    ...record,
    processState,
    lockedBy: null,
    completeBy: claimBy,
    dueAt: claimBy,
    failureCount,
    attempt,
    steps: Object.fromEntries(steps),
    notices: [...record.notices, notice(attempt, "RetryScheduled", now)],
    history: remembered(record, now, `expired in ${stepsInHand(record)}, ${what}`),
    updatedAt: now,
  };
}

function runsInHand({ steps, direction }: StateRecord): [name: string, run: StepRun][] {
  return Object.entries(steps).flatMap(([name, step]): [string, StepRun][] => {
    const run = runOf(step, direction);
    return isInHand(run) ? [[name, run]] : [];
  });
}

function stepsInHand(record: StateRecord): string {
  const steps = runsInHand(record)
    .map(([name]) => name)
    .join(", ");
  return record.direction === "forward" ? steps : `the undo of ${steps}`;
}

function expiredError(record: StateRecord, { step, failures }: Failed, now: string): OrderError {
  const agent = step === null ? null : (record.steps[step]?.agent ?? null);
  const before =
    record.direction === "undo" && record.error ? `; it was to be undone because: ${record.error.message}` : "";
  const message = `${failures} attempts ran out of time, the last in ${stepsInHand(record)}${before}`;
  return { kind: "expired", message, step, agent, at: now };
}

function notice(attempt: number, status: OrderStatus, now: string): Notice {
  return { status, attempt, at: now };
}

function remembered(record: StateRecord, now: string, what: string): readonly HistoryEntry[] {
  return [...record.history, { at: now, what, by: "supervisor" }].slice(-HISTORY_LIMIT);
}
