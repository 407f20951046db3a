// A step's outcome (P8, P9, P13): recorded, fenced by the attempt, told, and handed to the scheduler.
import type { BoundedReply } from "../agents/agent.ts";
import type { NextStep, StepOutcome, StepTask } from "../domain/attempt.ts";
import { isDone, isInHand, runOf } from "../domain/plan.ts";
import type { StateRecord, StepRecord } from "../domain/state-record.ts";
import { done, refused, scheduled } from "../domain/step-run.ts";
import { completeAmong, completeLevel, completeOrder, rejectAndUndo, rejectStep } from "../domain/transitions.ts";
import { policyFor } from "../domain/workflow.ts";
import type { Versioned, Written } from "../store/order-store.ts";
import { concludeOrder, endingOf, passOn, type Undone } from "./conclude-order.ts";
import { instant, type Ports, schedulingOf, type Telemetry } from "./ports.ts";
import { tellOrLeave } from "./tell.ts";

/** What an agent answered in time, and when it took the step up, where that is known. */
export type Answer = Extract<BoundedReply, { kind: "done" | "rejected" }> & { readonly startedAt?: string | undefined };

/**
 * Order of writes: the record, then the status message. Run again after a death in between, the record shows the step done,
 * and the message has the same id. An answer that comes after the attempt lost the order changes nothing.
 */
export async function recordAnswer(
  task: StepTask,
  answer: Answer,
  ports: Ports,
  telemetry: Telemetry,
): Promise<StepOutcome> {
  const written = await record(task, answer, ports);
  if (written.kind === "written") return outcomeOf(task, written, ports, telemetry);
  // Either an earlier run of this task made the write, or the attempt is no longer the holder.
  const outcome = await recordedOutcome(task, ports, telemetry);
  if (outcome) return outcome;
  await rejectLate(task, "the attempt no longer holds the order", ports, telemetry);
  return { kind: "superseded" };
}

/** A reply that nobody waits for any more (P8): counted, kept in the ledger, and nothing else. */
export async function rejectLate(
  task: { readonly orderId: string; readonly attempt: number; readonly step: string },
  reason: string,
  ports: Ports,
  telemetry: Telemetry,
): Promise<void> {
  const { orderId, attempt, step } = task;
  telemetry.event("LateReplyRejected", { orderId, attempt, step, reason });
  try {
    await ports.supervision.lateReply({ at: instant(ports.now()), orderId, attempt, step, reason });
  } catch (cause) {
    // The ledger is for people: where it can't be written, the step's silence is worth more than the entry.
    telemetry.event("LedgerUnwritten", { orderId, cause: String(cause) });
  }
}

function record(task: StepTask, answer: Answer, ports: Ports): Promise<Written> {
  const now = instant(ports.now());
  const { direction } = task;
  if (answer.kind === "done")
    return close(task, done(task.record, task.attempt, direction, answer.result, answer, now), now, ports);
  const failed = refused(task.record, direction, answer.message, answer, now);
  // An undo that the service refuses for good is left to a person; the other steps are undone all the same.
  return direction === "undo" ? close(task, failed, now, ports) : reject(task, failed, answer.message, now, ports);
}

/** The last of a level to end schedules the next one or concludes; of the two guards exactly one can hold. */
async function close(task: StepTask, ended: StepRecord, now: string, ports: Ports): Promise<Written> {
  const { orderId, siblings, next, direction } = task;
  if (siblings.length > 0) {
    const among = await ports.store.change(orderId, completeAmong(task, ended, now));
    if (among.kind === "written") return among;
  }
  if (next.length > 0) {
    const following = next.map((step) => scheduled(step, direction, now, schedulingOf(ports)));
    return ports.store.change(orderId, completeLevel(task, ended, following, now));
  }
  const undone = direction === "undo" ? await undoneBy(task, ended, ports) : null;
  const ending = endingOf(ports.workflows.of(task.workflow), undone, now);
  return ports.store.change(orderId, completeOrder(task, ended, ending, now, closedAtOnce(ports)));
}

/** Where an archive is to be written first, housekeeping closes the order: no order waits for that. */
function closedAtOnce({ retention }: Ports): number | null {
  return retention && !retention.archive ? retention.keepMs : null;
}

/** What an undo's end says depends on every step and on the cause; that end is rare, so it is worth a read. */
async function undoneBy({ orderId, step }: StepTask, ended: StepRecord, ports: Ports): Promise<Undone> {
  const stored = await ports.store.state(orderId);
  return { steps: { ...stored?.record.steps, [step]: ended }, cause: stored?.record.error ?? null };
}

function reject(task: StepTask, failed: StepRecord, message: string, now: string, ports: Ports): Promise<Written> {
  const { orderId, step, agent } = task;
  const error = { kind: "rejected", message, step, agent, at: now } as const;
  const { onRejected } = policyFor(ports.workflows.of(task.workflow), step);
  if (onRejected === "fail") return ports.store.change(orderId, rejectStep(task, failed, error, now));
  const { claimWithinMs, clockSkewMs } = ports.timing;
  const quietAt = task.siblingsUntil === null ? 0 : Date.parse(task.siblingsUntil) + clockSkewMs;
  const claimBy = instant(Math.max(ports.now(), quietAt) + claimWithinMs);
  return ports.store.change(orderId, rejectAndUndo(task, failed, error, now, claimBy));
}

/** What an earlier run of this task wrote. The attempt's number is its fence: no other attempt writes under it. */
export async function recordedOutcome(
  task: StepTask,
  ports: Ports,
  telemetry: Telemetry,
): Promise<StepOutcome | undefined> {
  const read = await ports.store.state(task.orderId);
  if (!read) return undefined;
  const { record: stored } = read;
  const own = stored.steps[task.step];
  const refusedForGood = task.direction === "forward" && own?.state === "Failed";
  const isOwn = stored.attempt === task.attempt && (isDone(own, task.direction) || refusedForGood);
  const ledToUndo = refusedForGood && stored.attempt === task.attempt + 1 && stored.direction === "undo";
  return isOwn || ledToUndo ? outcomeOf(task, read, ports, telemetry) : undefined;
}

/** What the stored record means for the scheduler; where it has ended, or goes the other way, that is told first. */
async function outcomeOf(task: StepTask, written: Versioned, ports: Ports, telemetry: Telemetry): Promise<StepOutcome> {
  const { record: stored } = written;
  const { orderId, attempt, step, agent, direction } = task;
  const own = stepOf(stored, step);
  const run = runOf(own, direction);
  const ms = run?.startedAt && run.endedAt ? Date.parse(run.endedAt) - Date.parse(run.startedAt) : null;
  if (direction === "forward" && own.state === "Failed") {
    telemetry.event("StepRejected", { orderId, attempt, step, agent, ms, message: own.error });
    await (stored.processState === "Pending"
      ? passOn(written, ports, telemetry)
      : concludeOrder(written, ports, telemetry));
    return { kind: "rejected" };
  }
  telemetry.event(direction === "forward" ? "StepCompleted" : "StepUndone", {
    orderId,
    attempt,
    step,
    agent,
    state: run?.state ?? null,
    endpoint: run?.endpoint ?? null,
    ms,
  });
  const told = direction === "forward" ? await tellOrLeave(written, "StepCompleted", step, ports, telemetry) : written;
  if (stored.processState !== "Processing") await concludeOrder(told, ports, telemetry);
  return { kind: "completed", step, record: own, next: nextInHand(task, stored) };
}

/** The next level, if it is scheduled: the last of this level to end has done that. */
function nextInHand({ next, direction }: StepTask, stored: StateRecord): NextStep[] {
  return next.flatMap(({ name }) => {
    const record = stepOf(stored, name);
    return isInHand(runOf(record, direction)) ? [{ name, record }] : [];
  });
}

function stepOf(record: StateRecord, name: string): StepRecord {
  const step = record.steps[name];
  if (!step) throw new Error(`the record of order ${record.orderId} has no step ${name}`);
  return step;
}
