// The supervisor's verdict on an overdue record, and the record after it (P10, P11, P35).

import type { StepPolicy, Workflow } from "../definition/workflow.ts";
import { after, durationMs } from "../duration.ts";
import { type DueSource, dueTimes } from "../record/due.ts";
import { announced, owed } from "../record/outbox.ts";
import { isTakenUp, mayHaveHadEffect, type RunInHand } from "../record/plan.ts";
import { dueReminders } from "../record/reminder.ts";
import { type Direction, hasEnded, type StateRecord } from "../record/state-record.ts";
import { runKey, type StartAttempt } from "../steps/attempt.ts";
import { overdueInWords } from "../steps/expired-error.ts";
import { type Budget, budgetOf, compensationBudget, type Failed, heldBy } from "../steps/failure-budget.ts";
import { transitions } from "../steps/transitions.ts";
import { historyWith } from "./next-attempt.ts";
import { isCounted, isFailed, isOwn, overdueRuns } from "./overdue.ts";
import type { Sweeping } from "./recovered.ts";
import { rowOf, type Verdict } from "./verdicts.ts";

/**
 * On a job whose deadline has passed (P35); undefined if it has not. A job that is Pending or Processing and goes forward is hit, whatever it waits
 * for: a retry, an agent, a report, a person. Of a job that has ended or is being compensated the deadline is removed; so it is if the workflow has
 * none any more.
 * @param overdueBefore by some clock, a later deadline has not passed yet
 */
export function decideDeadline(
  { deadlineAt, processState, direction, dueAt }: StateRecord,
  { deadline }: Pick<Workflow, "deadline">,
  overdueBefore: string,
): Verdict | undefined {
  if (!deadlineAt || deadlineAt >= overdueBefore) return undefined;
  if (deadline && !hasEnded(processState) && direction === "forward")
    return { kind: deadline.onExpired === "fail" ? "failAtDeadline" : "compensateAtDeadline", deadlineAt };
  // What else is due of it comes first: the next sweep finds the deadline again.
  return dueAt !== undefined && dueAt < overdueBefore ? undefined : { kind: "dropDeadline" };
}

/** What is known of the runs, by `runKey`, that were not taken up. */
export interface UntakenRuns {
  /** No agent has taken them up too often, while none was seen to work on others: that is a failure. */
  readonly untaken: ReadonlySet<string>;
  /** They were scheduled as often as they may be, and not taken up, whatever the reason: a person has to act. */
  readonly givenUp: ReadonlySet<string>;
}

const NONE_UNTAKEN: UntakenRuns = { untaken: new Set(), givenUp: new Set() };
/** Whatever the workflow's policy: nothing is known to have been done, and more attempts do not help. */
const GIVE_UP: StepPolicy = { failureThreshold: 1, waits: [], onExhausted: "fail", onRejected: "fail" };

/**
 * The verdict on one step does not wait for the steps beside it: only overdue steps count. Overload is no failure (P26): a failure is counted only
 * if an agent is known to have taken the step up, or if nobody takes its agent's work.
 * @param policyOf the policy for a step; the workflow's own if no step is open
 * @param overdueBefore a step that expires at this instant or later may still be in progress, by some clock
 * @param holdMs when a job is tried again for which a person must fix a setting
 */
export function decideRecovery(
  record: StateRecord,
  policyOf: (step: string | undefined) => StepPolicy,
  overdueBefore: string,
  holdMs: number,
  { untaken, givenUp }: UntakenRuns = NONE_UNTAKEN,
): Verdict {
  if (record.processState === "Pending") return { kind: "repeatStart" };
  if (record.processState !== "Processing") return { kind: "publish" };
  const times = dueTimes(record);
  if (times.length === 0) return decideFailed(null, budgetOfNone(record, policyOf(undefined)), record.direction);
  for (const [source, at] of times) {
    const isDue = at < overdueBefore;
    const verdict = isDue && DECISIONS[source](record, { policyOf, overdueBefore, holdMs, untaken, givenUp });
    if (verdict) return verdict;
  }
  const [at = overdueBefore] = times.map(([, first]) => first).sort();
  return { kind: "later", at };
}

interface Circumstances extends UntakenRuns {
  readonly policyOf: (step: string | undefined) => StepPolicy;
  readonly overdueBefore: string;
  readonly holdMs: number;
}

type Decision = (record: StateRecord, within: Circumstances) => Verdict | undefined;

const resume: Decision = () => ({ kind: "resume" });

/** On each source that makes a record due. */
const DECISIONS: { readonly [Source in DueSource]: Decision } = {
  expiry: decideExpired,
  poll: resume,
  pause: resume,
  message: () => ({ kind: "publish" }),
  reminder: remind,
};

/** Undefined if what has expired waits for its poll. */
function decideExpired(record: StateRecord, within: Circumstances): Verdict | undefined {
  const { policyOf, overdueBefore, holdMs, untaken, givenUp } = within;
  const overdue = overdueRuns(record.steps, overdueBefore);
  if (overdue.length === 0) return undefined;
  const own = overdue.filter((each) => isOwn(record, each));
  if (own.length === 0) return { kind: "resume" };
  const isLost = (each: RunInHand) => givenUp.has(runKey(each)) && !isTakenUp(each.run);
  const failed = own.filter((each) => isTakenUp(each.run) || untaken.has(runKey(each)) || isLost(each));
  if (failed.length === 0) return { kind: "reschedule" };
  // Neither the job's fault nor the service's: if it were counted, jobs would be compensated because a password was changed.
  const counted = failed.filter(isCounted);
  if (counted.length === 0) {
    const reasons = failed.map(({ run }) => heldBy(run));
    const isOfCode = reasons.includes("code");
    // The client is told if one of them is bounded.
    const kind = reasons.includes("answer") ? "holdForAnswer" : isOfCode ? "holdForCode" : "hold";
    return { kind, waitMs: holdMs };
  }
  // Each step has its own budget, and the first that is used up decides for the job.
  const verdicts = counted.map((each) => {
    const { step, direction, run } = each;
    const budget = budgetOf(isLost(each) ? GIVE_UP : policyOf(step), { direction, run });
    const isForPerson = budget.onUnknown === "fail" && budget.onExhausted === "compensate" && mayHaveHadEffect(run);
    return decideFailed(step, isForPerson ? { ...budget, onExhausted: "fail" } : budget, direction);
  });
  const gravest = verdicts.reduce((one, other) => (isGraver(other, one) ? other : one));
  const skips = verdicts.flatMap(({ kind, step }) => (kind === "skip" && step !== null ? [step] : []));
  const notTaken = counted.flatMap((each) => (isTakenUp(each.run) ? [] : [runKey(each)]));
  return { ...gravest, ...(skips.length > 0 && { skips }), ...(notTaken.length > 0 && { untaken: notTaken }) };
}

function remind(record: StateRecord, { overdueBefore }: Circumstances): Verdict | undefined {
  const due = dueReminders(record, overdueBefore);
  return due.length > 0 ? { kind: "remind", due } : undefined;
}

type FailedVerdict = Extract<Verdict, Failed>;

/** No step is open: the failures of all of them count. */
function budgetOfNone(record: StateRecord, policy: StepPolicy): Budget {
  const failuresBefore = failuresOf(record);
  return record.direction === "compensate" ? compensationBudget(policy, failuresBefore) : { ...policy, failuresBefore };
}

/** The failures of all steps in the job's direction: what it used up forward does not limit its compensation. */
export function failuresOf({ direction, failureCount, steps }: StateRecord): number {
  if (direction === "forward") return failureCount;
  return Object.values(steps).reduce((sum, { compensation }) => sum + (compensation?.failureCount ?? 0), 0);
}

function decideFailed(step: string | null, policy: Budget, run: Direction): FailedVerdict {
  const failures = policy.failuresBefore + 1;
  const failed = { step, failures, ...(policy.own && { budget: policy.own }) };
  // A failed compensation is left to a person, and the job continues: forward, or with the compensation of the other steps.
  const onExhausted = run === "forward" ? policy.onExhausted : step === null ? "fail" : "skip";
  const exhausted = { kind: onExhausted, ...failed } as const;
  if (failures < policy.failureThreshold) return { kind: "retry", ...failed };
  const wait = policy.waits[failures - policy.failureThreshold];
  const waitMs = wait === undefined ? undefined : durationMs(wait);
  return waitMs === undefined ? exhausted : { kind: "wait", ...failed, waitMs };
}

const KINDS = ["skip", "retry", "wait", "compensate", "fail"] as const;

/** The longer of two pauses. */
function isGraver(one: FailedVerdict, other: FailedVerdict): boolean {
  if (one.kind === "wait" && other.kind === "wait") return one.waitMs > other.waitMs;
  return KINDS.indexOf(one.kind) > KINDS.indexOf(other.kind);
}

/** The record after the verdict: what its row makes of it, and what each row says of state, failures, status and history. */
export function recover(record: StateRecord, verdict: Verdict, sweeping: Sweeping): StateRecord {
  const { now, overdueBefore } = sweeping;
  const row = rowOf(verdict.kind);
  const next = row.change(record, verdict, sweeping);
  const made = row.makes.map((name) => transitions[name]).find(({ from }) => from === record.processState);
  const what = overdueInWords(record, overdueBefore, verdict.untaken ?? []);
  const until = verdict.waitMs === undefined ? undefined : after(now, verdict.waitMs);
  const entry = row.entry?.(what, until, verdict);
  return {
    ...next,
    processState: made?.to ?? record.processState,
    failureCount: next.failureCount + failuresIn(record, verdict, overdueBefore),
    ...(row.status === "RetryScheduled" && announced(record, next.attempt, now)),
    ...(row.status === "Failed" && {
      outbox: [...owed(record), { status: row.status, attempt: record.attempt, at: now }],
    }),
    ...(entry !== undefined && { history: historyWith(record, { by: "supervisor", now }, entry) }),
    updatedAt: now,
  };
}

/** Each step that has failed is one, and so is a job with no open step. */
function failuresIn(record: StateRecord, verdict: Verdict, overdueBefore: string): number {
  if (verdict.failures === undefined) return 0;
  return Math.max(overdueRuns(record.steps, overdueBefore).filter((each) => isFailed(record, each, verdict)).length, 1);
}

/** The message that starts the attempt which a Pending record waits for. */
export function startAttemptOf(record: StateRecord): StartAttempt {
  const { jobId, attempt, direction, traceparent } = record;
  return { jobId, attempt, direction, traceparent };
}

/** When the next attempt of a Pending record is to be claimed; undefined if that is at once. */
export function claimableAt({ completeBy }: StateRecord, claimWithinMs: number, now: string): string | undefined {
  const at = after(completeBy ?? now, -claimWithinMs);
  return at > now ? at : undefined;
}
