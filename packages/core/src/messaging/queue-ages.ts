// How long the oldest message of each of the app's own queues has waited.
import type { ServiceBusClient, ServiceBusReceiver } from "@azure/service-bus";
import Long from "long";

export interface QueueAge {
  readonly queue: string;
  /** Milliseconds; 0 for a queue without messages that could be taken. Throws where the bus does not answer. */
  readonly read: (now: number) => Promise<number>;
}

/** A queue may begin with messages that are scheduled for later: so far it is looked behind them. */
const LOOKED_AT = 50;

export function createQueueAges(client: ServiceBusClient, queues: readonly string[]): readonly QueueAge[] {
  return queues.map((queue) => {
    let receiver: ServiceBusReceiver | undefined;
    return {
      queue,
      async read(now) {
        receiver ??= client.createReceiver(queue);
        // From the head each time: a receiver would go on where its last look ended.
        const messages = await receiver.peekMessages(LOOKED_AT, { fromSequenceNumber: Long.ZERO });
        const oldest = messages.find(({ state }) => state === "active");
        return oldest?.enqueuedTimeUtc ? Math.max(0, now - oldest.enqueuedTimeUtc.getTime()) : 0;
      },
    };
  });
}
