// The messenger with a span for each message that it sends.
import { SpanKind } from "@opentelemetry/api";
import type { Messenger } from "../messaging/messenger.ts";
import { describeSpan, inSpan } from "./spans.ts";

/** What is sent takes the span's context with it, if the messenger asks for the surrounding one. */
export function tracedMessenger(messenger: Messenger, queues: { readonly scheduler: string }): Messenger {
  return {
    ...messenger,
    tell(reply, message) {
      // Nothing is sent to a shop that did not ask.
      if (reply.replyTo === null) return messenger.tell(reply, message);
      const { orderId, attempt, status, step = null } = message;
      return inSpan(
        `tell ${status}`,
        { ...sending(reply.replyTo, { orderId, attempt, status, step }), traceparent: reply.traceparent },
        async () => {
          const told = await messenger.tell(reply, message);
          describeSpan({ outcome: told });
          return told;
        },
      );
    },
    reject(reply, rejection) {
      if (reply.replyTo === null) return messenger.reject(reply, rejection);
      const { orderId } = rejection;
      return inSpan("tell Rejected", sending(reply.replyTo, { orderId, status: "Rejected" }), async () => {
        const told = await messenger.reject(reply, rejection);
        describeSpan({ outcome: told });
        return told;
      });
    },
    wake(wake, options) {
      const { orderId, attempt, direction, traceparent } = wake;
      const about = { orderId, attempt, direction, at: options?.at ?? null };
      return inSpan("wake scheduler", { ...sending(queues.scheduler, about), traceparent }, () =>
        messenger.wake(wake, options),
      );
    },
    ask(agent, request, leftMs, options) {
      const { orderId, attempt, step } = request.ticket;
      return inSpan(`ask ${agent}`, sending(`agent-requests of ${agent}`, { orderId, attempt, step, agent }), () =>
        messenger.ask(agent, request, leftMs, options),
      );
    },
    answer(replyTo, reply) {
      const { orderId, attempt, step } = reply.ticket;
      const about = { orderId, attempt, step, answer: reply.kind };
      return inSpan("answer", sending(replyTo, about), () => messenger.answer(replyTo, reply));
    },
  };
}

function sending(queue: string, attributes: { readonly [name: string]: string | number | null }) {
  return {
    kind: SpanKind.PRODUCER,
    attributes: {
      ...attributes,
      "messaging.system": "servicebus",
      "messaging.operation.type": "send",
      "messaging.destination.name": queue,
    },
  };
}
