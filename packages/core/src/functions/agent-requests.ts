// Requests to an agent of this app, from its queue (P7).
import type { InvocationContext } from "@azure/functions";
import type { App } from "../app/create-app.ts";
import { type AgentRequestMessage, parseAgentRequest, type Ticket } from "../messaging/agent-messages.ts";
import { requestsQueueOf } from "../messaging/queues.ts";
import { answerRequest } from "../scheduler/steps/answer-request.ts";
import { observeMessage } from "../telemetry/invocation.ts";
import { readMessage } from "./received-message.ts";
import { workOnMessage } from "./work-on-message.ts";

/**
 * The Service Bus function of an agent's queue of requests: calls the agent, and sends its reply.
 * @param name the agent's name
 */
export const agentRequests =
  (application: App, name: string) =>
  (bound: unknown, context: InvocationContext): Promise<void> => {
    const isRedelivered = Number(context.triggerMetadata?.["deliveryCount"] ?? 1) > 1;
    const incoming = readMessage(bound, requestsQueueOf(name), context, "asText");
    const {
      jobId = null,
      attempt = null,
      step = null,
    } = ((incoming.body as Partial<AgentRequestMessage> | undefined)?.ticket ?? {}) as Partial<Ticket>;
    return observeMessage(context, { jobId, attempt, step, agent: name }, (telemetry) =>
      workOnMessage(application, incoming, telemetry, ({ body, replyTo = application.repliesQueue() }) =>
        answerRequest(name, parseAgentRequest(body), replyTo, application.contextOf(telemetry), isRedelivered),
      ),
    );
  };
