// The agents of this app that some workflow asks over their queues (P7). Each can be switched off, to be done elsewhere, by
// `AzureWebJobs.<name>QueueAgent.Disabled`.
import { app } from "@azure/functions";
import { agentRequests, BOUND_AS_BYTES, requestsQueueOf } from "@scheduler-agent-supervisor/core/functions";
import { application } from "../shared/app.ts";

const { agentNames, agentsAskedByQueue } = application.business;

for (const name of agentNames.filter((agent) => agentsAskedByQueue.has(agent))) {
  app.serviceBusQueue(`${name}QueueAgent`, {
    queueName: requestsQueueOf(name),
    connection: "ServiceBus",
    ...BOUND_AS_BYTES,
    handler: agentRequests(application, name),
  });
}
