// A person's answer where the outcome of a step is unknown (P9, P32): it was done, with this result, or it was not done; then the job goes on.

import type { Workflow } from "../definition/workflow.ts";
import { expiresAt } from "../record/due.ts";
import { owed } from "../record/outbox.ts";
import { isCompensationUnknown, isInHand, outcomeIsUnknown, runOf } from "../record/plan.ts";
import {
  type Direction,
  NOT_STARTED,
  type ProcessState,
  type StateRecord,
  type StepRecord,
} from "../record/state-record.ts";
import {
  allowed,
  type Decision,
  type DecisionContext,
  historyWith,
  overdueBeforeOf,
  rejection,
} from "../recovery/next-attempt.ts";
import { remainingInWords } from "../steps/ending.ts";
import { done, withRun } from "../steps/step-run.ts";
import { transitions } from "../steps/transitions.ts";
import type { OperatorAction } from "./operator-action.ts";
import { resubmit } from "./resubmit.ts";

type RecordOutcome = Extract<OperatorAction, { kind: "recordOutcome" }>;

interface Asked {
  readonly action: RecordOutcome;
  readonly workflow: Workflow;
  readonly to: ProcessState;
  readonly context: DecisionContext;
}

/** A run whose outcome is unknown, and nobody is at work on it. */
export interface UnknownOutcome {
  readonly step: string;
  readonly direction: Direction;
}

/** Those that a person may record now. */
export function unknownOutcomes(record: StateRecord, context: DecisionContext): UnknownOutcome[] {
  return Object.keys(record.steps).flatMap((step) =>
    (["forward", "compensate"] as const).flatMap((direction) =>
      obstacleTo(record, { step, direction }, context) === undefined ? [{ step, direction }] : [],
    ),
  );
}

/** The direction that is meant if a request names none. */
export function unknownDirection(step: StepRecord | undefined): Direction {
  return step && isCompensationUnknown(step) ? "compensate" : "forward";
}

export function recordOutcome(record: StateRecord, { action, workflow, to, context }: Asked): Decision {
  const { step: name, outcome, reason } = action;
  const direction = action.direction ?? unknownDirection(record.steps[name]);
  const obstacle = obstacleTo(record, { step: name, direction }, context);
  const step = record.steps[name];
  if (obstacle !== undefined || !step) return rejection(obstacle ?? `it has no step ${name}`);
  const known = {
    ...record,
    steps: { ...record.steps, [name]: withOutcome(step, direction, record, action, context) },
  };
  const which = direction === "forward" ? name : `compensation of ${name}`;
  const words = `${which}: recorded as ${outcome === "done" ? "done" : "not done"}: ${reason}`;
  const withWords = { ...known, history: historyWith(record, context, words), updatedAt: context.now };
  if (record.processState === "Pending") return allowed(withStatus(withWords, name, context));
  const plainly = { kind: "resubmit", reason, edited: null, compensatedManually: false } as const;
  const onward = resubmit(withWords, { action: plainly, workflow, to, context });
  if (onward.kind === "allowed") return onward;
  // What is left can only be compensated manually: the operator's other actions are for that.
  return allowed({ ...withWords, ...stillInError(withWords, workflow) });
}

function obstacleTo(
  record: StateRecord,
  { step: name, direction }: UnknownOutcome,
  context: DecisionContext,
): string | undefined {
  const step = record.steps[name];
  if (!step) return `it has no step ${name}`;
  const which = direction === "forward" ? name : `the compensation of ${name}`;
  if (!(direction === "forward" ? outcomeIsUnknown(step) : isCompensationUnknown(step)))
    return `the outcome of ${which} is not unknown`;
  if (direction === "forward" && step.compensation && isInHand(step.compensation))
    return `the compensation of ${name} is in progress`;
  if (record.error?.kind === "resolved") return "it is marked resolved: what was left was done manually";
  const run = runOf(step, direction);
  const until = isInHand(run) ? expiresAt(run) : "";
  return until >= overdueBeforeOf(context) ? `an agent may still be at work on ${which}, until ${until}` : undefined;
}

function withOutcome(
  step: StepRecord,
  direction: Direction,
  { attempt }: StateRecord,
  { outcome, reason, result = {} }: RecordOutcome,
  { by, now }: DecisionContext,
): StepRecord {
  const run = runOf(step, direction);
  if (outcome === "notDone") {
    const open = { ...NOT_STARTED, ...NOTHING_LEFT, nonce: run?.nonce };
    if (direction === "compensate") return withRun(step, direction, open);
    // A skipped step stays skipped, and has no effect to compensate.
    const state = step.state === "Skipped" ? ({ state: "Skipped", endedAt: step.endedAt } as const) : {};
    return { ...step, ...open, ...state, result: null, compensation: null };
  }
  const route = { endpoint: run?.endpoint ?? step.agent, because: `recorded by ${by}: ${reason}` };
  if (direction === "compensate") return done(step, attempt, direction, {}, route, now);
  // What its job went on without is compensated, with this result.
  if (step.state === "Skipped") return { ...step, result, compensation: null };
  return done({ ...step, ...NOTHING_LEFT, compensation: null }, attempt, direction, result, route, now);
}

const NOTHING_LEFT = {
  outcomeUnknown: false,
  failureCount: undefined,
  accepted: undefined,
  again: undefined,
  notBefore: undefined,
  startBy: null,
  completeBy: null,
} as const;

/** Of a completed step, with the next messages of its job. */
function withStatus(record: StateRecord, step: string, { now: at }: DecisionContext): StateRecord {
  if (record.direction === "compensate" || record.steps[step]?.state !== "Completed") return record;
  const { attempt } = record;
  const processState = transitions.outcomeRecordedWhilePending.to;
  return { ...record, processState, outbox: [...owed(record), { status: "StepCompleted", attempt, at, step }] };
}

function stillInError({ steps, error }: StateRecord, workflow: Workflow): Partial<StateRecord> {
  const message = remainingInWords(workflow, steps);
  const cause = error?.cause ? `; the cause: ${error.cause.message}` : "";
  return {
    processState: transitions.outcomeRecordedInError.to,
    error: error && message ? { ...error, message: `${message}${cause}` } : error,
  };
}
