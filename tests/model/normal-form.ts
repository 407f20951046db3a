// A state record with all that no decision depends on brought to one form, so that records that behave alike are equal.
import type { OrderError, StateRecord, StepRecord, StepRun } from "../../shared/domain/state-record.ts";
import { LONG_AGO, NOW_MS } from "./abstract-time.ts";

export const OPERATOR = "operator";

export function normalForm(record: StateRecord): StateRecord {
  const { workflow, dueAt, busyUntil } = record;
  return {
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
  const { agent, result, completedIn, undo, generation } = step;
  const completed = completedIn !== undefined && { completedIn };
  return { ...normalRun(step), agent, result, ...completed, undo: undo && normalRun(undo), generation };
}

/** Of `retryCount` and `startedAt` only "none or some" is ever asked, and so of complete-by unless the step runs. */
function normalRun({ state, completeBy, retryCount, startedAt }: StepRun): StepRun {
  return {
    state,
    completeBy: completeBy === null || state === "Running" ? completeBy : LONG_AGO,
    retryCount: Math.min(retryCount, 1),
    error: null,
    endpoint: null,
    because: null,
    startedAt: startedAt === null ? null : LONG_AGO,
    endedAt: null,
  };
}

function normalError({ kind, step, agent }: OrderError): OrderError {
  return { kind, message: "", step, agent, at: LONG_AGO };
}
