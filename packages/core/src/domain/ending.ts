// How a job ends (P13).
import { remainingManually } from "./plan.ts";
import type { JobError, Steps } from "./state-record.ts";
import type { Ending } from "./transitions.ts";
import type { Workflow } from "./workflow.ts";

/** How a job ends whose plan is done: forward it is Processed. A job with a step that must be compensated manually is in Error. */
export function endingOf(workflow: Workflow, compensated: Compensated | null, now: string): Ending {
  if (!compensated) return { processState: "Processed" };
  const remaining = remainingManually(workflow, compensated.steps);
  const left = remaining.length > 0;
  const what = left ? `to be compensated manually: ${remaining.join(", ")}` : "all that was done is compensated";
  const message = compensated.cause ? `${what}; the cause: ${compensated.cause.message}` : what;
  const { kind = "compensationRequested", step = null, agent = null } = compensated.cause ?? {};
  const error: JobError = { kind: left ? "compensationIncomplete" : kind, message, step, agent, at: now };
  if (left) return { processState: "Error", error };
  return { processState: kind === "cancelled" ? "Cancelled" : "Compensated", error };
}

/** The facts on which the end of a compensation depends. */
export interface Compensated {
  readonly steps: Steps;
  /** The reason for the compensation. */
  readonly cause: JobError | null;
}
