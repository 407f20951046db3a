// Deletes messages that nobody has received, in batches (Service Bus documentation, "Batch delete messages").
import { BUS_LIMITS } from "../limits.ts";
import { types } from "../rhea-internals.ts";
import { type Body, type ManagementTarget, OUT_OF_RANGE, ok, refusal, SESSION_LOST } from "./management-answers.ts";
import type { Response } from "./request-link.ts";

const NO_MESSAGE: Response = {
  properties: {
    statusCode: 204,
    errorCondition: "com.microsoft:message-not-found",
    statusDescription: "There is no message to be deleted.",
  },
};

const NOT_PARTITIONED = "A partitioned entity does not delete messages in batches.";

/** The oldest first; what is locked, deferred or scheduled stays. */
export async function deleteMessages(target: ManagementTarget, body: Body): Promise<Response> {
  const { queue } = target;
  const { "message-count": count, "enqueued-time-utc": before, "session-id": session } = body;
  const { value: most } = BUS_LIMITS.deletedMessages;
  if (typeof count !== "number" || !Number.isInteger(count) || count < 1 || count > most) {
    return refusal(400, OUT_OF_RANGE, `A request deletes 1 to ${most} messages, not ${String(count)}.`);
  }
  if (queue.settings.isPartitioned) return refusal(400, "amqp:not-allowed", NOT_PARTITIONED);
  const sessionId = typeof session === "string" ? session : undefined;
  if ((sessionId !== undefined) !== (queue.sessions !== undefined)) {
    const has = queue.sessions ? "requires a session" : "has no sessions";
    return refusal(400, "amqp:not-allowed", `The entity '${queue.name}' ${has}.`);
  }
  if (sessionId !== undefined && !queue.sessions?.isHeld(sessionId)) return SESSION_LOST;
  const enqueuedBefore = before instanceof Date ? before.getTime() : target.now();
  const deleted = await queue.settler.removeOldest({ limit: count, before: enqueuedBefore, sessionId });
  return deleted === 0 ? NO_MESSAGE : ok({ "message-count": types.wrap_int(deleted) });
}
