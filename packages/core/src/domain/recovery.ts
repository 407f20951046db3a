// The supervisor's verdict on an overdue record, and its effect on the record (P10, P11).
import { runKey, type StartAttempt } from "./attempt.ts";
import { after, durationMs } from "./duration.ts";
import { expiredError, overdueInWords } from "./expired-error.ts";
import { isTakenUp, pausesOf, type RunInHand, runsInHand } from "./plan.ts";
import { missedPolls, pollsAfter } from "./poll.ts";
import { asEntry } from "./record-limits.ts";
import { over, reopened } from "./retention.ts";
import { skippedFor } from "./skip.ts";
import {
  type Direction,
  type HistoryEntry,
  hasEnded,
  type JobStatus,
  type OutboxMessage,
  type StateRecord,
  type StepRecord,
  type StepRun,
} from "./state-record.ts";
import { expiresAt, restarted, withRun } from "./step-run.ts";
import { OUTBOX_GRACE_MS, transitions } from "./transitions.ts";
import type { StepPolicy } from "./workflow.ts";

/** The failed step: the one that decides, null if none is open, and how many of its attempts have failed since it last began. */
interface Failed {
  readonly step: string | null;
  readonly failures: number;
  /** The runs, by `runKey`, that failed because no agent took them up. */
  readonly untaken?: readonly string[];
}

interface Skips {
  /** The steps that the job continues without: the possible effect of a skipped step is left to a person. */
  readonly skips?: readonly string[];
}

export type Verdict =
  /** The attempt timed out: another one, from the step that it had reached. */
  | ({ readonly kind: "retry" } & Failed & Skips)
  /** At the threshold: another one, later. */
  | ({ readonly kind: "wait"; readonly waitMs: number } & Failed & Skips)
  /** All attempts of a step are used up that the job can continue without: another one, without it. */
  | ({ readonly kind: "skip" } & Failed & Skips)
  /** The endpoint's address or the app's credential for it is wrong: another one, later, with no failure counted, until a person has fixed it. */
  | { readonly kind: "hold"; readonly waitMs: number }
  /** All attempts are used up: the completed steps are compensated. */
  | ({ readonly kind: "compensate" } & Failed)
  /** All attempts are used up: an operator must act. */
  | ({ readonly kind: "fail" } & Failed)
  /** No agent took up the step that it waits for, because there is too much to do: another attempt, with no failure counted. */
  | { readonly kind: "reschedule" }
  /** The wait of its steps is over: a pause, a step that is to be compensated, or a missed poll. Another attempt, with no failure counted. */
  | { readonly kind: "resume" }
  /** No step of it is overdue, or enough others are scheduled again: it is checked again then. */
  | { readonly kind: "later"; readonly at: string }
  /** No attempt claimed it: the scheduler is notified again. No failure is counted. */
  | { readonly kind: "repeatStart" }
  /** It ended, but its messages may not all have been published. */
  | { readonly kind: "publish" };

/** The number of entries that a record keeps; the oldest are removed first. */
export const HISTORY_LIMIT = 100;
const PUBLISHED_LIMIT = 20;

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
  waits: Waits = NO_WAITS,
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

export interface Waits {
  /** No agent has taken them up too often, while none was seen to work on others: that is a failure. */
  readonly untaken: ReadonlySet<string>;
  /** They were scheduled as often as they may be, and not taken up, whatever the reason: a person has to act. */
  readonly givenUp: ReadonlySet<string>;
}

const NO_WAITS: Waits = { untaken: new Set(), givenUp: new Set() };
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
  { untaken, givenUp }: Waits,
): Verdict {
  const inHand = runsInHand(record.steps);
  const overdue = inHand.filter(({ run }) => expiresAt(run) < overdueBefore);
  const pauses = [...pausesOf(record.steps, record.direction), ...missedPolls(record.steps)];
  if (overdue.length === 0 && inHand.length + pauses.length > 0) {
    const [at = overdueBefore] = [...inHand.map(({ run }) => expiresAt(run)), ...pauses].sort();
    return at < overdueBefore ? { kind: "resume" } : { kind: "later", at };
  }
  const own = overdue.filter(({ direction }) => isOwn(record, direction));
  if (overdue.length > 0 && own.length === 0) return { kind: "resume" };
  const isLost = (each: RunInHand) => givenUp.has(runKey(each)) && !isTakenUp(each.run);
  const failed = own.filter((each) => isTakenUp(each.run) || untaken.has(runKey(each)) || isLost(each));
  if (own.length > 0 && failed.length === 0) return { kind: "reschedule" };
  // Neither the job's fault nor the service's: if it were counted, jobs would be compensated because a password was changed.
  const isHeld = failed.length > 0 && failed.every(({ run }) => isMisconfigured(run));
  if (isHeld) return { kind: "hold", waitMs: holdMs };
  if (failed.length === 0) return decideFailed(record, null, failuresOf(record), policyOf(undefined));
  // Each step has its own budget, and the first that is used up decides for the job.
  const verdicts = failed.map((each) => {
    const { step, direction, run } = each;
    return decideFailed(record, step, run.failureCount ?? 0, isLost(each) ? GIVE_UP : policyOf(step), direction);
  });
  const gravest = verdicts.reduce((one, other) => (isGraver(other, one) ? other : one));
  const skips = verdicts.flatMap(({ kind, step }) => (kind === "skip" && step !== null ? [step] : []));
  const notTaken = failed.flatMap((each) => (isTakenUp(each.run) ? [] : [runKey(each)]));
  return { ...gravest, ...(skips.length > 0 && { skips }), ...(notTaken.length > 0 && { untaken: notTaken }) };
}

/** The overdue runs in the record's direction that no agent has taken up: whether that is a failure depends on their agents. */
export function waitingRuns(record: StateRecord, overdueBefore: string): readonly RunInHand[] {
  if (record.processState !== "Processing") return [];
  return runsInHand(record.steps).filter(
    ({ run, direction }) => isOwn(record, direction) && !isTakenUp(run) && expiresAt(run) < overdueBefore,
  );
}

/** A run of the record's attempt. A run that began in an attempt before its compensation continues, and does not belong to it. */
function isOwn(record: StateRecord, direction: Direction): boolean {
  return record.direction === "forward" || direction === "compensate";
}

/** A fault in an earlier attempt shows nothing about this one, whose agent may have crashed. */
function isMisconfigured({ expiry, attempt }: StepRun): boolean {
  return expiry !== undefined && expiry.attempt === attempt && expiry.misconfigured === true;
}

type FailedVerdict = Extract<Verdict, Failed>;

/** The failures of all steps in the job's direction: what it used up forward does not limit its compensation. */
export function failuresOf({ direction, failureCount, steps }: StateRecord): number {
  if (direction === "forward") return failureCount;
  return Object.values(steps).reduce((sum, { compensation }) => sum + (compensation?.failureCount ?? 0), 0);
}

function decideFailed(
  record: StateRecord,
  step: string | null,
  before: number,
  policy: StepPolicy,
  run: Direction = record.direction,
): FailedVerdict {
  const failures = before + 1;
  const failed = { step, failures };
  // A failed compensation is left to a person, and the job continues: forward, or with the compensation of the other steps.
  const onExhausted = run === "forward" ? policy.onExhausted : step === null ? "fail" : "skip";
  const exhausted = { kind: onExhausted, ...failed } as const;
  if (failuresOf(record) + 1 >= (policy.mostFailures ?? Number.POSITIVE_INFINITY)) return exhausted;
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
  const overdue = inHand.filter(({ run }) => overdueBefore === undefined || expiresAt(run) < overdueBefore);
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
  const { failureCount, outbox } = record;
  const what = overdueInWords(record, overdueBefore, "untaken" in verdict ? (verdict.untaken ?? []) : []);
  const claimBy = after(now, claimWithinMs);
  switch (verdict.kind) {
    case "retry":
      return pending(record, transitions.retried.to, sweeping, {
        failureCount: failureCount + 1,
        what: `expired in ${what}, retried`,
        failed: verdict,
      });
    case "skip": {
      const said = `expired in ${what}, goes on without`;
      const next = { failureCount: failureCount + 1, what: said, failed: verdict };
      return { ...pending(record, transitions.skipped.to, sweeping, next), outbox };
    }
    case "reschedule": {
      const said = `no agent took up ${what}, scheduled again`;
      return { ...pending(record, transitions.rescheduled.to, sweeping, { failureCount, what: said }), outbox };
    }
    case "resume":
      return { ...pending(record, transitions.resumed.to, sweeping, { failureCount, what: "goes on" }), outbox };
    case "later":
      return {
        ...record,
        processState: transitions.lookedAtEarly.to,
        completeBy: verdict.at,
        dueAt: verdict.at,
        updatedAt: now,
      };
    case "wait": {
      const until = after(now, verdict.waitMs);
      const said = `expired in ${what}, to be retried at ${until}`;
      const next = { failureCount: failureCount + 1, what: said, until, failed: verdict };
      return pending(record, transitions.waited.to, sweeping, next);
    }
    case "hold": {
      const until = after(now, verdict.waitMs);
      const said = `${what} needs an endpoint's address or credential fixed, to be tried again at ${until}`;
      return { ...pending(record, transitions.held.to, sweeping, { failureCount, what: said, until }), outbox };
    }
    case "compensate": {
      const error = expiredError(record, verdict, sweeping);
      const said = `expired in ${what}, to be compensated`;
      const next = { failureCount: failureCount + 1, what: said, failed: verdict };
      const begun = pending(record, transitions.compensationBegun.to, sweeping, next);
      return { ...begun, direction: "compensate", error, outbox };
    }
    case "fail": {
      const { thenForward: _intended, ...rest } = record;
      return {
        ...rest,
        processState: transitions.givenUp.to,
        lockedBy: null,
        completeBy: null,
        dueAt: after(now, OUTBOX_GRACE_MS),
        failureCount: failureCount + 1,
        error: expiredError(record, verdict, sweeping),
        outbox: [...outbox, outboxMessage(record.attempt, "Failed", now)],
        history: remembered(record, now, `expired in ${what}, given up`),
        updatedAt: now,
      };
    }
    case "repeatStart": {
      const history = remembered(record, now, "nobody claimed it, started again");
      const processState = transitions.startRepeated.to;
      return { ...record, processState, completeBy: claimBy, dueAt: claimBy, history, updatedAt: now };
    }
    case "publish":
      return published(record, now);
    default:
      return verdict satisfies never;
  }
}

/** The record after its outbox messages are sent; an ended job is then not due any more, and may be over. */
export function published(record: StateRecord, now: string): StateRecord {
  const { dueAt, ...rest } = reopened(record);
  const ended = hasEnded(record.processState);
  const { outbox, published: before = [] } = record;
  const sent = outbox.length > 0 && { published: [...before, ...outbox].slice(-PUBLISHED_LIMIT) };
  const settled: StateRecord = { ...rest, ...(!ended && dueAt && { dueAt }), outbox: [], ...sent, updatedAt: now };
  return { ...settled, ...over(settled, now) };
}

/** The message that starts the attempt which a Pending record waits for. */
export function startAttemptOf(record: StateRecord): StartAttempt {
  const { jobId, attempt, direction, traceparent } = record;
  return { jobId, attempt, direction, traceparent };
}

interface Next {
  readonly failureCount: number;
  readonly what: string;
  /** When an expired step is to be run again; at once if absent. */
  readonly until?: string;
  /** The failed step, and the steps whose tries are used up. */
  readonly failed?: Failed & Skips;
}

/**
 * The record for its next attempt, with the status for the client. Steps that are not overdue continue: their agents record their results, and the
 * next attempt waits for them. If there are such steps, the record is claimed at once, and only the overdue step is paused.
 */
function pending(
  record: StateRecord,
  processState: "Pending",
  { now, overdueBefore, claimWithinMs }: Sweeping,
  { failureCount, what, until, failed }: Next,
): StateRecord {
  const attempt = record.attempt + 1;
  const inHand = runsInHand(record.steps);
  const overdue = inHand.filter(({ run }) => expiresAt(run) < overdueBefore);
  const isAlone = overdue.length === inHand.length && pausesOf(record.steps, record.direction).length === 0;
  const notBefore = isAlone ? undefined : until;
  const steps = { ...pollsAfter(record.steps, overdueBefore, now) };
  for (const { step, direction, run } of overdue) {
    const counts = failed !== undefined && isOwn(record, direction) && isFailed({ step, direction, run }, failed);
    const again = restarted(steps[step] as StepRecord, direction, counts, now, notBefore);
    steps[step] = failed?.skips?.includes(step) ? goneOnWithout(again, direction, now) : again;
  }
  const claimBy = after(notBefore === undefined ? (until ?? now) : now, claimWithinMs);
  return {
    ...record,
    processState,
    lockedBy: null,
    completeBy: claimBy,
    dueAt: claimBy,
    failureCount,
    attempt,
    steps,
    outbox: [...record.outbox, outboxMessage(attempt, "RetryScheduled", now)],
    history: remembered(record, now, what),
    updatedAt: now,
  };
}

const isFailed = (each: RunInHand, { untaken = [] }: Failed) => isTakenUp(each.run) || untaken.includes(runKey(each));

/** A step whose tries are used up while its job continues. */
function goneOnWithout(record: StepRecord, direction: Direction, now: string): StepRecord {
  const { failureCount, expiry, compensation } = record;
  const last = (direction === "forward" ? expiry : compensation?.expiry)?.message;
  const inWords = (failures = 0) => `${failures} attempts ran out of time${last ? `, the last: ${last}` : ""}`;
  if (direction === "forward") {
    return skippedFor(record, { cause: "expired", message: inWords(failureCount) }, true, now);
  }
  const error = inWords(compensation?.failureCount);
  return withRun(record, "compensate", { state: "Failed", error, endedAt: now });
}

/** When the next attempt is to be claimed: at once if steps continue. */
export function claimableAt({ steps, direction }: StateRecord, until: string): string | undefined {
  return pausesOf(steps, direction).length > 0 ? undefined : until;
}

function outboxMessage(attempt: number, status: JobStatus, now: string): OutboxMessage {
  return { status, attempt, at: now };
}

function remembered(record: StateRecord, now: string, what: string): readonly HistoryEntry[] {
  return [...record.history, { at: now, what: asEntry(what), by: "supervisor" }].slice(-HISTORY_LIMIT);
}
