// What agents reply over their queue (P7), and over those of the teams that have one each.
import { app } from "@azure/functions";
import { agentReplies } from "@scheduler-agent-supervisor/core/functions/agent-replies";
import { BOUND_AS_BYTES, functionName } from "@scheduler-agent-supervisor/core/functions/work-on-message";
import * as df from "durable-functions";
import { application } from "../shared/app.ts";

const options = { ...BOUND_AS_BYTES, connection: "ServiceBus", extraInputs: [df.input.durableClient()] };

app.serviceBusQueue("agentReplies", {
  ...options,
  queueName: "%AgentRepliesQueue%",
  handler: agentReplies(application),
});
for (const { team } of application.agentTeams) {
  app.serviceBusQueue(`agentReplies_${functionName(team)}`, {
    ...options,
    queueName: `%AgentRepliesQueue%-${team}`,
    handler: agentReplies(application, team),
  });
}
