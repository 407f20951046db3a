// Requests of an agent of this app, from its queue (P7).
import type { InvocationContext } from "@azure/functions";
import type { App } from "../app/create-app.ts";
import { type AgentRequestMessage, parseAgentRequest } from "../messaging/agent-messages.ts";
import { answerRequest } from "../operations/answer-request.ts";
import { observeMessage } from "../telemetry/invocation.ts";
import { workOnMessage } from "./work-on-message.ts";

/** @param name the agent's */
export const agentRequests =
  (application: App, name: string) =>
  (body: unknown, context: InvocationContext): Promise<void> => {
    const replyTo = String(context.triggerMetadata?.["replyTo"]);
    const { orderId = null, attempt = null, step = null } = (body as Partial<AgentRequestMessage>).ticket ?? {};
    return observeMessage(context, { orderId, attempt, step, agent: name }, (telemetry) =>
      workOnMessage(application, body, `${application.queueNames().agentRequests}-${name}`, context, telemetry, () =>
        answerRequest(name, parseAgentRequest(body), replyTo, application.contextOf(telemetry)),
      ),
    );
  };
