// How an order ends (P13).
import { remainingByHand } from "./plan.ts";
import type { OrderError, Steps } from "./state-record.ts";
import type { Ending } from "./transitions.ts";
import type { Workflow } from "./workflow.ts";

/** How an order ends whose plan is done: forward it is Processed; an undone one is in Error, and says what is left to do. */
export function endingOf(workflow: Workflow, undone: Undone | null, now: string): Ending {
  if (!undone) return { processState: "Processed" };
  const remaining = remainingByHand(workflow, undone.steps);
  const left = remaining.length > 0;
  const what = left ? `to be undone by hand: ${remaining.join(", ")}` : "all that was done is undone";
  const message = undone.cause ? `${what}; the cause: ${undone.cause.message}` : what;
  const kind = left ? "notUndone" : undone.cause?.kind === "cancelled" ? "cancelled" : "undone";
  const error: OrderError = {
    kind,
    message,
    step: undone.cause?.step ?? null,
    agent: undone.cause?.agent ?? null,
    at: now,
  };
  return { processState: "Error", error, status: left ? "Failed" : "Undone" };
}

/** What the end of an undo depends on. */
export interface Undone {
  readonly steps: Steps;
  /** Why it was undone. */
  readonly cause: OrderError | null;
}
