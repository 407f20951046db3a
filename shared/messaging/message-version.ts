// The schema version of what this app sends to itself and to agents: what a newer app sent is left for a newer instance.
import { NewerSchema } from "../domain/newer-schema.ts";

/** Of wakes, of requests to agents and of their replies. A message that names none is of version 0, which this app reads as its own. */
export const MESSAGE_VERSION = 1;

/** @throws NewerSchema: the message is then held, and sent back to wait in its queue */
export function refuseNewer(body: unknown, what: string): void {
  const version = body !== null && typeof body === "object" && "schemaVersion" in body ? body.schemaVersion : 0;
  if (typeof version !== "number" || version <= MESSAGE_VERSION) return;
  throw new NewerSchema(what, version, MESSAGE_VERSION);
}
