// The agents of this app that some workflow asks over their queues (P7). Each can be switched off, to be done elsewhere, by
// `AzureWebJobs.<name>QueueAgent.Disabled`.
import { app } from "@azure/functions";
import { type AgentRequestMessage, parseAgentRequest } from "@scheduler-agent-supervisor/core/messaging/agent-messages";
import { answerRequest } from "@scheduler-agent-supervisor/core/operations/answer-request";
import { observeMessage } from "@scheduler-agent-supervisor/core/telemetry/invocation";
import { application } from "../shared/app.ts";
import { workOnMessage } from "./messages/work-on-message.ts";

for (const name of application.business.agentNames.filter((agent) =>
  application.business.agentsAskedByQueue.has(agent),
)) {
  app.serviceBusQueue(`${name}QueueAgent`, {
    queueName: `%AgentRequestsQueue%-${name}`,
    connection: "ServiceBus",
    handler: (body: unknown, context) => {
      const replyTo = String(context.triggerMetadata?.["replyTo"]);
      const { orderId = null, attempt = null, step = null } = (body as Partial<AgentRequestMessage>).ticket ?? {};
      return observeMessage(context, { orderId, attempt, step, agent: name }, (telemetry) =>
        workOnMessage(body, `${application.queueNames().agentRequests}-${name}`, context, telemetry, () =>
          answerRequest(name, parseAgentRequest(body), replyTo, application.contextOf(telemetry)),
        ),
      );
    },
  });
}
