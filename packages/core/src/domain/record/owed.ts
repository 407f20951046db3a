// The statuses that a record says must reach its requester, without an outbox message for each (P15).
import type { OutboxMessage, StateRecord } from "./state-record.ts";

/** The last statuses that were sent which a record names. */
export const PUBLISHED_LIMIT = 20;

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
