// The statuses that a job's requester has received, and those still to be sent, as far as the record contains them.
import {
  hasEnded,
  isWanted,
  type OutboxMessage,
  owed,
  retryOf,
  type StateRecord,
} from "@scheduler-agent-supervisor/core/domain";

export interface StatusDelivery extends OutboxMessage {
  /** `unwanted`: its requester wants none of that kind, or named no queue. */
  readonly delivery: "sent" | "owed" | "unwanted";
}

/**
 * In the order of their instants. A status that is not pending was accepted by its queue, or that queue does not exist any more. The list is
 * derived from the record: it does not contain steps that began again after a compensation, nor changes that its history has dropped.
 */
export function statusesOf(record: StateRecord): StatusDelivery[] {
  const isAnswered = record.replyTo !== null;
  // Whoever starts an attempt sends its statuses before that, and notes it nowhere.
  const open = owed(record);
  const isOwed = new Set(open.map(nameOf));
  const sent = sentBy(record).filter((outboxMessage) => !isOwed.has(nameOf(outboxMessage)));
  const delivery = (outboxMessage: OutboxMessage, usual: "sent" | "owed"): StatusDelivery => ({
    ...outboxMessage,
    delivery: isAnswered && isWanted(record, outboxMessage.status) ? usual : "unwanted",
  });
  return [
    ...sent.map((outboxMessage) => delivery(outboxMessage, "sent")),
    ...open.map((outboxMessage) => delivery(outboxMessage, "owed")),
  ].sort((one, other) => one.at.localeCompare(other.at));
}

function sentBy(record: StateRecord): OutboxMessage[] {
  const { processState, attempt, updatedAt, steps, published = [], history, error } = record;
  const started = history.flatMap(({ at, what }): OutboxMessage[] => {
    const [, number] = /^claimed, attempt (\d+), forward$/.exec(what) ?? [];
    return number === undefined ? [] : [{ status: "Started", attempt: Number(number), at }];
  });
  // A step in progress beside the step that ended the job is recorded too, and is published only with a next attempt.
  const endedAt = hasEnded(processState) ? error?.at : undefined;
  const completed = Object.entries(steps).flatMap(([step, run]): OutboxMessage[] => {
    const at = run.endedAt ?? updatedAt;
    const isPublished = run.completedIn !== undefined && (endedAt === undefined || at < endedAt);
    return isPublished ? [{ status: "StepCompleted", attempt: run.completedIn, at, step }] : [];
  });
  const settled = published.map(({ status, attempt, at, step }) => ({ status, attempt, at, ...(step && { step }) }));
  const known = [received(record), ...started, ...completed, ...settled, ...retryOf(record)];
  const isEndKnown = settled.some(({ status }) => status === "Completed");
  if (processState !== "Processed" || isEndKnown) return distinct(known);
  const completedAt = record.overAt ?? history.at(-1)?.at ?? updatedAt;
  return distinct([...known, { status: "Completed", attempt, at: completedAt }]);
}

const received = ({ createdAt }: StateRecord): OutboxMessage => ({ status: "Received", attempt: 1, at: createdAt });

/** The parts of a message's id. */
const nameOf = ({ status, attempt, step = "" }: OutboxMessage): string => `${attempt}:${status}:${step}`;

function distinct(outbox: readonly OutboxMessage[]): OutboxMessage[] {
  return [...new Map(outbox.map((outboxMessage) => [nameOf(outboxMessage), outboxMessage])).values()];
}
