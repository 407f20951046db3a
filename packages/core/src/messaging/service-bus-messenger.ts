// The messenger on Service Bus.
import { isServiceBusError, type ServiceBusMessage } from "@azure/service-bus";
import { ConstantBackoff, handleWhen, retry } from "cockatiel";
import type { Reply } from "../domain/attempt.ts";
import type { ReplyAddress } from "../domain/job.ts";
import { idName, inAppsNames, type Noun, textInAppsNames } from "../domain/noun.ts";
import { attemptId } from "../domain/state-record.ts";
import { asSent, requestId } from "./agent-messages.ts";
import { type AgentTeam, repliesQueueOf, teamOf } from "./agent-teams.ts";
import type { BusSenders } from "./bus-senders.ts";
import { CAME_BY } from "./came-by.ts";
import { sendable } from "./deep-json.ts";
import { MESSAGE_VERSION } from "./message-version.ts";
import {
  BusUnavailable,
  FIRST_ENQUEUED_AT,
  type Messenger,
  POSTPONE_CAUSE,
  type Published,
  type StatusMessage,
} from "./messenger.ts";

export interface QueueNames {
  readonly scheduler: string;
  readonly quarantine: string;
  /** The prefix of each agent's own queue: `agent-requests` gives `agent-requests-fraud`. */
  readonly agentRequests: string;
  /** The queue for the replies to this host's attempts. */
  readonly agentReplies: string;
  readonly agentTeams?: readonly AgentTeam[];
}

/** Application properties share 64 KB: a message with more faults than this is completely invalid. */
const FAULTS_NAMED = 50;
const FAULT_LENGTH = 500;
const MESSAGE_ID_LIMIT = 128;
const POSTPONED = /~[0-9a-f]{8}$/;

export interface MessengerOptions {
  /** The noun for the names in the messages. */
  readonly noun: Noun;
  /** The traceparent of the span that surrounds the caller, if there is one. */
  readonly surroundingTrace?: () => string | undefined;
  /** Whether roles may have been assigned recently: then a rejected send is retried, for 4 minutes in total. */
  readonly rolesAreNew?: () => boolean;
  readonly rolePauseMs?: number;
}

export function createServiceBusMessenger(
  senders: BusSenders,
  queues: QueueNames,
  { noun, surroundingTrace = () => undefined, rolesAreNew = () => false, rolePauseMs = 10_000 }: MessengerOptions,
): Messenger {
  const untilRolesHold = retry(
    handleWhen((cause) => rolesAreNew() && isUnauthorized(cause)),
    {
      maxAttempts: 24,
      backoff: new ConstantBackoff(rolePauseMs),
    },
  );

  async function send(queue: string, message: ServiceBusMessage | ServiceBusMessage[]): Promise<void> {
    try {
      await untilRolesHold.execute(() => senders.send(queue, message));
    } catch (cause) {
      // A permanent rejection by a queue is not an outage.
      throw rejectedByQueue(cause) ? cause : new BusUnavailable(queue, cause);
    }
  }

  /** Azure's SDKs and the Functions host read `Diagnostic-Id`; other systems and newer versions read `traceparent`. */
  function traced(own?: string | null): Pick<ServiceBusMessage, "applicationProperties"> {
    const traceparent = surroundingTrace() ?? own;
    return traceparent ? { applicationProperties: { traceparent, "Diagnostic-Id": traceparent } } : {};
  }

  async function sendToClient(
    { replyTo, replyToSessionId, correlationId }: ReplyAddress,
    messages: readonly ServiceBusMessage[],
  ): Promise<Published> {
    if (replyTo === null) return "nobody-asked";
    const addressed = messages.map((message) => ({
      ...message,
      contentType: "application/json",
      ...(correlationId && { correlationId }),
      ...(replyToSessionId && { sessionId: replyToSessionId }),
    }));
    const [first, ...others] = addressed;
    try {
      await send(replyTo, first && others.length === 0 ? first : addressed);
      return "sent";
    } catch (cause) {
      if (!rejectedByQueue(cause)) throw cause;
      if (isTooLarge(cause) && others.length > 0) return "too-large-together";
      senders.forget(replyTo);
      return "no-such-queue";
    }
  }

  return {
    publish: (reply: Reply, messages) =>
      sendToClient(
        reply,
        messages.map((message) => ({
          body: inAppsNames(message, noun),
          subject: message.status,
          messageId: statusMessageId(message),
          ...traced(reply.traceparent),
        })),
      ),

    reject(reply, { id, jobId, submissionId, status, at, faults }) {
      const named = boundedFaults(faults, noun);
      const body = {
        ...(jobId !== null && { [idName(noun)]: jobId }),
        ...(submissionId !== null && { submissionId }),
        attempt: 0,
        status,
        at,
        ...(named[0] !== undefined && { detail: named[0] }),
        faults: named,
        faultCount: faults.length,
      };
      return sendToClient(reply, [{ body, subject: status, messageId: id, ...traced() }]);
    },

    async startAttempt(startAttempt, { at } = {}) {
      await send(queues.scheduler, {
        body: { schemaVersion: MESSAGE_VERSION, ...inAppsNames(startAttempt, noun) },
        contentType: "application/json",
        subject: "startAttempt",
        correlationId: attemptId(startAttempt.jobId, startAttempt.attempt),
        ...traced(startAttempt.traceparent),
        ...(at && { scheduledEnqueueTimeUtc: new Date(at) }),
      });
    },

    async ask(agent, request, leftMs, { at } = {}) {
      const message = {
        body: { schemaVersion: MESSAGE_VERSION, ...asSent(request, noun) },
        contentType: "application/json",
        subject: request.operation,
        messageId: requestId(request.ticket),
        correlationId: request.ticket.lockedBy,
        replyTo: repliesQueueOf(teamOf(agent, queues.agentTeams), queues.agentReplies),
        timeToLive: leftMs,
        ...(at && { scheduledEnqueueTimeUtc: new Date(at) }),
        ...traced(),
      };
      try {
        await send(`${queues.agentRequests}-${agent}`, message);
        return "asked";
      } catch (cause) {
        if (isTooLarge(cause)) return "too-large";
        throw cause;
      }
    },

    async answer(replyTo, reply) {
      await send(replyTo, {
        body: { schemaVersion: MESSAGE_VERSION, ...asSent(reply, noun) },
        contentType: "application/json",
        subject: reply.kind,
        correlationId: requestId(reply.ticket),
        ...traced(),
      });
    },

    async quarantine({ subject, body, faults, messageId, correlationId, replyTo, replyToSessionId, queue }) {
      const named = boundedFaults(faults, noun).map((fault, index) => [`fault${index + 1}`, fault]);
      const message: ServiceBusMessage = {
        body: sendable(body),
        subject,
        ...(messageId && { messageId }),
        ...(correlationId && { correlationId }),
        ...(replyTo && { replyTo }),
        ...(replyToSessionId && { replyToSessionId }),
        applicationProperties: {
          ...traced().applicationProperties,
          ...(queue && { [CAME_BY]: queue }),
          faultCount: faults.length,
          ...Object.fromEntries(named),
        },
      };
      try {
        await send(queues.quarantine, message);
      } catch (cause) {
        if (!isTooLarge(cause)) throw cause;
        // The message itself was just within the limit: its first fault is enough.
        const { applicationProperties: properties = {} } = message;
        const short = Object.entries(properties).filter(([name]) => !/^fault\d+$/.test(name) || name === "fault1");
        await send(queues.quarantine, { ...message, applicationProperties: Object.fromEntries(short) });
      }
    },

    async postpone(received, { at, cause }) {
      const { queue, body, messageId, subject, replyTo, replyToSessionId, enqueuedAt, properties, ...message } =
        received;
      // If the sender gave none, the message's id is used.
      const correlationId = message.correlationId ?? messageId;
      const { "diagnostic-Id": diagnosticId, ...known } = properties;
      // A queue that detects duplicates would drop a copy with the id that it has just received.
      const copyId = `${messageId ?? ""}`.replace(POSTPONED, "");
      await send(queue, {
        body: sendable(body),
        contentType: "application/json",
        ...(messageId && { messageId: `${copyId}~${crypto.randomUUID().slice(0, 8)}`.slice(-MESSAGE_ID_LIMIT) }),
        ...(correlationId && { correlationId }),
        ...(subject && { subject }),
        ...(replyTo && { replyTo }),
        ...(replyToSessionId && { replyToSessionId }),
        ...(at && { scheduledEnqueueTimeUtc: new Date(at) }),
        applicationProperties: {
          ...(known as NonNullable<ServiceBusMessage["applicationProperties"]>),
          ...(typeof diagnosticId === "string" && { "Diagnostic-Id": diagnosticId }),
          ...(enqueuedAt && { [FIRST_ENQUEUED_AT]: enqueuedAt }),
          [POSTPONE_CAUSE]: cause,
        },
      });
    },
  };
}

function statusMessageId({ jobId, attempt, status, step }: StatusMessage): string {
  return [jobId, attempt, status, ...(step ? [step] : [])].join(":");
}

/** For the app's users: with the app's words. */
function boundedFaults(faults: readonly string[], noun: Noun): string[] {
  return faults.slice(0, FAULTS_NAMED).map((fault) => textInAppsNames(fault, noun).slice(0, FAULT_LENGTH));
}

function isUnauthorized(cause: unknown): boolean {
  return isServiceBusError(cause) && cause.code === "UnauthorizedAccess";
}

function isTooLarge(cause: unknown): boolean {
  return isServiceBusError(cause) && cause.code === "MessageSizeExceeded";
}

/** The queue itself rejects, and would reject again: the client must fix it, and it never stops a job. */
function rejectedByQueue(cause: unknown): boolean {
  if (!isServiceBusError(cause)) return false;
  switch (cause.code) {
    case "MessagingEntityNotFound":
    case "MessagingEntityDisabled":
    case "MessageSizeExceeded":
    case "QuotaExceeded":
      return true;
    case "GeneralError":
      // The SDK has no code for amqp:not-allowed: a message without a session to a queue with sessions.
      return cause.message.startsWith("InvalidOperationError");
    default:
      return false;
  }
}
