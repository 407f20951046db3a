// The change feed in its latest-version form: each document once, as it is now, in the order of its last write.
import { charges } from "../charges.ts";
import type { ItemTable, StoredItem } from "../items/item-table.ts";
import { COSMOS_LIMITS } from "../limits.ts";
import { type KeyScope, scopeOf } from "../partitions/key-scope.ts";
import { type Filter, statement } from "../queries/walk.ts";
import { fault, header, type ItemCall, type Reply } from "../request.ts";
import { inSlices, type Sliced } from "../slices.ts";
import { keyFilters, nothing } from "./feed-parts.ts";
import { readVersionFeed } from "./version-feed.ts";

const DEFAULT_PAGE = 100;
/** How many changes a slice looks through. */
const AT_ONCE = 1000;

export async function readChangeFeed(call: ItemCall): Promise<Reply> {
  const mode = header(call, "a-im") ?? "";
  if (mode.toLowerCase() === "full-fidelity feed") return readVersionFeed(call);
  if (mode.toLowerCase() !== "incremental feed") return fault(400, `No change feed is called ${mode}.`);
  const scope = scopeOf(call);
  if (typeof scope === "string") return fault(400, scope);
  const { items, rid } = call.container;
  const latest = items.lsn;
  // Only containers whose feed is read pay for its index.
  call.database.exec(`CREATE INDEX IF NOT EXISTS ${items.name}_lsn ON ${items.name} (lsn)`);
  const from = startOf(call);
  if (Number.isNaN(from)) return fault(400, "The continuation of the change feed is not valid.");
  const asked = Number(header(call, "x-ms-max-item-count") ?? DEFAULT_PAGE);
  const changes = await inSlices(changesAfter(items, scope, from, asked > 0 ? asked : DEFAULT_PAGE));
  const last = changes.at(-1);
  if (!last) return nothing(Math.max(from, latest));
  const documents = changes.map(({ body, lsn }) => `${body.slice(0, -1)},"_lsn":${lsn}}`).join(",");
  return {
    status: 200,
    charge: charges.query(documents.length, { bytes: documents.length, entries: changes.length }),
    headers: ["etag", `"${last.lsn}"`, "x-ms-item-count", String(changes.length)],
    body: `{"_rid":"${rid}","Documents":[${documents}],"_count":${changes.length}}`,
  };
}

/** The number of the write after which the page begins. */
function startOf(call: ItemCall): number {
  const { items } = call.container;
  const given = header(call, "if-none-match");
  if (given === "*") return items.lsn;
  if (given !== undefined) return Number(given.replaceAll('"', ""));
  const since = header(call, "if-modified-since");
  return since === undefined ? 0 : lastBefore(items, Date.parse(since) / 1000);
}

/** The last write before a time in seconds. Writes are in the order of their times, so halving finds it. */
function lastBefore(items: ItemTable, seconds: number): number {
  let [before, after] = [0, items.lsn];
  while (before < after) {
    const middle = Math.floor((before + after) / 2);
    const sql = `SELECT lsn, body FROM ${items.name} WHERE lsn > ? ORDER BY lsn LIMIT 1`;
    const [next] = [...items.rows(sql, [middle])];
    if (next && timeOf(next) < seconds) before = next.lsn;
    else after = middle;
  }
  return before;
}

const timeOf = ({ body }: StoredItem) => (JSON.parse(body) as { _ts: number })._ts;

function* changesAfter(items: ItemTable, scope: KeyScope, from: number, most: number): Sliced<StoredItem[]> {
  const filters = filtersOf(scope);
  const select = `SELECT seq, lsn, body FROM ${items.name}`;
  const changes: StoredItem[] = [];
  let bytes = 0;
  for (let at = from; changes.length < most && bytes < COSMOS_LIMITS.pageBytes.value && !items.isDropped; ) {
    const end = windowEnd(items, at);
    const window = [{ sql: "lsn > ?", bindings: [at] }, ...(end === undefined ? [] : [upTo(end)])];
    const { sql, bindings } = statement(select, [...window, ...filters], "lsn LIMIT ?");
    for (const row of items.rows(sql, [...bindings, most - changes.length])) {
      changes.push(row);
      bytes += row.body.length;
      if (bytes >= COSMOS_LIMITS.pageBytes.value) break;
    }
    yield;
    if (end === undefined) break;
    at = end;
  }
  return changes;
}

const upTo = (lsn: number): Filter => ({ sql: "lsn <= ?", bindings: [lsn] });

function windowEnd(items: ItemTable, from: number): number | undefined {
  const sql = `SELECT lsn FROM ${items.name} WHERE lsn > ? ORDER BY lsn LIMIT 1 OFFSET ?`;
  return [...items.rows(sql, [from, AT_ONCE - 1])][0]?.lsn;
}

const filtersOf = (scope: KeyScope): Filter[] => [
  { sql: "(expires IS NULL OR expires > ?)", bindings: [Date.now()] },
  ...keyFilters(scope),
];
