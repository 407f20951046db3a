// The messenger on Service Bus.
import {
  isServiceBusError,
  type ServiceBusClient,
  type ServiceBusMessage,
  type ServiceBusSender,
} from "@azure/service-bus";
import type { Reply } from "../domain/attempt.ts";
import { attemptId } from "../domain/state-record.ts";
import type { Messenger, StatusMessage } from "./messenger.ts";

export interface QueueNames {
  readonly scheduler: string;
  readonly quarantine: string;
}

/** Application properties share 64 KB: a message with more faults than this is wrong from top to bottom. */
const FAULTS_NAMED = 50;
const FAULT_LENGTH = 500;
/** Senders to reply queues that are kept open; the one opened first is closed first. */
const OPEN_SENDERS = 200;

export function createServiceBusMessenger(client: ServiceBusClient, queues: QueueNames): Messenger {
  const senders = new Map<string, ServiceBusSender>();

  function senderTo(queue: string): ServiceBusSender {
    const open = senders.get(queue);
    if (open) return open;
    const sender = client.createSender(queue);
    senders.set(queue, sender);
    if (senders.size > OPEN_SENDERS) for (const oldest of senders.keys()) return forget(oldest) ?? sender;
    return sender;
  }

  function forget(queue: string): void {
    void senders.get(queue)?.close();
    senders.delete(queue);
  }

  return {
    async tell(reply: Reply, message) {
      if (reply.replyTo === null) return "nobody-asked";
      try {
        await senderTo(reply.replyTo).sendMessages({
          body: message,
          contentType: "application/json",
          subject: message.status,
          messageId: statusMessageId(message),
          correlationId: reply.correlationId,
          ...(reply.replyToSessionId && { sessionId: reply.replyToSessionId }),
          ...(reply.traceparent && { applicationProperties: { "Diagnostic-Id": reply.traceparent } }),
        });
        return "sent";
      } catch (cause) {
        if (!refusedByQueue(cause)) throw cause;
        forget(reply.replyTo);
        return "no-such-queue";
      }
    },

    async wake(wake, { at } = {}) {
      await senderTo(queues.scheduler).sendMessages({
        body: wake,
        contentType: "application/json",
        subject: "wake",
        correlationId: attemptId(wake.orderId, wake.attempt),
        ...(at && { scheduledEnqueueTimeUtc: new Date(at) }),
      });
    },

    async quarantine({ body, faults, messageId, correlationId }) {
      const named = faults
        .slice(0, FAULTS_NAMED)
        .map((fault, index) => [`fault${index + 1}`, fault.slice(0, FAULT_LENGTH)]);
      const message: ServiceBusMessage = {
        body,
        subject: "InvalidOrder",
        ...(messageId && { messageId }),
        ...(correlationId && { correlationId }),
        applicationProperties: { faultCount: faults.length, ...Object.fromEntries(named) },
      };
      await senderTo(queues.quarantine).sendMessages(message);
    },
  };
}

function statusMessageId({ orderId, attempt, status, step }: StatusMessage): string {
  return [orderId, attempt, status, ...(step ? [step] : [])].join(":");
}

/** The queue itself refuses, and would refuse again: the shop's affair, which never stops an order. */
function refusedByQueue(cause: unknown): boolean {
  if (!isServiceBusError(cause)) return false;
  switch (cause.code) {
    case "MessagingEntityNotFound":
    case "MessagingEntityDisabled":
    case "QuotaExceeded":
      return true;
    case "GeneralError":
      // The SDK has no code of its own for amqp:not-allowed: a message without a session to a queue with sessions.
      return cause.message.startsWith("InvalidOperationError");
    default:
      return false;
  }
}
