// The front door (P1): orders arrive on two queues, are recorded, and wake the scheduler.
import { app, type InvocationContext } from "@azure/functions";
import * as df from "durable-functions";
import { ports } from "../shared/compose.ts";
import { submitOrder } from "../shared/operations/submit-order.ts";
import { startAttempt } from "../shared/scheduler-client.ts";
import { messageTraceparent, observeMessage } from "../shared/telemetry/invocation.ts";
import { activeTraceparent } from "../shared/telemetry/trace-context.ts";

/** Of an id that may be anything. */
const ORDER_ID_LIMIT = 100;

function submission(body: unknown, context: InvocationContext): Promise<void> {
  // The host lets a JSON body's own members hide metadata of the same name: an order that has such members is refused.
  const { messageId, correlationId, replyTo, replyToSessionId, enqueuedTimeUtc } = context.triggerMetadata ?? {};
  const envelope = { messageId, correlationId, replyTo, replyToSessionId };
  const enqueuedAt = instantOf(enqueuedTimeUtc);
  return observeMessage(context, attributesOf(body), async (telemetry) => {
    const traceparent = activeTraceparent() ?? messageTraceparent(context);
    const wake = await submitOrder({ body, envelope, traceparent, enqueuedAt }, ports(), telemetry);
    if (wake) await startAttempt(df.getClient(context), wake);
  });
}

function attributesOf(body: unknown): { readonly orderId?: string } {
  const orderId = body !== null && typeof body === "object" && "orderId" in body ? body.orderId : undefined;
  return typeof orderId === "string" ? { orderId: orderId.slice(0, ORDER_ID_LIMIT) } : {};
}

/** As the host writes it; without a zone it is UTC. */
function instantOf(enqueued: unknown): string | undefined {
  const ms =
    typeof enqueued === "string"
      ? Date.parse(/(Z|[+-]\d\d:\d\d)$/.test(enqueued) ? enqueued : `${enqueued}Z`)
      : Number.NaN;
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
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
