// A client's sending link: takes messages and batches into a queue and answers each after its commit.
import { randomUUID } from "node:crypto";
import type { Typed } from "rhea";
import { ABORTED_FORMAT, BATCH_FORMAT, OVERSIZED_FORMAT } from "../amqp/amqp-session.ts";
import { type Incoming, MessageFault, readBatch, readIncoming } from "../encoded/encoded-message.ts";
import { BUS_LIMITS } from "../limits.ts";
import type { Queue } from "../queue/queue.ts";
import type { QueueSettings } from "../queue/queue-settings.ts";
import { ACCEPTED, type ReceiverLink, rejected, type Transfer } from "../rhea-internals.ts";
import type { BusyQueues } from "./busy-queues.ts";
import { type Log, onLinkEvent } from "./link-faults.ts";

/** Announced in the attach. */
export const MAX_MESSAGE_BYTES = BUS_LIMITS.messageBytes.value;

/** Unsettled transfers allowed to a link; rhea's buffer holds 2048 a session. */
const CREDIT = 1000;
const CREDIT_STEP = 250;

const SERVER_BUSY = rejected(
  "com.microsoft:server-busy",
  "The namespace is busy: wait 10 seconds before the next request.",
);

interface SendSurroundings {
  readonly broker: { readonly catalog: { sizeFault(queue: Queue): string | undefined } };
  readonly log: Log;
  now(): number;
  readonly busy: BusyQueues;
}

interface MessageContext {
  readonly message: Buffer;
  readonly format: number;
  readonly delivery: Transfer;
}

export class SendLink {
  readonly queue: Queue;
  readonly direction = "send";
  readonly #link: ReceiverLink;
  readonly #around: SendSurroundings;
  #settled = 0;
  #usedAt: number;

  constructor(link: ReceiverLink, queue: Queue, around: SendSurroundings) {
    this.#link = link;
    this.#around = around;
    this.#usedAt = around.now();
    this.queue = queue;
    onLinkEvent(link, "message", around.log, (context: MessageContext) => this.#take(context));
    link.add_credit(CREDIT);
  }

  get usedAt(): number {
    return this.#usedAt;
  }

  async #take({ message, format, delivery }: MessageContext): Promise<void> {
    // What still arrives on a link that the broker closed is not taken, nor what the client gave up.
    if (!this.#link.is_open() || format === ABORTED_FORMAT) {
      Reflect.set(delivery, "settled", true);
      return;
    }
    this.#usedAt = this.#around.now();
    if (this.#around.busy.isBusy(this.queue.name)) {
      this.#answer(delivery, SERVER_BUSY);
      return;
    }
    const read = this.#read(message, format);
    if (!Array.isArray(read)) this.#answer(delivery, read);
    else {
      await this.queue.send(read);
      this.#answer(delivery, ACCEPTED);
    }
  }

  /** @returns the messages, or the rejection. */
  #read(bytes: Buffer, format: number): Incoming[] | Typed {
    if (format === OVERSIZED_FORMAT) return tooLarge("more than a million");
    if (bytes.length > MAX_MESSAGE_BYTES) return tooLarge(String(bytes.length));
    let incoming: Incoming[];
    try {
      incoming = (format === BATCH_FORMAT ? readBatch(bytes) : [bytes]).map((one) => readIncoming(one, randomUUID));
    } catch (cause) {
      if (cause instanceof MessageFault) return rejected(cause.condition, cause.message);
      return rejected("amqp:decode-error", cause instanceof Error ? cause.message : "The message cannot be decoded.");
    }
    const full = this.#around.broker.catalog.sizeFault(this.queue);
    if (full !== undefined) return rejected("amqp:resource-limit-exceeded", full);
    const needsSession = this.queue.settings.requiresSession;
    if (needsSession && incoming.some(({ sessionId }) => sessionId === undefined)) {
      return rejected("amqp:not-allowed", `The queue ${this.queue.name} requires a session id on every message.`);
    }
    if (spansPartitions(this.queue.settings, incoming))
      return rejected(
        "amqp:not-allowed",
        `The messages of one send to '${this.queue.name}' are for several partitions.`,
      );
    return incoming;
  }

  #answer(delivery: Transfer, outcome: unknown): void {
    if (!this.#link.is_open()) return;
    delivery.update(true, outcome);
    this.#settled += 1;
    if (this.#settled < CREDIT_STEP) return;
    this.#link.add_credit(this.#settled);
    this.#settled = 0;
  }

  /** Nothing is held for a sender. */
  leave(): void {}

  end(condition: string, description: string): void {
    this.#link.close({ condition, description });
  }
}

/** Duplicate detection goes by partition too: there the id stands in for a key. */
function spansPartitions({ isPartitioned, duplicateWindowMs }: QueueSettings, messages: readonly Incoming[]): boolean {
  if (!isPartitioned) return false;
  const byId = duplicateWindowMs > 0;
  const keys = messages.map(
    ({ sessionId, partitionKey, messageId }) => sessionId ?? partitionKey ?? (byId ? `id ${messageId}` : undefined),
  );
  return new Set(keys).size > 1;
}

function tooLarge(bytes: string): Typed {
  return rejected(
    "amqp:link:message-size-exceeded",
    `The message has ${bytes} bytes; the limit is ${MAX_MESSAGE_BYTES}.`,
  );
}
