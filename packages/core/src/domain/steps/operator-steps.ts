// The effect of an operator's action on the records of a job's steps.
import { expiresAt } from "../record/due.ts";
import { isCompensationUnknown, isInHand, outcomeIsUnknown } from "../record/plan.ts";
import { NOT_STARTED, type StepRecord, type StepRun, type Steps } from "../record/state-record.ts";

/**
 * A step to be run again. One that an agent is at work on, or its service has accepted, goes on as it is, and the next attempt waits for it.
 * @param overdueBefore a step that expires at this instant or later may still be in progress, by some clock
 */
export function reset(step: StepRecord, overdueBefore: string): StepRecord {
  return isInHand(step) && expiresAt(step) >= overdueBefore ? step : begunAgain(step);
}

function begunAgain(step: StepRecord): StepRecord {
  switch (step.state) {
    case "Failed": {
      // A permanently rejected step had no effect, so there is nothing to compensate unless an earlier attempt timed out.
      const again = { ...step, ...NOT_STARTED, retryCount: step.retryCount };
      return outcomeIsUnknown(step) ? again : underNextKey(again);
    }
    case "Scheduled":
      return { ...step, ...NO_LONGER, waitCount: step.waitCount + 1 };
    case "Running":
    case "Awaiting":
      return { ...step, ...NO_LONGER, outcomeUnknown: step.outcomeUnknown ?? true };
    case "NotStarted":
    case "Completed":
    case "Skipped":
    case "Compensated":
      return step;
    default:
      return step.state satisfies never;
  }
}

/** The time of its scheduling stays: its outcome is unknown, so a compensation must include it. */
const NO_LONGER = { state: "NotStarted", startBy: null, completeBy: null } as const;

/** A service may remember its first answer under a key, and repeat a rejection for ever. Nothing was done under the old key. */
function underNextKey({ nonce: _ofOldKey, ...step }: StepRecord): StepRecord {
  return { ...step, generation: step.generation + 1 };
}

/** The same for a compensation that was rejected permanently. */
export function withNextCompensationKey(step: StepRecord): StepRecord {
  if (step.compensation?.state !== "Failed" || isCompensationUnknown(step)) return step;
  const { nonce: _ofOldKey, ...compensation } = step.compensation;
  return { ...step, compensation, compensationGeneration: (step.compensationGeneration ?? 1) + 1 };
}

/** Under the key of the old content a service rejects the new content. The requests so far have had no effect, and no answer to them is recorded. */
export function rekeyed(step: StepRecord, before: StepRecord): StepRecord {
  if (before.state !== "Failed" && !outcomeIsUnknown(before)) return step;
  return underNextKey(isInHand(step) ? begunAgain(step) : step);
}

/** A step of a job that was compensated. Under its old key a service would return the effect that was compensated. */
export function begunAnew(before: StepRecord): StepRecord {
  const {
    completedIn: _completed,
    outcomeUnknown: _outcomeUnknown,
    expiry: _expiry,
    skipped: _skipped,
    decided: _decided,
    nonce: _ofOldKey,
    compensationGeneration: _ofOldGeneration,
    ...step
  } = before;
  return { ...step, ...NOT_STARTED, result: null, compensation: null, generation: step.generation + 1 };
}

/**
 * A step of a job that goes forward again after a part of its compensation, of which no outcome is unknown: what is compensated begins anew, and
 * what is not compensated keeps its result. What was skipped by a fault stays skipped: a fallback may have been done in its place.
 */
export function takenForward(step: StepRecord, overdueBefore: string): StepRecord {
  if (step.state === "Skipped") return isSkippedByFault(step) ? step : begunAnew(step);
  if (step.compensation?.state === "Completed") return begunAnew(step);
  return { ...reset(withNextCompensationKey(step), overdueBefore), compensation: null };
}

const isSkippedByFault = ({ skipped }: StepRecord) => skipped?.cause === "rejected" || skipped?.cause === "expired";

/** Its failures so far are not counted any more. */
export function forgiven({ failureCount: _failures, answerCount: _answers, ...step }: StepRecord): StepRecord {
  if (!step.compensation) return step;
  const { failureCount: _ofCompensation, answerCount: _ofItsAnswers, ...compensation } = step.compensation;
  return { ...step, compensation };
}

/**
 * Steps in progress continue, and the next attempt waits for their results.
 * @param overdueBefore a step that expires at this instant or later may still be in progress, by some clock
 */
export function readyForCompensation(step: StepRecord, overdueBefore: string): StepRecord {
  const forward = isInHand(step) ? reset(step, overdueBefore) : step;
  const again = withNextCompensationKey(forward);
  const run = again.compensation;
  const isOver = run?.state === "Failed" || (isInHand(run) && expiresAt(run) < overdueBefore);
  return isOver ? { ...again, compensation: runAgain(run) } : again;
}

function runAgain(run: StepRun): StepRun {
  if (run.state === "Scheduled") return { ...run, ...NO_LONGER, waitCount: run.waitCount + 1 };
  return { ...run, ...NO_LONGER, ...(isInHand(run) && { outcomeUnknown: run.outcomeUnknown ?? true }) };
}

/** A step that is done later, in either direction, with its waiting time changed. */
export function waitsLonger(step: StepRecord, later: (completeBy: string | null) => string): StepRecord {
  const longer = <Run extends StepRun>(run: Run): Run =>
    run.state === "Awaiting" ? { ...run, completeBy: later(run.completeBy) } : run;
  return { ...longer(step), compensation: step.compensation && longer(step.compensation) };
}

export function namesOf(steps: Steps, holds: (step: StepRecord) => boolean): string[] {
  return Object.entries(steps).flatMap(([name, step]) => (holds(step) ? [name] : []));
}

export function mapSteps(steps: Steps, change: (step: StepRecord) => StepRecord): Steps {
  return Object.fromEntries(Object.entries(steps).map(([name, step]) => [name, change(step)]));
}

/** All are in UTC in one format, so their order as texts is their order in time. */
export function latest(instants: readonly (string | null | undefined)[]): string | undefined {
  return instants
    .filter((at) => at !== null && at !== undefined)
    .sort()
    .at(-1);
}
