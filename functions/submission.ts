// The front door (P1): orders arrive on two queues, are recorded, and wake the scheduler.
import { app, type InvocationContext } from "@azure/functions";
import * as df from "durable-functions";
import { ports } from "../shared/compose.ts";
import { submitOrder } from "../shared/operations/submit-order.ts";
import { startAttempt } from "../shared/scheduler-client.ts";
import { logTelemetry } from "../shared/telemetry/events.ts";

async function submission(body: unknown, context: InvocationContext): Promise<void> {
  // The host lets a JSON body's own members hide metadata of the same name: an order that has such members is refused.
  const { messageId, correlationId, replyTo, replyToSessionId } = context.triggerMetadata ?? {};
  const envelope = { messageId, correlationId, replyTo, replyToSessionId };
  const traceparent = context.traceContext?.traceParent ?? null;
  const wake = await submitOrder({ body, envelope, traceparent }, ports(), logTelemetry(context));
  if (wake) await startAttempt(df.getClient(context), wake);
}

for (const [name, queueName] of [
  ["submission", "%OrdersQueue%"],
  ["submissionPriority", "%PriorityOrdersQueue%"],
] as const) {
  app.serviceBusQueue(name, {
    queueName,
    connection: "ServiceBus",
    extraInputs: [df.input.durableClient()],
    handler: submission,
  });
}
