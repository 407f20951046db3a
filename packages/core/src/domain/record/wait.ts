// Until when a wait for a service lasts (P22, P26): only the service's own time ends it. While an operator has paused its agent its clock stands still,
// and the time in which the app was away is not the service's.

import { after } from "../duration.ts";
import { ASKED_WITHIN_MS, MOST_GIVEN_AGAIN } from "./due.ts";
import type { Acceptance, Direction, StateRecord, StepRun } from "./state-record.ts";

/** A span of time: an operator's pause, or an absence of the app. */
export interface Interval {
  readonly from: string;
  /** Absent: it goes on. */
  readonly until?: string | undefined;
}

export interface Away extends Interval {
  readonly until: string;
}

/** What is known of the time of a wait. */
export interface AroundWait {
  readonly now: string;
  /** When its record was due. */
  readonly dueAt: string;
  /** When its agent was paused. */
  readonly pauses: readonly Interval[];
  /** When the app was away, as its supervisor saw. */
  readonly away: Away | undefined;
}

/** The supervisor finds what is due sooner, unless it or its store was away. */
export const AWAY_AFTER_MS = 120_000;
/** For the service to report again: as long as the app was away, because many services double their pauses; within these limits. */
const SHORTEST_MS = 600_000;
const LONGEST_MS = 3_600_000;

/** How much longer a wait lasts that begins so long after its agent said it: the service may have reported to an app that was away. */
export function missedMs(lateMs: number): number {
  return lateMs > AWAY_AFTER_MS ? givenAgainMs(lateMs) : 0;
}

const givenAgainMs = (awayMs: number): number => Math.min(Math.max(awayMs, SHORTEST_MS), LONGEST_MS);

/** The run with the time that it has left at the end of its wait; undefined if its wait is over. */
export function prolonged(run: StepRun, around: AroundWait): StepRun | undefined {
  const { accepted, completeBy } = run;
  if (run.state !== "Awaiting" || accepted === undefined || completeBy === null) return undefined;
  return (
    afterPauses(run, accepted, completeBy, around) ??
    afterAbsence(run, accepted, completeBy, around) ??
    askedAtEnd(run, accepted, around)
  );
}

/** A pause that began before the end counts up to now, and once. */
function afterPauses(run: StepRun, accepted: Acceptance, completeBy: string, { now, pauses }: AroundWait) {
  const begin = accepted.stoodStillUntil ?? accepted.at;
  let end = completeBy;
  for (const { from, until = now } of [...pauses].sort((one, other) => (one.from < other.from ? -1 : 1))) {
    const since = from < begin ? begin : from;
    if (from < end && since < until) end = after(end, Date.parse(until) - Date.parse(since));
  }
  if (end === completeBy) return undefined;
  const isPaused = pauses.some(({ until }) => until === undefined);
  const latest = after(now, ASKED_WITHIN_MS);
  // What is asked needs time for the answer, and a job that waits for the end of a pause is not written at each sweep.
  const next = (isPaused || isAsked(run)) && end < latest ? latest : end;
  return askedFrom(run, { ...accepted, stoodStillUntil: now }, next, isPaused ? after(now, ASKED_WITHIN_MS / 2) : now);
}

/** Of a service that is polled nothing is lost: the app asks it again. */
function afterAbsence(run: StepRun, accepted: Acceptance, completeBy: string, around: AroundWait) {
  const { now, dueAt, away } = around;
  const givenAgain = (accepted.givenAgain ?? 0) + 1;
  if (accepted.pollAt !== undefined || givenAgain > MOST_GIVEN_AGAIN) return undefined;
  const expected = dueAt > completeBy ? dueAt : completeBy;
  const lateMs = Date.parse(now) - Date.parse(expected);
  const seen = away && away.from < completeBy && accepted.at < away.until ? away : undefined;
  // The one that is found now is the later one.
  const absence = lateMs > AWAY_AFTER_MS ? { from: expected, until: now } : seen;
  if (!absence) return undefined;
  const ms = Date.parse(absence.until) - Date.parse(absence.from);
  const next = after(absence.until, givenAgainMs(ms));
  return next > completeBy && next > now ? askedFrom(run, { ...accepted, givenAgain }, next, now) : undefined;
}

/** Once: its queue may have been away, and what the agent answered with it. */
function askedAtEnd(run: StepRun, accepted: Acceptance, { now }: AroundWait): StepRun | undefined {
  if (run.again === undefined || accepted.givenAgain !== undefined) return undefined;
  return askedFrom(run, { ...accepted, givenAgain: 1 }, after(now, ASKED_WITHIN_MS), now);
}

const isAsked = ({ accepted, again }: StepRun) => accepted?.pollAt !== undefined || again !== undefined;

/** Who is polled, or asked again over its queue, is asked at that time. */
function askedFrom(run: StepRun, accepted: Acceptance, completeBy: string, at: string): StepRun {
  return {
    ...run,
    accepted: accepted.pollAt === undefined ? accepted : { ...accepted, pollAt: at },
    completeBy,
    ...(run.again && { again: { round: run.again.round + 1, at } }),
  };
}

/** The direction of a step whose report is awaited; undefined if none is. */
export function awaitedDirection(record: StateRecord, step: string): Direction | undefined {
  const { state, compensation } = record.steps[step] ?? {};
  if (compensation?.state === "Awaiting") return "compensate";
  return state === "Awaiting" ? "forward" : undefined;
}
