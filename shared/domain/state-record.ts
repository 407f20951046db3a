// The state record (P2, P3): one document an order, with the record of each step inside.
import type { Priority } from "./order.ts";
import type { Workflow, WorkflowRef } from "./workflow.ts";

export type ProcessState = "Pending" | "Processing" | "Processed" | "Error";
export type StepState = "NotStarted" | "Running" | "Completed" | "Failed" | "Undone";

/** What an agent recorded of its work, for later steps and for the undo: plain JSON. */
export type StepResult = { readonly [name: string]: string | number | boolean | null };

export interface StepRecord {
  readonly state: StepState;
  readonly agent: string;
  readonly completeBy: string | null;
  /** How often the supervisor has had this step run again. */
  readonly retryCount: number;
  readonly result: StepResult | null;
  readonly error: string | null;
  readonly endpoint: string | null;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
}

export type Steps = { readonly [name: string]: StepRecord };

export interface OrderError {
  /** `rejected`: an agent knows the fault to be permanent. `expired`: too many attempts ran out of time. */
  readonly kind: "rejected" | "expired";
  readonly message: string;
  readonly step: string | null;
  readonly agent: string | null;
  readonly at: string;
}

export interface HistoryEntry {
  readonly at: string;
  readonly what: string;
  readonly by: string;
}

export type OrderStatus = "Received" | "Started" | "Completed" | "Failed";

/** Something to be told that was decided in the same write and is not yet known to be sent. */
export interface Notice {
  readonly status: OrderStatus;
  readonly attempt: number;
  readonly at: string;
}

export interface StateRecord {
  readonly orderId: string;
  readonly workflow: WorkflowRef;
  readonly processState: ProcessState;
  /** The orchestration that holds the order: its writes, and no others, are taken. */
  readonly lockedBy: string | null;
  /** The time by which the running level, or while Pending the claim, has to be complete. */
  readonly completeBy: string | null;
  readonly failureCount: number;
  readonly attempt: number;
  readonly priority: Priority;
  readonly replyTo: string | null;
  readonly correlationId: string;
  readonly traceparent: string | null;
  readonly steps: Steps;
  readonly error: OrderError | null;
  /** When the supervisor has to look at it; absent once the order ended and all is told. The sweep's only index. */
  readonly dueAt?: string;
  readonly history: readonly HistoryEntry[];
  readonly notices: readonly Notice[];
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Each attempt is an orchestration of its own, and its id is what `lockedBy` holds. */
export function attemptId(orderId: string, attempt: number): string {
  return `${orderId}-${attempt}`;
}

/** The key under which a remote service recognises every try of a step, in every attempt (P6). */
export function idempotencyKey(orderId: string, step: string): string {
  return `${orderId}:${step}:forward`;
}

/** Who asked for an order, and what was asked for. */
export interface Submission {
  readonly orderId: string;
  readonly priority: Priority;
  readonly replyTo: string | null;
  readonly correlationId: string;
  readonly traceparent: string | null;
}

/** A new order's state record: Pending, unlocked, no step started. */
export function newStateRecord(submission: Submission, workflow: Workflow, now: string, claimBy: string): StateRecord {
  const steps = workflow.steps.map(({ name, agent }): [string, StepRecord] => [name, notStarted(agent)]);
  return {
    orderId: submission.orderId,
    workflow: { name: workflow.name, version: workflow.version },
    processState: "Pending",
    lockedBy: null,
    completeBy: null,
    failureCount: 0,
    attempt: 1,
    priority: submission.priority,
    replyTo: submission.replyTo,
    correlationId: submission.correlationId,
    traceparent: submission.traceparent,
    steps: Object.fromEntries(steps),
    error: null,
    dueAt: claimBy,
    history: [{ at: now, what: "submitted", by: "submission" }],
    notices: [],
    createdAt: now,
    updatedAt: now,
  };
}

function notStarted(agent: string): StepRecord {
  return {
    state: "NotStarted",
    agent,
    completeBy: null,
    retryCount: 0,
    result: null,
    error: null,
    endpoint: null,
    startedAt: null,
    endedAt: null,
  };
}
