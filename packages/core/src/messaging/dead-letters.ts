// What ended in a dead-letter queue or in the quarantine, as a port: seen, sent again, or removed.
import type { MessageCopy } from "../domain/message-copy.ts";

/** A queue of messages that nobody takes any more. */
export interface DeadLetterQueue {
  /** How operators call it. */
  readonly name: string;
  /** The queue that it is, or that it is the dead-letter queue of. */
  readonly queue: string;
  readonly isSubQueue: boolean;
  /**
   * Where a message with this subject is sent again.
   * @param cameBy the application property of that name
   */
  readonly resendTo: (subject: string | undefined, cameBy?: unknown) => string;
}

/** A message as a list shows it. */
export interface DeadLetterSummary {
  /** In decimal: it is larger than a number may be. */
  readonly sequenceNumber: string;
  readonly enqueuedAt: string | null;
  /** Why it lies here: Service Bus's reason, or of a quarantined one its first fault. */
  readonly reason: string | null;
  readonly description: string | null;
  readonly deliveryCount: number;
  readonly messageId: string | null;
  readonly correlationId: string | null;
  readonly subject: string | null;
  /** The job that it is about, where its body says so. */
  readonly jobId: string | null;
  readonly bytes: number;
}

/** The same with all that it holds. */
export interface DeadLetter extends DeadLetterSummary {
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

export interface DeadLetterPage {
  readonly messages: readonly DeadLetterSummary[];
  /** The sequence number at which the next page begins; absent on the last. */
  readonly next?: string;
}

/** What is sent in the place of a message's body, as JSON. */
export interface Correction {
  readonly body: unknown;
}

/** A message under a lock. */
export interface TakenDeadLetter {
  readonly message: DeadLetter;
  readonly copy: MessageCopy;
  /** The queue that it is sent to. */
  readonly target: string;
  /**
   * Resolves when the queue has taken it. All is as it was, but the body if one is given, and the message id: that is the same each time that
   * this body is sent in the place of this message, and not the original's, which a queue that detects duplicates may still know.
   */
  resend(
    correction?: Correction,
  ): Promise<{ readonly kind: "sent"; readonly messageId: string } | { readonly kind: "too-large" }>;
  /** False where the lock was lost: the message is still there. */
  complete(): Promise<boolean>;
}

/** What came of sending a copy of a message that is there no more. */
export type Resent =
  | { readonly kind: "sent"; readonly target: string; readonly messageId: string }
  | { readonly kind: "too-large"; readonly target: string };

export type Taken<T> =
  | { readonly kind: "taken"; readonly value: T }
  | { readonly kind: "not-found" }
  /** Somebody else has locked it. */
  | { readonly kind: "in-use" }
  /** Messages are locked from the front: so many are before it that it is left alone. */
  | { readonly kind: "too-deep"; readonly before: number };

/** Every method throws where the bus gives no answer. */
export interface DeadLetters {
  readonly queues: readonly DeadLetterQueue[];
  /** All that lie there, no further than a limit: `isAll` is false where there are more. */
  all(queue: DeadLetterQueue): Promise<{ readonly messages: readonly DeadLetterSummary[]; readonly isAll: boolean }>;
  /** @param from a sequence number: the page begins there, or at the first one after it */
  page(queue: DeadLetterQueue, from: string, limit: number): Promise<DeadLetterPage>;
  read(queue: DeadLetterQueue, sequenceNumber: string): Promise<DeadLetter | undefined>;
  /** Locks the message for as long as `work` takes; what `work` leaves of it is released. One at a time for each queue and process. */
  take<T>(
    queue: DeadLetterQueue,
    sequenceNumber: string,
    work: (taken: TakenDeadLetter) => Promise<T>,
  ): Promise<Taken<T>>;
  /** A copy as a list shows the message, and with all that it holds. */
  summaryOf(copy: MessageCopy): DeadLetterSummary;
  letterOf(copy: MessageCopy): DeadLetter;
  /** Sends the message that the copy was made of, as `TakenDeadLetter.resend` does. */
  resend(queue: DeadLetterQueue, copy: MessageCopy, correction?: Correction): Promise<Resent>;
}

/** Of a message in the quarantine: the application property that names the queue that it came by. */
export const CAME_BY = "queue";

/** What the app's own queues leave behind. */
export interface OwnQueues {
  /** Those that the app takes messages from. */
  readonly consumed: readonly string[];
  readonly quarantine: string;
  readonly jobs: string;
  /** Those of one sender each. */
  readonly ownedQueues?: readonly string[];
  readonly agentReplies: string;
  /** Those of one team each. */
  readonly teamQueues?: readonly string[];
}

export function deadLetterQueuesOf(own: OwnQueues): DeadLetterQueue[] {
  const { consumed, quarantine, jobs, ownedQueues = [], agentReplies, teamQueues = [] } = own;
  // The quarantine keeps what came on a queue of jobs or of replies, and says in the subject which. It stays its sender's.
  const source = (subject: string | undefined, cameBy?: unknown) => {
    const [several, others] = subject === "InvalidReply" ? [agentReplies, teamQueues] : [jobs, ownedQueues];
    return others.find((queue) => queue === cameBy) ?? several;
  };
  return [
    ...consumed.map((queue) => ({ name: queue, queue, isSubQueue: true, resendTo: () => queue })),
    { name: quarantine, queue: quarantine, isSubQueue: false, resendTo: source },
    // What was locked and let go too often there.
    { name: `${quarantine}-dead-letters`, queue: quarantine, isSubQueue: true, resendTo: source },
  ];
}
