// The front door's queues (P1): what a function of `functions/submission.ts` can do with a message, each step under its name.
import type { InvocationContext } from "@azure/functions";
import type { App } from "../app/create-app.ts";
import type { ClaimOutcome } from "../domain/steps/attempt.ts";
import { type Claimed, startClaimed } from "../scheduler/scheduler-client.ts";
import { isCancellation } from "../submission/cancellation-message.ts";
import {
  claimFirst,
  type NotTaken,
  quarantineSubmission,
  type RecordedJob,
  readSubmission,
  recordSubmission,
} from "../submission/record-submission.ts";
import type { Envelope, ParsedSubmission, SubmittedMessage } from "../submission/submission-message.ts";
import { takeCancellation } from "../submission/take-cancellation.ts";
import { messageTraceparent } from "../telemetry/invocation.ts";
import { activeTraceparent } from "../telemetry/trace-context.ts";
import { engineClient } from "./engine-client.ts";
import { receive } from "./receive.ts";
import type { Incoming } from "./received-message.ts";

/** What it does with a message, step by step. */
export interface FrontDoor {
  readonly submission: {
    /** Checks the whole message. */
    read(): Promise<ParsedSubmission | { readonly kind: "cancellation" }>;
    /** Its sender is told what became of it. */
    cancel(): Promise<void>;
    /** Job and state record in one batch, unless what was read is at fault: a message that is delivered twice is one job. */
    record(read: ParsedSubmission): Promise<NotTaken | RecordedJob>;
    /** Keeps what is not taken with every fault, and tells its sender. */
    quarantine(unread: NotTaken): Promise<void>;
  };
  readonly scheduler: {
    /** For the first attempt; undefined if nothing is to be started. */
    claim(job: RecordedJob): Promise<ClaimOutcome | undefined>;
    start(claim: Claimed): Promise<unknown>;
  };
}

/** The Service Bus function of a queue of submissions. Whoever reads the message describes the span: until then its id is any text. */
export const onSubmission = (application: App, queue: string, work: (door: FrontDoor) => Promise<void>) =>
  receive(application, { queue, largeNumbers: "rejected" }, (received, context, invocation) => {
    const message = submittedIn(received, invocation);
    return work({
      submission: {
        read: async () => (isCancellation(message.body) ? { kind: "cancellation" } : readSubmission(message, context)),
        cancel: () => takeCancellation(message, context),
        record: (read) => recordSubmission(read, message, context),
        quarantine: (unread) => quarantineSubmission(message, unread, context),
      },
      scheduler: {
        claim: (job) => claimFirst(job, context),
        start: (claim) => startClaimed(engineClient(invocation), claim, context),
      },
    });
  });

function submittedIn(message: Incoming, invocation: InvocationContext): SubmittedMessage {
  const { body, enqueuedAt } = message;
  const traceparent = activeTraceparent() ?? messageTraceparent(invocation);
  return { body, envelope: envelopeOf(message), traceparent, enqueuedAt, received: message };
}

function envelopeOf({ bytes, queue, properties, faults, ...texts }: Incoming): Envelope {
  const { messageId, correlationId, replyTo, replyToSessionId } = texts;
  const { submissionId, statuses } = properties;
  const isApart = bytes !== undefined;
  return { queue, messageId, correlationId, replyTo, replyToSessionId, submissionId, statuses, faults, isApart };
}
