// A message that passes an entity, and the queues that it passes between.
import type { Incoming } from "../encoded/encoded-message.ts";
import type { PropertyChanges } from "../encoded/message-changes.ts";
import type { Arrivals } from "./arrivals.ts";
import type { QueueSettings } from "./queue-settings.ts";

/** A message that an entity has taken, on its way out again. */
export interface Passing {
  readonly incoming: Incoming;
  /** Its number in the entity that it passes. */
  readonly sequence: number;
  /** The shorter of its own and the entity's. */
  readonly ttlMs: number | undefined;
  readonly now: number;
}

/** A queue, as far as messages come to it from others or leave it for others. */
export interface PassingQueue {
  readonly number: number;
  readonly settings: QueueSettings;
  /** Plans what becomes of a message that was sent here. @returns its sequence number. */
  admit(incoming: Incoming, now: number, arrivals: Arrivals): number;
  /** Plans a message that becomes a dead letter on its way. */
  admitDead(incoming: Incoming, reason: PropertyChanges, now: number, arrivals: Arrivals): void;
}

/** As the next entity gets it. */
export function onward({ incoming, sequence, ttlMs }: Passing): Incoming {
  return {
    ...incoming,
    ttlMs,
    // A message that was scheduled is due by now.
    scheduledFor: undefined,
    enqueuedSequence: incoming.enqueuedSequence ?? sequence,
  };
}
