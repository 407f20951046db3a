// How a step's record changes as it runs, forward or compensated.
import type { NextStep } from "./attempt.ts";
import { after, durationMs } from "./duration.ts";
import { isInHand, runOf } from "./plan.ts";
import { missedAt } from "./poll.ts";
import {
  type Acceptance,
  type Direction,
  NOT_STARTED,
  type StepRecord,
  type StepResult,
  type StepRun,
  type StepState,
} from "./state-record.ts";
import type { Transport } from "./workflow.ts";

/** Where a step was sent, and why; `outcomeUnknown` where a try before got no answer. */
export interface Route {
  readonly endpoint: string;
  readonly because: string;
  readonly outcomeUnknown?: boolean | undefined;
  /** When its agent took it up; absent where that is not known here. */
  readonly startedAt?: string | undefined;
}

/** What a write that schedules a step has to know of it. */
export interface ToSchedule {
  readonly name: string;
  readonly record: StepRecord;
  readonly transport: Transport;
  readonly startWithin: string;
  readonly completeWithin: string;
  readonly awaitWithin?: string | undefined;
}

/** How steps are scheduled here. */
export interface Scheduling {
  /** An agent of this app that takes a step up within this time needs no write that says so. */
  readonly unrecordedMs: number;
  /** Returns a new random text that cannot be guessed. */
  readonly nonce: () => string;
}

/** The step from the moment it waits for its agent, in that attempt. The durations have passed the workflow's check. */
export function scheduled(
  step: ToSchedule,
  attempt: number,
  direction: Direction,
  now: string,
  scheduling: Scheduling,
): NextStep {
  const { name, transport, startWithin, completeWithin, awaitWithin } = step;
  const record = settledForward(step.record, direction);
  const { unrecordedMs, nonce } = scheduling;
  const startMs = durationMs(startWithin) ?? 0;
  // An agent behind a queue can't write the record: whenever it takes the step up, it does so unrecorded.
  const freeMs = transport === "queue" ? startMs : Math.min(unrecordedMs, startMs);
  const run: Partial<StepRun> = {
    state: "Scheduled",
    attempt,
    notBefore: undefined,
    scheduledAt: now,
    startBy: after(now, startMs),
    completeBy: after(now, freeMs + (durationMs(completeWithin) ?? 0)),
    startedAt: null,
    endedAt: null,
    error: null,
    accepted: undefined,
    again: undefined,
    ...(transport === "queue" && { nonce: nonce() }),
    // What is reported of one try is the effect of all, which go under one key: the address stays as it is.
    ...(awaitWithin && { nonce: runOf(record, direction)?.nonce ?? nonce() }),
  };
  return { name, record: withRun(record, direction, run) };
}

/** Whoever still did it when it is compensated may report no more. */
function settledForward(record: StepRecord, direction: Direction): StepRecord {
  return direction === "compensate" && isInHand(record) ? { ...record, ...NO_LONGER } : record;
}

/** When it was scheduled stays: it may have had an effect. */
const NO_LONGER = { state: "NotStarted", startBy: null, completeBy: null } as const;

/** Word of a step that is at work. */
export interface Mark {
  /** The states in which a run may be marked so. */
  readonly from: readonly StepState[];
  readonly completeBy: string;
  /** It is done later. */
  readonly isLater?: true;
  /** When the supervisor has to look, where that is before `completeBy`. */
  readonly dueAt?: string | undefined;
  readonly change: (record: StepRecord) => StepRecord;
}

/** Its agent took it up. */
export function takenUp(direction: Direction, startedAt: string, completeBy: string): Mark {
  const run = { state: "Running", startedAt, completeBy } as const;
  return { from: ["Scheduled"], completeBy, change: (record) => withRun(record, direction, run) };
}

/** Its service has accepted it: from now on its completion is waited for. */
export function accepted(direction: Direction, acceptance: Acceptance, route: Route, completeBy: string): Mark {
  const { endpoint, because, startedAt = acceptance.at } = route;
  const run = { state: "Awaiting", endpoint, because, startedAt, completeBy, accepted: acceptance } as const;
  return {
    from: ["Scheduled", "Running"],
    completeBy,
    isLater: true,
    dueAt: missedAt(run),
    change: (record) => withRun(record, direction, run),
  };
}

/** When nobody is at work on a step in hand any more, or will be: only then may it be run again. */
export function expiresAt({ state, startBy, completeBy }: StepRun): string {
  const ends = completeBy ?? "";
  return state === "Scheduled" && startBy !== null && startBy > ends ? startBy : ends;
}

/** The step once its agent is done: Completed, in this attempt, or Compensated. */
export function done(
  record: StepRecord,
  attempt: number,
  direction: Direction,
  result: StepResult,
  { endpoint, because, startedAt }: Route,
  now: string,
): StepRecord {
  const taken = startedAt !== undefined && { startedAt };
  const run: Partial<StepRun> = { endpoint, because, ...taken, state: "Completed", error: null, endedAt: now };
  const changed = withRun(record, direction, run);
  if (direction === "forward") return { ...changed, result, completedIn: attempt };
  // What a skipped step may have left behind is compensated; it stays skipped, and its job goes on.
  return { ...changed, state: record.state === "Skipped" ? "Skipped" : "Compensated" };
}

/** The step once its agent has rejected it for good. */
export function rejected(
  record: StepRecord,
  direction: Direction,
  error: string,
  { endpoint, because, outcomeUnknown, startedAt }: Route,
  now: string,
): StepRecord {
  const taken = startedAt !== undefined && { startedAt };
  const failed = withRun(record, direction, { endpoint, because, ...taken, state: "Failed", error, endedAt: now });
  return direction === "forward" && outcomeUnknown ? { ...failed, outcomeUnknown } : failed;
}

/**
 * The step whose time ran out, to be run again.
 * @param isFailure whether its expiry counts against it
 * @param notBefore when it is to be run again; at once if absent
 */
export function restarted(
  record: StepRecord,
  direction: Direction,
  isFailure: boolean,
  notBefore?: string,
): StepRecord {
  const run = runOf(record, direction);
  const again = { ...NO_LONGER, notBefore };
  switch (run?.state) {
    case "Running":
    case "Awaiting": {
      const failureCount = (run.failureCount ?? 0) + (isFailure ? 1 : 0);
      return withRun(record, direction, { ...again, retryCount: run.retryCount + 1, waitCount: 0, failureCount });
    }
    case "Scheduled":
      return withRun(record, direction, { ...again, waitCount: run.waitCount + 1 });
    default:
      return record;
  }
}

/** The step with that changed in one direction. */
export function withRun(record: StepRecord, direction: Direction, change: Partial<StepRun>): StepRecord {
  if (direction === "forward") return { ...record, ...change };
  return { ...record, compensation: { ...NOT_STARTED, ...record.compensation, ...change } };
}
