// A state record as people and archives see it.
import type { StateRecord } from "../domain/record/state-record.ts";

/** Members of the document that are for the app alone. A job's secret could be found from its content's digest by trial. */
const NOT_SHOWN: ReadonlySet<string> = new Set(["id", "ttl", "contentDigest"]);

/** Without the members that Cosmos DB adds to each document, and without the secrets of an agent's request. */
export function shownRecord(record: StateRecord): StateRecord {
  const own = Object.entries(record).filter(([name]) => !NOT_SHOWN.has(name) && !name.startsWith("_"));
  return JSON.parse(JSON.stringify(Object.fromEntries(own), (name, value) => (name === "nonce" ? undefined : value)));
}
