// Every message of one queue, and the indices over them: by sequence number, waiting line, due instant and expiry.

import { ACTIVE, DEFERRED, isAvailable, type Message, SCHEDULED } from "../encoded/message.ts";
import { DueHeap } from "./due-heap.ts";
import type { Lane } from "./lane.ts";

export interface StateCounts {
  active: number;
  scheduled: number;
  deferred: number;
}

/** Which messages are deleted without a delivery. */
export interface BatchDeletion {
  readonly limit: number;
  /** They were enqueued earlier. */
  readonly before: number;
  readonly sessionId: string | undefined;
}

export class MessageShelf {
  readonly #messages = new Map<number, Message>();
  readonly #expiring = new DueHeap<Message>((message, dueAt) => message.expiresAt === dueAt && this.#has(message));
  readonly #scheduled = new DueHeap<Message>((message) => message.state === SCHEDULED && this.#has(message));
  readonly #laneOf: (message: Message) => Lane;

  constructor(laneOf: (message: Message) => Lane) {
    this.#laneOf = laneOf;
  }

  place(message: Message): void {
    message.gone = false;
    this.#messages.set(message.sequence, message);
    if (message.state === SCHEDULED) this.#scheduled.push(message, message.dueAt);
    if (message.state !== ACTIVE) return;
    if (message.expiresAt < Number.POSITIVE_INFINITY) this.#expiring.push(message, message.expiresAt);
    this.#laneOf(message).append(message);
  }

  remove(message: Message): void {
    message.gone = true;
    message.lock = undefined;
    this.#messages.delete(message.sequence);
    if (message.state === SCHEDULED) this.#scheduled.drop();
    if (message.expiresAt < Number.POSITIVE_INFINITY) this.#expiring.drop();
  }

  /** Removes and returns all. */
  clear(): Message[] {
    const messages = [...this.#messages.values()];
    for (const message of messages) message.gone = true;
    this.#messages.clear();
    return messages;
  }

  /** The messages with these numbers if each is there, in this state, and nobody holds it. */
  findAll(sequences: readonly number[], state: Message["state"]): Message[] | undefined {
    const found = sequences.flatMap((sequence) => this.#messages.get(sequence) ?? []);
    const isComplete = found.length === sequences.length;
    return isComplete && found.every((message) => message.state === state && isAvailable(message)) ? found : undefined;
  }

  /** In the order of sequence numbers. */
  peek(fromSequence: number, limit: number, now: number, sessionId: string | undefined): Message[] {
    const found: Message[] = [];
    for (const message of this.#messages.values()) {
      if (message.sequence < fromSequence || message.gone || message.expiresAt <= now) continue;
      if (sessionId === undefined || message.sessionId === sessionId) found.push(message);
    }
    // Buried messages keep their sequence numbers but arrive in the order of their failures.
    return found.sort((one, other) => one.sequence - other.sequence).slice(0, limit);
  }

  /** Those that wait for a receiver, the oldest first. */
  oldest({ limit, before, sessionId }: BatchDeletion, now: number): Message[] {
    const found: Message[] = [];
    for (const message of this.#messages.values()) {
      if (message.state !== ACTIVE || !isAvailable(message)) continue;
      if (message.enqueuedAt >= before || message.expiresAt <= now) continue;
      if (sessionId === undefined || message.sessionId === sessionId) found.push(message);
    }
    const byAge = (one: Message, other: Message) => one.enqueuedAt - other.enqueuedAt || one.sequence - other.sequence;
    return found.sort(byAge).slice(0, limit);
  }

  /** Takes the next scheduled message to be enqueued. */
  takeDue(now: number): Message | undefined {
    const message = this.#scheduled.take(now);
    if (message) this.#messages.delete(message.sequence);
    return message;
  }

  /** The next message that has outlived its time to live while nobody held it. Deferred ones wait for whoever asks. */
  takeExpired(now: number): Message | undefined {
    for (let message = this.#expiring.take(now); message; message = this.#expiring.take(now)) {
      if (message.state === ACTIVE && isAvailable(message)) return message;
    }
    return undefined;
  }

  count(): StateCounts {
    const counts = { active: 0, scheduled: 0, deferred: 0 };
    for (const { state } of this.#messages.values()) {
      if (state === SCHEDULED) counts.scheduled += 1;
      else if (state === DEFERRED) counts.deferred += 1;
      else counts.active += 1;
    }
    return counts;
  }

  #has(message: Message): boolean {
    return !message.gone && this.#messages.get(message.sequence) === message;
  }
}
