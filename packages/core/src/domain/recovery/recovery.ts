// The supervisor's verdict on an overdue record, and its effect on the record (P10, P11).

import { counted } from "../counted.ts";
import type { StepPolicy } from "../definition/workflow.ts";
import { after, durationMs } from "../duration.ts";
import { withoutDeadline } from "../record/deadline.ts";
import { expiresAt, isOverdue, missedPolls, pausesOf, timesOf } from "../record/due.ts";
import { announced, OUTBOX_GRACE_MS, published } from "../record/outbox.ts";
import { isTakenUp, type RunInHand, runOf, runsInHand } from "../record/plan.ts";
import { asEntry } from "../record/record-limits.ts";
import { dueReminders, owesReminder, reminded, reminderMessages, remindersOf } from "../record/reminder.ts";
import type { Direction, HistoryEntry, StateRecord, StepRecord, StepRun } from "../record/state-record.ts";
import { runKey, type StartAttempt } from "../steps/attempt.ts";
import { expiredError, overdueInWords } from "../steps/expired-error.ts";
import { type Budget, budgetOf, compensationBudget } from "../steps/failure-budget.ts";
import { answeredInWords, heldBy, isHeldEnough, MOST_ANSWERS } from "../steps/held-by.ts";
import { pollsAfter, waitingOn, waitsForCode } from "../steps/poll.ts";
import { skippedFor } from "../steps/skip.ts";
import { restarted, withRun } from "../steps/step-run.ts";
import { transitions } from "../steps/transitions.ts";
import { type Failed, historyEntryOf, type Skips, VERDICTS, type Verdict } from "../steps/verdicts.ts";

/** The number of entries that a record keeps; the oldest are removed first. */
export const HISTORY_LIMIT = 100;

/**
 * @param policyOf the policy for a step; the workflow's own if no step is open
 * @param overdueBefore a step that expires at this instant or later may still be in progress, by some clock
 * @param holdMs when a job is tried again for which a person must fix a setting
 * @param waits what is known of the runs, by `runKey`, that were not taken up
 */
export function decideRecovery(
  record: StateRecord,
  policyOf: (step: string | undefined) => StepPolicy,
  overdueBefore: string,
  holdMs: number,
  waits: UntakenRuns = NONE_UNTAKEN,
): Verdict {
  switch (record.processState) {
    case "Pending":
      return { kind: "repeatStart" };
    case "Processing":
      return decideHeld(record, policyOf, overdueBefore, holdMs, waits);
    case "Processed":
    case "Compensated":
    case "Cancelled":
    case "Error":
      return { kind: "publish" };
    default:
      return record.processState satisfies never;
  }
}

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
 */
function decideHeld(
  record: StateRecord,
  policyOf: (step: string | undefined) => StepPolicy,
  overdueBefore: string,
  holdMs: number,
  { untaken, givenUp }: UntakenRuns,
): Verdict {
  const inHand = runsInHand(record.steps);
  const overdue = inHand.filter(({ run }) => isOverdue(run, overdueBefore));
  const pauses = [...pausesOf(record.steps, record.direction), ...missedPolls(record.steps)];
  if (overdue.length === 0 && inHand.length + pauses.length > 0) {
    const [at = overdueBefore] = [...inHand.map(({ run }) => expiresAt(run)), ...pauses].sort();
    return at < overdueBefore
      ? { kind: "resume" }
      : (remind(record, overdueBefore) ?? {
          kind: "later",
          at: earlier(at, remindersOf(record.steps, record.direction)),
        });
  }
  const own = overdue.filter(({ direction }) => isOwn(record, direction));
  if (overdue.length > 0 && own.length === 0) return { kind: "resume" };
  const isLost = (each: RunInHand) => givenUp.has(runKey(each)) && !isTakenUp(each.run);
  const failed = own.filter((each) => isTakenUp(each.run) || untaken.has(runKey(each)) || isLost(each));
  if (own.length > 0 && failed.length === 0) return { kind: "reschedule" };
  // Neither the job's fault nor the service's: if it were counted, jobs would be compensated because a password was changed.
  const counted = failed.filter(({ run }) => isCounted(run));
  if (failed.length > 0 && counted.length === 0) {
    const reasons = failed.map(({ run }) => heldBy(run));
    const isOfCode = reasons.includes("code");
    // The client is told if one of them is bounded.
    const kind = reasons.includes("answer") ? "holdForAnswer" : isOfCode ? "holdForCode" : "hold";
    return { kind, waitMs: holdMs };
  }
  if (counted.length === 0) return decideFailed(null, budgetOfNone(record, policyOf(undefined)), record.direction);
  // Each step has its own budget, and the first that is used up decides for the job.
  const verdicts = counted.map((each) => {
    const { step, direction, run } = each;
    return decideFailed(step, budgetOf(isLost(each) ? GIVE_UP : policyOf(step), { direction, run }), direction);
  });
  const gravest = verdicts.reduce((one, other) => (isGraver(other, one) ? other : one));
  const skips = verdicts.flatMap(({ kind, step }) => (kind === "skip" && step !== null ? [step] : []));
  const notTaken = counted.flatMap((each) => (isTakenUp(each.run) ? [] : [runKey(each)]));
  return { ...gravest, ...(skips.length > 0 && { skips }), ...(notTaken.length > 0 && { untaken: notTaken }) };
}

/** A reminder that was decided, and may not have been sent, comes first. */
function remind(record: StateRecord, overdueBefore: string): Verdict | undefined {
  if (owesReminder(record)) return { kind: "publish" };
  const due = dueReminders(record, overdueBefore);
  return due.length > 0 ? { kind: "remind", due } : undefined;
}

const earlier = (at: string, others: readonly string[]): string => [at, ...others].sort()[0] ?? at;

/** The overdue runs in the record's direction that no agent has taken up: whether that is a failure depends on their agents. */
export function waitingRuns(record: StateRecord, overdueBefore: string): readonly RunInHand[] {
  if (record.processState !== "Processing") return [];
  return runsInHand(record.steps).filter(
    ({ run, direction }) => isOwn(record, direction) && !isTakenUp(run) && expiresAt(run) < overdueBefore,
  );
}

/** The runs in the record's direction whose wait for a service ends. */
export function endingWaits(record: StateRecord, overdueBefore: string): readonly RunInHand[] {
  if (record.processState !== "Processing") return [];
  return runsInHand(record.steps).filter(
    ({ run, direction }) => isOwn(record, direction) && run.state === "Awaiting" && expiresAt(run) < overdueBefore,
  );
}

/** A run of the record's attempt. A run that began in an attempt before its compensation continues, and does not belong to it. */
function isOwn(record: StateRecord, direction: Direction): boolean {
  return record.direction === "forward" || direction === "compensate";
}

const isCounted = (run: StepRun) => heldBy(run) === undefined || isHeldEnough(run);

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

/** The step in the events: of the overdue steps the first that is Running in the record's direction, or else the first that waits for its agent. */
export function overdueStep(record: StateRecord, overdueBefore?: string): string | undefined {
  const { steps } = record;
  const inHand = runsInHand(steps).filter((each) => isOwn(record, each.direction));
  const overdue = inHand.filter(({ run }) => overdueBefore === undefined || isOverdue(run, overdueBefore));
  return (overdue.find(({ run }) => isTakenUp(run)) ?? overdue[0])?.step;
}

/** The time at which a sweep reads a record, and the times that it sets. */
export interface Sweeping {
  readonly now: string;
  /** A step that expires at this instant or later may still be in progress, by some clock. */
  readonly overdueBefore: string;
  /** How long a Pending record may wait for its claim. */
  readonly claimWithinMs: number;
}

/** The record after the verdict. */
export function recover(record: StateRecord, verdict: Verdict, sweeping: Sweeping): StateRecord {
  const { now, claimWithinMs, overdueBefore } = sweeping;
  const { makes } = VERDICTS[verdict.kind];
  const processState = makes === null ? record.processState : transitions[makes].to;
  const failureCount = record.failureCount + failuresIn(record, verdict, overdueBefore);
  const what = overdueInWords(record, overdueBefore, "untaken" in verdict ? (verdict.untaken ?? []) : []);
  const until = "waitMs" in verdict ? after(now, verdict.waitMs) : undefined;
  const history = remembered(record, now, historyEntryOf(verdict.kind, what, until));
  const claimBy = after(now, claimWithinMs);
  switch (verdict.kind) {
    case "retry":
    case "wait":
    case "skip":
    case "hold":
    case "holdForAnswer":
    case "holdForCode":
    case "reschedule":
    case "resume":
      return pending({ ...record, history, failureCount }, verdict, until, sweeping);
    case "compensate": {
      const error = expiredError(record, verdict, sweeping);
      const begun = pending({ ...record, history, failureCount }, verdict, until, sweeping);
      return { ...withoutDeadline(begun), direction: "compensate", error };
    }
    case "remind": {
      const { due } = verdict;
      const steps = reminded(record.steps, due, now);
      const { dueAt } = timesOf(steps, record);
      return {
        ...record,
        processState,
        steps,
        // If it can't be sent now, the sweep finds it again by then.
        dueAt: earlier(after(now, OUTBOX_GRACE_MS), dueAt === undefined ? [] : [dueAt]),
        outbox: [...record.outbox, ...reminderMessages(due, record.attempt, now)],
        history: remembered(record, now, historyEntryOf("remind", due.map(({ step }) => step).join(", "), undefined)),
        updatedAt: now,
      };
    }
    case "prolong": {
      const { waits } = verdict;
      const steps = { ...record.steps };
      for (const { step, direction, run } of waits) steps[step] = withRun(steps[step] as StepRecord, direction, run);
      const names = waits.map(({ step }) => step).join(", ");
      const isSaid = waits.some(({ isFirst }) => isFirst);
      const said = isSaid ? remembered(record, now, historyEntryOf("prolong", names, undefined)) : record.history;
      return { ...record, processState, steps, ...timesOf(steps, record), history: said, updatedAt: now };
    }
    case "later":
      return { ...record, processState, completeBy: verdict.at, dueAt: verdict.at, updatedAt: now };
    case "fail": {
      const { thenForward: _intended, ...rest } = record;
      return {
        ...withoutDeadline(rest),
        processState,
        lockedBy: null,
        completeBy: null,
        dueAt: after(now, OUTBOX_GRACE_MS),
        failureCount,
        error: expiredError(record, verdict, sweeping),
        outbox: [...record.outbox, { status: VERDICTS.fail.status, attempt: record.attempt, at: now }],
        history,
        updatedAt: now,
      };
    }
    case "repeatStart":
      return { ...record, processState, completeBy: claimBy, dueAt: claimBy, history, updatedAt: now };
    case "publish":
      return published(record, now);
    default:
      return verdict satisfies never;
  }
}

/** The message that starts the attempt which a Pending record waits for. */
export function startAttemptOf(record: StateRecord): StartAttempt {
  const { jobId, attempt, direction, traceparent } = record;
  return { jobId, attempt, direction, traceparent };
}

type Next = Exclude<Verdict, { kind: "later" | "prolong" | "remind" | "fail" | "repeatStart" | "publish" }>;

/**
 * The record for its next attempt, with the status for the client. Steps that are not overdue continue: their agents record their results, and the
 * next attempt waits for them. If there are such steps, the record is claimed at once, and only the overdue step is paused.
 */
function pending(
  record: StateRecord,
  verdict: Next,
  until: string | undefined,
  { now, overdueBefore, claimWithinMs }: Sweeping,
): StateRecord {
  const failed: (Failed & Skips) | undefined = "failures" in verdict ? verdict : undefined;
  const attempt = record.attempt + 1;
  const inHand = runsInHand(record.steps);
  const overdue = inHand.filter(({ run }) => isOverdue(run, overdueBefore));
  const isAlone = overdue.length === inHand.length && pausesOf(record.steps, record.direction).length === 0;
  const notBefore = isAlone ? undefined : until;
  const steps = { ...pollsAfter(record.steps, overdueBefore, now) };
  for (const { step, direction, run } of overdue) {
    if (isOwn(record, direction) && waitsForCode(run)) {
      steps[step] = waitingOn(steps[step] as StepRecord, direction, run, until ?? now);
      continue;
    }
    const counts = failed !== undefined && isOwn(record, direction) && isFailed({ step, direction, run }, failed);
    const again = restarted(steps[step] as StepRecord, direction, counts, now, notBefore);
    steps[step] = failed?.skips?.includes(step) ? goneOnWithout(again, direction, now) : again;
  }
  const claimBy = after(notBefore === undefined ? (until ?? now) : now, claimWithinMs);
  return {
    ...record,
    processState: transitions[VERDICTS[verdict.kind].makes].to,
    lockedBy: null,
    completeBy: claimBy,
    dueAt: claimBy,
    attempt,
    steps,
    ...(VERDICTS[verdict.kind].status !== null && announced(record, attempt, now)),
    updatedAt: now,
  };
}

const isFailed = (each: RunInHand, { untaken = [] }: Failed) =>
  (isTakenUp(each.run) && isCounted(each.run)) || untaken.includes(runKey(each));

/** Each step that has failed is one, and so is a job with no open step. */
function failuresIn(record: StateRecord, verdict: Verdict, overdueBefore: string): number {
  if (!("failures" in verdict)) return 0;
  const failed = runsInHand(record.steps).filter(
    (each) => isOwn(record, each.direction) && isOverdue(each.run, overdueBefore) && isFailed(each, verdict),
  );
  return Math.max(failed.length, 1);
}

/** A step whose tries are used up while its job continues. */
function goneOnWithout(record: StepRecord, direction: Direction, now: string): StepRecord {
  const { expiry, failureCount = 0, answerCount = 0 } = runOf(record, direction) ?? {};
  const last = expiry?.message;
  const message =
    answerCount >= MOST_ANSWERS
      ? answeredInWords(answerCount, last)
      : `${counted(failureCount, "attempt")} ran out of time${last ? `, the last: ${last}` : ""}`;
  if (direction === "forward") return skippedFor(record, { cause: "expired", message }, true, now);
  return withRun(record, "compensate", { state: "Failed", error: message, endedAt: now });
}

/** When the next attempt is to be claimed: at once if steps continue. */
export function claimableAt({ steps, direction }: StateRecord, until: string): string | undefined {
  return pausesOf(steps, direction).length > 0 ? undefined : until;
}

function remembered(record: StateRecord, now: string, what: string): readonly HistoryEntry[] {
  return [...record.history, { at: now, what: asEntry(what), by: "supervisor" }].slice(-HISTORY_LIMIT);
}
