// The messages in a dead-letter queue or in the quarantine, as a port: shown, sent again, or removed.
import type { MessageCopy } from "../domain/message-copy.ts";

/** A queue of messages that no function receives any more. */
export interface DeadLetterQueue {
  /** The queue's name for operators. */
  readonly name: string;
  /** The queue itself, or the queue whose dead-letter queue it is. */
  readonly queue: string;
  readonly isSubQueue: boolean;
  /**
   * The target queue for a message with this subject that is sent again.
   * @param cameBy the application property of that name
   */
  readonly resendTo: (subject: string | undefined, cameBy?: unknown) => string;
}

/** A message in a list. */
export interface DeadLetterSummary {
  /** In decimal, because it can be larger than the maximum of a number. */
  readonly sequenceNumber: string;
  readonly enqueuedAt: string | null;
  /** The reason why it is here: Service Bus's reason, or the first fault of a quarantined message. */
  readonly reason: string | null;
  readonly description: string | null;
  readonly deliveryCount: number;
  readonly messageId: string | null;
  readonly correlationId: string | null;
  readonly subject: string | null;
  /** The job that it is about, if its body contains one. */
  readonly jobId: string | null;
  readonly bytes: number;
}

/** The same with all of its content. */
export interface ReadDeadLetter extends DeadLetterSummary {
  readonly contentType: string | null;
  readonly replyTo: string | null;
  readonly replyToSessionId: string | null;
  readonly timeToLiveMs: number | null;
  readonly applicationProperties: { readonly [name: string]: string | number | boolean | null };
  readonly body: DeadLetterBody;
}

export type DeadLetterBody =
  | { readonly kind: "json"; readonly json: unknown }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "binary"; readonly base64: string };

interface DeadLetterList {
  readonly messages: readonly DeadLetterSummary[];
  /** The sequence number at which the next page begins; absent on the last. */
  readonly next?: string;
}

/** The JSON that replaces a message's body. */
export interface Correction {
  readonly body: unknown;
}

/** What an operator asks for: a whole body, or a JSON merge patch (RFC 7396) of the message's own, which may have what is not shown to everybody. */
export type Edit = Correction | { readonly patch: { readonly [name: string]: unknown } };

/** A message under a lock. */
export interface TakenDeadLetter {
  readonly message: ReadDeadLetter;
  readonly copy: MessageCopy;
  /** The queue that it is sent to. */
  readonly target: string;
  /**
   * Resolves when the queue has accepted it. Everything is unchanged, except the body if one is given, and the message id. The id is the same
   * each time that this body replaces the body of this message, and it is not the original's, because a queue that detects duplicates may still
   * know that one.
   */
  resend(correction?: Correction): Promise<ResendOutcome>;
  /** False if the lock was lost: the message is still there. */
  complete(): Promise<boolean>;
}

/** The result of sending a message again. */
export type ResendOutcome =
  | { readonly kind: "sent"; readonly target: string; readonly messageId: string }
  /** Its queue does not take it, or there is nothing left of its time to live or of its body. */
  | { readonly kind: "rejected"; readonly reason: string };

export type Taken<T> =
  | { readonly kind: "taken"; readonly value: T }
  | { readonly kind: "not-found" }
  /** Another process has locked it. */
  | { readonly kind: "in-use" }
  /** Messages are locked from the front: too many are before this one, so it is not changed. */
  | { readonly kind: "too-deep"; readonly before: number };

/** Every method throws if the bus gives no answer. */
export interface DeadLetters {
  readonly queues: readonly DeadLetterQueue[];
  /** All messages there, up to a limit: `isAll` is false if there are more. */
  all(queue: DeadLetterQueue): Promise<{ readonly messages: readonly DeadLetterSummary[]; readonly isAll: boolean }>;
  /** @param from a sequence number: the page begins there, or at the first one after it */
  page(queue: DeadLetterQueue, from: string, limit: number): Promise<DeadLetterList>;
  read(queue: DeadLetterQueue, sequenceNumber: string): Promise<ReadDeadLetter | undefined>;
  /** Locks the message while `work` runs; a message that `work` has not removed is released. One at a time for each queue and process. */
  take<T>(
    queue: DeadLetterQueue,
    sequenceNumber: string,
    work: (taken: TakenDeadLetter) => Promise<T>,
  ): Promise<Taken<T>>;
  /** A copy in the form of a list's message, and with all of its content. */
  summaryOf(copy: MessageCopy): DeadLetterSummary;
  letterOf(copy: MessageCopy): ReadDeadLetter;
  /** Sends the message of the copy again, as `TakenDeadLetter.resend` does. */
  resend(queue: DeadLetterQueue, copy: MessageCopy, correction?: Correction): Promise<ResendOutcome>;
}

/** The dead letters of the app's own queues. */
export interface OwnQueues {
  /** The queues that the app receives from. */
  readonly consumed: readonly string[];
  readonly quarantine: string;
  readonly jobs: string;
  /** The queues of one sender each. */
  readonly ownedQueues?: readonly string[];
  readonly agentReplies: string;
}

export function deadLetterQueuesOf(own: OwnQueues): DeadLetterQueue[] {
  const { consumed, quarantine, jobs, ownedQueues = [], agentReplies } = own;
  // The quarantine keeps messages from queues of jobs and of replies, and its subject names which; what can't be stored may be from any queue. The
  // message still belongs to its sender.
  const source = (subject: string | undefined, cameBy?: unknown) => {
    if (subject === "NotStorable") return consumed.find((queue) => queue === cameBy) ?? jobs;
    if (subject === "InvalidReply") return agentReplies;
    return ownedQueues.find((queue) => queue === cameBy) ?? jobs;
  };
  return [
    ...consumed.map((queue) => ({ name: queue, queue, isSubQueue: true, resendTo: () => queue })),
    { name: quarantine, queue: quarantine, isSubQueue: false, resendTo: source },
    // Messages whose lock expired or was released too often there.
    { name: `${quarantine}-dead-letters`, queue: quarantine, isSubQueue: true, resendTo: source },
  ];
}
