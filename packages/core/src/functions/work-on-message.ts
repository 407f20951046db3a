// What the functions with a Service Bus trigger have in common: a message outlasts an outage of what its function stands on.
import type { InvocationContext } from "@azure/functions";
import type { App } from "../app/create-app.ts";
import type { ReceivedMessage } from "../messaging/messenger.ts";
import { holdMessage } from "../operations/hold-message.ts";
import type { Telemetry } from "../telemetry/events.ts";

/** Works on the message until that is done; where an outage lasts, the message goes back to wait in its queue. */
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

/** The host lets a JSON body's own members hide metadata of the same name; the contracts of the app's messages have no such members. */
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

/** A queue's name as a part of a function's name. On Linux a setting that disables a function can't have a hyphen in its name. */
export function functionName(queue: string): string {
  return queue.replaceAll("-", "_");
}

/** When a message first came into its queue, as an ISO 8601 instant: one that was sent back to wait says so itself. */
export function enqueuedAt(metadata: { readonly [name: string]: unknown }): string | undefined {
  const properties = (metadata["applicationProperties"] ?? {}) as { readonly [name: string]: unknown };
  return instantOf(properties["firstEnqueuedAt"]) ?? instantOf(metadata["enqueuedTimeUtc"]);
}

/** As the host writes it; without a zone it is UTC. */
function instantOf(enqueued: unknown): string | undefined {
  const ms =
    typeof enqueued === "string"
      ? Date.parse(/(Z|[+-]\d\d:\d\d)$/.test(enqueued) ? enqueued : `${enqueued}Z`)
      : Number.NaN;
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}
