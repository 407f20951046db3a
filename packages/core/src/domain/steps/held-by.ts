// Why a step that was not done in time is held, and no failure is counted (P27, P33): the fault is not its service's.

import type { StepRun } from "../record/state-record.ts";

/**
 * `endpoint`: the endpoint's address or the app's credential is wrong. `answer`: its service gave this job an answer that its agent does not declare.
 * `code`: the app's own code threw.
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
