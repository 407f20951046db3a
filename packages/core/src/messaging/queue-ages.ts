// The age of the oldest message in each of the app's own queues.
import type { ServiceBusClient, ServiceBusReceiver } from "@azure/service-bus";
import Long from "long";

export interface QueueAge {
  readonly queue: string;
  /** Milliseconds; 0 for a queue without messages that could be received. Throws if the bus does not answer. */
  readonly read: (now: number) => Promise<number>;
}

/** A queue may begin with messages that are scheduled for later: this number of them is skipped. */
const LOOKED_AT = 50;

export function createQueueAges(client: ServiceBusClient, queues: readonly string[]): readonly QueueAge[] {
  return queues.map((queue) => {
    let receiver: ServiceBusReceiver | undefined;
    return {
      queue,
      async read(now) {
        receiver ??= client.createReceiver(queue);
        // From the head each time: a receiver would continue where its last read ended.
        const messages = await receiver.peekMessages(LOOKED_AT, { fromSequenceNumber: Long.ZERO });
        const oldest = messages.find(({ state }) => state === "active");
        return oldest?.enqueuedTimeUtc ? Math.max(0, now - oldest.enqueuedTimeUtc.getTime()) : 0;
      },
    };
  });
}
