// Publishes the end of a job (P15, P16).

import { completionsOf } from "../../domain/record/owed.ts";
import { hasEnded, type StateRecord } from "../../domain/record/state-record.ts";
import { startAttemptOf } from "../../domain/recovery/recovery.ts";
import { STATUS_OF } from "../../domain/steps/transitions.ts";
import { inWords } from "../../domain/thrown.ts";
import type { Versioned } from "../../store/job-store.ts";
import type { Context, Telemetry } from "../ports.ts";
import { clearOutbox, endStatus, publish, publishBeforeStart, publishOrKeep } from "./publish.ts";

/**
 * The record contains the end of the job: notifies the client. The sweep publishes what fails here. Before an Error the completed steps are
 * published again: another step may have been recorded by a process that then crashed, and a step in progress when a compensation began may end
 * it.
 * @param completed the completed steps that are not published yet, for a Processed job; if absent, all are published again
 */
export async function concludeJob(
  ended: Versioned,
  context: Context,
  completed = completionsOf(ended.record),
): Promise<void> {
  const { jobId, attempt, workflow, processState, outbox } = ended.record;
  if (processState === "Processed") {
    const { createdAt, enqueuedAt = createdAt, updatedAt } = ended.record;
    const criticalMs = Date.parse(updatedAt) - Date.parse(enqueuedAt);
    context.telemetry.event("JobProcessed", { jobId, attempt, workflow: workflow.name, criticalMs });
    if (!outbox.some(({ status }) => status === "Completed")) {
      await publishOrKeep(ended, [...completed, { status: "Completed", attempt, at: updatedAt }], context);
      return;
    }
  } else reportError(ended.record, context.telemetry);
  try {
    await publish(ended.record, completionsOf(ended.record), context);
    await clearOutbox(ended, context);
  } catch (cause) {
    context.telemetry.event("StatusDelayed", { jobId, status: endStatus(ended.record), cause: inWords(cause) });
  }
}

/** All statuses of a Processed job whose process may have died before it sent them. Throws if the bus does not take them. */
export function concludedAgain(record: StateRecord, context: Context): Promise<void> {
  const { attempt, updatedAt: at } = record;
  return publish(record, [...completionsOf(record), { status: "Completed", attempt, at }], context);
}

/**
 * The record is Pending for its next attempt: notifies the scheduler. The sweep does it again if that fails.
 * @param startAt not before that; at once if null
 */
export async function startNextAttempt(
  pending: Versioned,
  context: Context,
  startAt: string | null = null,
): Promise<void> {
  const { record } = pending;
  const { jobId, attempt, error, direction } = record;
  if (direction === "compensate")
    context.telemetry.event("JobToBeCompensated", { jobId, attempt, message: error?.message ?? null });
  await publishBeforeStart(pending, context);
  await context.messenger.startAttempt(startAttemptOf(record), startAt === null ? {} : { at: startAt });
}

/** The event for each end of a job. A job in Error alerts an operator. */
const EVENTS = { Compensated: "JobCompensated", Cancelled: "JobCancelled", Error: "JobErrored" } as const;

/**
 * The process that wrote the end may have died before it raised the alert, or never have known that it wrote it: the alert is owed as long as the
 * status is. Called after the status is sent and before it leaves the outbox, so while the bus is down it is not raised again and again.
 */
export function reportOwedError(record: StateRecord, telemetry: Telemetry): void {
  const { processState, attempt, outbox } = record;
  if (!hasEnded(processState) || processState === "Processed") return;
  const end = STATUS_OF[processState];
  if (outbox.some((one) => one.status === end && one.attempt === attempt)) reportError(record, telemetry);
}

export function reportError({ jobId, attempt, error, processState }: StateRecord, telemetry: Telemetry): void {
  const { kind = null, step = null, agent = null, message = null } = error ?? {};
  const end = processState === "Compensated" || processState === "Cancelled" ? processState : "Error";
  telemetry.event(EVENTS[end], { jobId, attempt, kind, step, agent, message });
}
