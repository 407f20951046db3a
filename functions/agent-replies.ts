// What agents reply over their queue (P7): recorded, and handed to the attempt that waits for it.
import { app } from "@azure/functions";
import * as df from "durable-functions";
import { ports, queueNames } from "../shared/compose.ts";
import { takeReply } from "../shared/operations/take-reply.ts";
import { reportOutcome } from "../shared/scheduler-client.ts";
import { observeMessage } from "../shared/telemetry/invocation.ts";
import { describeSpan } from "../shared/telemetry/spans.ts";
import { workOnMessage } from "./messages/work-on-message.ts";

app.serviceBusQueue("agentReplies", {
  queueName: "%AgentRepliesQueue%",
  connection: "ServiceBus",
  extraInputs: [df.input.durableClient()],
  handler: (body: unknown, context) =>
    observeMessage(context, {}, (telemetry) =>
      workOnMessage(body, queueNames().agentReplies, context, telemetry, async () => {
        const heard = await takeReply(body, ports(), telemetry);
        if (!heard) return;
        const { orderId, attempt, step } = heard.ticket;
        describeSpan({ orderId, attempt, step });
        if (await reportOutcome(df.getClient(context), heard)) return;
        // The reply is recorded; the supervisor finds that nobody goes on from there.
        telemetry.event("ReplyUnclaimed", { orderId, attempt, step });
      }),
    ),
});
