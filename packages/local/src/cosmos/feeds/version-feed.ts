// The change feed of all versions and deletes: each write of a document, in the order of the writes.
// Sources: Cosmos DB documentation, "Change feed modes"; ChangeFeedItem and ChangeFeedMetadata of the .NET SDK.
import { charges } from "../charges.ts";
import { historyBounds, placeBefore, type StoredChange, selectHistory } from "../items/item-history.ts";
import { COSMOS_LIMITS } from "../limits.ts";
import { scopeOf } from "../partitions/key-scope.ts";
import { statement } from "../queries/walk.ts";
import { fault, header, type ItemCall, type Reply } from "../request.ts";
import { keyFilters, nothing } from "./feed-parts.ts";

const DEFAULT_PAGE = 100;

export function readVersionFeed(call: ItemCall): Reply {
  const { items, rid } = call.container;
  if (!items.keepsHistory) {
    return fault(400, "The change feed of all versions and deletes needs a changeFeedPolicy with a retentionDuration.");
  }
  const scope = scopeOf(call);
  if (typeof scope === "string") return fault(400, scope);
  const { first, last } = historyBounds(call.database, items.name);
  const from = startOf(call, last);
  if (Number.isNaN(from)) return fault(400, "The continuation of the change feed is not valid.");
  if (from === undefined || from < first) {
    // The SDK's own suite looks for these words.
    return fault(400, "You must read the change feed from within the retention period.");
  }
  const asked = Number(header(call, "x-ms-max-item-count") ?? DEFAULT_PAGE);
  const filters = [{ sql: "place > ?", bindings: [from] }, ...keyFilters(scope)];
  const { sql, bindings } = statement(selectHistory(items.name), filters, "place LIMIT ?");
  const changes: StoredChange[] = [];
  let bytes = 0;
  const rows = call.database.prepare(sql).iterate(...bindings, asked > 0 ? asked : DEFAULT_PAGE);
  for (const row of rows as IterableIterator<unknown>) {
    const change = row as StoredChange;
    changes.push(change);
    bytes += change.body.length;
    if (bytes >= COSMOS_LIMITS.pageBytes.value) break;
  }
  const end = changes.at(-1);
  if (!end) return nothing(Math.max(from, last));
  const documents = changes.map(written).join(",");
  return {
    status: 200,
    charge: charges.query(documents.length, { bytes: documents.length, entries: changes.length }),
    headers: ["etag", `"${end.place}"`, "x-ms-item-count", String(changes.length)],
    body: `{"_rid":"${rid}","Documents":[${documents}],"_count":${changes.length}}`,
  };
}

/** The place after which the page begins; undefined where that is no longer known. */
function startOf(call: ItemCall, last: number): number | undefined {
  const given = header(call, "if-none-match");
  if (given === "*") return last;
  if (given !== undefined) return Number(given.replaceAll('"', ""));
  const since = header(call, "if-modified-since");
  return since === undefined ? undefined : placeBefore(call.database, call.container.items.name, Date.parse(since));
}

function written({ place, at, kind, body, previous, expired }: StoredChange): string {
  const metadata = {
    operationType: kind,
    lsn: place,
    crts: Math.floor(at / 1000),
    ...(previous === null ? {} : { previousImageLSN: previous }),
    ...(expired === 1 ? { timeToLiveExpired: true } : {}),
  };
  const images = kind === "delete" ? `"current":{},"previous":${body}` : `"current":${body}`;
  return `{${images},"metadata":${JSON.stringify(metadata)}}`;
}
