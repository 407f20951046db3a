// What stands in a queue, delivered or not, and is left there.
import type { ServiceBusClient } from "@azure/service-bus";
import Long from "long";

const PEEK = 250;

/** How many messages of an order a queue has; one that is being worked on counts. */
export async function messagesOf(bus: ServiceBusClient, queue: string, orderId: string): Promise<number> {
  const receiver = bus.createReceiver(queue);
  try {
    const found = await receiver.peekMessages(PEEK, { fromSequenceNumber: Long.ZERO });
    return found.filter(({ body }) => body.orderId === orderId).length;
  } finally {
    await receiver.close();
  }
}
