// One attempt at an order, as the scheduler's orchestration carries it: what to run next, and what came of it.
import { after, durationMs } from "./duration.ts";
import type { Priority } from "./order.ts";
import { isDone, openLevel, type Plan, type PlannedStep, runOf } from "./plan.ts";
import type { Direction, StateRecord, StepRecord, StepResult, Steps } from "./state-record.ts";
import type { ToSchedule } from "./step-run.ts";
import type { Transport, WorkflowRef } from "./workflow.ts";

/** Asks for an attempt that an order waits for. All else stands in its record. */
export interface Wake {
  readonly orderId: string;
  readonly attempt: number;
  readonly direction: Direction;
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

/** A step that a write schedules, with its record as it then is. */
export interface NextStep {
  readonly name: string;
  readonly record: StepRecord;
}

/** One step for one agent, with all that the agent's activity needs but the order itself. */
export interface StepTask extends Omit<Attempt, "plan" | "steps"> {
  readonly step: string;
  readonly agent: string;
  readonly operation: string;
  readonly transport: Transport;
  readonly record: StepRecord;
  /** Until when its agent may take it up. */
  readonly startBy: string;
  /** An agent that can be done by then takes it up without a write. */
  readonly completeBy: string;
  /** ISO 8601: how long its agent has from then on. */
  readonly completeWithin: string;
  /** What the completed steps recorded. */
  readonly results: { readonly [step: string]: StepResult };
  /** The other steps of the level: the last to end schedules the next level, or concludes. */
  readonly siblings: readonly string[];
  /** They are no longer at work by then, however late they are taken up; null where there are none. */
  readonly siblingsUntil: string | null;
  /** The steps of the next level; empty after the last. */
  readonly next: readonly ToSchedule[];
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
  /** Its time was over before it was done, or taken up: no outcome is recorded; the supervisor will find it. */
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
  if (!level || !step || !runOf(steps[name], direction)?.startBy) return undefined;
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
  const { startBy, completeBy } = runOf(record, attempt.direction) ?? {};
  if (!startBy || !completeBy) throw new Error(`step ${step.name} of ${attempt.lockedBy} was never scheduled`);
  const siblings = level.filter(({ name }) => name !== step.name);
  const untils = siblings.map(({ name, completeWithin }) => {
    const run = runOf(steps[name], attempt.direction);
    return run?.startBy ? after(run.startBy, durationMs(completeWithin) ?? 0) : "";
  });
  return {
    ...held,
    step: step.name,
    agent: step.agent,
    operation: step.operation,
    transport: step.transport,
    record,
    startBy,
    completeBy,
    completeWithin: step.completeWithin,
    results: resultsOf(steps),
    siblings: siblings.map(({ name }) => name),
    siblingsUntil: untils.sort().at(-1) || null,
    next: following.map((planned) => toSchedule(planned, steps)),
  };
}

/** What a write that schedules a planned step needs. @throws where the record has no such step */
export function toSchedule({ name, transport, startWithin, completeWithin }: PlannedStep, steps: Steps): ToSchedule {
  return { name, transport, startWithin, completeWithin, record: recordOf(steps, name) };
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
