// A state record as people and archives get it.
import type { StateRecord } from "../domain/state-record.ts";

/** Cosmos DB hands out members of its own with each document. */
export function withoutStoresOwn(record: StateRecord): StateRecord {
  const own = Object.entries(record).filter(([name]) => name !== "id" && name !== "ttl" && !name.startsWith("_"));
  return Object.fromEntries(own) as unknown as StateRecord;
}
