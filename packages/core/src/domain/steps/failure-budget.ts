// Which budget a failure counts against (P11): that of a step's requests, of its wait for a report, or of its compensation.

import type { FailureBudget, StepPolicy } from "../definition/workflow.ts";
import type { RunInHand } from "../record/plan.ts";
import type { Failed } from "./verdicts.ts";

/** A budget, and what follows when it is used up. */
export interface Budget extends FailureBudget {
  readonly onExhausted: StepPolicy["onExhausted"];
  /** Whose own it is; absent: that of the step's requests, or one that they share. */
  readonly own?: Failed["budget"];
  /** The failures so far that count against it. */
  readonly failuresBefore: number;
}

/** What a policy says of the budget that a failure counted against. */
export function budgetNamed(name: Failed["budget"], policy: StepPolicy): FailureBudget {
  if (name === "compensation") return { ...policy, ...policy.compensation };
  return name === "wait" ? { ...policy, failureThreshold: policy.awaitThreshold ?? 1, waits: [] } : policy;
}

/**
 * The budget of an overdue run. Where a policy names no other, it is the step's own. A record has both counts whatever the policy is, so an edit of
 * the policy holds from the next decision.
 */
export function budgetOf(policy: StepPolicy, { direction, run }: Pick<RunInHand, "direction" | "run">): Budget {
  const { failureCount = 0, expiredWaits = 0, state } = run;
  if (direction === "compensate") {
    return compensationBudget(policy, failureCount);
  }
  const onExhausted = waitPolicyOf(policy);
  if (onExhausted === undefined) return { ...policy, failuresBefore: failureCount };
  if (state !== "Awaiting") return { ...policy, failuresBefore: failureCount - expiredWaits };
  return { ...policy, ...budgetNamed("wait", policy), onExhausted, own: "wait", failuresBefore: expiredWaits };
}

/** Without one of its own, that of the step. */
export function compensationBudget(policy: StepPolicy, failuresBefore: number): Budget {
  const own = policy.compensation && { own: "compensation" as const };
  return { ...policy, ...budgetNamed("compensation", policy), ...own, failuresBefore };
}

/** The reaction to an expired wait; undefined if that counts as any other failure. */
function waitPolicyOf({ onAwaitExpired }: StepPolicy): StepPolicy["onExhausted"] | undefined {
  return onAwaitExpired === "retry" ? undefined : onAwaitExpired;
}
