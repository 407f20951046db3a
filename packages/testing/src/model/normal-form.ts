// A state record with all that no decision depends on brought to one form, so that records that behave alike are equal.

import {
  type Direction,
  type Expiry,
  isInHand,
  type JobError,
  mayHaveHadEffect,
  runOf,
  type StateRecord,
  type StepRecord,
  type StepRun,
  type Steps,
} from "@scheduler-agent-supervisor/core/domain";
import { DEADLINE_AHEAD, LONG_AGO, NOW_MS } from "./abstract-time.ts";

export const OPERATOR = "operator";

/** The record waits for an attempt that the client is to hear of. */
export const isAnnounced = ({ processState, attempt, retryScheduled }: StateRecord): boolean =>
  processState === "Pending" && retryScheduled?.attempt === attempt;

/** @param isReduced without what no decision reads any more: see reduction.ts */
export function normalForm(record: StateRecord, isReduced = false): StateRecord {
  const { workflow, dueAt, thenForward, deadlineAt } = record;
  return {
    schemaVersion: record.schemaVersion,
    jobId: record.jobId,
    keys: {},
    contentDigest: "",
    workflow: { name: workflow.name, version: workflow.version },
    processState: record.processState,
    lockedBy: record.lockedBy,
    completeBy: record.completeBy,
    // No workflow here limits the failures of all steps together, so no decision reads their sum.
    failureCount: isReduced ? 0 : record.failureCount,
    attempt: record.attempt,
    direction: record.direction,
    ...(thenForward && { thenForward }),
    jobRevision: record.jobRevision,
    priority: record.priority,
    replyTo: record.replyTo,
    replyToSessionId: record.replyToSessionId,
    correlationId: record.correlationId,
    traceparent: record.traceparent,
    steps: Object.fromEntries(
      Object.entries(record.steps).map(([name, step]) => [
        name,
        isReduced ? withoutWhatIsDone(normalStep(step), record.direction) : normalStep(step),
      ]),
    ),
    error: record.error && normalError(record.error, isReduced),
    ...(dueAt !== undefined && { dueAt }),
    ...(deadlineAt && { deadlineAt: Date.parse(deadlineAt) > NOW_MS ? DEADLINE_AHEAD : LONG_AGO }),
    // Once it is over nobody asks for it any more.
    // By its entry an operator's write whose answer was lost is known again.
    history: record.history.filter(({ by }) => by === OPERATOR),
    outbox: record.outbox.map(({ status, attempt, step }) => ({
      status,
      attempt,
      at: LONG_AGO,
      ...(step && { step }),
    })),
    // Only whoever starts the attempt that the record waits for asks for it.
    ...(isAnnounced(record) && { retryScheduled: { attempt: record.attempt, at: LONG_AGO } }),
    createdAt: LONG_AGO,
    updatedAt: LONG_AGO,
  };
}

function normalStep(step: StepRecord): StepRecord {
  const { agent, result, completedIn, compensation, skipped, generation, compensationGeneration, decided } = step;
  const { item, listedAt, listFault } = step;
  const completed = completedIn !== undefined && { completedIn };
  return {
    ...normalRun(step),
    agent,
    result,
    ...completed,
    compensation: compensation && normalRun(compensation),
    ...(decided && { decided: { ...decided, at: LONG_AGO } }),
    ...(skipped && { skipped: { cause: skipped.cause, message: "" } }),
    ...(item && { item }),
    ...(listedAt !== undefined && { listedAt: LONG_AGO }),
    ...(listFault !== undefined && { listFault }),
    generation,
    ...(compensationGeneration !== undefined && { compensationGeneration }),
  };
}

/**
 * Of `retryCount`, `waitCount` and `scheduledAt` only "none or some" is ever asked (`mostTimesRescheduled` is beyond these worlds), and so of the other
 * times unless the step is in hand. Of an expiry only whether there is one, and whether it is this attempt's.
 */
function normalRun(run: StepRun): StepRun {
  const { state, attempt, nonce, scheduledAt, startBy, completeBy, notBefore, retryCount, failureCount = 0 } = run;
  const { outcomeUnknown, accepted, waitCount, expiry } = run;
  const isOpen = state === "NotStarted";
  const isNobodys = isOpen || state === "Compensated";
  return {
    state,
    // A step that is to be begun is nobody's, and so is one that was compensated.
    ...(!isNobodys && attempt !== undefined && { attempt }),
    ...(!isNobodys && nonce !== undefined && { nonce }),
    ...(isOpen && notBefore !== undefined && { notBefore }),
    scheduledAt: scheduledAt === null ? null : LONG_AGO,
    startBy: startBy === null || isInHand(run) ? startBy : LONG_AGO,
    completeBy: completeBy === null || isInHand(run) ? completeBy : LONG_AGO,
    retryCount: Math.min(retryCount, 1),
    waitCount: Math.min(waitCount, 1),
    ...(failureCount > 0 && { failureCount }),
    ...(expiry && { expiry: normalExpiry(expiry, isNobodys ? undefined : attempt) }),
    ...(outcomeUnknown !== undefined && { outcomeUnknown }),
    // Until when it was accepted makes no pause longer than the service wants.
    ...(state === "Awaiting" &&
      accepted?.pollAt !== undefined && { accepted: { at: LONG_AGO, pollAt: accepted.pollAt } }),
    error: null,
    endpoint: null,
    because: null,
    startedAt: null,
    endedAt: null,
  };
}

const normalExpiry = ({ attempt }: Expiry, own: number | undefined): Expiry => ({
  at: LONG_AGO,
  attempt: attempt === own ? attempt : OVER,
  tries: 0,
  endpoint: null,
  message: "",
});

/** How a run came to its end is never asked again; of what a compensation finds, only whether it may have had an effect. */
function withoutWhatIsDone(given: StepRecord, direction: Direction): StepRecord {
  // In a compensation nobody asks what a step failed on its way forward.
  const step = direction === "forward" ? given : { ...given, failureCount: undefined };
  const { compensation } = step;
  const compensated =
    compensation?.state === "Completed" ? { ...compensation, retryCount: 0, failureCount: undefined } : compensation;
  switch (step.state) {
    case "Completed":
    case "Skipped":
    case "Compensated":
      return { ...step, retryCount: 0, failureCount: undefined, compensation: compensated };
    case "NotStarted":
    case "Failed":
      if (direction === "forward" || !mayHaveHadEffect(step)) return { ...step, compensation: compensated };
      return { ...step, scheduledAt: LONG_AGO, retryCount: 1, compensation: compensated };
    default:
      return { ...step, compensation: compensated };
  }
}

function normalError({ kind, step, agent, cause }: JobError, isReduced: boolean): JobError {
  const of = isReduced ? { step: null, agent: null } : { step, agent };
  const led = cause && { cause: normalError(cause, isReduced) };
  return { kind, message: "", ...of, at: LONG_AGO, ...led };
}

/** In the place of the attempt that completed a step, once the client was told so: it only names that message. */
const PUBLISHED = 0;

/** The record without the names of messages that the client has had: itself where it has none. */
export function withoutPublished(record: StateRecord, isOwed: (step: string, attempt: number) => boolean): StateRecord {
  const isPublished = (name: string, { completedIn = PUBLISHED }: StepRecord) =>
    completedIn !== PUBLISHED && !isOwed(name, completedIn);
  if (!Object.entries(record.steps).some(([name, step]) => isPublished(name, step))) return record;
  const steps = mapSteps(record.steps, (name, step) =>
    isPublished(name, step) ? { ...step, completedIn: PUBLISHED } : step,
  );
  return { ...record, steps };
}

/** A record that goes back to what was read before the client was told, as it would be now. */
export function publishedAs(before: StateRecord, after: StateRecord): StateRecord {
  const steps = mapSteps(after.steps, (name, step) => {
    const isPublished = before.steps[name]?.completedIn === PUBLISHED && step.completedIn !== undefined;
    return isPublished ? { ...step, completedIn: PUBLISHED } : step;
  });
  return { ...after, steps };
}

/** A deadline that has passed does not lie ahead again because an operation that read it before writes what it read. */
export function withPassedDeadline(before: StateRecord, after: StateRecord): StateRecord {
  return isPastDeadline(before) && after.deadlineAt === DEADLINE_AHEAD ? { ...after, deadlineAt: LONG_AGO } : after;
}

export const isPastDeadline = ({ deadlineAt }: Pick<StateRecord, "deadlineAt">): boolean =>
  Boolean(deadlineAt) && Date.parse(deadlineAt as string) < NOW_MS;

/** In the place of the attempt that scheduled a run which has come to its end, where nobody asks for it any more. */
const OVER = 0;

const isOver = ({ state }: StepRun) => state === "Completed" || state === "Skipped" || state === "Failed";

function mapRuns(steps: Steps, change: (run: StepRun, step: string, direction: Direction) => StepRun): Steps {
  return mapSteps(steps, (name, step) => ({
    ...step,
    ...change(withoutCompensation(step), name, "forward"),
    compensation: step.compensation && change(step.compensation, name, "compensate"),
  }));
}

const withoutCompensation = ({ compensation: _, ...step }: StepRecord): StepRun => step;

/**
 * The record without the attempts of runs that are over, but those of which somebody may still ask whether it was theirs: itself
 * where there are none.
 */
export function withoutOver(
  record: StateRecord,
  isAsked: (step: string, direction: Direction, attempt: number) => boolean,
): StateRecord {
  const isForgotten = (run: StepRun | null, step: string, direction: Direction) =>
    run !== null && isOver(run) && (run.attempt ?? OVER) !== OVER && !isAsked(step, direction, run.attempt ?? OVER);
  const isAnyForgotten = Object.entries(record.steps).some(
    ([name, step]) => isForgotten(step, name, "forward") || isForgotten(step.compensation, name, "compensate"),
  );
  if (!isAnyForgotten) return record;
  const steps = mapRuns(record.steps, (run, step, direction) =>
    isForgotten(run, step, direction) ? { ...run, attempt: OVER } : run,
  );
  return { ...record, steps };
}

/** A record that goes back to what was read without them, with those that stand there. */
export function withOver(before: StateRecord, after: StateRecord): StateRecord {
  const steps = mapRuns(after.steps, (run, step, direction) => {
    const was = runOf(before.steps[step], direction);
    return isOver(run) && run.attempt === OVER && was && isOver(was) ? { ...run, attempt: was.attempt } : run;
  });
  return { ...after, steps };
}

function mapSteps(steps: Steps, change: (name: string, step: StepRecord) => StepRecord): Steps {
  return Object.fromEntries(Object.entries(steps).map(([name, step]) => [name, change(name, step)]));
}
