// When an agent asks its service what has become of a step that it accepted (P6): seldom enough that waiting for weeks costs little.
import type { Attempt } from "./attempt.ts";
import { after, durationMs } from "./duration.ts";
import { runsInHand } from "./plan.ts";
import type { Acceptance, Direction, StepRecord, StepRun, Steps } from "./state-record.ts";

/** One question, for one agent. It is the same however often the engine runs it. */
export interface Poll {
  readonly jobId: string;
  /** The attempt that holds the job: a step's run may be an earlier one's. */
  readonly attempt: number;
  readonly lockedBy: string;
  readonly step: string;
  readonly direction: Direction;
  readonly pollAt: string;
  readonly traceparent: string | null;
}

const SHORTEST_PAUSE_MS = 1000;
/** Each question stays in the orchestration's history: so that thirty days are some hundreds of them, it waits a twentieth of what it has waited. */
const SHARE_OF_WAIT = 1 / 20;
/** After an answer that could not be had the pause doubles, up to this. */
const LONGEST_BACKOFF_MS = 15 * 60_000;
/** Longer than a question takes with its waiting. Past it the attempt that was to ask is taken for lost. */
const MISSED_AFTER_MS = 10 * 60_000;

/** @param acceptance what was known before, with when it was accepted */
export function nextPollAt(
  { at }: Acceptance,
  pauseMs: number,
  completeWithin: string,
  completeBy: string,
  now: string,
): string {
  const waitedMs = Date.parse(now) - Date.parse(at);
  const next = after(now, Math.max(pauseMs, SHORTEST_PAUSE_MS, Math.floor(waitedMs * SHARE_OF_WAIT)));
  // Once more while an answer still counts.
  const last = after(completeBy, -(durationMs(completeWithin) ?? 0));
  return last > after(now, SHORTEST_PAUSE_MS) && last < next ? last : next;
}

/** The pause after a question without an answer. */
export function backoffMs({ at, lastReportAt = at }: Acceptance, now: string): number {
  return Math.min(Date.parse(now) - Date.parse(lastReportAt), LONGEST_BACKOFF_MS);
}

interface Waiting extends Pick<StepRun, "state" | "accepted" | "completeBy"> {}

/** When a question that was to be asked before then is taken for missed; undefined where none is to be asked, or the step's time is over by then. */
export function missedAt({ state, accepted, completeBy }: Waiting): string | undefined {
  if (state !== "Awaiting" || accepted?.pollAt === undefined) return undefined;
  const at = after(accepted.pollAt, MISSED_AFTER_MS);
  return at < (completeBy ?? "") ? at : undefined;
}

/** Of all steps, in either direction. */
export function missedPolls(steps: Steps): readonly string[] {
  return runsInHand(steps).flatMap(({ run }) => missedAt(run) ?? []);
}

/** The steps once a question that nobody asked is put to the next attempt. */
export function pollsAfter(steps: Steps, overdueBefore: string, now: string): Steps {
  const changed: { [name: string]: StepRecord } = { ...steps };
  for (const { step, direction, run } of runsInHand(steps)) {
    const record = changed[step];
    if (!record || (missedAt(run) ?? overdueBefore) >= overdueBefore) continue;
    const asked = { accepted: { ...(run.accepted as Acceptance), pollAt: now } };
    const compensation = record.compensation && { ...record.compensation, ...asked };
    changed[step] = direction === "forward" ? { ...record, ...asked } : { ...record, compensation };
  }
  return changed;
}

/** What is to be asked next; undefined where nothing is. */
export interface NextPolls {
  readonly at: string;
  readonly polls: readonly Poll[];
}

/** @param asked what the attempt has asked already, by `keyOf` */
export function nextPolls(attempt: Attempt, asked: ReadonlySet<string>): NextPolls | undefined {
  const { jobId, lockedBy, reply, steps } = attempt;
  const open = runsInHand(steps).flatMap(({ step, direction, run }): Poll[] => {
    const { pollAt } = run.state === "Awaiting" ? (run.accepted ?? {}) : {};
    if (pollAt === undefined) return [];
    return [{ jobId, attempt: attempt.attempt, lockedBy, step, direction, pollAt, traceparent: reply.traceparent }];
  });
  const polls = open.filter((poll) => !asked.has(keyOf(poll)));
  const [at] = polls.map(({ pollAt }) => pollAt).sort();
  return at === undefined ? undefined : { at, polls: polls.filter(({ pollAt }) => pollAt === at) };
}

export function keyOf({ step, direction, pollAt }: Poll): string {
  return `${step} ${direction} ${pollAt}`;
}

/** Of one run that waits, what was known later: its times only move on. */
export function comparePolls(one: StepRun, other: StepRun): number {
  if (one.state !== "Awaiting") return 0;
  return compareTexts(one.accepted?.pollAt, other.accepted?.pollAt) || compareTexts(one.completeBy, other.completeBy);
}

function compareTexts(one: string | null | undefined, other: string | null | undefined): number {
  const [before, after] = [one ?? "", other ?? ""];
  return before === after ? 0 : before > after ? 1 : -1;
}

/** Whether the question about that run is still to be asked. */
export function isPolled({ state, accepted }: StepRun, { pollAt }: Poll): boolean {
  return state === "Awaiting" && accepted?.pollAt === pollAt;
}
