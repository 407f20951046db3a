// The schema version of this app's messages to itself and to agents: a message from a newer app is left for a newer instance.
import { NewerSchema } from "../domain/outage.ts";

/** The version of start messages, requests to agents and their replies. A message without one is read as of this version. */
export const MESSAGE_VERSION = 1;

/**
 * The same message.
 * @throws NewerSchema: the message is then held, and sent back to wait in its queue
 */
export function ofKnownVersion(body: unknown, what: string): unknown {
  const version = body !== null && typeof body === "object" && "schemaVersion" in body ? body.schemaVersion : 0;
  if (typeof version === "number" && version > MESSAGE_VERSION) throw new NewerSchema(what, version, MESSAGE_VERSION);
  return body;
}
