// What the client receives (P15): in order for each job, and at least once. What can't be sent now is left as an outbox message in the record.
import { statusMessage } from "../domain/outputs.ts";
import { published } from "../domain/recovery.ts";
import { hasEnded, type JobStatus, type OutboxMessage, type StateRecord } from "../domain/state-record.ts";
import { addToOutbox, STATUS_OF } from "../domain/transitions.ts";
import type { Versioned } from "../store/job-store.ts";
import { type Context, instant, type Ports } from "./ports.ts";

/** A write, and a look at the record that says where it stands now: the attempt may have gone on meanwhile. */
const TRIES_TO_LEAVE = 3;

/** Sends one status message, if its requester wants that status. Throws once the messenger's bounded retries are used up. */
export async function publish(record: StateRecord, outboxMessage: OutboxMessage, context: Context): Promise<void> {
  const { jobId, workflow, replyTo } = record;
  // After a rollback this app may not have the workflow: its requester is sent the status all the same.
  const message = statusMessage(record, outboxMessage, context.workflows.find(workflow));
  if (!message) return;
  const answer = await context.messenger.publish(record, message);
  if (answer === "no-such-queue")
    context.telemetry.event("StatusUndeliverable", { jobId, status: outboxMessage.status, queue: replyTo });
}

/**
 * What the client has to have received before a next attempt begins. Whoever recorded a job or completed a step may have died
 * before it said so, and once another attempt holds the job nobody else would: so it is said again, under the same ids.
 * Returns the record as far as this knows it now.
 */
export async function publishBeforeStart(pending: Versioned, context: Context): Promise<Versioned> {
  const { record } = pending;
  const received: OutboxMessage = { status: "Received", attempt: 1, at: record.createdAt };
  if (record.attempt === 1) await publish(record, received, context);
  await publishSteps(record, context);
  return clearOutbox(pending, context);
}

/** Each step that is completed, in the name of the attempt that completed it. */
export async function publishSteps(record: StateRecord, context: Context): Promise<void> {
  for (const [step, { completedIn: attempt, endedAt }] of Object.entries(record.steps)) {
    if (attempt === undefined) continue;
    await publish(record, { status: "StepCompleted", attempt, at: endedAt ?? record.updatedAt, step }, context);
  }
}

/** Sends all that the record has still to publish, in order. What was sent before goes again under the same message id. */
export async function publishOutbox(record: StateRecord, context: Context): Promise<void> {
  for (const outboxMessage of record.outbox) await publish(record, outboxMessage, context);
}

/**
 * Sends the outbox messages, then takes them out of the record, unless there are others by then: they are sent again otherwise. Before a
 * start message, for the attempt writes the record too. Returns the record as far as this knows it now.
 */
export async function clearOutbox(read: Versioned, context: Context): Promise<Versioned> {
  const { outbox, jobId } = read.record;
  if (outbox.length === 0) return read;
  await publishOutbox(read.record, context);
  let known: Versioned | undefined = read;
  for (let tries = 0; known && tries < TRIES_TO_LEAVE; tries += 1) {
    const written = await context.store.replace(known, published(known.record, instant(context.now())));
    if (written.kind === "written") return written;
    // What was at work beside a step that ended the job is recorded too.
    known = await context.store.state(jobId);
    if (!known || namesOf(known.record.outbox) !== namesOf(outbox)) return read;
  }
  return read;
}

/** What they are, by what their messages' ids are made of. */
function namesOf(outbox: readonly OutboxMessage[]): string {
  return outbox.map(({ status, attempt, step }) => `${attempt}:${status}:${step ?? ""}`).join();
}

/**
 * A step is completed, or the job is done. What can't be sent is left as an outbox message, published before the next message or by the
 * sweep: so nothing overtakes it. Returns the record as far as this knows it now.
 */
export async function publishOrKeep(
  written: Versioned,
  status: "StepCompleted" | "Completed",
  step: string | null,
  context: Context,
): Promise<Versioned> {
  const { jobId, updatedAt, steps } = written.record;
  // A step may have been completed for an attempt before the one that holds the job.
  const attempt = (step === null ? undefined : steps[step]?.completedIn) ?? written.record.attempt;
  const outboxMessage: OutboxMessage = { status, attempt, at: updatedAt, ...(step !== null && { step }) };
  try {
    const settled = await clearOutbox(written, context);
    await publish(written.record, outboxMessage, context);
    return settled;
  } catch (cause) {
    context.telemetry.event("StatusDelayed", { jobId, status, cause: String(cause) });
    return leave(written.record, outboxMessage, context);
  }
}

/** Throws where the store can't take it: the attempt then times out, and its step's activity may run again. */
async function leave(seen: StateRecord, outboxMessage: OutboxMessage, ports: Ports): Promise<Versioned> {
  let record: StateRecord | undefined = seen;
  for (let tries = 0; record && tries < TRIES_TO_LEAVE; tries += 1) {
    const left = await ports.store.change(record.jobId, addToOutbox(record, outboxMessage, instant(ports.now())));
    if (left.kind === "written") return left;
    record = (await ports.store.state(record.jobId))?.record;
  }
  throw new Error(`the outbox message ${outboxMessage.status} of job ${seen.jobId} could not be left in its record`);
}

/** The status that an ended job's record stands for. */
export function endStatus({ processState }: StateRecord): JobStatus {
  return hasEnded(processState) ? STATUS_OF[processState] : "Failed";
}
