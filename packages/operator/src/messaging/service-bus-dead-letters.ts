// Dead letters on Service Bus. A message in the middle of a queue can't be locked by its number: the messages before it are locked too, and
// released.

import {
  isServiceBusError,
  type ServiceBusClient,
  type ServiceBusReceivedMessage,
  type ServiceBusReceiver,
} from "@azure/service-bus";
import type { Contracts } from "@scheduler-agent-supervisor/core/app";
import { type BusSenders, CAME_BY, MessageExpired } from "@scheduler-agent-supervisor/core/messaging";
import Long from "long";
import { deadLetterOf, deadLetterSummary, isCutOff, resentMessage } from "./dead-letter-message.ts";
import type {
  Correction,
  DeadLetterQueue,
  DeadLetterSummary,
  DeadLetters,
  ResendOutcome,
  Taken,
  TakenDeadLetter,
} from "./dead-letters.ts";
import { messageCopyOf, receivedOf } from "./message-copy.ts";

/** The number of messages that are read, and that may be before the wanted message: the SDK holds at most 2048 locks on one link. */
const MOST = 1000;
const PEEKED_AT_ONCE = 100;
/** A message that is not locked by another process arrives sooner than this. */
const WAIT_MS = 3000;

/** @param client has a retry policy whose tries end within a request's time */
export function createServiceBusDeadLetters(
  client: ServiceBusClient,
  senders: BusSenders,
  queues: DeadLetters["queues"],
  contracts: Contracts,
): DeadLetters {
  const lines = new Map<string, Promise<unknown>>();

  async function withReceiver<T>(
    { queue, isSubQueue }: DeadLetterQueue,
    work: (receiver: ServiceBusReceiver) => Promise<T>,
  ) {
    const receiver = client.createReceiver(queue, {
      ...(isSubQueue && { subQueueType: "deadLetter" as const }),
      // With bodies unparsed, so that they can be sent again unchanged.
      skipParsingBodyAsJson: true,
      skipConvertingDate: true,
      maxAutoLockRenewalDurationInMs: 0,
    });
    try {
      return await work(receiver);
    } finally {
      await receiver.close().catch(() => undefined);
    }
  }

  return {
    queues,

    all: (queue) =>
      withReceiver(queue, async (receiver) => {
        const messages: DeadLetterSummary[] = [];
        for await (const message of peeked(receiver, Long.ZERO)) {
          if (messages.length === MOST) return { messages, isAll: false };
          messages.push(deadLetterSummary(message));
        }
        return { messages, isAll: true };
      }),

    page: (queue, from, limit) =>
      withReceiver(queue, async (receiver) => {
        const messages: ServiceBusReceivedMessage[] = [];
        for await (const message of peeked(receiver, Long.fromString(from), limit + 1)) {
          if (messages.length === limit) {
            return {
              messages: messages.map((one) => deadLetterSummary(one)),
              next: String(message.sequenceNumber),
            };
          }
          messages.push(message);
        }
        return { messages: messages.map((one) => deadLetterSummary(one)) };
      }),

    read: (queue, sequenceNumber) =>
      withReceiver(queue, async (receiver) => {
        const [message] = await receiver.peekMessages(1, { fromSequenceNumber: Long.fromString(sequenceNumber) });
        return message && String(message.sequenceNumber) === sequenceNumber
          ? deadLetterOf(message, contracts)
          : undefined;
      }),

    take(queue, sequenceNumber, work) {
      // Two requests for one queue would lock each other's message.
      const before = lines.get(queue.name) ?? Promise.resolve();
      const own = before
        .catch(() => undefined)
        .then(() =>
          withReceiver(queue, (receiver) => takeFrom(receiver, queue, sequenceNumber, senders, contracts, work)),
        );
      lines.set(queue.name, own);
      return own;
    },

    summaryOf: (copy) => deadLetterSummary(receivedOf(copy)),
    letterOf: (copy) => deadLetterOf(receivedOf(copy), contracts),
    resend: (queue, copy, correction) => resend(receivedOf(copy), queue, correction, senders),
  };
}

/** From the message with that number on, in their order. */
async function* peeked(receiver: ServiceBusReceiver, from: Long, atOnce = PEEKED_AT_ONCE) {
  let next = from;
  for (;;) {
    // Fewer than requested may arrive although there are more.
    const messages = await receiver.peekMessages(Math.min(atOnce, PEEKED_AT_ONCE), { fromSequenceNumber: next });
    const last = messages.at(-1)?.sequenceNumber;
    if (!last) return;
    yield* messages;
    next = last.add(1);
  }
}

async function takeFrom<T>(
  receiver: ServiceBusReceiver,
  queue: DeadLetterQueue,
  sequenceNumber: string,
  senders: BusSenders,
  contracts: Contracts,
  work: (taken: TakenDeadLetter) => Promise<T>,
): Promise<Taken<T>> {
  const before = await countBefore(receiver, sequenceNumber);
  if (before === undefined) return { kind: "not-found" };
  if (before >= MOST) return { kind: "too-deep", before };
  const locked = new Set<ServiceBusReceivedMessage>();
  try {
    const message = await lockUpTo(receiver, sequenceNumber, before + 1, locked);
    if (!message) return { kind: "in-use" };
    locked.delete(message);
    return await workOn(receiver, message, queue, senders, contracts, work);
  } finally {
    // A message whose lock is lost is released already.
    await Promise.allSettled([...locked].map((other) => receiver.abandonMessage(other)));
  }
}

/** The number of messages before it; undefined if it is not there. */
async function countBefore(receiver: ServiceBusReceiver, sequenceNumber: string): Promise<number | undefined> {
  const [message] = await receiver.peekMessages(1, { fromSequenceNumber: Long.fromString(sequenceNumber) });
  if (String(message?.sequenceNumber) !== sequenceNumber) return undefined;
  let before = 0;
  for await (const { sequenceNumber: number } of peeked(receiver, Long.ZERO)) {
    if (before === MOST || String(number) === sequenceNumber) return before;
    before += 1;
  }
  return undefined;
}

/** @param locked all messages locked on the way to it */
async function lockUpTo(
  receiver: ServiceBusReceiver,
  sequenceNumber: string,
  expected: number,
  locked: Set<ServiceBusReceivedMessage>,
): Promise<ServiceBusReceivedMessage | undefined> {
  // If another process holds some of the messages before it, later ones arrive instead.
  while (locked.size < MOST) {
    const missing = Math.max(1, expected - locked.size);
    const received = await receiver.receiveMessages(missing, { maxWaitTimeInMs: WAIT_MS });
    if (received.length === 0) return undefined;
    for (const message of received) locked.add(message);
    const found = received.find((message) => String(message.sequenceNumber) === sequenceNumber);
    if (found) return found;
  }
  return undefined;
}

async function workOn<T>(
  receiver: ServiceBusReceiver,
  message: ServiceBusReceivedMessage,
  queue: DeadLetterQueue,
  senders: BusSenders,
  contracts: Contracts,
  work: (taken: TakenDeadLetter) => Promise<T>,
): Promise<Taken<T>> {
  let isOpen = true;
  try {
    // It may have waited while others were locked: from here on it has its whole time.
    if (!(await renewed(receiver, message))) return { kind: "in-use" };
    const value = await work({
      message: deadLetterOf(message, contracts),
      copy: messageCopyOf(message),
      target: targetOf(message, queue),
      resend: (correction) => resend(message, queue, correction, senders),
      async complete() {
        isOpen = false;
        return receiver.completeMessage(message).then(
          () => true,
          () => false,
        );
      },
    });
    return { kind: "taken", value };
  } finally {
    if (isOpen) await receiver.abandonMessage(message).catch(() => undefined);
  }
}

function targetOf({ subject, applicationProperties }: ServiceBusReceivedMessage, { resendTo }: DeadLetterQueue) {
  return resendTo(subject, applicationProperties?.[CAME_BY]);
}

async function resend(
  message: ServiceBusReceivedMessage,
  queue: DeadLetterQueue,
  correction: Correction | undefined,
  senders: BusSenders,
): Promise<ResendOutcome> {
  const target = targetOf(message, queue);
  if (isCutOff(message) && !correction) return { kind: "rejected", reason: "only the start of its body was kept" };
  try {
    const again = resentMessage(message, queue.name, correction, Date.now());
    await senders.send(target, again);
    return { kind: "sent", target, messageId: again.messageId };
  } catch (cause) {
    if (cause instanceof MessageExpired) return { kind: "rejected", reason: cause.message };
    if (isServiceBusError(cause) && cause.code === "MessageSizeExceeded") {
      return { kind: "rejected", reason: `it is larger than ${target} takes` };
    }
    throw cause;
  }
}

async function renewed(receiver: ServiceBusReceiver, message: ServiceBusReceivedMessage): Promise<boolean> {
  try {
    await receiver.renewMessageLock(message);
    return true;
  } catch (cause) {
    if (isServiceBusError(cause) && cause.code === "MessageLockLost") return false;
    throw cause;
  }
}
