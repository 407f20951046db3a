// The front door (P1): orders arrive on the shared queues or on their sender's own, are recorded and claimed, and their first attempt
// is started.
import { app, type InvocationContext } from "@azure/functions";
import { isCancellation } from "@scheduler-agent-supervisor/core/messaging/cancellation-message";
import { submitOrder } from "@scheduler-agent-supervisor/core/operations/submit-order";
import { takeCancellation } from "@scheduler-agent-supervisor/core/operations/take-cancellation";
import { startClaimed } from "@scheduler-agent-supervisor/core/scheduler-client";
import { messageTraceparent, observeMessage } from "@scheduler-agent-supervisor/core/telemetry/invocation";
import { activeTraceparent } from "@scheduler-agent-supervisor/core/telemetry/trace-context";
import * as df from "durable-functions";
import { application } from "../shared/app.ts";
import { enqueuedAt, functionName, workOnMessage } from "./messages/work-on-message.ts";

/** Of an id that may be anything. */
const ORDER_ID_LIMIT = 100;

const submission = (queueOf: () => string) => (body: unknown, context: InvocationContext) => {
  const queue = queueOf();
  // The host lets a JSON body's own members hide metadata of the same name: an order that has such members is rejected.
  const { messageId, correlationId, replyTo, replyToSessionId } = context.triggerMetadata ?? {};
  const { submissionId, statuses } = (context.triggerMetadata?.["applicationProperties"] ?? {}) as {
    submissionId?: unknown;
    statuses?: unknown;
  };
  const envelope = { queue, messageId, correlationId, replyTo, replyToSessionId, submissionId, statuses };
  return observeMessage(context, attributesOf(body), (telemetry) =>
    workOnMessage(body, queue, context, telemetry, async () => {
      const traceparent = activeTraceparent() ?? messageTraceparent(context);
      const message = { body, envelope, traceparent, enqueuedAt: enqueuedAt(context.triggerMetadata ?? {}) };
      if (isCancellation(body)) return takeCancellation(message, application.contextOf(telemetry));
      const claim = await submitOrder(message, application.contextOf(telemetry));
      if (claim?.kind === "claimed") await startClaimed(df.getClient(context), claim, application.ports().store);
    }),
  );
};

function attributesOf(body: unknown): { readonly orderId?: string } {
  const orderId = body !== null && typeof body === "object" && "orderId" in body ? body.orderId : undefined;
  return typeof orderId === "string" ? { orderId: orderId.slice(0, ORDER_ID_LIMIT) } : {};
}

// Azure reads the list of functions when the app starts: a sender's queue that is added to the setting has its function from then on.
for (const [name, queueName, queueOf] of [
  ["submission", "%OrdersQueue%", () => application.queueNames().orders],
  ["submissionPriority", "%PriorityOrdersQueue%", () => application.queueNames().priorityOrders],
  ...application.submissionQueues.map(
    ({ queue }) => [`submission_${functionName(queue)}`, queue, () => queue] as const,
  ),
] as const) {
  app.serviceBusQueue(name, {
    queueName,
    connection: "ServiceBus",
    extraInputs: [df.input.durableClient()],
    handler: submission(queueOf),
  });
}
