// Which agent an unfinished job waits for (P26): one that does not take its step up, or that could not do it before.

import { type RunInHand, runsInHand } from "./plan.ts";
import type { StateRecord, StepRun } from "./state-record.ts";

type Held = Pick<StateRecord, "steps">;

/**
 * The agent of the longest waiting of a job's steps; undefined if none waits.
 * @param longMs a wait of this time for an agent is long
 */
export function heldUpBy({ steps }: Held, now: number, longMs: number): string | undefined {
  const waiting = runsInHand(steps).filter(({ run }) => isHeldUp(run, longAgo(now, longMs)));
  waiting.sort((one, other) => ((one.run.scheduledAt ?? "") < (other.run.scheduledAt ?? "") ? -1 : 1));
  return waiting.map(({ step }) => steps[step]?.agent)[0];
}

/** A step that its service does later waits for nobody here. */
function isHeldUp({ state, scheduledAt, waitCount, failureCount = 0 }: StepRun, before: string): boolean {
  if (state === "Scheduled") return waitCount > 0 || failureCount > 0 || (scheduledAt ?? before) < before;
  return state === "Running" && failureCount > 0;
}

/**
 * The runs that nobody is known to have taken up, and nothing but the load of app and engine is known to keep.
 * @param away the agents that are known to take no work: a wait for them is no sign of load, however long
 */
export function untakenRuns({ steps }: Held, away: ReadonlySet<string>): readonly RunInHand[] {
  return runsInHand(steps).filter(({ step, run: { state, failureCount = 0 } }) => {
    return state === "Scheduled" && failureCount === 0 && !away.has(steps[step]?.agent ?? "");
  });
}

/** Whether one of these should have been taken up; `again`: though it was scheduled again. */
export function isLate(held: Held, now: number, longMs: number, away: ReadonlySet<string>): boolean | "again" {
  const late = untakenRuns(held, away);
  if (late.some(({ run }) => run.waitCount > 0)) return "again";
  return late.some(({ run }) => isHeldUp(run, longAgo(now, longMs)));
}

const longAgo = (now: number, longMs: number) => new Date(now - longMs).toISOString();

/** How many of its steps have ended since then. */
export function endedSince({ steps }: Held, instant: string): number {
  const runs = Object.values(steps).flatMap((step) => [step, step.compensation ?? []].flat());
  return runs.filter(({ endedAt }) => endedAt !== null && endedAt >= instant).length;
}
