// The operator's actions on a job (P9, P11, P13), and their effect on the record.

import { stepOfRun } from "../definition/items.ts";
import type { Workflow } from "../definition/workflow.ts";
import { after } from "../duration.ts";
import { withoutDeadline } from "../record/deadline.ts";
import { OUTBOX_GRACE_MS, owed } from "../record/outbox.ts";
import { mayHaveHadEffect, runsInHand, uncompensated } from "../record/plan.ts";
import { remindersOf } from "../record/reminder.ts";
import { over } from "../record/retention.ts";
import type { ProcessState, StateRecord } from "../record/state-record.ts";
import {
  allowed,
  attemptInWords,
  causeOfCompensation,
  type Decision,
  type DecisionContext,
  errorOf,
  historyWith,
  rejection,
  toBeCompensated,
} from "../recovery/next-attempt.ts";
import { latest, mapSteps, namesOf, waitsLonger } from "../steps/operator-steps.ts";
import { STATUS_OF, transitions } from "../steps/transitions.ts";
import type { OperatorAction } from "./operator-action.ts";
import { recordOutcome } from "./record-outcome.ts";
import { resubmit } from "./resubmit.ts";

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
  recordOutcome: [transitions.outcomeRecorded, transitions.outcomeRecordedWhilePending],
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
    return rejection(`${action.kind} is for one that is ${states}; this one is ${record.processState}`);
  }
  const brings = action.kind === "resubmit" && action.edited !== null;
  if (record.keptUntil && !brings) {
    return rejection("it is closed, and its secrets are removed: resubmit it with content that has new ones");
  }
  if (action.kind === "markResolved") return markResolved(record, action, row.to, context);
  if (action.kind === "cancel" && isUntouched(record)) return cancelAtOnce(record, action, context);
  if (!workflow) {
    const { name, version } = record.workflow;
    return rejection(
      `workflow ${name} v${version}, which it needs, is not in this app: deploy a version that has it, or mark it resolved`,
    );
  }
  switch (action.kind) {
    case "resubmit":
      return resubmit(record, { action, workflow, to: row.to, context });
    case "compensate":
      return compensate(record, action, row.to, context);
    case "cancel":
      return cancel(record, action, workflow, context);
    case "extend":
      return extend(record, action, row.to, context);
    case "recordOutcome":
      return recordOutcome(record, { action, workflow, to: row.to, context });
    default:
      return action satisfies never;
  }
}

type Compensate = Extract<OperatorAction, { kind: "compensate" }>;
type Cancel = Extract<OperatorAction, { kind: "cancel" }>;
type Extend = Extract<OperatorAction, { kind: "extend" }>;
type MarkResolved = Extract<OperatorAction, { kind: "markResolved" }>;

function compensate(record: StateRecord, { reason }: Compensate, to: ProcessState, context: DecisionContext): Decision {
  const obstacle = obstacleToCompensation(record);
  if (obstacle !== undefined) return rejection(obstacle);
  const error = causeOfCompensation(record, reason, context);
  const words = `to be compensated, ${attemptInWords(record)}: ${reason}`;
  return allowed(toBeCompensated(record, { error, to, words }, context));
}

function obstacleToCompensation({
  processState,
  direction,
  error,
  steps,
  thenForward,
}: StateRecord): string | undefined {
  if (direction === "forward" || thenForward) return undefined;
  if (processState === "Processing") return "it is being compensated already";
  // It waits, and continues at once.
  if (processState === "Pending") return undefined;
  if (error?.kind === "resolved") return "it is marked resolved: what was left was done manually";
  if (error?.kind === "compensationIncomplete" && uncompensated(steps).length === 0)
    return "what is left of it can only be compensated manually";
  return undefined;
}

/** No step was done, and no attempt is about to start one: a later claim loses to this write. */
function isUntouched({ processState, direction, steps }: StateRecord): boolean {
  return processState === "Pending" && direction === "forward" && namesOf(steps, mayHaveHadEffect).length === 0;
}

function cancelAtOnce(record: StateRecord, { reason }: Cancel, context: DecisionContext): Decision {
  const { to } = transitions.cancelled;
  const { by, now } = context;
  return allowed({
    ...withoutDeadline(record),
    processState: to,
    lockedBy: null,
    completeBy: null,
    dueAt: after(now, OUTBOX_GRACE_MS),
    error: errorOf("cancelled", `cancelled by ${by}: ${reason}`, context),
    outbox: [...owed(record), { status: STATUS_OF[to], attempt: record.attempt, at: now }],
    history: historyWith(record, context, `cancelled: ${reason}`),
    updatedAt: now,
  });
}

function cancel(
  record: StateRecord,
  { reason, byRequester = false }: Cancel,
  { cancelUntil }: Workflow,
  context: DecisionContext,
): Decision {
  if (record.direction === "compensate" && !record.thenForward) return rejection("it is being compensated already");
  const hasBegun = namesOf(record.steps, mayHaveHadEffect).some((run) => stepOfRun(run) === cancelUntil);
  if (byRequester && hasBegun) return rejection(`it is too late: ${cancelUntil} has begun`);
  const { processState } = record;
  const { to } =
    processState === "Pending"
      ? transitions.compensationRequestedWhilePending
      : transitions.compensationRequestedWhileRunning;
  const error = errorOf("cancelled", `cancelled by ${context.by}: ${reason}`, context);
  const words = `to be compensated, ${attemptInWords(record)}: cancelled: ${reason}`;
  return allowed(toBeCompensated(record, { error, to, words }, context));
}

function markResolved(
  record: StateRecord,
  { reason }: MarkResolved,
  to: ProcessState,
  context: DecisionContext,
): Decision {
  const { error } = record;
  if (error?.kind === "resolved") return rejection("it is marked resolved already");
  const message = `${reason}; before: ${error?.message ?? "unknown"}`;
  const { step = null, agent = null } = error ?? {};
  const resolved: StateRecord = {
    ...record,
    processState: to,
    error: { kind: "resolved", message, step, agent, at: context.now },
    history: historyWith(record, context, `marked resolved: ${reason}`),
    updatedAt: context.now,
  };
  return allowed({ ...resolved, ...over(resolved, context.now) });
}

/** A reminder is sent at half of the longer time, if nothing but reports is awaited: of other steps the record alone has the longer time. */
function orReminder(later: string, { steps, direction, processState }: StateRecord): string {
  const waits = processState === "Processing" && runsInHand(steps).every(({ run }) => run.state === "Awaiting");
  const [first = later] = waits ? [...remindersOf(steps, direction)].sort() : [];
  return first < later ? first : later;
}

/** Extends the time until the supervisor acts, and the job's own deadline. Working agents keep their time; a step that is done later may wait for this much longer. */
function extend(
  record: StateRecord,
  { reason, byMs, only }: Extend,
  to: ProcessState,
  context: DecisionContext,
): Decision {
  const laterThan = (at: string | null | undefined) => after(latest([context.now, at]) ?? context.now, byMs);
  const { deadlineAt } = record;
  const deadline = deadlineAt ? { deadlineAt: laterThan(deadlineAt) } : {};
  if (only === "deadline") {
    if (!deadline.deadlineAt) return rejection("it has no deadline");
    const history = historyWith(record, context, `deadline extended to ${deadline.deadlineAt}: ${reason}`);
    return allowed({ ...record, ...deadline, history, updatedAt: context.now });
  }
  const later = laterThan(record.dueAt);
  const steps = mapSteps(record.steps, (step) => waitsLonger(step, laterThan));
  return allowed({
    ...record,
    steps,
    processState: to,
    completeBy: record.completeBy === null ? null : later,
    dueAt: orReminder(later, { ...record, steps }),
    ...deadline,
    history: historyWith(record, context, `time extended to ${later}: ${reason}`),
    updatedAt: context.now,
  });
}
