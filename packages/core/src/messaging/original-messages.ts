// A message as it lies in its queue, under its lock. The Functions host hands over less: text that reads as JSON is parsed, names of properties lose
// their case, and a number is any number.
import {
  isServiceBusError,
  type ServiceBusClient,
  type ServiceBusReceivedMessage,
  type ServiceBusReceiver,
} from "@azure/service-bus";
import Long from "long";
import { BusUnavailable } from "./messenger.ts";

export interface OriginalMessages {
  /**
   * The message with its body unparsed; undefined if it is not there any more, or this app may not look.
   * @throws BusUnavailable
   */
  read(queue: string, sequenceNumber: string): Promise<ServiceBusReceivedMessage | undefined>;
}

/** @param open creates a client whose tries end within a few seconds; called once, at the first look */
export function createOriginalMessages(open: () => ServiceBusClient): OriginalMessages {
  let client: ServiceBusClient | undefined;
  const receivers = new Map<string, ServiceBusReceiver>();
  return {
    async read(queue, sequenceNumber) {
      client ??= open();
      const receiver =
        receivers.get(queue) ??
        client.createReceiver(queue, {
          skipParsingBodyAsJson: true,
          skipConvertingDate: true,
          maxAutoLockRenewalDurationInMs: 0,
        });
      receivers.set(queue, receiver);
      try {
        const [message] = await receiver.peekMessages(1, { fromSequenceNumber: Long.fromString(sequenceNumber) });
        return message && String(message.sequenceNumber) === sequenceNumber ? message : undefined;
      } catch (cause) {
        receivers.delete(queue);
        void receiver.close().catch(() => undefined);
        if (isServiceBusError(cause) && cause.code === "UnauthorizedAccess") return undefined;
        throw new BusUnavailable(queue, cause);
      }
    },
  };
}
