// The common part of the functions with a Service Bus trigger: a message survives an outage of the services that its function needs.
import type { InvocationContext } from "@azure/functions";
import type { App } from "../app/create-app.ts";
import { FIRST_ENQUEUED_AT, type ReceivedMessage } from "../messaging/messenger.ts";
import type { Telemetry } from "../telemetry/events.ts";
import { holdMessage } from "./hold-message.ts";

/** Processes the message until it is done; if an outage lasts, the message returns to its queue to wait. */
export async function workOnMessage(
  application: App,
  body: unknown,
  queue: string,
  context: InvocationContext,
  telemetry: Telemetry,
  work: () => Promise<void>,
): Promise<void> {
  await holdMessage(received(body, queue, context), work, application.contextOf(telemetry));
}

/** In the host, a JSON body's own members hide metadata of the same name; the contracts of the app's messages have no such members. */
function received(body: unknown, queue: string, { triggerMetadata = {} }: InvocationContext): ReceivedMessage {
  const text = (name: string) => {
    const value = triggerMetadata[name];
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  return {
    queue,
    body,
    messageId: text("messageId"),
    correlationId: text("correlationId"),
    subject: text("subject") ?? text("label"),
    replyTo: text("replyTo"),
    replyToSessionId: text("replyToSessionId"),
    enqueuedAt: enqueuedAt(triggerMetadata),
    properties: (triggerMetadata["applicationProperties"] ?? {}) as ReceivedMessage["properties"],
  };
}

/** A queue's name as part of a function's name. On Linux, the name of a setting that disables a function can't contain a hyphen. */
export function functionName(queue: string): string {
  return queue.replaceAll("-", "_");
}

/** The time when a message first entered its queue, as an ISO 8601 instant: a message that was sent back to wait contains it itself. */
export function enqueuedAt(metadata: { readonly [name: string]: unknown }): string | undefined {
  const properties = (metadata["applicationProperties"] ?? {}) as { readonly [name: string]: unknown };
  return instantOf(properties[FIRST_ENQUEUED_AT]) ?? instantOf(metadata["enqueuedTimeUtc"]);
}

/** In the host's format; without a zone it is UTC. */
function instantOf(enqueued: unknown): string | undefined {
  const ms =
    typeof enqueued === "string"
      ? Date.parse(/(Z|[+-]\d\d:\d\d)$/.test(enqueued) ? enqueued : `${enqueued}Z`)
      : Number.NaN;
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}
