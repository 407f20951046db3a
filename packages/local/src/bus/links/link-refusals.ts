// Why a link to an entity is refused.
import type { Queue } from "../queue/queue.ts";

export interface Refusal {
  readonly condition: string;
  readonly description: string;
}

export function findRefusal(queue: Queue, direction: "send" | "receive"): Refusal | undefined {
  const { deadLetter, name, settings } = queue;
  if (direction === "send") {
    if (!deadLetter) return notAllowed(`Nothing can be sent to '${name}'.`);
    return settings.canSend ? undefined : disabled(`The entity '${name}' is disabled for sending.`);
  }
  if (queue.isForwarding) return notAllowed(`Nothing can be received from '${name}': it forwards its messages.`);
  return settings.canReceive ? undefined : disabled(`The entity '${name}' is disabled for receiving.`);
}

/** The same for a request: what is held may be settled although new messages are forwarded. */
export function findRequestRefusal(queue: Queue, use: "send" | "receive"): Refusal | undefined {
  const isForwarded = use === "receive" && queue.isForwarding;
  return isForwarded && queue.settings.canReceive ? undefined : findRefusal(queue, use);
}

function notAllowed(description: string): Refusal {
  return { condition: "amqp:not-allowed", description };
}

function disabled(description: string): Refusal {
  return { condition: "com.microsoft:entity-disabled", description };
}

/** Of a client that put no token for the entity, or whose token expired. */
export function unclaimed({ name }: Queue, direction: "send" | "receive"): Refusal {
  const right = direction === "send" ? "Send" : "Listen";
  const description = `Unauthorized access. '${right}' claim(s) are required to perform this operation. Resource: '${name}'.`;
  return { condition: "amqp:unauthorized-access", description };
}

/**
 * The SDK makes MessagingEntityNotFound of `amqp:not-found` only if the description reads like this.
 * @param host by which the client knows the namespace
 */
export function notFound(address: string, host?: string): string {
  return `The messaging entity '${host ? `sb://${host}/` : ""}${address}' could not be found.`;
}
