// What agents reply over their queue (P7).
import { app } from "@azure/functions";
import { agentReplies, BOUND_AS_BYTES } from "@scheduler-agent-supervisor/core/functions";
import * as df from "durable-functions";
import { application } from "../shared/app.ts";

app.serviceBusQueue("agentReplies", {
  ...BOUND_AS_BYTES,
  queueName: "%AgentRepliesQueue%",
  connection: "ServiceBus",
  extraInputs: [df.input.durableClient()],
  handler: agentReplies(application),
});
