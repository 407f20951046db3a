// Publishes statuses to the client (P15): in order for each job, and at least once. A message that can't be sent now is left in the record as an
// outbox message.

import { instant } from "../../domain/duration.ts";
import { completionsOf, isSameOutbox, owedWith } from "../../domain/record/owed.ts";
import { hasEnded, type JobStatus, type OutboxMessage, type StateRecord } from "../../domain/record/state-record.ts";
import { published } from "../../domain/recovery/recovery.ts";
import { statusMessage } from "../../domain/steps/outputs.ts";
import { addToOutbox, STATUS_OF } from "../../domain/steps/transitions.ts";
import { inWords } from "../../domain/thrown.ts";
import type { Versioned } from "../../store/job-store.ts";
import type { Context, Ports } from "../ports.ts";

/** A write, and a read of the record's current state: the attempt may have continued in the meantime. */
const TRIES_TO_LEAVE = 3;

/** Sends those status messages that the requester wants, in one send. Throws once the messenger's bounded retries are used up. */
export async function publish(
  record: StateRecord,
  outboxMessages: readonly OutboxMessage[],
  context: Context,
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
 * The statuses that the client must have received before a next attempt begins. A process may have crashed after it recorded a job or completed a
 * step, and before it published that. Once another attempt holds the job no other process would publish it, so it is published again, under the
 * same ids. Returns the last known record.
 */
export async function publishBeforeStart(pending: Versioned, context: Context): Promise<Versioned> {
  return clearOutbox(pending, context, { completions: completionsOf(pending.record) });
}

interface Sending {
  /** They go before the others, but for the first. */
  readonly completions?: readonly OutboxMessage[];
  /** Called before the outbox messages are removed. */
  readonly onSent?: () => void;
}

/**
 * Sends what the record owes, then removes the outbox messages from it, unless there are others by then: then they are sent again. Returns the last
 * known record.
 */
export async function clearOutbox(
  read: Versioned,
  context: Context,
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

/**
 * A step is completed, or the job has ended, or both. Messages that can't be sent are left as outbox messages, and are published before the next
 * message or by the sweep: so no message overtakes them. Returns the last known record.
 */
export async function publishOrKeep(
  written: Versioned,
  outboxMessages: readonly OutboxMessage[],
  context: Context,
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

/**
 * In their sequence, with as many writes as they need: after a crash in between, its step's activity runs again and publishes all of them. Throws if
 * the store can't write it: the attempt then times out, and the activity may run again.
 */
async function leave(seen: StateRecord, outboxMessages: readonly OutboxMessage[], ports: Ports): Promise<Versioned> {
  let record: StateRecord | undefined = seen;
  let open = outboxMessages;
  for (let rejections = 0; record && rejections < TRIES_TO_LEAVE; ) {
    const { write, rest } = addToOutbox(record, open, instant(ports.now()));
    const left = await ports.store.change(record.jobId, write);
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

/** The status of an ended job's record. */
export function endStatus({ processState }: StateRecord): JobStatus {
  return hasEnded(processState) ? STATUS_OF[processState] : "Failed";
}
