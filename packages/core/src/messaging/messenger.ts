// The app's messages, as a port: status messages, start messages to the scheduler, agents' requests and replies, and messages that can't be read.

import type { ReplyAddress } from "../domain/content/job.ts";
import { Outage } from "../domain/outage.ts";
import type { JobStatus, StepResult } from "../domain/record/state-record.ts";
import type { Reply, StartAttempt } from "../domain/steps/attempt.ts";
import { messageOf } from "../domain/thrown.ts";
import type { AgentReplyMessage, AgentRequestMessage } from "./agent-messages.ts";

export interface StatusMessage {
  readonly jobId: string;
  readonly attempt: number;
  readonly status: JobStatus;
  readonly at: string;
  /** The step of the status, if it is about one. */
  readonly step?: string;
  /** It is about the step's compensation. */
  readonly direction?: "compensate";
  /** A text, for some statuses. */
  readonly detail?: string;
  /** The digest of the content submitted under the job's id: see content-digest.ts. */
  readonly contentDigest?: string;
  /** The workflow's outputs of the step, or of all steps. */
  readonly outputs?: StepResult;
  /** Of a reminder: who is to act, and until when. */
  readonly assignee?: string;
  readonly until?: string;
}

/** The answer to a rejected message, or to a cancellation. There may be another job under the same id. */
export interface Rejection {
  readonly status: "Rejected" | "CancelAccepted" | "CancelRejected";
  /** The same each time that the same submission is rejected. */
  readonly id: string;
  /** As in the message, where it may be invalid; null if it has none. */
  readonly jobId: string | null;
  /** The sender's id of one of several submissions. */
  readonly submissionId: string | null;
  readonly at: string;
  readonly faults: readonly string[];
}

export type Published =
  | "sent"
  /** The request named no reply queue. */
  | "nobody-asked"
  /** No queue of that name accepts it: absent, disabled, full, or it requires a session that the request did not name. The job continues. */
  | "no-such-queue"
  /** The queue does not accept the messages in one send. It may accept each alone. */
  | "too-large-together";

export interface Unreadable {
  readonly subject: "InvalidSubmission" | "InvalidReply" | "NotStorable";
  readonly body: unknown;
  readonly faults: readonly string[];
  /** The same as everybody may see it: see shown-message.ts. */
  readonly shown: Pick<Unreadable, "faults"> & {
    readonly [name in "jobId" | "messageId" | "correlationId"]: string | null;
  };
  readonly messageId: string | undefined;
  readonly correlationId: string | undefined;
  /** The sender's reply queue: kept for the case that the message is sent again. */
  readonly replyTo?: string | undefined;
  readonly replyToSessionId?: string | undefined;
  /** The queue that it came from: it is sent again to this queue. */
  readonly queue?: string | undefined;
  /** The message as it came: what is kept is then a copy of it. */
  readonly received?: ReceivedMessage | undefined;
}

/** A message that a function processes, with all members needed to send it again. */
export interface ReceivedMessage {
  readonly queue: string;
  /** Identifies it in its queue, in decimal; absent if the host's number is not exact. */
  readonly sequenceNumber?: string | undefined;
  /** What was read of it; undefined for bytes that are no text. */
  readonly body: unknown;
  /** The body as it came. */
  readonly bytes?: Buffer | undefined;
  /** What of body and properties could not be read as it was sent. */
  readonly faults?: readonly string[] | undefined;
  readonly contentType?: string | undefined;
  readonly to?: string | undefined;
  readonly partitionKey?: string | undefined;
  /** When its time to live ends; an ISO 8601 instant. Absent if it has none. */
  readonly expiresAt?: string | undefined;
  readonly messageId: string | undefined;
  readonly correlationId: string | undefined;
  readonly subject: string | undefined;
  readonly replyTo: string | undefined;
  readonly replyToSessionId: string | undefined;
  /** When it first came into its queue; an ISO 8601 instant. */
  readonly enqueuedAt: string | undefined;
  readonly properties: { readonly [name: string]: unknown };
}

/** The bus did not accept a message within the bounded retries; it may accept it later. */
export class BusUnavailable extends Outage {
  override readonly name = "BusUnavailable";
  constructor(queue: string, cause: unknown) {
    super(`The bus did not take a message to ${queue}: ${messageOf(cause)}`, {
      cause,
    });
  }
}

interface SendOptions {
  /** When the message is to arrive, an ISO 8601 instant; at once without one. */
  readonly at?: string | undefined;
}

/** Application properties of a message that was sent back to its queue: its first arrival, its own id, and the name of the outage. */
export const FIRST_ENQUEUED_AT = "firstEnqueuedAt";
export const FIRST_MESSAGE_ID = "firstMessageId";
export const POSTPONE_CAUSE = "postponeCause";

/** The time to live of a message has passed: no copy of it is sent, and its queue dead-letters it once its lock ends. */
export class MessageExpired extends Error {
  override readonly name = "MessageExpired";
}

export interface PostponeOptions extends SendOptions {
  /** The name of the outage that it waits for. */
  readonly cause: string;
}

/** Every method throws `BusUnavailable` once its bounded retries are used up. */
export interface Messenger {
  /**
   * Notifies the submitting application on its private reply queue, in its session there if it named one (P15). At least
   * once: the message id `<jobId>:<attempt>:<status>[:step]` is the same each time. Several messages go in one send, in this sequence.
   */
  publish(reply: Reply, messages: readonly StatusMessage[]): Promise<Published>;
  /** Notifies a sender that its submission was rejected, and why. At least once, under the rejection's id. */
  reject(reply: ReplyAddress, rejection: Rejection): Promise<Published>;
  /** Notifies the scheduler that a job waits for an attempt (P10), now or, if the supervisor has set a pause, later (P11). */
  startAttempt(startAttempt: StartAttempt, options?: SendOptions): Promise<void>;
  /**
   * Sends a request to an agent over its own queue (P7). The message expires `leftMs` after its arrival; if it is sent again, it is dropped as a
   * duplicate. `too-large`: no queue of this size accepts it, now or later.
   */
  ask(
    agent: string,
    request: AgentRequestMessage,
    leftMs: number,
    options?: SendOptions,
  ): Promise<"asked" | "too-large">;
  /** An agent's answer, to the queue that its request named. */
  answer(replyTo: string, reply: AgentReplyMessage): Promise<void>;
  /** Keeps a message that can't be read, with its faults. */
  quarantine(unreadable: Unreadable): Promise<void>;
  /**
   * Sends a message to the end of its own queue again, unchanged, with its first arrival and the cause, for what is left of its time to live.
   * @throws MessageExpired if nothing is left
   */
  postpone(message: ReceivedMessage, options: PostponeOptions): Promise<void>;
}
