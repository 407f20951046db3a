// What stands in a queue, delivered or not, and is left there.
import type { ServiceBusClient, ServiceBusReceivedMessage, ServiceBusReceiverOptions } from "@azure/service-bus";
import { jobIdIn } from "@scheduler-agent-supervisor/core/messaging";
import Long from "long";
import { contracts } from "../../shared/contracts/order.ts";

/** Service Bus answers no more at once. */
const PAGE = 250;

/** All messages of a queue; also those that are being worked on. */
export async function messagesIn(
  bus: ServiceBusClient,
  queue: string,
  options: ServiceBusReceiverOptions = {},
): Promise<ServiceBusReceivedMessage[]> {
  const receiver = bus.createReceiver(queue, options);
  try {
    const found: ServiceBusReceivedMessage[] = [];
    // From the first one: without a number a client, whichever its receiver, goes on where its last look ended.
    for (let from = Long.ZERO; ; from = found.at(-1)?.sequenceNumber?.add(1) ?? from) {
      const messages = await receiver.peekMessages(PAGE, { fromSequenceNumber: from });
      if (messages.length === 0) return found;
      found.push(...messages);
    }
  } finally {
    await receiver.close();
  }
}

/** How many messages of an order a queue has. */
export async function messagesOf(bus: ServiceBusClient, queue: string, orderId: string): Promise<number> {
  return (await messagesIn(bus, queue)).filter(({ body }) => jobIdIn(body, contracts) === orderId).length;
}
