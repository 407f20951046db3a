// How a message that is sent becomes one of a queue: its number, its times, and what earlier entities said of it.
import { type Incoming, reread } from "../encoded/encoded-message.ts";
import { ACTIVE, type Message, SCHEDULED } from "../encoded/message.ts";
import type { QueueSettings } from "./queue-settings.ts";

const SEQUENCE_BLOCK = 10_000;

/** Gives out sequence numbers, of which blocks are reserved in the store: a restart goes on behind them, so that none is used twice. */
export class SequenceNumbers {
  #next: number;
  #reservedTo: number;

  constructor(next: number) {
    this.#next = next;
    this.#reservedTo = next;
  }

  next(): number {
    this.#next += 1;
    return this.#next - 1;
  }

  /** The end of a newly reserved block, or 0. */
  reserve(): number {
    if (this.#next <= this.#reservedTo) return 0;
    this.#reservedTo = this.#next + SEQUENCE_BLOCK;
    return this.#reservedTo;
  }

  get reservedTo(): number {
    return this.#reservedTo;
  }
}

export function newMessage(incoming: Incoming, sequence: number, settings: QueueSettings, now: number): Message {
  const ttlMs = Math.min(incoming.ttlMs ?? Number.POSITIVE_INFINITY, settings.defaultTtlMs);
  const dueAt = incoming.scheduledFor !== undefined && incoming.scheduledFor > now ? incoming.scheduledFor : 0;
  return {
    sequence,
    state: dueAt > 0 ? SCHEDULED : ACTIVE,
    deliveryCount: 0,
    enqueuedAt: dueAt > 0 ? dueAt : now,
    ttlMs: Number.isFinite(ttlMs) ? ttlMs : undefined,
    expiresAt: dueAt > 0 ? Number.POSITIVE_INFINITY : now + ttlMs,
    dueAt: dueAt > 0 ? dueAt : (incoming.wasDueAt ?? 0),
    sessionId: incoming.sessionId,
    enqueuedSequence: incoming.enqueuedSequence,
    hops: incoming.hops ?? 0,
    deadLetterSource: incoming.deadLetterSource,
    bytes: undefined,
    lock: undefined,
    gone: false,
  };
}

/** A stored message as if it were sent again. */
export function sentAgain(message: Message, bytes: Buffer): Incoming {
  const { ttlMs, enqueuedSequence = message.sequence, hops, deadLetterSource } = message;
  const wasDue = message.dueAt > 0 && { wasDueAt: message.dueAt };
  const known = { ttlMs, scheduledFor: undefined, enqueuedSequence, hops, deadLetterSource, ...wasDue };
  return reread({ ...known, bytes, messageId: "", sessionId: undefined }, bytes);
}
