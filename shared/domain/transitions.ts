// The life of an order, as one table; and each transition as a guarded write (P4, P9, P14, P16).

import type { Attempt, StepTask, Wake } from "./attempt.ts";
import { after, durationMs } from "./duration.ts";
import {
  attemptId,
  type OrderError,
  type OrderStatus,
  type ProcessState,
  type StepRecord,
  type StepResult,
  type StepState,
} from "./state-record.ts";

/** What may happen to an order, from which states, and where it leads. `fenced`: only the holder may write it. */
export const transitions = {
  claimed: { from: "Pending", to: "Processing", fenced: false },
  stepCompleted: { from: "Processing", to: "Processing", fenced: true },
  lastStepCompleted: { from: "Processing", to: "Processed", fenced: true },
  stepRejected: { from: "Processing", to: "Error", fenced: true },
  retried: { from: "Processing", to: "Pending", fenced: false },
  givenUp: { from: "Processing", to: "Error", fenced: false },
  wokenAgain: { from: "Pending", to: "Pending", fenced: false },
} as const satisfies Record<string, { from: ProcessState; to: ProcessState; fenced: boolean }>;

/** A write is taken only if all of this holds of the stored record. */
export interface Guard {
  readonly processState: ProcessState;
  readonly lockedBy: string | null;
  readonly attempt: number;
  readonly step?: { readonly name: string; readonly state: StepState };
}

export type Change =
  | { readonly op: "set"; readonly path: readonly string[]; readonly value: unknown }
  | { readonly op: "append"; readonly path: readonly string[]; readonly value: unknown }
  | { readonly op: "remove"; readonly path: readonly string[] };

export interface GuardedWrite {
  readonly guard: Guard;
  readonly changes: readonly Change[];
}

/** The step that a write marks Running, with its record as it then is. */
export interface NextStep {
  readonly name: string;
  readonly record: StepRecord;
}

/** How long an ended order's notice may wait for the write that clears it before the sweep sends it again. */
export const NOTICE_GRACE_MS = 30_000;

/** Takes a Pending, unlocked order for the wake's attempt, and marks its next step Running in the same write. */
export function claim(wake: Wake, next: NextStep, now: string): GuardedWrite {
  const { from, to } = transitions.claimed;
  const holder = attemptId(wake.orderId, wake.attempt);
  return {
    guard: { processState: from, lockedBy: null, attempt: wake.attempt },
    changes: [
      set(["processState"], to),
      set(["lockedBy"], holder),
      ...running(next),
      set(["updatedAt"], now),
      append(["history"], { at: now, what: `claimed, attempt ${wake.attempt}`, by: holder }),
    ],
  };
}

/** Records a step's result; marks the next step Running, or after the last concludes the order, in the same write. */
export function completeStep(task: StepTask, done: StepRecord, next: NextStep | null, now: string): GuardedWrite {
  const event = next ? transitions.stepCompleted : transitions.lastStepCompleted;
  const ending = next ? running(next) : [...released(event.to), remove(["dueAt"])];
  return {
    guard: holding(task, event.from),
    changes: [
      set(["steps", task.step], done),
      ...ending,
      set(["updatedAt"], now),
      append(["history"], { at: now, what: `completed ${task.step}`, by: task.lockedBy }),
    ],
  };
}

/** An agent knows the fault to be permanent: Error, with a notice of it in the same write. */
export function rejectStep(task: StepTask, failed: StepRecord, error: OrderError, now: string): GuardedWrite {
  const { from, to } = transitions.stepRejected;
  return {
    guard: holding(task, from),
    changes: [
      set(["steps", task.step], failed),
      ...released(to),
      set(["error"], error),
      set(["dueAt"], after(now, NOTICE_GRACE_MS)),
      append(["notices"], { status: "Failed", attempt: task.attempt, at: now }),
      set(["updatedAt"], now),
      append(["history"], { at: now, what: `rejected ${task.step}: ${error.message}`, by: task.lockedBy }),
    ],
  };
}

/** An ended order whose status message could not be sent: the sweep will send it. */
export function leaveNotice(ended: EndedAttempt, status: OrderStatus, now: string): GuardedWrite {
  return {
    guard: guardOfEnded(ended),
    changes: [
      append(["notices"], { status, attempt: ended.attempt, at: now }),
      set(["dueAt"], after(now, NOTICE_GRACE_MS)),
    ],
  };
}

/** All that an ended order had to tell is told. */
export function clearNotices(ended: EndedAttempt): GuardedWrite {
  return { guard: guardOfEnded(ended), changes: [set(["notices"], []), remove(["dueAt"])] };
}

export interface EndedAttempt {
  readonly attempt: number;
  readonly processState: "Processed" | "Error";
}

/** The step's record from the moment it is Running. */
export function started(record: StepRecord, completeWithin: string, now: string): StepRecord {
  const completeBy = after(now, durationMs(completeWithin) ?? 0);
  return { ...record, state: "Running", completeBy, startedAt: now, endedAt: null, error: null };
}

/** The step's record once its agent is done. */
export function completed(record: StepRecord, result: StepResult, endpoint: string, now: string): StepRecord {
  return { ...record, state: "Completed", result, endpoint, error: null, endedAt: now };
}

/** The step's record once its agent has refused it for good. */
export function rejected(record: StepRecord, message: string, endpoint: string, now: string): StepRecord {
  return { ...record, state: "Failed", error: message, endpoint, endedAt: now };
}

/** The attempt as it stands after its claim. */
export function attemptOf(
  wake: Wake,
  plan: Attempt["plan"],
  steps: Attempt["steps"],
  reply: Attempt["reply"],
): Attempt {
  return {
    orderId: wake.orderId,
    attempt: wake.attempt,
    lockedBy: attemptId(wake.orderId, wake.attempt),
    plan,
    steps,
    reply,
  };
}

function holding(task: StepTask, processState: ProcessState): Guard {
  const { lockedBy, attempt, step } = task;
  return { processState, lockedBy, attempt, step: { name: step, state: "Running" } };
}

function guardOfEnded({ attempt, processState }: EndedAttempt): Guard {
  return { processState, lockedBy: null, attempt };
}

function running(next: NextStep): Change[] {
  const { name, record } = next;
  return [set(["steps", name], record), set(["completeBy"], record.completeBy), set(["dueAt"], record.completeBy)];
}

function released(processState: ProcessState): Change[] {
  return [set(["processState"], processState), set(["lockedBy"], null), set(["completeBy"], null)];
}

const set = (path: readonly string[], value: unknown): Change => ({ op: "set", path, value });
const append = (path: readonly string[], value: unknown): Change => ({ op: "append", path, value });
const remove = (path: readonly string[]): Change => ({ op: "remove", path });
