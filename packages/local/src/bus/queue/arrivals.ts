// Messages on their way into queues: planned, then stored in one commit, then lined up. Either all of them arrive or none.
import type { Message } from "../encoded/message.ts";
import type { Store, StoredDuplicate } from "./store.ts";

/** A queue, as far as messages that arrive are concerned. */
export interface ReceivingQueue {
  readonly number: number;
  /** The end of a newly reserved block of sequence numbers, or 0. */
  reserve(): number;
  /** The stored message waits from now on. */
  lineUp(message: Message, bytes: Buffer): void;
  /** Delivers what waits beside this message to whoever has credit. */
  pumpFor(message: Message): void;
  readonly hasOneLane: boolean;
  readonly deadLetter: ReceivingQueue | undefined;
}

interface Arrival {
  readonly queue: ReceivingQueue;
  readonly message: Message;
  readonly bytes: Buffer;
  readonly isDead: boolean;
}

export class Arrivals {
  readonly #arrivals: Arrival[] = [];
  readonly #duplicates: { readonly queue: number; readonly duplicate: StoredDuplicate }[] = [];
  readonly #numbering = new Set<ReceivingQueue>();

  /** The queue has given out sequence numbers. */
  numbered(queue: ReceivingQueue): void {
    this.#numbering.add(queue);
  }

  /** @param isDead into the queue's dead-letter queue. */
  add(queue: ReceivingQueue, message: Message, bytes: Buffer, isDead = false): void {
    this.#arrivals.push({ queue, message, bytes, isDead });
  }

  remember(queue: number, duplicate: StoredDuplicate): void {
    this.#duplicates.push({ queue, duplicate });
  }

  /** Inside a commit. */
  write(store: Store): void {
    for (const queue of this.#numbering) {
      const reserved = queue.reserve();
      if (reserved > 0) store.entities.reserveSequences(queue.number, reserved);
    }
    for (const { queue, message, bytes, isDead } of this.#arrivals) store.insert(queue.number, message, bytes, isDead);
    for (const { queue, duplicate } of this.#duplicates) store.insertDuplicate(queue, duplicate);
  }

  /** After the commit. */
  lineUp(): void {
    const places = this.#arrivals.map((arrival) => ({ ...arrival, queue: placeOf(arrival) }));
    for (const { queue, message, bytes } of places) queue.lineUp(message, bytes);
    const pumped = new Set<ReceivingQueue>();
    for (const { queue, message } of places) {
      if (queue.hasOneLane && pumped.has(queue)) continue;
      pumped.add(queue);
      queue.pumpFor(message);
    }
  }
}

function placeOf({ queue, isDead }: Arrival): ReceivingQueue {
  return isDead && queue.deadLetter ? queue.deadLetter : queue;
}
