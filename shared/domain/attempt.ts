// One attempt at an order, as the scheduler's orchestration carries it: what to run next, and what came of it.
import type { StepRecord, StepResult, Steps } from "./state-record.ts";
import type { WorkflowRef, WorkflowStep } from "./workflow.ts";

/** What starts an attempt. All of it is fixed while the order is Pending in this attempt. */
export interface Wake {
  readonly orderId: string;
  readonly attempt: number;
  readonly workflow: WorkflowRef;
  readonly steps: Steps;
}

/** Where status messages go. */
export interface Reply {
  readonly replyTo: string | null;
  readonly replyToSessionId: string | null;
  readonly correlationId: string;
  readonly traceparent: string | null;
}

export interface Attempt {
  readonly orderId: string;
  readonly attempt: number;
  readonly lockedBy: string;
  /** The workflow's steps in the order in which they run: carried along, so that a deploy changes no attempt. */
  readonly plan: readonly WorkflowStep[];
  readonly steps: Steps;
  readonly reply: Reply;
}

export type ClaimOutcome = { readonly kind: "claimed"; readonly attempt: Attempt } | { readonly kind: "taken" };

/** One step for one agent, with all that the agent's activity needs but the order itself. */
export interface StepTask {
  readonly orderId: string;
  readonly attempt: number;
  readonly lockedBy: string;
  readonly step: string;
  readonly agent: string;
  readonly record: StepRecord;
  readonly completeBy: string;
  /** What the steps before it recorded. */
  readonly results: { readonly [step: string]: StepResult };
  /** The step to mark Running in the write that completes this one; null for the last. */
  readonly next: { readonly name: string; readonly record: StepRecord; readonly completeWithin: string } | null;
  readonly reply: Reply;
}

export type StepOutcome =
  | {
      readonly kind: "completed";
      readonly record: StepRecord;
      readonly next: { readonly name: string; readonly record: StepRecord } | null;
    }
  | { readonly kind: "rejected" }
  /** Past complete-by: nothing was written or sent; the supervisor will find it. */
  | { readonly kind: "expired" }
  /** Another attempt holds the order, or nobody: nothing was written. */
  | { readonly kind: "superseded" };

/** The first step that is not completed: where an attempt starts, and goes on (P14). */
export function firstOpenStep(plan: readonly WorkflowStep[], steps: Steps): WorkflowStep | undefined {
  return plan.find(({ name }) => steps[name]?.state !== "Completed");
}

/** The next task of an attempt; undefined when its last step is completed. */
export function nextTask(attempt: Attempt): StepTask | undefined {
  const step = firstOpenStep(attempt.plan, attempt.steps);
  if (!step) return undefined;
  const record = attempt.steps[step.name];
  if (!record?.completeBy) throw new Error(`step ${step.name} of ${attempt.lockedBy} was never marked Running`);
  const following = attempt.plan[attempt.plan.indexOf(step) + 1];
  const followingRecord = following && attempt.steps[following.name];
  return {
    orderId: attempt.orderId,
    attempt: attempt.attempt,
    lockedBy: attempt.lockedBy,
    step: step.name,
    agent: step.agent,
    record,
    completeBy: record.completeBy,
    results: resultsOf(attempt.steps),
    next: followingRecord
      ? { name: following.name, record: followingRecord, completeWithin: following.completeWithin }
      : null,
    reply: attempt.reply,
  };
}

/** The attempt after a step was completed. */
export function advance(attempt: Attempt, step: string, outcome: Extract<StepOutcome, { kind: "completed" }>): Attempt {
  const { record, next } = outcome;
  return { ...attempt, steps: { ...attempt.steps, [step]: record, ...(next && { [next.name]: next.record }) } };
}

function resultsOf(steps: Steps): { [step: string]: StepResult } {
  const completed = Object.entries(steps).flatMap(([name, { state, result }]): [string, StepResult][] =>
    state === "Completed" && result ? [[name, result]] : [],
  );
  return Object.fromEntries(completed);
}
