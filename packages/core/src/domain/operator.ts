// The operator's actions on a job (P9, P11, P13), and their effect on the record.

import { after } from "./duration.ts";
import { stepOfRun } from "./items.ts";
import type { Priority } from "./job.ts";
import {
  begunAnew,
  busyUntil,
  forgiven,
  latest,
  mapSteps,
  namesOf,
  readyForCompensation,
  rekeyed,
  reset,
  waitsLonger,
} from "./operator-steps.ts";
import { mayHaveHadEffect, outcomeIsUnknown } from "./plan.ts";
import { HISTORY_LIMIT } from "./recovery.ts";
import { over, reopened } from "./retention.ts";
import { hasEnded, type JobError, type OutboxMessage, type ProcessState, type StateRecord } from "./state-record.ts";
import { OUTBOX_GRACE_MS, STATUS_OF, transitions } from "./transitions.ts";
import type { Workflow } from "./workflow.ts";

export type OperatorAction =
  | {
      readonly kind: "resubmit";
      readonly reason: string;
      /** The job's content was replaced too, by content with this priority. */
      readonly edited: { readonly priority: Priority } | null;
      /** The operator confirms that a person has compensated the steps that the job's compensation could not. */
      readonly compensatedManually: boolean;
    }
  | { readonly kind: "compensate"; readonly reason: string }
  /** For a job that has not ended: it ends at once if no step was done, and is compensated otherwise. */
  | {
      readonly kind: "cancel";
      readonly reason: string;
      /** Then its workflow may name the step from which on a cancellation is too late. */
      readonly byRequester?: boolean;
    }
  | { readonly kind: "extend"; readonly reason: string; readonly byMs: number }
  /** The remaining work is done manually: the job stays in Error, and alerts nobody any more. */
  | { readonly kind: "markResolved"; readonly reason: string };

/** The operator, the time, and the times for a new attempt. */
export interface DecisionContext {
  readonly by: string;
  readonly now: string;
  readonly claimWithinMs: number;
  readonly clockSkewMs: number;
}

export type Decision =
  /** `startAt`: until then agents of the previous attempt may still be working; null if the next may start at once. */
  | { readonly kind: "allowed"; readonly record: StateRecord; readonly startAt: string | null }
  | { readonly kind: "rejected"; readonly reason: string };

const ROWS = {
  resubmit: [
    transitions.resubmitted,
    transitions.resubmittedCompensated,
    transitions.resubmittedCancelled,
    transitions.resubmittedWhilePending,
  ],
  compensate: [
    transitions.compensationRequested,
    transitions.compensationRequestedWhilePending,
    transitions.compensationRequestedWhileRunning,
  ],
  cancel: [transitions.cancelled, transitions.compensationRequestedWhileRunning],
  extend: [transitions.extended, transitions.extendedWhilePending],
  markResolved: [transitions.markedResolved],
} as const satisfies Record<OperatorAction["kind"], readonly { from: ProcessState; to: ProcessState }[]>;

/** @param workflow the record's workflow; undefined if the app does not have it any more. */
export function decide(
  record: StateRecord,
  action: OperatorAction,
  workflow: Workflow | undefined,
  context: DecisionContext,
): Decision {
  const rows: readonly { from: ProcessState; to: ProcessState }[] = ROWS[action.kind];
  const row = rows.find(({ from }) => from === record.processState);
  if (!row) {
    const states = rows.map(({ from }) => from).join(" or ");
    return rejected(`${action.kind} is for a job that is ${states}; this one is ${record.processState}`);
  }
  const brings = action.kind === "resubmit" && action.edited !== null;
  if (record.keptUntil && !brings) {
    return rejected("it is closed, and its secrets are removed: resubmit it with content that has new ones");
  }
  if (action.kind === "markResolved") return markResolved(record, action, row.to, context);
  if (action.kind === "cancel" && isUntouched(record)) return cancelAtOnce(record, action, context);
  if (!workflow) {
    const { name, version } = record.workflow;
    return rejected(`workflow ${name} v${version}, which the job needs, is no longer here`);
  }
  switch (action.kind) {
    case "resubmit":
      return resubmit(record, action, workflow, row.to, context);
    case "compensate":
      return compensate(record, action, row.to, context);
    case "cancel":
      return cancel(record, action, workflow, context);
    case "extend":
      return extend(record, action, row.to, context);
    default:
      return action satisfies never;
  }
}

type Resubmit = Extract<OperatorAction, { kind: "resubmit" }>;
type Compensate = Extract<OperatorAction, { kind: "compensate" }>;
type Cancel = Extract<OperatorAction, { kind: "cancel" }>;
type Extend = Extract<OperatorAction, { kind: "extend" }>;
type MarkResolved = Extract<OperatorAction, { kind: "markResolved" }>;

/** Its compensation has ended, so the job may begin again. */
function isCompensationOver({ processState, error }: StateRecord): boolean {
  if (processState !== "Error") return hasEnded(processState);
  return error?.kind === "compensationIncomplete" || error?.kind === "resolved";
}

function resubmit(
  record: StateRecord,
  { reason, edited, compensatedManually }: Resubmit,
  workflow: Workflow,
  to: ProcessState,
  context: DecisionContext,
): Decision {
  const anew = record.direction === "compensate";
  if (anew && !isCompensationOver(record)) {
    return rejected(
      "its compensation has not come to an end: ask for the compensation again, and resubmit what is compensated",
    );
  }
  const manual = record.error?.kind === "compensationIncomplete";
  if (manual && !compensatedManually) {
    const left = record.error?.message ?? "what its compensation left";
    return rejected(`${left}: have it compensated, then resubmit with "compensatedManually": true`);
  }
  const harmless = workflow.steps.flatMap(({ name, compensation }) => (compensation === "nothing" ? [name] : []));
  const unknown = anew || !edited ? [] : namesOf(record.steps, outcomeIsUnknown);
  const uncertain = unknown.filter((name) => !harmless.includes(stepOfRun(name)));
  if (uncertain.length > 0) {
    // Under the same key a service would reject the new content or return the result of the old; under another key it could do the work twice.
    const steps = uncertain.join(", ");
    return rejected(
      `whether ${steps} took effect with the job as it was is not known: resubmit it unchanged, or compensate it first`,
    );
  }
  const steps = mapSteps(mapSteps(record.steps, forgiven), (step) => {
    if (anew) return begunAnew(step);
    return edited ? rekeyed(reset(step), step) : reset(step);
  });
  const next = nextAttempt(record, to, context, busyUntil(record));
  const { attempt } = next.record;
  const content = edited ? `, job revision ${record.jobRevision + 1}` : "";
  const from = `${anew ? " from the start" : ""}${manual ? ", the rest compensated manually" : ""}`;
  return {
    ...next,
    record: {
      ...next.record,
      direction: "forward",
      steps,
      error: null,
      ...(edited && { jobRevision: record.jobRevision + 1, priority: edited.priority }),
      outbox: [...next.record.outbox, { status: "RetryScheduled", attempt, at: context.now }],
      history: remembered(record, context, `resubmitted${from}, attempt ${attempt}${content}: ${reason}`),
    },
  };
}

function compensate(record: StateRecord, { reason }: Compensate, to: ProcessState, context: DecisionContext): Decision {
  const obstacle = obstacleToCompensation(record);
  if (obstacle !== undefined) return rejected(obstacle);
  const asked = errorOf("compensationRequested", `${context.by} asked for it: ${reason}`, context);
  // The client is notified of the cause at the end.
  return toBeCompensated(record, record.error ?? asked, to, reason, context);
}

function obstacleToCompensation({ processState, direction, error, steps }: StateRecord): string | undefined {
  if (direction === "forward") {
    return undefined;
  }
  if (processState === "Processing") return "it is being compensated already";
  // It waits, and continues at once.
  if (processState === "Pending") return undefined;
  if (error?.kind === "resolved") return "it is marked resolved: what was left was done manually";
  const open = namesOf(steps, ({ compensation: run }) => run?.state === "Failed");
  if (error?.kind === "compensationIncomplete" && open.length === 0)
    return "what is left of it can only be compensated manually";
  return undefined;
}

function toBeCompensated(
  record: StateRecord,
  error: JobError,
  to: ProcessState,
  reason: string,
  context: DecisionContext,
): Decision {
  const next = nextAttempt(record, to, context, record.busyUntil);
  const overdueBefore = after(context.now, -context.clockSkewMs);
  return {
    ...next,
    record: {
      ...next.record,
      direction: "compensate",
      steps: mapSteps(mapSteps(record.steps, forgiven), (step) => readyForCompensation(step, overdueBefore)),
      error,
      history: remembered(record, context, `to be compensated, attempt ${next.record.attempt}: ${reason}`),
    },
  };
}

/** No step was done, and no attempt is about to start one: a later claim loses to this write. */
function isUntouched({ processState, direction, steps }: StateRecord): boolean {
  return processState === "Pending" && direction === "forward" && namesOf(steps, mayHaveHadEffect).length === 0;
}

function cancelAtOnce(record: StateRecord, { reason }: Cancel, context: DecisionContext): Decision {
  const { to } = transitions.cancelled;
  const { by, now } = context;
  const cancelled: StateRecord = {
    ...record,
    processState: to,
    lockedBy: null,
    completeBy: null,
    dueAt: after(now, OUTBOX_GRACE_MS),
    error: errorOf("cancelled", `cancelled by ${by}: ${reason}`, context),
    outbox: [...owed(record), { status: STATUS_OF[to], attempt: record.attempt, at: now }],
    history: remembered(record, context, `cancelled: ${reason}`),
    updatedAt: now,
  };
  return { kind: "allowed", record: cancelled, startAt: null };
}

function cancel(
  record: StateRecord,
  { reason, byRequester = false }: Cancel,
  { cancelUntil }: Workflow,
  context: DecisionContext,
): Decision {
  if (record.direction === "compensate") return rejected("it is being compensated already");
  const hasBegun = namesOf(record.steps, mayHaveHadEffect).some((run) => stepOfRun(run) === cancelUntil);
  if (byRequester && hasBegun) return rejected(`it is too late: ${cancelUntil} has begun`);
  const { processState } = record;
  const { to } =
    processState === "Pending"
      ? transitions.compensationRequestedWhilePending
      : transitions.compensationRequestedWhileRunning;
  const cancelled = errorOf("cancelled", `cancelled by ${context.by}: ${reason}`, context);
  return toBeCompensated(record, cancelled, to, `cancelled: ${reason}`, context);
}

function markResolved(
  record: StateRecord,
  { reason }: MarkResolved,
  to: ProcessState,
  context: DecisionContext,
): Decision {
  const { error } = record;
  if (error?.kind === "resolved") return rejected("it is marked resolved already");
  const message = `${reason}; before: ${error?.message ?? "unknown"}`;
  const { step = null, agent = null } = error ?? {};
  const resolved: StateRecord = {
    ...record,
    processState: to,
    error: { kind: "resolved", message, step, agent, at: context.now },
    history: remembered(record, context, `marked resolved: ${reason}`),
    updatedAt: context.now,
  };
  return { kind: "allowed", record: { ...resolved, ...over(resolved, context.now) }, startAt: null };
}

/** Extends the supervisor's deadline. Working agents keep their time; a step that is done later may wait for this much longer. */
function extend(record: StateRecord, { reason, byMs }: Extend, to: ProcessState, context: DecisionContext): Decision {
  const laterThan = (at: string | null | undefined) => after(latest([context.now, at]) ?? context.now, byMs);
  const later = laterThan(record.dueAt);
  const extended: StateRecord = {
    ...record,
    steps: mapSteps(record.steps, (step) => waitsLonger(step, laterThan)),
    processState: to,
    completeBy: record.completeBy === null ? null : later,
    dueAt: later,
    history: remembered(record, context, `time extended to ${later}: ${reason}`),
    updatedAt: context.now,
  };
  return { kind: "allowed", record: extended, startAt: null };
}

/**
 * Pending for its next attempt, with no failures counted.
 * @param busy until when agents unknown to the attempt may be working
 */
function nextAttempt(
  record: StateRecord,
  processState: ProcessState,
  { now, claimWithinMs, clockSkewMs }: DecisionContext,
  busy: string | undefined,
) {
  const { busyUntil: _before, ...rest } = reopened(record);
  // Two attempts never overlap: a running step times out at its complete-by, by its own clock.
  const timesOutAt = busy === undefined ? now : after(busy, clockSkewMs);
  const isBusy = timesOutAt > now;
  const startAt = isBusy ? timesOutAt : null;
  const claimBy = after(startAt ?? now, claimWithinMs);
  const pending: StateRecord = {
    ...rest,
    processState,
    lockedBy: null,
    completeBy: claimBy,
    dueAt: claimBy,
    failureCount: 0,
    attempt: record.attempt + 1,
    ...(isBusy && busy && { busyUntil: busy }),
    outbox: owed(record),
    updatedAt: now,
  };
  return { kind: "allowed", record: pending, startAt } as const;
}

/** The statuses that the client must receive first: for a job without a claim, not even Received may have been sent. */
function owed({ processState, attempt, createdAt, outbox }: StateRecord): readonly OutboxMessage[] {
  if (processState !== "Pending" || attempt !== 1) return outbox;
  return [{ status: "Received", attempt, at: createdAt }, ...outbox];
}

/** The error is not a step's fault. */
function errorOf(kind: JobError["kind"], message: string, { now: at }: DecisionContext): JobError {
  return { kind, message, step: null, agent: null, at };
}

function remembered(record: StateRecord, { by, now }: DecisionContext, what: string): StateRecord["history"] {
  return [...record.history, { at: now, what, by }].slice(-HISTORY_LIMIT);
}

const rejected = (reason: string): Decision => ({ kind: "rejected", reason });
