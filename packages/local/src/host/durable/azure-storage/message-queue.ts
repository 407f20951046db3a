// A storage queue in memory: messages in the order in which they become visible.

export interface QueueMessage {
  /** Names it for its lease. */
  readonly key: string;
  /** Epoch milliseconds. */
  visibleAt: number;
  /** How often it was dequeued. */
  dequeued: number;
}

export class MessageQueue<Message extends QueueMessage> {
  readonly #messages: Message[] = [];

  get size(): number {
    return this.#messages.length;
  }

  add(message: Message): void {
    let [low, high] = [0, this.#messages.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#messages[middle]?.visibleAt ?? 0) <= message.visibleAt) low = middle + 1;
      else high = middle;
    }
    this.#messages.splice(low, 0, message);
  }

  /** Takes out at most `limit` messages that are visible. */
  take(limit: number, now: number): Message[] {
    let count = 0;
    while (count < limit && (this.#messages[count]?.visibleAt ?? Number.POSITIVE_INFINITY) <= now) count += 1;
    const taken = this.#messages.splice(0, count);
    for (const message of taken) message.dequeued += 1;
    return taken;
  }
}
