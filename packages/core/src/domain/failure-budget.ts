// Which budget a failure counts against (P11): that of a step's requests, of its wait for a report, or of its compensation.
import type { RunInHand } from "./plan.ts";
import type { FailureBudget, StepPolicy } from "./workflow.ts";

/** A budget, and what follows when it is used up. */
export interface Budget extends FailureBudget {
  readonly onExhausted: StepPolicy["onExhausted"];
  /** Whose own it is; absent: that of the step's requests, or one that they share. */
  readonly own?: "compensation" | "wait";
  /** The failures so far that count against it. */
  readonly failuresBefore: number;
}

/**
 * The budget of an overdue run. Where a policy names no other, it is the step's own. A record has both counts whatever the policy is, so an edit of
 * the policy holds from the next decision.
 */
export function budgetOf(policy: StepPolicy, { direction, run }: Pick<RunInHand, "direction" | "run">): Budget {
  const { failureCount = 0, expiredWaits = 0, state } = run;
  if (direction === "compensate") {
    const own = policy.compensation && { ...policy.compensation, own: "compensation" as const };
    return { ...policy, ...own, failuresBefore: failureCount };
  }
  const onExhausted = waitPolicyOf(policy);
  if (onExhausted === undefined) return { ...policy, failuresBefore: failureCount };
  if (state !== "Awaiting") return { ...policy, failuresBefore: failureCount - expiredWaits };
  const own = { failureThreshold: policy.awaitThreshold ?? 1, waits: [], onExhausted, own: "wait" } as const;
  return { ...policy, ...own, failuresBefore: expiredWaits };
}

/** The reaction to an expired wait; undefined if that counts as any other failure. */
function waitPolicyOf({ onAwaitExpired }: StepPolicy): StepPolicy["onExhausted"] | undefined {
  return onAwaitExpired === "retry" ? undefined : onAwaitExpired;
}
