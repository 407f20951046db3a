// A state record as people and archives get it.
import type { StateRecord } from "../domain/state-record.ts";

/** Without the members that Cosmos DB adds to each document, and without what only a request's agent may know. */
export function shownRecord(record: StateRecord): StateRecord {
  const own = Object.entries(record).filter(([name]) => name !== "id" && name !== "ttl" && !name.startsWith("_"));
  return JSON.parse(JSON.stringify(Object.fromEntries(own), (name, value) => (name === "nonce" ? undefined : value)));
}
