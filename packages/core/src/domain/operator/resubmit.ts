// An operator's resubmission (P9, P13): a job goes on in the direction in which it stopped, or forward again if the operator says so.

import { stepOfRun } from "../definition/items.ts";
import type { Workflow } from "../definition/workflow.ts";
import { deadlineOf } from "../record/deadline.ts";
import { MOST_REVISIONS } from "../record/guarded-write.ts";
import { announced } from "../record/outbox.ts";
import { isCompensationUnknown, isDone, outcomeIsUnknown, planOf } from "../record/plan.ts";
import { hasEnded, type ProcessState, type StateRecord, type StepRecord, type Steps } from "../record/state-record.ts";
import {
  allowed,
  attemptInWords,
  causeOfCompensation,
  type Decision,
  type DecisionContext,
  historyWith,
  nextAttempt,
  overdueBeforeOf,
  rejection,
  toBeCompensated,
} from "../recovery/next-attempt.ts";
import { remainingInWords } from "../steps/ending.ts";
import { listedAgain } from "../steps/listed-runs.ts";
import { begunAnew, forgiven, mapSteps, namesOf, rekeyed, reset, takenForward } from "../steps/operator-steps.ts";
import type { OperatorAction } from "./operator-action.ts";

type Resubmit = Extract<OperatorAction, { kind: "resubmit" }>;

/** What a resubmission depends on. */
interface Asked {
  readonly action: Resubmit;
  readonly workflow: Workflow;
  readonly to: ProcessState;
  readonly context: DecisionContext;
}

/** A job whose compensation has ended begins from the start. One that stopped in its compensation continues that, unless the operator says otherwise. */
export function resubmit(record: StateRecord, asked: Asked): Decision {
  if (record.direction === "forward") return goForward(record, { step: reset, words: "resubmitted" }, asked);
  if (isCompensationOver(record)) return goForward(record, FROM_THE_START, asked);
  return resubmitCompensation(record, asked);
}

/** `step`: what becomes of each step. */
interface Course {
  readonly step: (step: StepRecord, overdueBefore: string) => StepRecord;
  readonly words: string;
}

const FROM_THE_START: Course = { step: begunAnew, words: "resubmitted from the start" };
const REST_DONE: Course = { ...FROM_THE_START, words: "resubmitted from the start, the rest compensated manually" };
const FORWARD_AGAIN: Course = { step: takenForward, words: "resubmitted forward, what is not compensated is kept" };

function isCompensationOver({ processState, error }: StateRecord): boolean {
  return processState === "Error" ? error?.kind === "resolved" : hasEnded(processState);
}

function resubmitCompensation(record: StateRecord, asked: Asked): Decision {
  const { compensatedManually, direction, edited } = asked.action;
  const isChosen = compensatedManually || direction !== undefined || edited !== null;
  if (isChosen && record.processState === "Pending")
    return rejection("its compensation is not at its end: resubmit it plainly to continue that at once, or wait");
  if (compensatedManually) return goForward(record, REST_DONE, asked);
  // A compensation uses no new content: the operator wants the job done with it.
  if (direction === "forward" || edited) return resubmitForward(record, asked);
  return continueCompensation(record, asked);
}

/** A compensation that may have taken effect is finished first: only then it is certain which effect a step has. */
function resubmitForward(record: StateRecord, asked: Asked): Decision {
  const unknown = namesOf(record.steps, isCompensationUnknown);
  if (unknown.length === 0) return goForward(record, FORWARD_AGAIN, asked);
  const { action, context, to } = asked;
  const which = `the compensation of ${unknown.join(", ")}`;
  if (action.edited)
    return rejection(
      `whether ${which} took effect is not known: resubmit it without new content, and edit it when it is Compensated`,
    );
  const error = causeOfCompensation(record, action.reason, context);
  const words = `resubmitted forward, after ${which} is finished, ${attemptInWords(record)}: ${action.reason}`;
  const isTried = (step: StepRecord) => step.compensation?.state !== "Failed" || isCompensationUnknown(step);
  return allowed({ ...toBeCompensated(record, { error, to, words, isTried }, context), thenForward: true });
}

function continueCompensation(record: StateRecord, { action, workflow, to, context }: Asked): Decision {
  const error = causeOfCompensation(record, action.reason, context);
  const words = `resubmitted, its compensation continues, ${attemptInWords(record)}: ${action.reason}`;
  const next = toBeCompensated(record, { error, to, words }, context);
  const remaining = remainingInWords(workflow, next.steps);
  if (remaining !== undefined && isCompensationDone(workflow, next.steps))
    return rejection(
      `${remaining}: have it compensated, then resubmit with "compensatedManually": true, which begins from the start, or mark it resolved; with "direction": "forward" it goes forward and keeps what is not compensated`,
    );
  return allowed(record.thenForward ? { ...next, thenForward: true } : next);
}

function isCompensationDone(workflow: Workflow, steps: Steps): boolean {
  return planOf(workflow, steps, "compensate").every(({ name }) => isDone(steps[name], "compensate"));
}

function goForward(record: StateRecord, course: Course, { action, workflow, to, context }: Asked): Decision {
  const { edited, reason } = action;
  if (edited && record.jobRevision >= MOST_REVISIONS)
    return rejection(`its content has ${MOST_REVISIONS} revisions, which is the most: resubmit it unchanged`);
  const overdueBefore = overdueBeforeOf(context);
  const taken = mapSteps(mapSteps(record.steps, forgiven), (step) => course.step(step, overdueBefore));
  const uncertain = edited ? uncertainSteps(taken, record.steps, workflow) : [];
  if (uncertain.length > 0) {
    // Under the same key a service would reject the new content or return the result of the old; under another key it could do the work twice.
    const steps = uncertain.join(", ");
    return rejection(
      `whether ${steps} took effect with the content as it was is not known: resubmit it unchanged, or compensate it first`,
    );
  }
  const { steps, kept } = listedAgain(workflow, edited ? rekeyedSteps(taken, record.steps) : taken);
  if (kept.length > 0)
    return rejection(
      `${kept.join(", ")} keeps what was done for an item of a result that will be recorded anew, perhaps with other items: have it compensated, then resubmit with "compensatedManually": true`,
    );
  const next = nextAttempt(record, to, context);
  const content = edited ? `, content revision ${record.jobRevision + 1}` : "";
  return allowed({
    ...next,
    // It begins again, as its failure counts do. A job that waits for its next attempt has not ended, and keeps what it has.
    ...(hasEnded(record.processState) && deadlineOf(workflow, context.now)),
    direction: "forward",
    steps,
    error: null,
    ...(edited && { jobRevision: record.jobRevision + 1, priority: edited.priority }),
    ...announced(next, next.attempt, context.now),
    history: historyWith(record, context, `${course.words}, ${attemptInWords(record)}${content}: ${reason}`),
  });
}

/** A step that begins anew goes under another key in any case. */
const hasOldKey = (step: StepRecord, before: StepRecord | undefined): before is StepRecord =>
  before !== undefined && step.generation === before.generation;

function uncertainSteps(taken: Steps, before: Steps, { steps }: Workflow): string[] {
  const harmless = steps.flatMap(({ name, compensation }) => (compensation === "nothing" ? [name] : []));
  return Object.entries(taken).flatMap(([name, step]) => {
    const old = before[name];
    return hasOldKey(step, old) && outcomeIsUnknown(old) && !harmless.includes(stepOfRun(name)) ? [name] : [];
  });
}

function rekeyedSteps(taken: Steps, before: Steps): Steps {
  const entries = Object.entries(taken).map(([name, step]): [string, StepRecord] => {
    const old = before[name];
    return [name, hasOldKey(step, old) ? rekeyed(step, old) : step];
  });
  return Object.fromEntries(entries);
}
