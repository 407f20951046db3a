// What agents reply over their queue (P7): recorded, and handed to the attempt that waits for it.
import { app, type InvocationContext } from "@azure/functions";
import { repliesQueueOf } from "@scheduler-agent-supervisor/core/messaging/agent-teams";
import { takeReply } from "@scheduler-agent-supervisor/core/operations/take-reply";
import { reportEnd } from "@scheduler-agent-supervisor/core/scheduler-client";
import { observeMessage } from "@scheduler-agent-supervisor/core/telemetry/invocation";
import { describeSpan } from "@scheduler-agent-supervisor/core/telemetry/spans";
import * as df from "durable-functions";
import { application } from "../shared/app.ts";
import { functionName, workOnMessage } from "./messages/work-on-message.ts";

const take = (team?: string) => (body: unknown, context: InvocationContext) =>
  observeMessage(context, {}, (telemetry) => {
    const queue = repliesQueueOf(team, application.queueNames().agentReplies);
    return workOnMessage(body, queue, context, telemetry, async () => {
      const received = await takeReply(body, application.contextOf(telemetry), { team, queue });
      if (!received) return;
      const { orderId, attempt, step } = received.ticket;
      describeSpan({ orderId, attempt, step });
      if (await reportEnd(df.getClient(context), orderId, received)) return;
      // The reply is recorded; the supervisor finds that nobody goes on from there.
      telemetry.event("ReplyUnclaimed", { orderId, attempt, step });
    });
  });

const options = { connection: "ServiceBus", extraInputs: [df.input.durableClient()] };

app.serviceBusQueue("agentReplies", { ...options, queueName: "%AgentRepliesQueue%", handler: take() });
for (const { team } of application.agentTeams) {
  app.serviceBusQueue(`agentReplies_${functionName(team)}`, {
    ...options,
    queueName: `%AgentRepliesQueue%-${team}`,
    handler: take(team),
  });
}
