// The scheduler's own queue (P10): the supervisor tells it here that an order waits for its next attempt.
import { app, type InvocationContext } from "@azure/functions";
import * as df from "durable-functions";
import { parseWake } from "../shared/messaging/wake-message.ts";
import { startAttempt } from "../shared/scheduler-client.ts";

app.serviceBusQueue("schedulerWake", {
  queueName: "%SchedulerQueue%",
  connection: "ServiceBus",
  extraInputs: [df.input.durableClient()],
  handler: (body: unknown, context: InvocationContext) => startAttempt(df.getClient(context), parseWake(body)),
});
