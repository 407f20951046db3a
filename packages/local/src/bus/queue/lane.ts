// A line of messages waiting for receivers, and the receivers waiting for messages: a queue has one, or one for each session.

import { isAvailable, type Lock, type Message } from "../encoded/message.ts";
import { DueHeap } from "./due-heap.ts";

/** A receiver as the core sees it. */
export interface Consumer {
  readonly mode: "peekLock" | "receiveAndDelete";
  /** How many more messages it takes now. */
  credit(): number;
  /** Announces a message whose removal is being committed, so that `credit` counts it. */
  reserve(): void;
  /** `lock` is undefined for a message received and deleted, which was reserved. */
  deliver(message: Message, lock: Lock | undefined): void;
}

const COMPACTION_MINIMUM = 1024;

export class Lane {
  /** In the order of arrival. */
  #waiting: Message[] = [];
  #head = 0;
  #sweepAt = COMPACTION_MINIMUM;
  /** Given back: they go first, in their old order. */
  readonly #returned = new DueHeap<Message>((message) => isAvailable(message));
  readonly #consumers: Consumer[] = [];
  #turn = 0;

  append(message: Message): void {
    this.#waiting.push(message);
    if (this.#waiting.length >= this.#sweepAt) this.#sweep();
  }

  giveBack(message: Message): void {
    this.#returned.push(message, message.sequence);
  }

  take(): Message | undefined {
    const returned = this.#returned.take(Number.POSITIVE_INFINITY);
    if (returned) return returned;
    while (this.#head < this.#waiting.length) {
      const message = this.#waiting[this.#head];
      this.#head += 1;
      if (message && isAvailable(message)) return message;
    }
    return undefined;
  }

  hasWaiting(): boolean {
    const message = this.take();
    if (message) this.giveBack(message);
    return message !== undefined;
  }

  join(consumer: Consumer): void {
    this.#consumers.push(consumer);
  }

  leave(consumer: Consumer): void {
    const index = this.#consumers.indexOf(consumer);
    if (index >= 0) this.#consumers.splice(index, 1);
  }

  /** The next receiver with credit, in turn. */
  nextConsumer(): Consumer | undefined {
    for (let tried = 0; tried < this.#consumers.length; tried += 1) {
      this.#turn = (this.#turn + 1) % this.#consumers.length;
      const consumer = this.#consumers[this.#turn];
      if (consumer && consumer.credit() > 0) return consumer;
    }
    return undefined;
  }

  /** Drops what was taken, and what expired while it waited: a queue that nobody reads must not grow for ever. */
  #sweep(): void {
    this.#waiting = this.#waiting.slice(this.#head).filter(({ gone }) => !gone);
    this.#head = 0;
    this.#sweepAt = Math.max(COMPACTION_MINIMUM, this.#waiting.length * 2);
  }
}
