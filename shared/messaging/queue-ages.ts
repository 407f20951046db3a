// How long the oldest message of each of the app's own queues has waited.
import type { ServiceBusClient, ServiceBusReceiver } from "@azure/service-bus";
import Long from "long";

export interface QueueAge {
  readonly queue: string;
  /** 0 for a queue without messages that could be taken. */
  readonly ms: number;
}

/** Throws where the bus does not answer. */
export type ReadQueueAges = (now: number) => Promise<QueueAge[]>;

/** A queue may begin with messages that are scheduled for later: so far it is looked behind them. */
const LOOKED_AT = 50;

export function createQueueAges(client: ServiceBusClient, queues: readonly string[]): ReadQueueAges {
  const receivers = new Map<string, ServiceBusReceiver>();

  async function ageOf(queue: string, now: number): Promise<QueueAge> {
    const receiver = receivers.get(queue) ?? client.createReceiver(queue);
    receivers.set(queue, receiver);
    // From the head each time: a receiver would go on where its last look ended.
    const messages = await receiver.peekMessages(LOOKED_AT, { fromSequenceNumber: Long.ZERO });
    const oldest = messages.find(({ state }) => state === "active");
    return { queue, ms: oldest?.enqueuedTimeUtc ? Math.max(0, now - oldest.enqueuedTimeUtc.getTime()) : 0 };
  }

  return (now) => Promise.all(queues.map((queue) => ageOf(queue, now)));
}
