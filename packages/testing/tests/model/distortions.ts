// What a mutant makes of a write, or of the record that an operation reads or stores.

import {
  after,
  type Change,
  expiresAt,
  type GuardedWrite,
  hasEnded,
  isInHand,
  mayHaveHadEffect,
  NOT_STARTED,
  type StateRecord,
} from "@scheduler-agent-supervisor/core/domain";
import { LONG_AGO, TICK_MS } from "../../src/model/abstract-time.ts";
import type { OperationName } from "../../src/model/operation-name.ts";

/** Each step that waited in vain has failed once more. */
export function withWaitsCounted(record: StateRecord): StateRecord {
  const steps = Object.entries(record.steps).map(([name, step]) => [
    name,
    step.waitCount > 0 ? { ...step, failureCount: (step.failureCount ?? 0) + 1 } : step,
  ]);
  return { ...record, steps: Object.fromEntries(steps) };
}

/** Schedules what is next, or concludes, only after the step is completed. */
export function apart(write: GuardedWrite): readonly GuardedWrite[] {
  const step = write.changes.find(({ path }) => path[0] === "steps" && path[1] === write.guard.step?.name);
  const rest = write.changes.filter((change) => change !== step);
  if (!step || !rest.some(isOfMerged)) return [write];
  const { step: _, siblings, ...fence } = write.guard;
  return [
    { guard: write.guard, changes: [step] },
    { guard: fence, changes: rest },
  ];
}

/** Takes the job, and schedules its steps only then. */
export function claimApart(write: GuardedWrite): readonly GuardedWrite[] {
  const [state, holder] = ["processState", "lockedBy"].map((member) =>
    write.changes.find(({ path }) => path[0] === member),
  );
  const rest = write.changes.filter((change) => change !== state && change !== holder);
  if (!state || !holder || !write.guard.processStates.includes("Pending") || write.guard.step) return [write];
  const { processState, lockedBy } = Object.fromEntries(
    [state, holder].map((change) => [change.path[0], newValueOf(change)]),
  );
  if (processState !== "Processing") return [write];
  return [
    { guard: write.guard, changes: [state, holder] },
    { guard: { ...write.guard, processStates: [processState], lockedBy: lockedBy as string }, changes: rest },
  ];
}

/** Ends a job, and does not say that the client has to be told. */
export function withoutNotice(record: StateRecord): StateRecord {
  if (!hasEnded(record.processState)) return record;
  const { dueAt: _due, ...rest } = record;
  return { ...rest, outbox: [] };
}

const newValueOf = (change: Change): unknown => ("value" in change ? change.value : undefined);
const isOfMerged = ({ path }: Change) => path[0] === "processState" || path[0] === "steps";

export function withoutUnknown(record: StateRecord, operation: OperationName): StateRecord {
  const steps = Object.entries(record.steps).map(([name, step]) => {
    const isUnknown = step.state !== "Completed" && mayHaveHadEffect(step);
    return [name, isUnknown ? { ...step, ...NOT_STARTED } : step];
  });
  const isClaim = operation === "takeStartAttempt" && record.direction === "compensate";
  return isClaim ? { ...record, steps: Object.fromEntries(steps) } : record;
}

/** To the supervisor a step that waits for its agent looks as if an agent were at work on it. */
export function waitingAsRunning(record: StateRecord, operation: OperationName): StateRecord {
  if (operation !== "sweep") return record;
  const steps = Object.entries(record.steps).map(([name, step]) => [
    name,
    step.state === "Scheduled" ? { ...step, state: "Running" } : step,
  ]);
  return { ...record, steps: Object.fromEntries(steps) };
}

/** To the supervisor all steps in hand have the time of the one that has least. */
export function byShortest(record: StateRecord, operation: OperationName): StateRecord {
  if (operation !== "sweep") return record;
  const inHand = Object.entries(record.steps).filter(([, step]) => isInHand(step));
  const [shortest] = inHand.map(([, step]) => expiresAt(step)).sort();
  if (shortest === undefined) return record;
  const cut = inHand.map(([name, step]) => [name, { ...step, startBy: shortest, completeBy: shortest }]);
  return { ...record, steps: { ...record.steps, ...Object.fromEntries(cut) } };
}

/** To the claim of a compensation the time of a step that is at work looks as if it were over. */
export function atWorkAsExpired(record: StateRecord, operation: OperationName): StateRecord {
  if (operation !== "takeStartAttempt" || record.direction !== "compensate") return record;
  const steps = Object.entries(record.steps).map(([name, step]) => [
    name,
    isInHand(step) ? { ...step, state: "NotStarted", startBy: null, completeBy: null } : step,
  ]);
  return { ...record, steps: Object.fromEntries(steps) };
}

/** To an operator the time of whoever is at work on it looks as if it were over. */
export function nobodyAtWork(record: StateRecord, operation: OperationName): StateRecord {
  if (operation !== "operateJob") return record;
  const steps = Object.entries(record.steps).map(([name, step]) => [
    name,
    isInHand(step) ? { ...step, startBy: LONG_AGO, completeBy: LONG_AGO } : step,
  ]);
  return { ...record, steps: Object.fromEntries(steps) };
}

/** To an operator's action a job that waits looks as if nothing had been done for it. */
export function waitingAsUntouched(record: StateRecord, operation: OperationName): StateRecord {
  if (operation !== "operateJob" || record.processState !== "Pending") return record;
  const steps = Object.entries(record.steps).map(([name, step]) => [
    name,
    step.state === "NotStarted" ? { ...step, ...NOT_STARTED } : step,
  ]);
  return { ...record, steps: Object.fromEntries(steps) };
}

/** Word of a step that waits gives it the time that another step would have. */
export function shortened(record: StateRecord): StateRecord {
  const steps = Object.entries(record.steps).map(([name, step]) => {
    const { lastReportAt } = step.state === "Awaiting" ? (step.accepted ?? {}) : {};
    return [name, lastReportAt === undefined ? step : { ...step, completeBy: after(lastReportAt, TICK_MS) }];
  });
  return { ...record, steps: Object.fromEntries(steps) };
}

/** A step that is skipped, as if it had left nothing behind. */
export function skippedWithoutTrace(record: StateRecord): StateRecord {
  const steps = Object.entries(record.steps).map(([name, { outcomeUnknown, ...step }]) => [
    name,
    step.state === "Skipped" || outcomeUnknown === undefined ? step : { ...step, outcomeUnknown },
  ]);
  return { ...record, steps: Object.fromEntries(steps) };
}

/** Who records what came of a step takes what is compensated beside it for a step that nobody is at work on. */
export function withoutCompensationBeside(record: StateRecord, operation: OperationName): StateRecord {
  if (operation !== "runStep" || record.direction !== "forward") return record;
  const steps = Object.entries(record.steps).map(([name, step]) => [
    name,
    step.state === "Skipped" ? { ...step, compensation: { ...NOT_STARTED, state: "Completed" as const } } : step,
  ]);
  return { ...record, steps: Object.fromEntries(steps) };
}

/** To a claim a skipped step looks as if it had yet to be done. */
export function skippedAsOpen(record: StateRecord, operation: OperationName): StateRecord {
  if (operation !== "takeStartAttempt") return record;
  const steps = Object.entries(record.steps).map(([name, step]) => [
    name,
    step.state === "Skipped" ? { ...step, state: "NotStarted" as const } : step,
  ]);
  return { ...record, steps: Object.fromEntries(steps) };
}
