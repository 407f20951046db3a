// Publishes a job's statuses to its client (P15, P16): in order for each job, and at least once. A message that can't be sent now is left in the
// record as an outbox message.

import { instant } from "../../domain/duration.ts";
import { addToOutbox, completionsOf, isSameOutbox, owedWith, published } from "../../domain/record/outbox.ts";
import { hasEnded, type JobStatus, type OutboxMessage, type StateRecord } from "../../domain/record/state-record.ts";
import { startAttemptOf } from "../../domain/recovery/recovery.ts";
import { statusMessage } from "../../domain/steps/outputs.ts";
import { STATUS_OF } from "../../domain/steps/transitions.ts";
import { inWords } from "../../domain/thrown.ts";
import type { Versioned } from "../../store/job-store.ts";
import { type Made, writeUnread } from "../change.ts";
import type { Publishing, Telemetry } from "../ports.ts";

/** The event for each end of a job. A job in Error alerts an operator. */
const EVENTS = { Compensated: "JobCompensated", Cancelled: "JobCancelled", Error: "JobErrored" } as const;

/** A write, and a read of the record's current state: the attempt may have continued in the meantime. */
const TRIES_TO_LEAVE = 3;

/**
 * What the difference of two records owes to others, whoever made the change: a job that waits for its next attempt has it started, and one that ended
 * is published. Nothing, if it is neither. Returns the last known record.
 */
export async function followTurn({ before, after, record, etag }: Made, context: Publishing): Promise<Versioned> {
  if (after.processState === "Pending" && after.attempt !== before.attempt)
    return startNextAttempt({ record, etag }, context);
  const isOver = hasEnded(after.processState) && !hasEnded(before.processState);
  return isOver ? concludeJob({ record, etag }, context) : { record, etag };
}

/** Notifies the client and the scheduler. The sweep does it again if that fails. */
export async function startNextAttempt(pending: Versioned, context: Publishing): Promise<Versioned> {
  const { record } = pending;
  const { jobId, attempt, error, direction } = record;
  if (direction === "compensate")
    context.telemetry.event("JobToBeCompensated", { jobId, attempt, message: error?.message ?? null });
  const known = await publishAll(pending, context);
  await context.messenger.startAttempt(startAttemptOf(record));
  return known;
}

/**
 * All statuses that the client must have received before a next attempt begins, or of a job that has ended in Error. A process may have crashed
 * after it recorded a job or completed a step, and before it published that. No other process would publish it, so it is published again, under
 * the same ids. Returns the last known record.
 */
export async function publishAll(stored: Versioned, context: Publishing, onSent?: () => void): Promise<Versioned> {
  return clearOutbox(stored, context, { completions: completionsOf(stored.record), onSent });
}

/**
 * The record contains the end of the job: notifies the client. The sweep publishes what fails here. Before an Error the completed steps are
 * published again: another step may have been recorded by a process that then crashed, and a step in progress when a compensation began may end
 * it.
 * @param completed the completed steps that are not published yet, for a Processed job; if absent, all are published again
 */
export async function concludeJob(
  ended: Versioned,
  context: Publishing,
  completed: readonly OutboxMessage[] = completionsOf(ended.record),
): Promise<Versioned> {
  const { jobId, attempt, workflow, processState, outbox } = ended.record;
  if (processState === "Processed") {
    const { createdAt, enqueuedAt = createdAt, updatedAt } = ended.record;
    const criticalMs = Date.parse(updatedAt) - Date.parse(enqueuedAt);
    context.telemetry.event("JobProcessed", { jobId, attempt, workflow: workflow.name, criticalMs });
    if (!outbox.some(({ status }) => status === "Completed")) {
      return publishOrKeep(ended, [...completed, { status: "Completed", attempt, at: updatedAt }], context);
    }
  } else reportError(ended.record, context.telemetry);
  try {
    return await publishAll(ended, context);
  } catch (cause) {
    context.telemetry.event("StatusDelayed", { jobId, status: endStatus(ended.record), cause: inWords(cause) });
    return ended;
  }
}

/**
 * For an attempt whose activity failed finally, or whose time is over: if its job has still ended, the client is notified. Messages that were
 * published before are sent again under the same message id. Throws if store or bus are unavailable: the engine tries again.
 */
export async function publishEndOf(
  { jobId, attempt }: { readonly jobId: string; readonly attempt: number },
  context: Publishing,
): Promise<void> {
  // Nobody publishes the end later, so it is not to be missed because of a stale read.
  const stored = await context.store.latest(jobId);
  if (!stored || stored.record.attempt !== attempt) return;
  const { processState } = stored.record;
  if (!hasEnded(processState)) return;
  if (processState === "Processed") await concludeJob(stored, context);
  else await publishAll(stored, context, () => reportOwedError(stored.record, context.telemetry));
}

/** All statuses of a Processed job whose process may have died before it sent them. Throws if the bus does not take them. */
export function concludedAgain(record: StateRecord, context: Publishing): Promise<void> {
  const { attempt, updatedAt: at } = record;
  return publish(record, [...completionsOf(record), { status: "Completed", attempt, at }], context);
}

/**
 * A step is completed, or the job has ended, or both. Messages that can't be sent are left as outbox messages, and are published before the next
 * message or by the sweep: so no message overtakes them. Returns the last known record.
 */
export async function publishOrKeep(
  written: Versioned,
  outboxMessages: readonly OutboxMessage[],
  context: Publishing,
): Promise<Versioned> {
  const { jobId } = written.record;
  try {
    const settled = await clearOutbox(written, context);
    await publish(written.record, outboxMessages, context);
    return settled;
  } catch (cause) {
    for (const { status } of outboxMessages)
      context.telemetry.event("StatusDelayed", { jobId, status, cause: inWords(cause) });
    return leave(written.record, outboxMessages, context);
  }
}

interface Sending {
  /** They go before the others, but for the first. */
  readonly completions?: readonly OutboxMessage[];
  /** Called before the outbox messages are removed. */
  readonly onSent?: (() => void) | undefined;
}

/**
 * Sends what the record owes, then removes the outbox messages from it, unless there are others by then: then they are sent again. Returns the last
 * known record.
 */
export async function clearOutbox(
  read: Versioned,
  context: Publishing,
  { completions = [], onSent }: Sending = {},
): Promise<Versioned> {
  const { outbox, jobId } = read.record;
  await publish(read.record, owedWith(read.record, completions), context);
  onSent?.();
  if (outbox.length === 0) return read;
  let known: Versioned | undefined = read;
  for (let tries = 0; known && tries < TRIES_TO_LEAVE; tries += 1) {
    const written = await context.store.replace(known, published(known.record, instant(context.now())));
    if (written.kind === "written") return written;
    // A step in progress beside the one that ended the job is recorded too.
    known = await context.store.state(jobId);
    if (!known || !isSameOutbox(known.record.outbox, outbox)) return read;
  }
  return read;
}

/** Sends those status messages that the requester wants, in one send. Throws once the messenger's bounded retries are used up. */
export async function publish(
  record: StateRecord,
  outboxMessages: readonly OutboxMessage[],
  context: Publishing,
): Promise<void> {
  const { jobId, replyTo } = record;
  // After a rollback this app may not have the workflow: its requester receives the status nevertheless.
  const workflow = context.workflows.find(record.workflow);
  const messages = outboxMessages.flatMap((one) => statusMessage(record, one, workflow) ?? []);
  if (messages.length === 0) return;
  const answer = await context.messenger.publish(record, messages);
  if (answer === "too-large-together") {
    for (const one of outboxMessages) await publish(record, [one], context);
  }
  if (answer !== "no-such-queue") return;
  for (const { status } of messages) context.telemetry.event("StatusUndeliverable", { jobId, status, queue: replyTo });
}

/**
 * In their sequence, with as many writes as they need: after a crash in between, its step's activity runs again and publishes all of them. Throws if
 * the store can't write it: the attempt then times out, and the activity may run again.
 */
async function leave(
  seen: StateRecord,
  outboxMessages: readonly OutboxMessage[],
  ports: Publishing,
): Promise<Versioned> {
  let record: StateRecord | undefined = seen;
  let open = outboxMessages;
  for (let rejections = 0; record && rejections < TRIES_TO_LEAVE; ) {
    const { unread, rest } = addToOutbox(record, open, instant(ports.now()));
    const left = await writeUnread(record.jobId, unread, ports);
    if (left.kind === "written") {
      if (rest.length === 0) return left;
      [record, open] = [left.record, rest];
    } else {
      rejections += 1;
      record = (await ports.store.state(record.jobId))?.record;
    }
  }
  const statuses = open.map(({ status }) => status).join(", ");
  throw new Error(`the outbox messages of job ${seen.jobId} could not be left in its record: ${statuses}`);
}

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

/** The status of an ended job's record. */
function endStatus({ processState }: StateRecord): JobStatus {
  return hasEnded(processState) ? STATUS_OF[processState] : "Failed";
}
