// One attempt at an order, as the scheduler's orchestration carries it: what to run next, and what came of it.
import type { Priority } from "./order.ts";
import { isDone, openLevel, type Plan, type PlannedStep, runOf } from "./plan.ts";
import type { Direction, StateRecord, StepRecord, StepResult, Steps } from "./state-record.ts";
import type { Transport, WorkflowRef } from "./workflow.ts";

/** What starts an attempt. All of it is fixed while the order is Pending in this attempt. */
export interface Wake {
  readonly orderId: string;
  readonly attempt: number;
  readonly direction: Direction;
  readonly workflow: WorkflowRef;
  readonly steps: Steps;
  /** The trace that the attempt goes on in. */
  readonly traceparent?: string | null | undefined;
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
  readonly direction: Direction;
  readonly workflow: WorkflowRef;
  readonly orderRevision: number;
  readonly priority: Priority;
  /** Carried along, so that a deploy changes no attempt under way. */
  readonly plan: Plan;
  readonly steps: Steps;
  readonly reply: Reply;
}

export type ClaimOutcome =
  | { readonly kind: "claimed"; readonly attempt: Attempt }
  /** There was nothing left to do: the claim concluded the order. */
  | { readonly kind: "concluded" }
  /** Another attempt holds the order, or it has ended. */
  | { readonly kind: "taken" };

/** A step that a write marks Running, with its record as it then is. */
export interface NextStep {
  readonly name: string;
  readonly record: StepRecord;
  readonly completeBy: string;
}

/** One step for one agent, with all that the agent's activity needs but the order itself. */
export interface StepTask extends Omit<Attempt, "plan" | "steps"> {
  readonly step: string;
  readonly agent: string;
  readonly operation: string;
  readonly transport: Transport;
  readonly record: StepRecord;
  readonly completeBy: string;
  /** What the completed steps recorded. */
  readonly results: { readonly [step: string]: StepResult };
  /** The other steps of the level: the last to end marks the next level Running, or concludes. */
  readonly siblings: readonly string[];
  /** Until when they may be at work; null where there are none. */
  readonly siblingsUntil: string | null;
  /** The steps of the next level; empty after the last. */
  readonly next: readonly { readonly name: string; readonly record: StepRecord; readonly completeWithin: string }[];
}

export type StepOutcome =
  /** `next` is set by the last of its level to end. */
  | {
      readonly kind: "completed";
      readonly step: string;
      readonly record: StepRecord;
      readonly next: readonly NextStep[];
    }
  | { readonly kind: "rejected" }
  /** Past complete-by: nothing was written or sent; the supervisor will find it. */
  | { readonly kind: "expired" }
  /** Another attempt holds the order, or nobody: nothing was written. */
  | { readonly kind: "superseded" };

/** The attempt that holds, or held, the order under `lockedBy`. */
export function attemptOf(record: StateRecord, lockedBy: string, plan: Plan): Attempt {
  const { orderId, attempt, direction, workflow, orderRevision, priority, steps } = record;
  const { replyTo, replyToSessionId, correlationId, traceparent } = record;
  return {
    orderId,
    attempt,
    lockedBy,
    direction,
    workflow,
    orderRevision,
    priority,
    plan,
    steps,
    reply: { replyTo, replyToSessionId, correlationId, traceparent },
  };
}

/** The tasks of an attempt's open level; none when all is done. */
export function nextTasks(attempt: Attempt): StepTask[] {
  const { plan, steps, direction } = attempt;
  const level = openLevel(plan, steps, direction);
  const whole = plan.find((candidate) => candidate.some(({ name }) => level.some((open) => open.name === name))) ?? [];
  const following = nextLevelAfter(plan, whole, steps, direction);
  return level.map((step) => taskOf(attempt, step, whole, following));
}

/**
 * The task of one step, open or done, as `nextTasks` made it or would have; undefined where the plan has no such step, or it
 * was never begun.
 */
export function taskFor(attempt: Attempt, name: string): StepTask | undefined {
  const { plan, steps, direction } = attempt;
  const level = plan.find((candidate) => candidate.some((step) => step.name === name));
  const step = level?.find((candidate) => candidate.name === name);
  if (!level || !step || !runOf(steps[name], direction)?.completeBy) return undefined;
  return taskOf(attempt, step, level, nextLevelAfter(plan, level, steps, direction));
}

/** The external event by which an attempt hears of a step that went over its agent's queue (P7). */
export function replyEvent(step: string): string {
  return `reply-${step}`;
}

/** The attempt after its open level is done. */
export function advance(attempt: Attempt, outcomes: readonly StepOutcome[]): Attempt {
  const changed = outcomes.flatMap((outcome): [string, StepRecord][] =>
    outcome.kind === "completed"
      ? [
          [outcome.step, outcome.record],
          ...outcome.next.map(({ name, record }): [string, StepRecord] => [name, record]),
        ]
      : [],
  );
  return { ...attempt, steps: { ...attempt.steps, ...Object.fromEntries(changed) } };
}

/** What kept a level from completing; undefined if nothing did. */
export function firstObstacle(outcomes: readonly StepOutcome[]): Exclude<StepOutcome["kind"], "completed"> | undefined {
  const kinds = outcomes.flatMap(({ kind }) => (kind === "completed" ? [] : [kind]));
  return kinds[0];
}

function nextLevelAfter(plan: Plan, level: Plan[number], steps: Steps, direction: Direction): readonly PlannedStep[] {
  const later = plan.slice(plan.indexOf(level) + 1);
  return openLevel(later, steps, direction);
}

function taskOf(attempt: Attempt, step: PlannedStep, level: Plan[number], following: readonly PlannedStep[]): StepTask {
  const { plan, steps, ...held } = attempt;
  const record = recordOf(steps, step.name);
  const completeBy = runOf(record, attempt.direction)?.completeBy;
  const siblings = level.flatMap(({ name }) => (name === step.name ? [] : [name]));
  const untils = siblings.map((name) => runOf(steps[name], attempt.direction)?.completeBy ?? "").sort();
  if (!completeBy) throw new Error(`step ${step.name} of ${attempt.lockedBy} was never marked Running`);
  return {
    ...held,
    step: step.name,
    agent: step.agent,
    operation: step.operation,
    transport: step.transport,
    record,
    completeBy,
    results: resultsOf(steps),
    siblings,
    siblingsUntil: untils.at(-1) || null,
    next: following.map(({ name, completeWithin }) => ({ name, completeWithin, record: recordOf(steps, name) })),
  };
}

function recordOf(steps: Steps, name: string): StepRecord {
  const record = steps[name];
  if (!record) throw new Error(`there is no record of step ${name}`);
  return record;
}

function resultsOf(steps: Steps): { [step: string]: StepResult } {
  const completed = Object.entries(steps).flatMap(([name, record]): [string, StepResult][] =>
    isDone(record, "forward") && record.result ? [[name, record.result]] : [],
  );
  return Object.fromEntries(completed);
}
