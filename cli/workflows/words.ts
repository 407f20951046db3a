// What a workflow's steps and policies say, in words that fit into a box.

import { durationMs, policyFor, type StepPolicy } from "@scheduler-agent-supervisor/core/domain";
import type { FailureBudget, Workflow, WorkflowStep } from "@scheduler-agent-supervisor/core/workflows";
import { exactDuration } from "@scheduler-agent-supervisor/operator/domain";

/** `PT1M30S` as "1 min 30 s". */
export const spoken = (duration: string): string => exactDuration(durationMs(duration) ?? 0);

export function compensationInWords({ compensation }: WorkflowStep): string {
  if (compensation === "nothing") return "leaves nothing to compensate";
  if (compensation === "manual") return "compensated manually";
  return `compensation: ${compensation.operation}, ${timeOf(compensation)}`;
}

/** `inventory.reserve, within 10 s` */
export function askedOf(step: WorkflowStep): string {
  const { agent, operation, transport } = step;
  const over = transport === "queue" ? " over its queue" : "";
  return `${agent}.${operation}${over}, ${timeOf(step)}`;
}

function timeOf({ completeWithin, awaitWithin }: Pick<WorkflowStep, "completeWithin" | "awaitWithin">): string {
  const later = awaitWithin === undefined ? "" : `, or reported within ${spoken(awaitWithin)}`;
  return `within ${spoken(completeWithin)}${later}`;
}

const THEN = { fail: "Error, an operator decides", compensate: "compensate", skip: "skip the step" } as const;

export function policyInWords(policy: StepPolicy): string {
  const { onExhausted, onRejected, onAwaitExpired = "retry", onUnknown, compensation } = policy;
  const then = (what: keyof typeof THEN) => THEN[what];
  const waits = onAwaitExpired === "retry" ? "" : `; not reported in time: ${then(onAwaitExpired)}`;
  const unknown = onUnknown === "fail" ? `; unknown whether done: ${then(onUnknown)}` : "";
  const own = compensation && `; compensation: ${budgetInWords({ ...policy, ...compensation })}, then ${then("fail")}`;
  return `${budgetInWords(policy)}, then ${then(onExhausted)}; rejected: ${then(onRejected)}${unknown}${waits}${own ?? ""}`;
}

function budgetInWords({ failureThreshold, waits }: FailureBudget): string {
  const pauses = waits.length > 0 ? `, then waits of ${waits.map(spoken).join(", ")} with an attempt after each` : "";
  return `${failureThreshold} ${failureThreshold === 1 ? "attempt" : "attempts"} a step${pauses}`;
}

/** `chargeId of takePayment`: what its requester gets. */
export function outputsInWords({ outputs = {} }: Workflow): string {
  const named = Object.entries(outputs).map(([name, source]) => `${name} (${source})`);
  return named.length > 0 ? `returns ${named.join(", ")}` : "returns no results";
}

/** The time of a whole job; undefined where it has as much as its steps take. */
export function deadlineInWords({ deadline }: Workflow): string | undefined {
  return deadline && `done within ${spoken(deadline.completeWithin)}, or ${THEN[deadline.onExpired]}`;
}

/** Who has to act in a step that waits for a person, and when a reminder is sent; undefined where nobody has to. */
export function assigneeInWords({ assignee, awaitWithin, compensation }: WorkflowStep): string | undefined {
  if (assignee === undefined) return undefined;
  const ofCompensation = typeof compensation === "object" ? compensation.awaitWithin : undefined;
  const halves = [awaitWithin, ofCompensation].flatMap((wait) =>
    wait ? [exactDuration((durationMs(wait) ?? 0) / 2)] : [],
  );
  return `by ${assignee}${halves.length > 0 ? `, with a reminder after ${[...new Set(halves)].join(" or ")}` : ""}`;
}

export function cancellationInWords({ cancelUntil }: Workflow): string {
  return `may be cancelled until ${cancelUntil === undefined ? "it is Processed" : `${cancelUntil} begins`}`;
}

/** What of the workflow's policy is another for the step; undefined where nothing is. */
export function ownPolicyInWords(workflow: Workflow, step: WorkflowStep): string | undefined {
  const own = policyInWords(policyFor(workflow, step.name));
  return own === policyInWords(workflow.policy) ? undefined : own;
}

/** On what a step depends besides the steps before it, and what is done in its place; undefined where nothing is to be said. */
export function shapeInWords({ optional, when, needs = [], otherwise, forEach }: WorkflowStep): string | undefined {
  const parts = [
    optional === true && "may be skipped",
    forEach !== undefined && `once for each of ${forEach}`,
    when !== undefined && `only when ${when}`,
    needs.length > 0 && `only with ${needs.join(", ")}`,
    otherwise !== undefined && `otherwise ${otherwise}`,
  ].filter((part) => part !== false);
  return parts.length > 0 ? parts.join("; ") : undefined;
}
