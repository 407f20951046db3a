// The front door (P1): jobs arrive on the shared queues or on their sender's own queue. The functions record and claim them, and start their first
// attempt.
import type { InvocationContext } from "@azure/functions";
import type { App } from "../app/create-app.ts";
import { jobIdIn } from "../domain/noun.ts";
import { startClaimed } from "../scheduler/scheduler-client.ts";
import { isCancellation } from "../submission/cancellation-message.ts";
import { submitJob } from "../submission/submit-job.ts";
import { takeCancellation } from "../submission/take-cancellation.ts";
import { messageTraceparent, observeMessage } from "../telemetry/invocation.ts";
import { activeTraceparent } from "../telemetry/trace-context.ts";
import { engineClient } from "./engine-client.ts";
import { enqueuedAt, workOnMessage } from "./work-on-message.ts";

/** The limit for an id in an arbitrary message. */
const JOB_ID_LIMIT = 100;

/**
 * The Service Bus function of a queue of submissions: records each job, and starts its first attempt. A message that is delivered twice is one
 * job.
 * @param queueOf the name of the queue that it receives from
 */
export const submission =
  (application: App, queueOf: () => string) =>
  (body: unknown, context: InvocationContext): Promise<void> => {
    const queue = queueOf();
    const jobId = jobIdIn(body, application.business.contracts.noun);
    // In the host, a JSON body's own members hide metadata of the same name: a job with such members is rejected.
    const { messageId, correlationId, replyTo, replyToSessionId } = context.triggerMetadata ?? {};
    const { submissionId, statuses } = (context.triggerMetadata?.["applicationProperties"] ?? {}) as {
      submissionId?: unknown;
      statuses?: unknown;
    };
    const envelope = { queue, messageId, correlationId, replyTo, replyToSessionId, submissionId, statuses };
    return observeMessage(context, jobId === undefined ? {} : { jobId: jobId.slice(0, JOB_ID_LIMIT) }, (telemetry) =>
      workOnMessage(application, body, queue, context, telemetry, async () => {
        const traceparent = activeTraceparent() ?? messageTraceparent(context);
        const message = { body, envelope, traceparent, enqueuedAt: enqueuedAt(context.triggerMetadata ?? {}) };
        if (isCancellation(body)) return takeCancellation(message, application.contextOf(telemetry));
        const claim = await submitJob(message, application.contextOf(telemetry));
        if (claim?.kind === "claimed")
          await startClaimed(engineClient(context), claim, application.contextOf(telemetry));
      }),
    );
  };
