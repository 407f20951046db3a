// A state record as people and archives see it.
import type { StateRecord } from "../domain/state-record.ts";

/** Without the members that Cosmos DB adds to each document, and without the secrets of an agent's request. */
export function shownRecord(record: StateRecord): StateRecord {
  const own = Object.entries(record).filter(([name]) => name !== "id" && name !== "ttl" && !name.startsWith("_"));
  return JSON.parse(JSON.stringify(Object.fromEntries(own), (name, value) => (name === "nonce" ? undefined : value)));
}
