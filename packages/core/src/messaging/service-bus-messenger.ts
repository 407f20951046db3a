// The messenger on Service Bus.
import { isServiceBusError, type ServiceBusMessage } from "@azure/service-bus";
import { ConstantBackoff, handleWhen, retry } from "cockatiel";
import type { ReplyAddress } from "../domain/content/job.ts";
import { attemptId } from "../domain/record/state-record.ts";
import type { Reply } from "../domain/steps/attempt.ts";
import { MESSAGE_VERSION, requestId } from "./agent-messages.ts";
import type { BusSenders } from "./bus-senders.ts";
import { sendable } from "./deep-json.ts";
import {
  ABOUT_JOB,
  CAME_BY,
  copyOfOriginal,
  copyOfReceived,
  digestOf,
  EXPIRES_AT,
  FAULT_COUNT,
  faultProperties,
  firstIdOf,
  HIDES_IDS,
  idOfCopy,
  PREFIX_BYTES,
  roomForFaults,
  SENT_SUBJECT,
  SHOWN_FAULT,
  timeLeft,
  withAdded,
  withoutQuarantine,
} from "./message-copy.ts";
import {
  BusUnavailable,
  FIRST_ENQUEUED_AT,
  FIRST_MESSAGE_ID,
  type Messenger,
  POSTPONE_CAUSE,
  type Published,
  type ReceivedMessage,
  type StatusMessage,
} from "./messenger.ts";
import type { OriginalMessages } from "./original-messages.ts";
import { cutToBytes } from "./property-sizes.ts";
import { QUEUES, requestsQueueOf } from "./queues.ts";

export interface RepliesQueues {
  /** The queue for the replies to this host's attempts. */
  readonly agentReplies: string;
}

/** Application properties share 64 KB: a message with more faults than this is completely invalid. */
const FAULTS_NAMED = 50;
const FAULT_BYTES = 500;

export interface MessengerOptions {
  /** The traceparent of the span that surrounds the caller, if there is one. */
  readonly surroundingTrace?: () => string | undefined;
  /** Whether roles may have been assigned recently: then a rejected send is retried, for 4 minutes in total. */
  readonly rolesAreNew?: () => boolean;
  readonly rolePauseMs?: number;
  /** Where copies of received messages are made from. Absent: from what the Functions host has handed over of them. */
  readonly originals?: OriginalMessages;
  readonly now?: () => number;
  /** What the contract calls a job's id: a message for its client has it under this name too. */
  readonly idName?: string;
}

/** What the bus did not take is an outage. @throws BusUnavailable, or the error of a queue that rejects for good */
export async function sendOver(send: () => Promise<void>, queue: string): Promise<void> {
  try {
    await send();
  } catch (cause) {
    throw rejectedByQueue(cause) ? cause : new BusUnavailable(queue, cause);
  }
}

export function createServiceBusMessenger(
  senders: BusSenders,
  replies: RepliesQueues,
  {
    surroundingTrace = () => undefined,
    rolesAreNew = () => false,
    rolePauseMs = 10_000,
    originals,
    now = Date.now,
    idName = "jobId",
  }: MessengerOptions = {},
): Messenger {
  const untilRolesHold = retry(
    handleWhen((cause) => rolesAreNew() && isUnauthorized(cause)),
    {
      maxAttempts: 24,
      backoff: new ConstantBackoff(rolePauseMs),
    },
  );

  async function send(queue: string, message: ServiceBusMessage | ServiceBusMessage[]): Promise<void> {
    await sendOver(() => untilRolesHold.execute(() => senders.send(queue, message)), queue);
  }

  /** Azure's SDKs and the Functions host read `Diagnostic-Id`; other systems and newer versions read `traceparent`. */
  function traced(own?: string | null): Pick<ServiceBusMessage, "applicationProperties"> {
    const traceparent = surroundingTrace() ?? own;
    return traceparent ? { applicationProperties: { traceparent, "Diagnostic-Id": traceparent } } : {};
  }

  /** Of a message between the app's own functions: as a dead letter it is listed with its job. */
  const about = (jobId: string, trace?: string | null) => ({
    applicationProperties: { ...traced(trace).applicationProperties, [ABOUT_JOB]: jobId },
  });

  const idsOf = (jobId: string) => ({ jobId, [idName]: jobId });

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

  /** With the id that its sender gave it. */
  async function copyOf(received: ReceivedMessage): Promise<ServiceBusMessage & { readonly messageId?: string }> {
    const { queue, sequenceNumber } = received;
    const original = sequenceNumber === undefined ? undefined : await originals?.read(queue, sequenceNumber);
    if (!original) return copyOfReceived(received) as ServiceBusMessage & { readonly messageId?: string };
    const copy = copyOfOriginal(original);
    const messageId = copy.messageId === undefined ? undefined : String(copy.messageId);
    const first = firstIdOf(messageId, copy.applicationProperties ?? {});
    return { ...copy, ...(first !== undefined && { messageId: first }) } as ServiceBusMessage & {
      readonly messageId?: string;
    };
  }

  return {
    publish: (reply: Reply, messages) =>
      sendToClient(
        reply,
        messages.map((message) => ({
          body: { ...idsOf(message.jobId), ...message },
          subject: message.status,
          messageId: statusMessageId(message),
          ...traced(reply.traceparent),
        })),
      ),

    reject(reply, { id, jobId, submissionId, status, at, faults }) {
      const named = boundedFaults(faults);
      const body = {
        ...(jobId !== null && idsOf(jobId)),
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
      await send(QUEUES.scheduler, {
        body: { schemaVersion: MESSAGE_VERSION, ...startAttempt },
        contentType: "application/json",
        subject: "startAttempt",
        correlationId: attemptId(startAttempt.jobId, startAttempt.attempt),
        ...about(startAttempt.jobId, startAttempt.traceparent),
        ...(at && { scheduledEnqueueTimeUtc: new Date(at) }),
      });
    },

    async ask(agent, request, leftMs, { at } = {}) {
      const message = {
        body: { schemaVersion: MESSAGE_VERSION, ...request },
        contentType: "application/json",
        subject: request.operation,
        messageId: requestId(request.ticket, at),
        correlationId: request.ticket.lockedBy,
        replyTo: replies.agentReplies,
        timeToLive: leftMs,
        ...(at && { scheduledEnqueueTimeUtc: new Date(at) }),
        ...about(request.ticket.jobId),
      };
      try {
        await send(requestsQueueOf(agent), message);
        return "asked";
      } catch (cause) {
        if (isTooLarge(cause)) return "too-large";
        throw cause;
      }
    },

    async answer(replyTo, reply) {
      await send(replyTo, {
        body: { schemaVersion: MESSAGE_VERSION, ...reply },
        contentType: "application/json",
        subject: reply.kind,
        correlationId: requestId(reply.ticket),
        ...about(reply.ticket.jobId),
      });
    },

    async quarantine(unreadable) {
      const { subject, body, faults, shown, messageId, correlationId, replyTo, replyToSessionId, queue, received } =
        unreadable;
      const copy = received
        ? await copyOf(received)
        : {
            body: sendable(body),
            ...(messageId && { messageId }),
            ...(correlationId && { correlationId }),
            ...(replyTo && { replyTo }),
            ...(replyToSessionId && { replyToSessionId }),
          };
      const own = withoutQuarantine(copy.applicationProperties ?? {});
      const bytes = received?.bytes;
      const isUnreadable = bytes !== undefined && received?.body === undefined;
      const message = { ...copy, subject, applicationProperties: { ...traced().applicationProperties, ...own } };
      const added = {
        ...(queue && { [CAME_BY]: queue }),
        ...(copy.subject !== undefined && { [SENT_SUBJECT]: copy.subject }),
        ...(received?.expiresAt !== undefined && { [EXPIRES_AT]: received.expiresAt }),
        ...(isUnreadable && digestOf(bytes)),
        ...(shown.jobId !== null && { [ABOUT_JOB]: shown.jobId }),
        ...((shown.messageId !== (messageId ?? null) || shown.correlationId !== (correlationId ?? null)) && {
          [HIDES_IDS]: true,
        }),
        ...(shown.faults[0] !== faults[0] && { [SHOWN_FAULT]: cutToBytes(shown.faults[0] ?? "", FAULT_BYTES) }),
        [FAULT_COUNT]: faults.length,
      };
      const named = boundedFaults(faults);
      const first = named.slice(0, 1);
      const withFaults = (faultTexts: readonly string[], more: object = {}) =>
        withAdded(message, {
          ...added,
          ...more,
          ...faultProperties(faultTexts, roomForFaults(withAdded(message, { ...added, ...more }))),
        });
      // The message itself was just within the limit: its first fault is enough. Else the start of its body is kept.
      const forms = [
        () => withFaults(named),
        () => withFaults(first),
        ...(bytes
          ? [() => ({ ...withFaults(first, digestOf(bytes)), ...PLAIN, body: bytes.subarray(0, PREFIX_BYTES) })]
          : []),
      ];
      for (const [index, form] of forms.entries()) {
        try {
          return await send(QUEUES.quarantine, form());
        } catch (cause) {
          if (!isTooLarge(cause) || index === forms.length - 1) throw cause;
        }
      }
    },

    async postpone(received, { at, cause }) {
      const { queue, enqueuedAt, expiresAt } = received;
      const time = timeLeft(expiresAt, now(), at);
      const copy = await copyOf(received);
      const { messageId } = copy;
      // If the sender gave none, the message's id is used.
      const correlationId = copy.correlationId ?? messageId;
      const marks = {
        ...(enqueuedAt && { [FIRST_ENQUEUED_AT]: enqueuedAt }),
        ...(messageId !== undefined && { [FIRST_MESSAGE_ID]: messageId }),
        [POSTPONE_CAUSE]: cause,
      };
      await send(queue, {
        ...withAdded(copy, marks),
        ...(messageId !== undefined && { messageId: idOfCopy(messageId) }),
        ...(correlationId !== undefined && { correlationId }),
        ...time,
      });
    },
  };
}

/** A body that is cut off is no message any more. */
const PLAIN = { contentType: "application/octet-stream", _rawAmqpMessage: undefined };

function statusMessageId({ jobId, attempt, status, step, direction }: StatusMessage): string {
  // Short, because Service Bus allows 128 characters.
  return [jobId, attempt, status, ...(step ? [step] : []), ...(direction ? ["c"] : [])].join(":");
}

function boundedFaults(faults: readonly string[]): string[] {
  return faults.slice(0, FAULTS_NAMED).map((fault) => cutToBytes(fault, FAULT_BYTES));
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
