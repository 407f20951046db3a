// Which agent an unfinished job waits for (P26): one that does not take its step up, or that could not do it before.

import { runsInHand } from "./plan.ts";
import type { StateRecord, StepRun } from "./state-record.ts";

/**
 * The agent of the longest waiting of a job's steps; undefined if none waits.
 * @param longMs a wait of this time for an agent is long
 */
export function heldUpBy({ steps }: Pick<StateRecord, "steps">, now: number, longMs: number): string | undefined {
  const before = new Date(now - longMs).toISOString();
  const waiting = runsInHand(steps).filter(({ run }) => isHeldUp(run, before));
  waiting.sort((one, other) => ((one.run.scheduledAt ?? "") < (other.run.scheduledAt ?? "") ? -1 : 1));
  return waiting.map(({ step }) => steps[step]?.agent)[0];
}

/** A step that its service does later waits for nobody here. */
function isHeldUp({ state, scheduledAt, waitCount, failureCount = 0 }: StepRun, before: string): boolean {
  if (state === "Scheduled") return waitCount > 0 || failureCount > 0 || (scheduledAt ?? before) < before;
  return state === "Running" && failureCount > 0;
}

/** Whether a step should have been taken up, and nothing but the load of app and engine is known to keep it: it waits for the first time. */
export function isLate({ steps }: Pick<StateRecord, "steps">, now: number, longMs: number): boolean {
  const before = new Date(now - longMs).toISOString();
  return runsInHand(steps).some(
    ({ run: { state, scheduledAt, waitCount, failureCount = 0 } }) =>
      state === "Scheduled" && waitCount === 0 && failureCount === 0 && scheduledAt !== null && scheduledAt < before,
  );
}
