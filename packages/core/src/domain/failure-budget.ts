// Which budget a failure counts against (P11): that of a step's requests or that of its compensation.
import type { RunInHand } from "./plan.ts";
import type { FailureBudget, StepPolicy } from "./workflow.ts";

/** A budget, and what follows when it is used up. */
export interface Budget extends FailureBudget {
  readonly onExhausted: StepPolicy["onExhausted"];
  /** Whose own it is; absent: that of the step's requests, or one that they share. */
  readonly own?: "compensation";
  /** The failures so far that count against it. */
  readonly failuresBefore: number;
}

/** The budget of an overdue run. Where a policy names no other, it is the step's own. */
export function budgetOf(policy: StepPolicy, { direction, run }: Pick<RunInHand, "direction" | "run">): Budget {
  const { failureCount = 0 } = run;
  if (direction === "forward" || policy.compensation === undefined) return { ...policy, failuresBefore: failureCount };
  return { ...policy, ...policy.compensation, own: "compensation", failuresBefore: failureCount };
}
