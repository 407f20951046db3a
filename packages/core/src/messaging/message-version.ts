// The schema version of what this app sends to itself and to agents: what a newer app sent is left for a newer instance.
import { NewerSchema } from "../domain/newer-schema.ts";

/** Of start messages, of requests to agents and of their replies. A message that names none is of version 0, which this app reads as its own. */
export const MESSAGE_VERSION = 2;

/**
 * The message in the words of today's version.
 * @throws NewerSchema: the message is then held, and sent back to wait in its queue
 */
export function inTodaysWords(body: unknown, what: string): unknown {
  const version = isObject(body) && "schemaVersion" in body ? body["schemaVersion"] : 0;
  if (typeof version === "number" && version > MESSAGE_VERSION) throw new NewerSchema(what, version, MESSAGE_VERSION);
  return version === MESSAGE_VERSION || !isObject(body) ? body : renamed(body);
}

type Members = { readonly [name: string]: unknown };

/** Of a message before version 2; an agent of another team may send such replies for as long as it likes. */
function renamed(body: Members): Members {
  const { undoes, unsure, ticket, ...rest } = body;
  const isOld = [body, ticket].some((one) => isObject(one) && one["direction"] === "undo");
  if (!isOld && undoes === undefined && unsure === undefined) return body;
  return {
    ...inThisDirection(rest),
    ...(isObject(ticket) ? { ticket: inThisDirection(ticket) } : ticket !== undefined && { ticket }),
    ...(undoes !== undefined && { compensates: undoes }),
    ...(unsure !== undefined && { outcomeUnknown: unsure }),
  };
}

/** With a direction's name of today. */
function inThisDirection<T extends Members>(members: T): T {
  return members["direction"] === "undo" ? { ...members, direction: "compensate" } : members;
}

function isObject(body: unknown): body is Members {
  return body !== null && typeof body === "object" && !Array.isArray(body);
}
