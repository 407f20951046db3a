// What a loop that receives tells its listener.
import type { ProcessErrorArgs, ServiceBusReceivedMessage, ServiceBusReceiver } from "@azure/service-bus";

/** Where messages come from: one entity, or one session of it. */
export interface MessageSource {
  readonly handle: (message: ServiceBusReceivedMessage, receiver: MessageActions) => Promise<void>;
  readonly failed: (args: ProcessErrorArgs) => Promise<void>;
}

export type MessageActions = Pick<ServiceBusReceiver, "completeMessage" | "abandonMessage">;
