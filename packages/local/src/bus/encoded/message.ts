// What the broker knows of a message besides its bytes, and of the lock under which a receiver holds it.

/** The value of `x-opt-message-state`, and what is stored. */
export const ACTIVE = 0;
export const DEFERRED = 1;
export const SCHEDULED = 2;
export type MessageState = typeof ACTIVE | typeof DEFERRED | typeof SCHEDULED;

export interface Message {
  /** Unique in its queue; a scheduled message gets a new one when it is enqueued. */
  sequence: number;
  state: MessageState;
  deliveryCount: number;
  enqueuedAt: number;
  /** The sender's or the queue's, whichever is shorter; `undefined`: none. */
  readonly ttlMs: number | undefined;
  /** `Infinity` when it does not expire. */
  expiresAt: number;
  /** When a scheduled message is enqueued, here or where it was sent first; 0 otherwise. */
  readonly dueAt: number;
  readonly sessionId: string | undefined;
  /** Where it was sent first, if it came from another entity: its sequence number there. */
  readonly enqueuedSequence: number | undefined;
  /** How often it was forwarded. */
  readonly hops: number;
  /** The entity in which it was dead-lettered, if it was forwarded from there. */
  readonly deadLetterSource: string | undefined;
  /** The encoded message as it was sent; `undefined` while it is only in the store. */
  bytes: Buffer | undefined;
  /** Set from delivery until the settlement is committed. */
  lock: Lock | undefined;
  /** Removed, or on its way to another place: nobody may take it. */
  gone: boolean;
}

export interface Lock {
  /** The changing half of the lock token. */
  readonly number: number;
  readonly message: Message;
  until: number;
}

export function isAvailable(message: Message): boolean {
  return !message.gone && message.lock === undefined;
}
