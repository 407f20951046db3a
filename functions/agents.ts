// The agents (P6): each takes a step up, calls its remote service within complete-by, and has the end recorded.
import { app } from "@azure/functions";
import { requestsQueueOf } from "@scheduler-agent-supervisor/core/app";
import {
  agentActivity,
  agentReplies,
  agentRequests,
  askAgentActivity,
  COMPLETIONS_ROUTE,
  completeStep,
  fromQueue,
  ownReplies,
} from "@scheduler-agent-supervisor/core/functions";
import * as df from "durable-functions";
import { application } from "../shared/app.ts";

const { agentNames, agentsAskedByQueue, localAgents } = application.business;
const extraInputs = [df.input.durableClient()];

for (const name of agentNames) df.app.activity(`${name}Agent`, { extraInputs, handler: agentActivity(application) });

// Over its queue (P7): the request, the agent of this app, its reply. `AzureWebJobs.<name>QueueAgent.Disabled` leaves the request to another app.
df.app.activity("askAgent", { extraInputs, handler: askAgentActivity(application) });
for (const name of agentNames.filter((agent) => agentsAskedByQueue.has(agent))) {
  const handler = agentRequests(application, name);
  app.serviceBusQueue(`${name}QueueAgent`, { ...fromQueue(requestsQueueOf(name)), handler });
}
app.serviceBusQueue("agentReplies", {
  ...fromQueue("%AgentRepliesQueue%"),
  extraInputs,
  handler: agentReplies(application),
});

// Of a step that is done later: its service reports the end by the address that it was given, or on the agent's own reply queue (P15).
app.http("completeStep", {
  methods: ["POST"],
  authLevel: "anonymous",
  route: COMPLETIONS_ROUTE,
  extraInputs,
  handler: completeStep(application),
});
for (const { name, replies } of localAgents) {
  if (!replies) continue;
  const handler = ownReplies(application, replies);
  app.serviceBusQueue(`${name}Replies`, { ...fromQueue(replies.queue), extraInputs, handler });
}
