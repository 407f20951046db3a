// The common part of the functions of a queue: a message survives an outage of the services that its function needs.
import type { InvocationContext } from "@azure/functions";
import type { App } from "../app/create-app.ts";
import type { LargeNumbers } from "../messaging/message-body.ts";
import type { Context } from "../scheduler/ports.ts";
import type { Attributes } from "../telemetry/event-names.ts";
import { observeMessage } from "../telemetry/invocation.ts";
import { holdMessage } from "./hold-message.ts";
import { clarified, type Incoming, readMessage } from "./received-message.ts";

/** The options of a queue's trigger. The body is bound as its bytes, so that its encoding is read here, and its members hide no metadata. */
export const fromQueue = (queueName: string) => ({ queueName, connection: "ServiceBus", dataType: "binary" }) as const;

interface Source {
  /** A function where it is a setting. */
  readonly queue: string | (() => string);
  readonly largeNumbers?: LargeNumbers;
  /** What the span says of a body that was not checked. */
  readonly subjectOf?: (body: object) => Attributes;
}

type Work = (message: Incoming, context: Context, invocation: InvocationContext) => Promise<void>;

/** The Service Bus function of a queue: works on each message until it is done; if an outage lasts, the message returns to its queue to wait. */
export function receive(application: App, source: Source, work: Work) {
  const { queue, largeNumbers = "asText", subjectOf = () => ({}) } = source;
  return async (bound: unknown, invocation: InvocationContext): Promise<void> => {
    const name = typeof queue === "string" ? queue : queue();
    const message = readMessage(bound, name, invocation, largeNumbers);
    await observeMessage(invocation, subjectOf(message.body ?? {}), async (telemetry) => {
      const { originals } = application.composed();
      const context = application.contextOf(telemetry);
      await holdMessage(message, async () => work(await clarified(message, originals), context, invocation), context);
    });
  };
}

/** A queue's name as part of a function's name. On Linux, the name of a setting that disables a function can't contain a hyphen. */
export function functionName(queue: string): string {
  return queue.replaceAll("-", "_");
}
