// The front door (P1): orders arrive on two queues, are recorded and claimed, and their first attempt is started.
import { app, type InvocationContext } from "@azure/functions";
import * as df from "durable-functions";
import { ports, queueNames } from "../shared/compose.ts";
import { submitOrder } from "../shared/operations/submit-order.ts";
import { startAttempt } from "../shared/scheduler-client.ts";
import { messageTraceparent, observeMessage } from "../shared/telemetry/invocation.ts";
import { activeTraceparent } from "../shared/telemetry/trace-context.ts";
import { enqueuedAt, workOnMessage } from "./messages/work-on-message.ts";

/** Of an id that may be anything. */
const ORDER_ID_LIMIT = 100;

const submission = (queue: "orders" | "priorityOrders") => (body: unknown, context: InvocationContext) => {
  // The host lets a JSON body's own members hide metadata of the same name: an order that has such members is refused.
  const { messageId, correlationId, replyTo, replyToSessionId } = context.triggerMetadata ?? {};
  const { submissionId } = (context.triggerMetadata?.["applicationProperties"] ?? {}) as { submissionId?: unknown };
  const envelope = { messageId, correlationId, replyTo, replyToSessionId, submissionId };
  return observeMessage(context, attributesOf(body), (telemetry) =>
    workOnMessage(body, queueNames()[queue], context, telemetry, async () => {
      const traceparent = activeTraceparent() ?? messageTraceparent(context);
      const message = { body, envelope, traceparent, enqueuedAt: enqueuedAt(context.triggerMetadata ?? {}) };
      const claim = await submitOrder(message, ports(), telemetry);
      if (claim?.kind === "claimed") await startAttempt(df.getClient(context), claim.attempt);
    }),
  );
};

function attributesOf(body: unknown): { readonly orderId?: string } {
  const orderId = body !== null && typeof body === "object" && "orderId" in body ? body.orderId : undefined;
  return typeof orderId === "string" ? { orderId: orderId.slice(0, ORDER_ID_LIMIT) } : {};
}

for (const [name, queueName, queue] of [
  ["submission", "%OrdersQueue%", "orders"],
  ["submissionPriority", "%PriorityOrdersQueue%", "priorityOrders"],
] as const) {
  app.serviceBusQueue(name, {
    queueName,
    connection: "ServiceBus",
    extraInputs: [df.input.durableClient()],
    handler: submission(queue),
  });
}
