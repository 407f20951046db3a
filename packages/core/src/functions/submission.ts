// The front door (P1): jobs arrive on the shared queues or on their sender's own queue. The functions record and claim them, and start their first
// attempt.
import type { InvocationContext } from "@azure/functions";
import type { App } from "../app/create-app.ts";
import { startClaimed } from "../scheduler/scheduler-client.ts";
import { isCancellation } from "../submission/cancellation-message.ts";
import type { Envelope } from "../submission/submission-message.ts";
import { submitJob } from "../submission/submit-job.ts";
import { takeCancellation } from "../submission/take-cancellation.ts";
import { messageTraceparent, observeMessage } from "../telemetry/invocation.ts";
import { activeTraceparent } from "../telemetry/trace-context.ts";
import { engineClient } from "./engine-client.ts";
import { type Incoming, readMessage } from "./received-message.ts";
import { workOnMessage } from "./work-on-message.ts";

/**
 * The Service Bus function of a queue of submissions: records each job, and starts its first attempt. A message that is delivered twice is one
 * job.
 * @param queue the one that it receives from
 */
export const submission =
  (application: App, queue: string) =>
  (bound: unknown, context: InvocationContext): Promise<void> => {
    const received = readMessage(bound, queue, context, "rejected");
    // Whoever reads the message describes the span: until then its id is any text.
    return observeMessage(context, {}, (telemetry) =>
      workOnMessage(application, received, telemetry, async (message) => {
        const { body, enqueuedAt } = message;
        const traceparent = activeTraceparent() ?? messageTraceparent(context);
        const submitted = { body, envelope: envelopeOf(message), traceparent, enqueuedAt, received: message };
        if (isCancellation(body)) return takeCancellation(submitted, application.contextOf(telemetry));
        const claim = await submitJob(submitted, application.contextOf(telemetry));
        if (claim?.kind === "claimed")
          await startClaimed(engineClient(context), claim, application.contextOf(telemetry));
      }),
    );
  };

function envelopeOf({ bytes, queue, properties, faults, ...texts }: Incoming): Envelope {
  const { messageId, correlationId, replyTo, replyToSessionId } = texts;
  const { submissionId, statuses } = properties;
  const isApart = bytes !== undefined;
  return { queue, messageId, correlationId, replyTo, replyToSessionId, submissionId, statuses, faults, isApart };
}
