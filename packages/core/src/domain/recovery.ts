// The supervisor's verdict on a record that is overdue, and what it makes of the record (P10, P11).
import type { StartAttempt } from "./attempt.ts";
import { after, durationMs } from "./duration.ts";
import { isTakenUp, pausesOf, runsInHand } from "./plan.ts";
import { missedPolls, pollsAfter } from "./poll.ts";
import { over, reopened } from "./retention.ts";
import { skippedFor } from "./skip.ts";
import {
  type Direction,
  type HistoryEntry,
  hasEnded,
  type JobError,
  type JobStatus,
  NOT_STARTED,
  type OutboxMessage,
  type StateRecord,
  type StepRecord,
  type StepRun,
} from "./state-record.ts";
import { expiresAt, restarted } from "./step-run.ts";
import { OUTBOX_GRACE_MS, transitions } from "./transitions.ts";
import type { StepPolicy } from "./workflow.ts";

/** What failed: the step that decides, null where none is in hand, and how many attempts of it have failed since it last began. */
interface Failed {
  readonly step: string | null;
  readonly failures: number;
}

interface Skips {
  /** Those that the job goes on without: of a step that is skipped, what it may have left behind is left to a person. */
  readonly skips?: readonly string[];
}

export type Verdict =
  /** The attempt ran out of time: another one, from the step that it had reached. */
  | ({ readonly kind: "retry" } & Failed & Skips)
  /** At the threshold: another one, later. */
  | ({ readonly kind: "wait"; readonly waitMs: number } & Failed & Skips)
  /** All attempts are used up of a step that the job can do without: another one, without it. */
  | ({ readonly kind: "skip" } & Failed & Skips)
  /** The endpoint's address or our credential for it is wrong: another one, later, with no failure counted, until a person has fixed that. */
  | { readonly kind: "hold"; readonly waitMs: number }
  /** All attempts are used up: what was done is compensated. */
  | ({ readonly kind: "compensate" } & Failed)
  /** All attempts are used up: an operator has to look. */
  | ({ readonly kind: "fail" } & Failed)
  /** No agent took up what it waits for: another attempt, with no failure counted. */
  | { readonly kind: "reschedule" }
  /** What its steps waited for is over: a pause, a step that is to be compensated, or a poll that nobody made. Another attempt, with no failure counted. */
  | { readonly kind: "resume" }
  /** No step of it is overdue, or enough others are scheduled again: it is looked at again then. */
  | { readonly kind: "later"; readonly at: string }
  /** Nobody claimed it: the scheduler is notified again. No failure is counted. */
  | { readonly kind: "repeatStart" }
  /** It ended, but what had to be published of it may not have been. */
  | { readonly kind: "publish" };

/** Entries that a record keeps; the oldest go first. */
export const HISTORY_LIMIT = 100;
const PUBLISHED_LIMIT = 20;

/**
 * @param policyOf the policy that holds for a step; the workflow's own where no step is in hand
 * @param overdueBefore what expires from this instant on may still be at work, by some clock
 * @param holdMs when a job is tried again for which a person has to fix something
 */
export function decideRecovery(
  record: StateRecord,
  policyOf: (step: string | undefined) => StepPolicy,
  overdueBefore: string,
  holdMs: number,
): Verdict {
  switch (record.processState) {
    case "Pending":
      return { kind: "repeatStart" };
    case "Processing":
      return decideHeld(record, policyOf, overdueBefore, holdMs);
    case "Processed":
    case "Compensated":
    case "Cancelled":
    case "Error":
      return { kind: "publish" };
    default:
      return record.processState satisfies never;
  }
}

/**
 * What happens to one step does not wait for those beside it: only those that are overdue count. Overload is no failure (P26): one is
 * counted only where an agent is known to have taken the step up.
 */
function decideHeld(
  record: StateRecord,
  policyOf: (step: string | undefined) => StepPolicy,
  overdueBefore: string,
  holdMs: number,
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
  const running = own.filter(({ run }) => isTakenUp(run));
  if (own.length > 0 && running.length === 0) return { kind: "reschedule" };
  // Neither the job's fault nor the service's: counting it would compensate jobs for a password that was changed.
  const isHeld = running.length > 0 && running.every(({ run }) => isMisconfigured(run));
  if (isHeld) return { kind: "hold", waitMs: holdMs };
  if (running.length === 0) return decideFailed(record, null, record.failureCount, policyOf(undefined));
  // Each has a budget of its own, and the first that is used up decides for the job.
  const verdicts = running.map(({ step, direction, run: { failureCount = 0 } }) =>
    decideFailed(record, step, failureCount, policyOf(step), direction),
  );
  const gravest = verdicts.reduce((one, other) => (isGraver(other, one) ? other : one));
  const skips = verdicts.flatMap(({ kind, step }) => (kind === "skip" && step !== null ? [step] : []));
  return { ...gravest, ...(skips.length > 0 && { skips }) };
}

/** A run of the record's attempt. What an attempt before its compensation has begun goes on, and is no part of it. */
function isOwn(record: StateRecord, direction: Direction): boolean {
  return record.direction === "forward" || direction === "compensate";
}

/** What an attempt before met says nothing of this one, whose agent may have died. */
function isMisconfigured({ expiry, attempt }: StepRun): boolean {
  return expiry !== undefined && expiry.attempt === attempt && expiry.misconfigured === true;
}

type FailedVerdict = Extract<Verdict, Failed>;

function decideFailed(
  { direction, failureCount }: StateRecord,
  step: string | null,
  before: number,
  policy: StepPolicy,
  run: Direction = direction,
): FailedVerdict {
  const failures = before + 1;
  const failed = { step, failures };
  // A compensation that can't be had is not compensated in turn; one of a skipped step is left to a person, and the job goes on.
  const onExhausted = run === "forward" ? policy.onExhausted : direction === "forward" ? "skip" : "fail";
  const exhausted = { kind: onExhausted, ...failed } as const;
  if (failureCount + 1 >= (policy.mostFailures ?? Number.POSITIVE_INFINITY)) return exhausted;
  if (failures < policy.failureThreshold) return { kind: "retry", ...failed };
  const wait = policy.waits[failures - policy.failureThreshold];
  const waitMs = wait === undefined ? undefined : durationMs(wait);
  return waitMs === undefined ? exhausted : { kind: "wait", ...failed, waitMs };
}

const KINDS = ["skip", "retry", "wait", "compensate", "fail"] as const;

/** Of two pauses the longer one. */
function isGraver(one: FailedVerdict, other: FailedVerdict): boolean {
  if (one.kind === "wait" && other.kind === "wait") return one.waitMs > other.waitMs;
  return KINDS.indexOf(one.kind) > KINDS.indexOf(other.kind);
}

/** The step that events name: of those overdue the first that is Running in the record's direction, or else that waits for its agent. */
export function overdueStep(record: StateRecord, overdueBefore?: string): string | undefined {
  const { steps } = record;
  const inHand = runsInHand(steps).filter((each) => isOwn(record, each.direction));
  const overdue = inHand.filter(({ run }) => overdueBefore === undefined || expiresAt(run) < overdueBefore);
  return (overdue.find(({ run }) => isTakenUp(run)) ?? overdue[0])?.step;
}

/** When a sweep looks at a record, and the times that it gives. */
export interface Sweeping {
  readonly now: string;
  /** What expires from this instant on may still be at work, by some clock. */
  readonly overdueBefore: string;
  /** How long a Pending record may wait for its claim. */
  readonly claimWithinMs: number;
}

/** The record as the verdict leaves it. */
export function recover(record: StateRecord, verdict: Verdict, sweeping: Sweeping): StateRecord {
  const { now, claimWithinMs, overdueBefore } = sweeping;
  const { failureCount, outbox } = record;
  const what = overdueInWords(record, overdueBefore);
  const claimBy = after(now, claimWithinMs);
  switch (verdict.kind) {
    case "retry":
      return pending(record, transitions.retried.to, sweeping, {
        failureCount: failureCount + 1,
        what: `expired in ${what}, retried`,
        skips: verdict,
      });
    case "skip": {
      const said = `expired in ${what}, goes on without`;
      const next = { failureCount: failureCount + 1, what: said, skips: verdict };
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
        dueAt: verdict.at,
        updatedAt: now,
      };
    case "wait": {
      const until = after(now, verdict.waitMs);
      const said = `expired in ${what}, to be retried at ${until}`;
      const next = { failureCount: failureCount + 1, what: said, until, skips: verdict };
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
      const begun = pending(record, transitions.compensationBegun.to, sweeping, { failureCount: 0, what: said });
      return { ...begun, direction: "compensate", error, outbox };
    }
    case "fail":
      return {
        ...record,
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

/** The record once its outbox messages are sent; an ended job is then no longer due, and may be over. */
export function published(record: StateRecord, now: string): StateRecord {
  const { dueAt, ...rest } = reopened(record);
  const ended = hasEnded(record.processState);
  const { outbox, published: before = [] } = record;
  const sent = outbox.length > 0 && { published: [...before, ...outbox].slice(-PUBLISHED_LIMIT) };
  const settled: StateRecord = { ...rest, ...(!ended && dueAt && { dueAt }), outbox: [], ...sent, updatedAt: now };
  return { ...settled, ...over(settled, now) };
}

/** What starts the attempt that a Pending record waits for. */
export function startAttemptOf(record: StateRecord): StartAttempt {
  const { jobId, attempt, direction, traceparent } = record;
  return { jobId, attempt, direction, traceparent };
}

interface Next {
  readonly failureCount: number;
  readonly what: string;
  /** When what expired is to be run again; at once if absent. */
  readonly until?: string;
  /** The steps whose tries are used up, and how many of them there were. */
  readonly skips?: Failed & Skips;
}

/**
 * The record for its next attempt, with word of it for the client. Steps that are not overdue go on: their agents record what comes of
 * them, and the next attempt waits for that. Where there are such, it is claimed at once, and the pause is the overdue step's alone.
 */
function pending(
  record: StateRecord,
  processState: "Pending",
  { now, overdueBefore, claimWithinMs }: Sweeping,
  { failureCount, what, until, skips }: Next,
): StateRecord {
  const attempt = record.attempt + 1;
  const isFailure = failureCount > record.failureCount;
  const inHand = runsInHand(record.steps);
  const overdue = inHand.filter(({ run }) => expiresAt(run) < overdueBefore);
  const isAlone = overdue.length === inHand.length && pausesOf(record.steps, record.direction).length === 0;
  const notBefore = isAlone ? undefined : until;
  const steps = { ...pollsAfter(record.steps, overdueBefore, now) };
  for (const { step, direction } of overdue) {
    const counts = isFailure && isOwn(record, direction);
    const again = restarted(steps[step] as StepRecord, direction, counts, notBefore);
    steps[step] = skips?.skips?.includes(step) ? goneOnWithout(again, direction, now) : again;
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

/** A step whose tries are used up, though its job goes on. */
function goneOnWithout(record: StepRecord, direction: Direction, now: string): StepRecord {
  const { failureCount, expiry, compensation } = record;
  const last = (direction === "forward" ? expiry : compensation?.expiry)?.message;
  const inWords = (failures = 0) => `${failures} attempts ran out of time${last ? `, the last: ${last}` : ""}`;
  if (direction === "forward") {
    return skippedFor(record, { cause: "expired", message: inWords(failureCount) }, true, now);
  }
  const rejected = {
    ...NOT_STARTED,
    ...compensation,
    state: "Failed",
    error: inWords(compensation?.failureCount),
    endedAt: now,
  } as const;
  return { ...record, compensation: rejected };
}

/** When the next attempt is to be claimed: at once where steps go on. */
export function claimableAt({ steps, direction }: StateRecord, until: string): string | undefined {
  return pausesOf(steps, direction).length > 0 ? undefined : until;
}

function overdueInWords({ steps, direction }: StateRecord, overdueBefore: string): string {
  const overdue = runsInHand(steps).filter(({ run }) => expiresAt(run) < overdueBefore);
  const namesIn = (wanted: Direction) =>
    overdue.flatMap((each) => (each.direction === wanted ? [each.step] : [])).join(", ");
  const [forward, compensated] = [direction === "forward" ? namesIn("forward") : "", namesIn("compensate")];
  return [forward, compensated && `the compensation of ${compensated}`].filter((names) => names !== "").join(", ");
}

function expiredError(record: StateRecord, { step, failures }: Failed, { now, overdueBefore }: Sweeping): JobError {
  const agent = step === null ? null : (record.steps[step]?.agent ?? null);
  const before =
    record.direction === "compensate" && record.error
      ? `; it was to be compensated because: ${record.error.message}`
      : "";
  const last = overdueInWords(record, overdueBefore);
  const message = `${failures} attempts ran out of time, the last in ${last}${before}`;
  return { kind: "expired", message, step, agent, at: now };
}

function outboxMessage(attempt: number, status: JobStatus, now: string): OutboxMessage {
  return { status, attempt, at: now };
}

function remembered(record: StateRecord, now: string, what: string): readonly HistoryEntry[] {
  return [...record.history, { at: now, what, by: "supervisor" }].slice(-HISTORY_LIMIT);
}
