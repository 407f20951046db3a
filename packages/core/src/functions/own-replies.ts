// The reply queue of an agent of this app (P15, P22): whoever the agent has asked says there that something has come of it.
import type { InvocationContext } from "@azure/functions";
import type { App } from "../app/create-app.ts";
import type { OwnReplies } from "../app/define-agent.ts";
import { reportEnd } from "../scheduler/scheduler-client.ts";
import { reportByKey } from "../scheduler/steps/report-by-key.ts";
import { observeMessage } from "../telemetry/invocation.ts";
import { engineClient } from "./engine-client.ts";
import { readMessage } from "./received-message.ts";
import { workOnMessage } from "./work-on-message.ts";

/** The Service Bus function of such a queue: reports the end of the step whose idempotency key is the message's correlation id. */
export const ownReplies =
  (application: App, { queue, endOf }: OwnReplies) =>
  (bound: unknown, context: InvocationContext): Promise<void> =>
    observeMessage(context, {}, (telemetry) =>
      workOnMessage(application, readMessage(bound, queue, context, "asText"), telemetry, async (message) => {
        const received = await reportByKey(message.correlationId ?? "", endOf, application.contextOf(telemetry));
        if (received) await reportEnd(engineClient(context), received.ticket.jobId, received);
      }),
    );
