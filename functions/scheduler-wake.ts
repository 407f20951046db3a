// The scheduler's own queue (P10): the supervisor tells it here that an order waits for its next attempt.
import { app, type InvocationContext } from "@azure/functions";
import * as df from "durable-functions";
import { parseWake } from "../shared/messaging/wake-message.ts";
import { startAttempt } from "../shared/scheduler-client.ts";
import { observeMessage } from "../shared/telemetry/invocation.ts";
import { fromHere } from "../shared/telemetry/trace-context.ts";

app.serviceBusQueue("schedulerWake", {
  queueName: "%SchedulerQueue%",
  connection: "ServiceBus",
  extraInputs: [df.input.durableClient()],
  handler: (body: unknown, context: InvocationContext) => {
    const wake = parseWake(body);
    const { orderId, attempt, direction } = wake;
    return observeMessage(context, { orderId, attempt, direction }, () =>
      startAttempt(df.getClient(context), fromHere(wake)),
    );
  },
});
