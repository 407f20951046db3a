// A state record with all that no decision depends on brought to one form, so that records that behave alike are equal.

import { isInHand } from "../../shared/domain/plan.ts";
import type { OrderError, StateRecord, StepRecord, StepRun } from "../../shared/domain/state-record.ts";
import { LONG_AGO, NOW_MS } from "./abstract-time.ts";

export const OPERATOR = "operator";

export function normalForm(record: StateRecord): StateRecord {
  const { workflow, dueAt, busyUntil } = record;
  return {
    schemaVersion: record.schemaVersion,
    orderId: record.orderId,
    workflow: { name: workflow.name, version: workflow.version },
    processState: record.processState,
    lockedBy: record.lockedBy,
    completeBy: record.completeBy,
    failureCount: record.failureCount,
    attempt: record.attempt,
    direction: record.direction,
    orderRevision: record.orderRevision,
    priority: record.priority,
    replyTo: record.replyTo,
    replyToSessionId: record.replyToSessionId,
    correlationId: record.correlationId,
    traceparent: record.traceparent,
    steps: Object.fromEntries(Object.entries(record.steps).map(([name, step]) => [name, normalStep(step)])),
    error: record.error && normalError(record.error),
    ...(dueAt !== undefined && { dueAt }),
    // Once it is over nobody asks for it any more.
    ...(busyUntil !== undefined && Date.parse(busyUntil) > NOW_MS && { busyUntil }),
    // By its entry an operator's write whose answer was lost is known again.
    history: record.history.filter(({ by }) => by === OPERATOR),
    notices: record.notices.map(({ status, attempt, step }) => ({
      status,
      attempt,
      at: LONG_AGO,
      ...(step && { step }),
    })),
    createdAt: LONG_AGO,
    updatedAt: LONG_AGO,
  };
}

function normalStep(step: StepRecord): StepRecord {
  const { agent, result, completedIn, undo, unsure, generation } = step;
  const completed = completedIn !== undefined && { completedIn };
  return {
    ...normalRun(step),
    agent,
    result,
    ...completed,
    undo: undo && normalRun(undo),
    ...(unsure && { unsure }),
    generation,
  };
}

/** Of `retryCount` and `scheduledAt` only "none or some" is ever asked, and so of the other times unless the step is in hand. */
function normalRun(run: StepRun): StepRun {
  const { state, scheduledAt, startBy, completeBy, retryCount } = run;
  return {
    state,
    scheduledAt: scheduledAt === null ? null : LONG_AGO,
    startBy: startBy === null || isInHand(run) ? startBy : LONG_AGO,
    completeBy: completeBy === null || isInHand(run) ? completeBy : LONG_AGO,
    retryCount: Math.min(retryCount, 1),
    // Here the time for taking up does not grow.
    waitCount: 0,
    error: null,
    endpoint: null,
    because: null,
    startedAt: null,
    endedAt: null,
  };
}

function normalError({ kind, step, agent }: OrderError): OrderError {
  return { kind, message: "", step, agent, at: LONG_AGO };
}
