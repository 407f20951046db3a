// What comes to the reply queues of this app's own agents (P15): for each that has one, the function that reports the ends of its steps.
import { app } from "@azure/functions";
import { BOUND_AS_BYTES, ownReplies } from "@scheduler-agent-supervisor/core/functions";
import * as df from "durable-functions";
import { application } from "../shared/app.ts";

for (const { name, replies } of application.business.localAgents) {
  if (!replies) continue;
  app.serviceBusQueue(`${name}Replies`, {
    queueName: replies.queue,
    connection: "ServiceBus",
    ...BOUND_AS_BYTES,
    extraInputs: [df.input.durableClient()],
    handler: ownReplies(application, replies),
  });
}
