// The agents' replies from their queue (P7): each is recorded, and passed to the attempt that waits for it.
import type { InvocationContext } from "@azure/functions";
import type { App } from "../app/create-app.ts";
import { reportEnd } from "../scheduler/scheduler-client.ts";
import { takeReply } from "../scheduler/steps/take-reply.ts";
import { observeMessage } from "../telemetry/invocation.ts";
import { describeSpan } from "../telemetry/spans.ts";
import { engineClient } from "./engine-client.ts";
import { readMessage } from "./received-message.ts";
import { workOnMessage } from "./work-on-message.ts";

/** The Service Bus function of the replies: records the result of a step. A late or duplicate reply changes nothing. */
export const agentReplies =
  (application: App) =>
  (bound: unknown, context: InvocationContext): Promise<void> =>
    observeMessage(context, {}, (telemetry) => {
      const queue = application.repliesQueue();
      const incoming = readMessage(bound, queue, context, "asText");
      return workOnMessage(application, incoming, telemetry, async (message) => {
        const received = await takeReply(message.body, application.contextOf(telemetry), { queue, message });
        if (!received) return;
        const { jobId, attempt, step } = received.ticket;
        describeSpan({ jobId, attempt, step });
        if (await reportEnd(engineClient(context), jobId, received)) return;
        // The reply is recorded; the supervisor finds that no attempt continues from there.
        telemetry.event("ReplyUnclaimed", { jobId, attempt, step });
      });
    });
