// Records of jobs at work, for tests of the domain.

import { expect } from "vitest";
import type { Workflow } from "../src/domain/definition/workflow.ts";
import { applyChanges, holds } from "../src/domain/record/apply-changes.ts";
import { type Unread, writeOf } from "../src/domain/record/difference.ts";
import type { GuardedWrite } from "../src/domain/record/guarded-write.ts";
import { NOT_STARTED, type StateRecord, type StepRecord } from "../src/domain/record/state-record.ts";
import type { StepTask } from "../src/domain/steps/attempt.ts";
import * as claims from "../src/domain/steps/claim.ts";
import { done, type NextStep } from "../src/domain/steps/step-run.ts";
import { endsUnread } from "../src/domain/steps/unread.ts";
import { CHAIN, NOON, SCHEDULING } from "./jobs.ts";

export const route = { endpoint: "http://x/", because: "only one" };
const reply = { replyTo: null, replyToSessionId: null, correlationId: "c", traceparent: null };
export const notStarted: StepRecord = { ...NOT_STARTED, agent: "a", result: null, compensation: null, generation: 1 };

const WITHIN = { now: NOON, scheduling: SCHEDULING, claimWithinMs: 60_000 };

/** The write of it; it has to fit into one. */
export const oneWrite = (unread: Unread): GuardedWrite =>
  writeOf(unread) ?? expect.fail("it does not fit into one write");

/** The claim of a record's attempt, which schedules these steps. */
export function claimWrite(record: StateRecord, next: readonly NextStep[], holder: string): GuardedWrite {
  return oneWrite(claims.claimUnread(record, claims.claimed(record, next, holder, NOON)));
}

/** The writes of a task's end: while others go on beside it, if there are any, and as the last of them. */
export function endWrites(task: StepTask): readonly GuardedWrite[] {
  const answer = { kind: "done", result: { id: "x-1" }, ...route } as const;
  return endsUnread(task, answer, { ...WITHIN, closing: null, hasDeadline: false }).map(oneWrite);
}

function write(record: StateRecord, { guard, changes }: GuardedWrite): StateRecord {
  expect(holds(guard, record)).toBe(true);
  return applyChanges(record, changes);
}

const TIME = { startBy: NOON, completeBy: NOON, completeWithin: "PT10S" };

export function stepIn(record: StateRecord, name: string): StepRecord {
  const step = record.steps[name];
  if (!step) throw new Error(`no step ${name}`);
  return step;
}

export function claimed(record: StateRecord, workflow: Workflow = CHAIN): StateRecord {
  const after = claims.claimOf(record, "job-1-1@hub", { ...WITHIN, workflow });
  return write(record, oneWrite(claims.claimUnread(record, after)));
}

export function taskOf(record: StateRecord, step: string): StepTask {
  const { jobId, attempt, direction, workflow, jobRevision, priority, lockedBy } = record;
  const held = { jobId, attempt, direction, workflow, jobRevision, priority, lockedBy: lockedBy ?? "" };
  const own = { step, agent: "a", operation: "x", record: stepIn(record, step), ...TIME };
  const transport = "activity" as const;
  return { ...held, ...own, transport, results: {}, join: null, isAlone: true, isAwaited: true, reply };
}

export function withDone(record: StateRecord, ...names: string[]): StateRecord {
  const steps = names.map((name) => [name, done(stepIn(record, name), 1, "forward", { id: name }, route, NOON)]);
  return { ...record, steps: { ...record.steps, ...Object.fromEntries(steps) } };
}
