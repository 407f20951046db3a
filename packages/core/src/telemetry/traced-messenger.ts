// The messenger with a span for each message that it sends.
import { SpanKind } from "@opentelemetry/api";
import type { Messenger } from "../messaging/messenger.ts";
import { QUEUES } from "../messaging/queues.ts";
import { describeSpan, inSpan } from "./spans.ts";

/** What is sent takes the span's context with it, if the messenger asks for the surrounding one. */
export function tracedMessenger(messenger: Messenger): Messenger {
  return {
    ...messenger,
    publish(reply, messages) {
      const [first] = messages;
      // Nothing is sent to a client that did not ask.
      if (reply.replyTo === null || !first) return messenger.publish(reply, messages);
      const { jobId, attempt, step = null } = first;
      // Each once: a span's name has few values, and there may be a completion for each of many items.
      const status = [...new Set(messages.map((each) => each.status))].join(", ");
      return inSpan(
        `publish ${status}`,
        {
          ...sending(reply.replyTo, { jobId, attempt, status, step, "messaging.batch.message_count": messages.length }),
          traceparent: reply.traceparent,
        },
        async () => {
          const published = await messenger.publish(reply, messages);
          describeSpan({ outcome: published });
          return published;
        },
      );
    },
    reject(reply, rejection) {
      if (reply.replyTo === null) return messenger.reject(reply, rejection);
      // Its id is the sender's text: the surrounding span has it, without secrets.
      return inSpan("publish Rejected", sending(reply.replyTo, { status: "Rejected" }), async () => {
        const published = await messenger.reject(reply, rejection);
        describeSpan({ outcome: published });
        return published;
      });
    },
    startAttempt(startAttempt, options) {
      const { jobId, attempt, direction, traceparent } = startAttempt;
      const about = { jobId, attempt, direction, at: options?.at ?? null };
      return inSpan("send start message", { ...sending(QUEUES.scheduler, about), traceparent }, () =>
        messenger.startAttempt(startAttempt, options),
      );
    },
    ask(agent, request, leftMs, options) {
      const { jobId, attempt, step } = request.ticket;
      return inSpan(`ask ${agent}`, sending(`agent-requests of ${agent}`, { jobId, attempt, step, agent }), () =>
        messenger.ask(agent, request, leftMs, options),
      );
    },
    answer(replyTo, reply) {
      const { jobId, attempt, step } = reply.ticket;
      const about = { jobId, attempt, step, answer: reply.kind };
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
