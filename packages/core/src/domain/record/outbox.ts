// The statuses that must reach a job's requester (P15): those that its record owes, and the record after they are sent, or could not be sent.

import { after } from "../duration.ts";
import type { Unread } from "./difference.ts";
import { dueAfterReminder } from "./due.ts";
import { MOST_CHANGES } from "./guarded-write.ts";
import { owesReminder } from "./reminder.ts";
import { overAgain } from "./retention.ts";
import { hasEnded, type OutboxMessage, type StateRecord } from "./state-record.ts";

/** How long an ended job's outbox message may wait for the write that removes it before the sweep sends it again. */
export const OUTBOX_GRACE_MS = 30_000;
/** The last statuses that were sent which a record names. */
const PUBLISHED_LIMIT = 20;
/** Besides them, the write that leaves messages may set when the record is due, over, closed and removed. */
const MOST_ADDED = MOST_CHANGES - 4;

/**
 * The statuses that its requester must have received before the attempt begins that a Pending record waits for, in their sequence. Whoever starts
 * that attempt publishes them first, and again if it is started again: no write says that they were sent.
 */
export function owed(record: StateRecord): readonly OutboxMessage[] {
  const { attempt, createdAt, outbox } = record;
  if (record.processState !== "Pending") return outbox;
  if (attempt === 1) return [{ status: "Received", attempt, at: createdAt }, ...outbox];
  const isKept = outbox.some((one) => one.status === "RetryScheduled" && one.attempt === attempt);
  return isKept ? outbox : [...outbox, ...retryOf(record).filter((own) => own.attempt === attempt)];
}

/** The same, and the completed steps before all but the first. */
export function owedWith(record: StateRecord, completions: readonly OutboxMessage[]): readonly OutboxMessage[] {
  const messages = owed(record);
  const isFirst = ({ status }: OutboxMessage) => status === "Received";
  return [...messages.filter(isFirst), ...completions, ...messages.filter((one) => !isFirst(one))];
}

/** The message of each completed step. */
export function completionsOf(record: StateRecord): OutboxMessage[] {
  const completed = Object.entries(record.steps).filter(([, { completedIn }]) => completedIn !== undefined);
  return completed.map(([step]) => completionOf(record, step));
}

/** The message of a completed step. */
export function completionOf({ attempt, steps, updatedAt }: StateRecord, step: string): OutboxMessage {
  const { completedIn, endedAt } = steps[step] ?? {};
  // It may have been completed for an earlier attempt than the one that holds the job.
  return { status: "StepCompleted", attempt: completedIn ?? attempt, at: endedAt ?? updatedAt, step };
}

/** By the parts of their messages' ids. */
export function isSameOutbox(one: readonly OutboxMessage[], other: readonly OutboxMessage[]): boolean {
  return namesOf(one) === namesOf(other);
}

function namesOf(outbox: readonly OutboxMessage[]): string {
  return outbox
    .map(({ status, attempt, step, direction = "" }) => `${attempt}:${status}:${step ?? ""}:${direction}`)
    .join();
}

/** For an attempt of which its requester is notified. The members of the record that say so; those of an attempt before it count as sent. */
export function announced(record: StateRecord, attempt: number, at: string) {
  const { published = [] } = record;
  const before = retryOf(record);
  const sent = before.length > 0 && { published: [...published, ...before].slice(-PUBLISHED_LIMIT) };
  return { retryScheduled: { attempt, at }, ...sent };
}

/** The status of the last attempt of which its requester is notified. */
export function retryOf({ retryScheduled }: StateRecord): readonly OutboxMessage[] {
  return retryScheduled ? [{ status: "RetryScheduled", ...retryScheduled }] : [];
}

/** The record after its outbox messages are sent; an ended job is then not due any more, and may be over. */
export function published(record: StateRecord, now: string): StateRecord {
  const { dueAt, ...rest } = record;
  const ended = hasEnded(record.processState);
  const { outbox, published: before = [] } = record;
  const sent = outbox.length > 0 && { published: [...before, ...outbox].slice(-PUBLISHED_LIMIT) };
  const due =
    dueAt && owesReminder(record) && record.processState === "Processing" ? dueAfterReminder(record, dueAt) : dueAt;
  const settled: StateRecord = { ...rest, ...(!ended && due && { dueAt: due }), outbox: [], ...sent, updatedAt: now };
  return overAgain(settled, now);
}

/**
 * Status messages could not be sent: they are sent with the next one, or the sweep sends them once the job has ended. Until then none of the job's
 * documents is removed.
 * @returns the change for the first of them, and the others, which need further writes
 */
export function addToOutbox(
  seen: StateRecord,
  outboxMessages: readonly OutboxMessage[],
  now: string,
): { readonly unread: Unread; readonly rest: readonly OutboxMessage[] } {
  const { processState, lockedBy, attempt, jobRevision } = seen;
  const over = processState === "Processed" ? "overAt" : "overInErrorAt";
  const isOpenAgain = hasEnded(processState) && { dueAt: after(now, OUTBOX_GRACE_MS), [over]: null };
  const added = { ...seen, ...isOpenAgain, outbox: [...seen.outbox, ...outboxMessages.slice(0, MOST_ADDED)] };
  const unread = { before: seen, after: added, guard: { processStates: [processState], lockedBy, attempt } };
  const rest = outboxMessages.slice(MOST_ADDED);
  if (!seen.keptUntil) return { unread, rest };
  const lifetime = { revisions: jobRevision, keepMs: null, secrets: [] };
  return { unread: { ...unread, after: { ...added, keptUntil: null }, lifetime }, rest };
}
