// How a job ends (P13).

import type { Workflow } from "../definition/workflow.ts";
import { remainingManually, uncompensated } from "../record/plan.ts";
import type { JobError, Steps } from "../record/state-record.ts";
import type { Ending } from "./transitions.ts";

/**
 * How a job ends whose plan is done: forward it is Processed. A job with a step that is not compensated, or that must be compensated manually, is
 * in Error.
 */
export function endingOf(workflow: Workflow, compensated: Compensated | null, now: string): Ending {
  if (!compensated) return { processState: "Processed" };
  const { steps, cause } = compensated;
  const remaining = remainingInWords(workflow, steps);
  const message = (what: string) => (cause ? `${what}; the cause: ${cause.message}` : what);
  const { kind = "compensationRequested", step = null, agent = null } = cause ?? {};
  if (remaining === undefined) {
    const error: JobError = { kind, message: message("all that was done is compensated"), step, agent, at: now };
    return { processState: kind === "cancelled" ? "Cancelled" : "Compensated", error };
  }
  const kept = cause && { cause };
  return {
    processState: "Error",
    error: { kind: "compensationIncomplete", message: message(remaining), step, agent, at: now, ...kept },
  };
}

/** What a compensation has left, by name; undefined if that is nothing. */
export function remainingInWords(workflow: Workflow, steps: Steps): string | undefined {
  const lists = [
    ["not compensated", uncompensated(steps)],
    ["to be compensated manually", remainingManually(workflow, steps)],
  ] as const;
  const words = lists.flatMap(([what, names]) => (names.length > 0 ? [`${what}: ${names.join(", ")}`] : []));
  return words.length > 0 ? words.join("; ") : undefined;
}

/** The facts on which the end of a compensation depends. */
export interface Compensated {
  readonly steps: Steps;
  /** The reason for the compensation. */
  readonly cause: JobError | null;
}
