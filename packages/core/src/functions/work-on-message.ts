// The common part of the functions with a Service Bus trigger: a message survives an outage of the services that its function needs.
import type { App } from "../app/create-app.ts";
import type { Telemetry } from "../telemetry/events.ts";
import { holdMessage } from "./hold-message.ts";
import { clarified, type Incoming } from "./received-message.ts";

export { QUEUES, requestsQueueOf } from "../messaging/queues.ts";

/** For the trigger of a queue: the body is bound as its bytes, so that its encoding is read here, and its members hide no metadata. */
export const BOUND_AS_BYTES = { dataType: "binary" } as const;

/** Processes the message until it is done; if an outage lasts, the message returns to its queue to wait. */
export async function workOnMessage(
  application: App,
  message: Incoming,
  telemetry: Telemetry,
  work: (message: Incoming) => Promise<void>,
): Promise<void> {
  const { originals } = application.composed();
  await holdMessage(message, async () => work(await clarified(message, originals)), application.contextOf(telemetry));
}

/** A queue's name as part of a function's name. On Linux, the name of a setting that disables a function can't contain a hyphen. */
export function functionName(queue: string): string {
  return queue.replaceAll("-", "_");
}
