// The age of the oldest message in a queue, from its first arrival, by the cause of its wait.
import type { ServiceBusClient, ServiceBusReceivedMessage, ServiceBusReceiver } from "@azure/service-bus";
import { FIRST_ENQUEUED_AT, POSTPONE_CAUSE } from "@scheduler-agent-supervisor/core/messaging";
import Long from "long";

/** The oldest message of those that wait for one cause. */
export interface OldestMessage {
  /** The outage that sent it back to its queue, by name; `notTaken` if no function has sent it back. */
  readonly cause: string;
  /** Milliseconds; 0 if no such message waits any more. */
  readonly ageMs: number;
}

export interface QueueAge {
  readonly queue: string;
  /** For each cause that this process has found. Throws if the bus does not answer. */
  readonly read: (now: number) => Promise<readonly OldestMessage[]>;
}

const NOT_TAKEN = "notTaken";
const PAGE = 250;
/** A longer queue is not read to its end: its messages are about as old as these. */
const MOST_LOOKED_AT = 1000;

export function createQueueAge(client: ServiceBusClient, queue: string): QueueAge {
  let receiver: ServiceBusReceiver | undefined;
  /** A cause that is over is measured as 0: its last age would stand otherwise. */
  const causes = new Set([NOT_TAKEN]);
  return {
    queue,
    async read(now) {
      receiver ??= client.createReceiver(queue);
      const oldest = new Map<string, number>();
      for await (const { since, cause } of arrivalsIn(receiver)) {
        causes.add(cause);
        oldest.set(cause, Math.min(oldest.get(cause) ?? now, since));
      }
      return [...causes].map((cause) => ({ cause, ageMs: now - (oldest.get(cause) ?? now) }));
    },
  };
}

async function* arrivalsIn(receiver: ServiceBusReceiver): AsyncGenerator<{ since: number; cause: string }> {
  // From the head each time: a receiver would continue where its last read ended.
  let from = Long.ZERO;
  for (let lookedAt = 0; lookedAt < MOST_LOOKED_AT; ) {
    const messages = await receiver.peekMessages(PAGE, { fromSequenceNumber: from });
    for (const message of messages) {
      const since = firstArrival(message);
      if (since !== undefined) yield { since, cause: causeOf(message) };
    }
    const last = messages.at(-1)?.sequenceNumber;
    if (last === undefined) return;
    from = last.add(1);
    lookedAt += messages.length;
  }
}

/** Undefined for a message that has never arrived: it is scheduled, as the start of an attempt after a pause is. */
function firstArrival({
  state,
  enqueuedTimeUtc,
  applicationProperties,
}: ServiceBusReceivedMessage): number | undefined {
  const first = applicationProperties?.[FIRST_ENQUEUED_AT];
  const firstMs = typeof first === "string" ? Date.parse(first) : Number.NaN;
  if (!Number.isNaN(firstMs)) return firstMs;
  return state === "active" ? enqueuedTimeUtc?.getTime() : undefined;
}

function causeOf({ applicationProperties }: ServiceBusReceivedMessage): string {
  const cause = applicationProperties?.[POSTPONE_CAUSE];
  return typeof cause === "string" ? cause : NOT_TAKEN;
}
