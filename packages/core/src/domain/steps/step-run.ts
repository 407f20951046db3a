// How a step's record changes as it runs, forward or compensated.

import { LONGEST_START_MS, type Transport } from "../definition/workflow.ts";
import { after, durationMs } from "../duration.ts";
import { missedAt } from "../record/due.ts";
import { isInHand, isTakenUp, runOf } from "../record/plan.ts";
import { withinLimits } from "../record/record-limits.ts";
import { remindAt } from "../record/reminder.ts";
import {
  type Acceptance,
  type Direction,
  type Expiry,
  NOT_STARTED,
  type StepRecord,
  type StepResult,
  type StepRun,
  type StepState,
} from "../record/state-record.ts";
import { answersInARow } from "./failure-budget.ts";

/** The endpoint of a step, and the reason; `outcomeUnknown` if an earlier try got no answer. Absent: as before; `false`: it is known. */
export interface Route {
  readonly endpoint: string;
  readonly because: string;
  readonly outcomeUnknown?: boolean | undefined;
  /** When its agent took it up; absent if that is not known here. */
  readonly startedAt?: string | undefined;
}

/** The facts about a step that a write needs to schedule it. */
export interface ToSchedule {
  readonly name: string;
  readonly record: StepRecord;
  readonly transport: Transport;
  readonly completeWithin: string;
  readonly awaitWithin?: string | undefined;
}

/** The limits for scheduled steps. */
export interface Scheduling {
  /** How long a step may wait for its agent before it is scheduled again, for the first time. */
  readonly startWithinMs: number;
  /** The most that this becomes where steps wait for long; half an hour if absent. */
  readonly longestStartMs?: number;
  /** An agent of this app that takes a step up within this time needs no write that says so. */
  readonly unrecordedMs: number;
  /** Returns a new random text that cannot be guessed. */
  readonly nonce: () => string;
}

/** A step that a write schedules, with its record after that write. */
export interface NextStep {
  readonly name: string;
  readonly record: StepRecord;
}

/** The step while it waits for its agent, in that attempt. The durations have passed the workflow's check. */
export function scheduled(
  step: ToSchedule,
  attempt: number,
  direction: Direction,
  now: string,
  scheduling: Scheduling,
): NextStep {
  const { name, transport, completeWithin, awaitWithin } = step;
  const record = settledForward(step.record, direction);
  const { unrecordedMs, nonce } = scheduling;
  const startWithinMs = startWithinMsOf(runOf(record, direction), scheduling);
  // An agent behind a queue can't write the record: it takes the step up without one.
  const freeMs = transport === "queue" ? startWithinMs : Math.min(unrecordedMs, startWithinMs);
  const run: Partial<StepRun> = {
    state: "Scheduled",
    attempt,
    notBefore: undefined,
    scheduledAt: now,
    startBy: after(now, startWithinMs),
    completeBy: after(now, freeMs + (durationMs(completeWithin) ?? 0)),
    startedAt: null,
    endedAt: null,
    error: null,
    accepted: undefined,
    again: undefined,
    // A report about one try is about the effect of all tries, because they have one key: the address stays the same. By its nonce a late reply too
    // is known to be of somebody who was asked.
    ...((transport === "queue" || awaitWithin) && { nonce: runOf(record, direction)?.nonce ?? nonce() }),
  };
  return { name, record: withRun(record, direction, run) };
}

/**
 * Where there is too much to do, a further run adds to it: each has twice the time of the one before. Not after a wait that was counted as a failure:
 * nobody had taken the agent's work.
 */
function startWithinMsOf(
  run: StepRun | null,
  { startWithinMs, longestStartMs = LONGEST_START_MS }: Scheduling,
): number {
  const { waitCount = 0, expiry, attempt } = run ?? {};
  const times = expiry !== undefined && expiry.attempt === attempt ? 0 : waitCount;
  return Math.max(startWithinMs, Math.min(startWithinMs * 2 ** times, longestStartMs));
}

/** A service that still works on it when it is compensated may not report any more. */
function settledForward(record: StepRecord, direction: Direction): StepRecord {
  if (direction === "forward" || !isInHand(record)) return record;
  return { ...record, ...NO_LONGER, ...(isTakenUp(record) && { outcomeUnknown: record.outcomeUnknown ?? true }) };
}

/** The time of its scheduling stays: it may have had an effect. */
const NO_LONGER = { state: "NotStarted", startBy: null, completeBy: null } as const;

/** A report about a step in progress. */
export interface Mark {
  /** The states in which a run may be marked with it. */
  readonly from: readonly StepState[];
  readonly completeBy: string;
  /** It is done later. */
  readonly isLater?: true;
  /** When the supervisor must read the record, if that is before `completeBy`. */
  readonly dueAt?: string | undefined;
  readonly change: (record: StepRecord) => StepRecord;
}

/**
 * Its agent took it up.
 * @param outcomeUnknown from now on, where the record must contain that before the first try; absent: as before
 */
export function takenUp(direction: Direction, startedAt: string, completeBy: string, outcomeUnknown?: boolean): Mark {
  const unknown = outcomeUnknown !== undefined && { outcomeUnknown };
  const run = { state: "Running", startedAt, completeBy, ...unknown } as const;
  return { from: ["Scheduled"], completeBy, change: (record) => withRun(record, direction, run) };
}

/** Its service has accepted it: from now on the step waits for its completion. */
export function accepted(direction: Direction, acceptance: Acceptance, route: Route, completeBy: string): Mark {
  const { endpoint, because, startedAt = acceptance.at } = route;
  const times = { startedAt, completeBy, outcomeUnknown: undefined };
  const run = { state: "Awaiting", endpoint, because, ...times, accepted: acceptance } as const;
  return {
    from: ["Scheduled", "Running"],
    completeBy,
    isLater: true,
    dueAt: earliest(missedAt(run), remindAt(run)),
    change: (record) => withRun(record, direction, run),
  };
}

const earliest = (...instants: readonly (string | undefined)[]) => instants.filter((at) => at !== undefined).sort()[0];

/** The step after its agent is done: Completed, in this attempt, or Compensated. */
export function done(
  record: StepRecord,
  attempt: number,
  direction: Direction,
  result: StepResult,
  { endpoint, because, startedAt }: Route,
  now: string,
): StepRecord {
  const taken = startedAt !== undefined && { startedAt };
  const known = { error: null, endedAt: now, outcomeUnknown: undefined };
  const run: Partial<StepRun> = { endpoint, because, ...taken, ...known, state: "Completed" };
  const changed = withRun(record, direction, run);
  if (direction === "forward") return { ...changed, result, completedIn: attempt };
  // The possible effect of a skipped step is compensated; the step stays skipped, and its job continues.
  return { ...changed, state: record.state === "Skipped" ? "Skipped" : "Compensated" };
}

/** The step after its agent has rejected it permanently. */
export function rejected(
  record: StepRecord,
  direction: Direction,
  error: string,
  { endpoint, because, outcomeUnknown, startedAt }: Route,
  now: string,
): StepRecord {
  const taken = startedAt !== undefined && { startedAt };
  const unknown = outcomeUnknown !== undefined && { outcomeUnknown };
  const run = { endpoint, because, ...taken, ...unknown, state: "Failed", error, endedAt: now } as const;
  return withRun(record, direction, run);
}

/**
 * The step whose time is over, to be run again.
 * @param isFailure whether its expiry counts as a failure: always if an agent took it up, and if nobody takes its agent's work
 * @param notBefore when it is to be run again; at once if absent
 */
export function restarted(
  record: StepRecord,
  direction: Direction,
  isFailure: boolean,
  now: string,
  notBefore?: string,
): StepRecord {
  const run = runOf(record, direction);
  if (!run) return record;
  const again = { ...NO_LONGER, notBefore };
  const failureCount = (run.failureCount ?? 0) + (isFailure ? 1 : 0);
  const waitCount = run.waitCount + 1;
  switch (run.state) {
    case "Running":
    case "Awaiting":
      return withRun(record, direction, {
        ...{ ...again, retryCount: run.retryCount + 1, waitCount: 0, failureCount },
        answerCount: answersInARow(run),
      });
    case "Scheduled":
      if (!isFailure) return withRun(record, direction, { ...again, waitCount });
      return withRun(record, direction, { ...again, waitCount, failureCount, expiry: notTakenUp(record, run, now) });
    default:
      return record;
  }
}

function notTakenUp({ agent }: StepRecord, { attempt = 0, waitCount }: StepRun, at: string): Expiry {
  return { at, attempt, tries: 0, endpoint: null, message: untaken(agent, waitCount + 1) };
}

/** In words, for people. @param times how often its time ended before anybody had taken it up */
export const untaken = (agent: string, times: number): string =>
  `the agent ${agent} did not take it up in time (${times} in a row)`;

/** The step with that change in one direction. */
export function withRun(record: StepRecord, direction: Direction, wanted: Partial<StepRun>): StepRecord {
  const change = withinLimits(wanted);
  if (direction === "forward") return { ...record, ...change };
  return { ...record, compensation: { ...NOT_STARTED, ...record.compensation, ...change } };
}
