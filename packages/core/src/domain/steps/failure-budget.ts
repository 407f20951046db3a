// Which budget a failure counts against (P11): that of a step's requests, of its wait for a report, or of its compensation; and why none is counted
// (P27, P33), because the fault is not its service's.

import type { FailureBudget, StepPolicy } from "../definition/workflow.ts";
import type { RunInHand } from "../record/plan.ts";
import type { StepRun } from "../record/state-record.ts";

/** The failed step: the one that decides, null if none is open, and how many of its attempts have failed since it last began. */
export interface Failed {
  readonly step: string | null;
  readonly failures: number;
  /** The budget that they count against, if it is not that of the step's requests. */
  readonly budget?: "compensation" | "wait" | "answer";
  /** The runs, by `runKey`, that failed because no agent took them up. */
  readonly untaken?: readonly string[];
  /** The steps that the job continues without: the possible effect of a skipped step is left to a person. */
  readonly skips?: readonly string[];
}

/** A budget, and what follows when it is used up. */
export interface Budget extends FailureBudget {
  readonly onExhausted: StepPolicy["onExhausted"];
  readonly onUnknown?: StepPolicy["onUnknown"];
  /** Whose own it is; absent: that of the step's requests, or one that they share. */
  readonly own?: Failed["budget"];
  /** The failures so far that count against it. */
  readonly failuresBefore: number;
}

/** What a policy says of the budget that a failure counted against. */
export function budgetNamed(name: Failed["budget"], policy: StepPolicy): FailureBudget {
  return name === "compensation" ? { ...policy, ...policy.compensation } : policy;
}

/** The budget of an overdue run. A wait for a report has one only where its policy has a reaction of its own: then the first that expires is the last. */
export function budgetOf(policy: StepPolicy, { direction, run }: Pick<RunInHand, "direction" | "run">): Budget {
  const { failureCount = 0, state, answerCount = 0 } = run;
  // Whatever the workflow's policy: more attempts do not help, and what is done of the job is not the reason.
  if (isHeldEnough(run))
    return { failureThreshold: 1, waits: [], onExhausted: "fail", own: "answer", failuresBefore: answerCount };
  if (direction === "compensate") return compensationBudget(policy, failureCount);
  const { onAwaitExpired = "retry" } = policy;
  if (state !== "Awaiting" || onAwaitExpired === "retry") return { ...policy, failuresBefore: failureCount };
  return { failureThreshold: 1, waits: [], onExhausted: onAwaitExpired, own: "wait", failuresBefore: 0 };
}

/** Without one of its own, that of the step. */
export function compensationBudget(policy: StepPolicy, failuresBefore: number): Budget {
  const own = policy.compensation && { own: "compensation" as const };
  return { ...policy, ...budgetNamed("compensation", policy), ...own, failuresBefore };
}

/**
 * Why a step that was not done in time is held. `endpoint`: the endpoint's address or the app's credential is wrong. `answer`: its service gave this
 * job an answer that its agent does not declare. `code`: the app's own code threw.
 */
export type HeldBy = "endpoint" | "answer" | "code";

/** How many attempts in a row may have such an answer: with the pauses between them about an hour. */
export const MOST_ANSWERS = 12;

/** Undefined if the attempt counts. A fault in an earlier attempt shows nothing about this one, whose agent may have crashed. */
export function heldBy({ expiry, attempt }: StepRun): HeldBy | undefined {
  if (expiry?.attempt !== attempt) return undefined;
  if (expiry?.ofCode === true) return "code";
  if (expiry?.misconfigured !== true) return undefined;
  return expiry.ofRequest === true ? "answer" : "endpoint";
}

/** Its attempts in a row with an undeclared answer, this one included; undefined if this one has none. */
export function answersInARow(run: StepRun): number | undefined {
  return heldBy(run) === "answer" ? (run.answerCount ?? 0) + 1 : undefined;
}

/** It was held as often as it may be: a person has to act. */
export const isHeldEnough = (run: StepRun): boolean => (answersInARow(run) ?? 0) >= MOST_ANSWERS;

/** For people. @param last the latest answer */
export const answeredInWords = (times: number, last: string | undefined): string =>
  `${times} attempts in a row were answered with what the agent does not declare${last === undefined ? "" : `: ${last}`}`;
