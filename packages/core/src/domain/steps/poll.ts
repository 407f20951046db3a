// When an agent polls its service for a step that it accepted (P6): rarely enough that a wait of weeks costs little.

import { LONGEST_WAIT_MS } from "../definition/workflow.ts";
import { after, durationMs } from "../duration.ts";
import { ASKED_WITHIN_MS, missedAt } from "../record/due.ts";
import { runsInHand } from "../record/plan.ts";
import type { Acceptance, Direction, StepRecord, StepRun, Steps } from "../record/state-record.ts";
import { heldBy } from "./failure-budget.ts";
import { withRun } from "./step-run.ts";

/** One poll, for one agent. It is the same however often the engine runs it. */
export interface PollTask {
  readonly jobId: string;
  /** The attempt that holds the job: a step's run may belong to an earlier one. */
  readonly attempt: number;
  readonly lockedBy: string;
  readonly step: string;
  readonly direction: Direction;
  readonly pollAt: string;
  readonly traceparent: string | null;
}

const SHORTEST_PAUSE_MS = 1000;
/** An attempt begins and polls in that time. */
const SHORTEST_FOR_POLL_MS = 60_000;
/** Each poll stays in the orchestration's history: each pause is a twentieth of the wait so far, so thirty days are some hundreds of polls. */
const SHARE_OF_WAIT = 1 / 20;
/** After a failed poll the pause doubles, up to this. */
const LONGEST_BACKOFF_MS = 15 * 60_000;

/**
 * @param acceptance the known acceptance, with its time
 * @param pauseMs the service's word: it may be any number
 */
export function nextPollAt(
  { at }: Acceptance,
  pauseMs: number,
  completeWithin: string,
  completeBy: string,
  now: string,
): string {
  const waitedMs = Date.parse(now) - Date.parse(at);
  const askedMs = Number.isNaN(pauseMs) ? SHORTEST_PAUSE_MS : Math.min(pauseMs, LONGEST_WAIT_MS);
  const next = after(now, Math.max(askedMs, SHORTEST_PAUSE_MS, Math.floor(waitedMs * SHARE_OF_WAIT)));
  // A last poll while an answer still counts.
  const last = after(completeBy, -(durationMs(completeWithin) ?? 0));
  return last > after(now, SHORTEST_PAUSE_MS) && last < next ? last : next;
}

/** The pause after a poll without an answer. */
export function backoffMs({ at, lastReportAt = at }: Acceptance, now: string): number {
  return Math.min(Date.parse(now) - Date.parse(lastReportAt), LONGEST_BACKOFF_MS);
}

/** The steps after a missed poll is passed to the next attempt. A wait that would end before it is made goes on for it. */
export function pollsAfter(steps: Steps, overdueBefore: string, now: string): Steps {
  const changed: { [name: string]: StepRecord } = { ...steps };
  for (const { step, direction, run } of runsInHand(steps)) {
    const record = changed[step];
    if (!record || (missedAt(run) ?? overdueBefore) >= overdueBefore) continue;
    const accepted = { ...(run.accepted as Acceptance), pollAt: now };
    const until = after(now, timeForPoll(accepted, run.completeBy ?? now));
    const isAtEnd = (run.completeBy ?? now) < overdueBefore;
    const givenAgain = (accepted.givenAgain ?? 0) + 1;
    const asked = isAtEnd ? { accepted: { ...accepted, givenAgain }, completeBy: until } : { accepted };
    const compensation = record.compensation && { ...record.compensation, ...asked };
    changed[step] = direction === "forward" ? { ...record, ...asked } : { ...record, compensation };
  }
  return changed;
}

/** As long as the wait was, within these limits. */
function timeForPoll({ at }: Acceptance, completeBy: string): number {
  return Math.min(Math.max(Date.parse(completeBy) - Date.parse(at), SHORTEST_FOR_POLL_MS), ASKED_WITHIN_MS);
}

/** How long it waits on before the next look. */
const WAITS_ON_MS = 5 * 60_000;

/** Its wait is over, and nothing was learned of it because the app's own code threw: the service may have done its part. An agent with a queue is asked again. */
export function waitsForCode(run: StepRun): boolean {
  return run.state === "Awaiting" && run.again === undefined && heldBy(run) === "code";
}

/** It waits on, and is polled from then on. */
export function waitingOn(record: StepRecord, direction: Direction, { accepted }: StepRun, from: string): StepRecord {
  const polled = accepted?.pollAt === undefined ? accepted : { ...accepted, pollAt: from };
  return withRun(record, direction, { completeBy: after(from, WAITS_ON_MS), accepted: polled });
}

export function keyOf({ step, direction, pollAt }: PollTask): string {
  return `${step} ${direction} ${pollAt}`;
}

/** For one waiting run, the later knowledge: its times only increase. */
export function comparePolls(one: StepRun, other: StepRun): number {
  if (one.state !== "Awaiting") return 0;
  return compareTexts(one.accepted?.pollAt, other.accepted?.pollAt) || compareTexts(one.completeBy, other.completeBy);
}

function compareTexts(one: string | null | undefined, other: string | null | undefined): number {
  const [before, after] = [one ?? "", other ?? ""];
  return before === after ? 0 : before > after ? 1 : -1;
}

/** Whether that run still has to be polled. */
export function isPolled({ state, accepted }: StepRun, { pollAt }: PollTask): boolean {
  return state === "Awaiting" && accepted?.pollAt === pollAt;
}
