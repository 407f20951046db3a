// The schema version of this app's messages to itself and to agents: a message from a newer app is left for a newer instance.
import { NewerSchema } from "../domain/newer-schema.ts";

/** The version of start messages, requests to agents and their replies. A message without one has version 0, which this app reads as its own. */
export const MESSAGE_VERSION = 2;

/**
 * The message in the current version's words.
 * @throws NewerSchema: the message is then held, and sent back to wait in its queue
 */
export function inTodaysWords(body: unknown, what: string): unknown {
  const version = isObject(body) && "schemaVersion" in body ? body["schemaVersion"] : 0;
  if (typeof version === "number" && version > MESSAGE_VERSION) throw new NewerSchema(what, version, MESSAGE_VERSION);
  return version === MESSAGE_VERSION || !isObject(body) ? body : renamed(body);
}

type Members = { readonly [name: string]: unknown };

/** For a message before version 2; an agent of another team may send such replies permanently. */
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

/** With the current name of its direction. */
function inThisDirection<T extends Members>(members: T): T {
  return members["direction"] === "undo" ? { ...members, direction: "compensate" } : members;
}

function isObject(body: unknown): body is Members {
  return body !== null && typeof body === "object" && !Array.isArray(body);
}
