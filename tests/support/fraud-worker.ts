// The fraud agent as somebody else's process: it takes requests from its queue, asks the service and replies. A test starts and stops it.
import type { ServiceBusReceivedMessage } from "@azure/service-bus";
import type { TestStack } from "./test-stack.ts";

/** The app's own function for that queue does not run. */
export const NO_FRAUD_AGENT = { "AzureWebJobs.fraudQueueAgent.Disabled": "true" } as const;

const AT_ONCE = 8;

/** @returns how to stop it */
export function startFraudWorker({ bus, stack }: TestStack): () => Promise<void> {
  const receiver = bus.createReceiver("agent-requests-fraud");
  const sender = bus.createSender("agent-replies");
  receiver.subscribe(
    {
      processMessage: async ({ body, messageId }: ServiceBusReceivedMessage) => {
        const response = await fetch(`${stack.addresses.remotes["fraud"]}/checks`, {
          method: "POST",
          headers: { "content-type": "application/json", "idempotency-key": body.idempotencyKey },
          body: JSON.stringify({ orderId: body.ticket.jobId }),
        });
        const { id } = (await response.json()) as { id?: string };
        const answer = { ticket: body.ticket, kind: "done", result: { checkId: id ?? "none" } };
        await sender.sendMessages({ body: answer, correlationId: messageId as string });
      },
      // The broker may be away: it comes back by itself.
      processError: async () => undefined,
    },
    { maxConcurrentCalls: AT_ONCE },
  );
  return async () => {
    await receiver.close();
    await sender.close();
  };
}
