// The change feed in its latest-version form: each document once, as it is now, in the order of its last write.
import { charges } from "./charges.ts";
import { documentKey } from "./key-scope.ts";
import { fault, header, type ItemCall, type Reply } from "./request.ts";

const DEFAULT_PAGE = 100;

export function readChangeFeed(call: ItemCall): Reply {
  if (header(call, "a-im")?.toLowerCase() !== "incremental feed")
    return fault(400, "Only the latest-version change feed is supported.");
  const { items, rid } = call.container;
  const given = header(call, "if-none-match");
  const since = header(call, "if-modified-since");
  if (given === "*") return nothing(items.lsn);
  const from = given === undefined ? 0 : Number(given.replaceAll('"', ""));
  if (Number.isNaN(from)) return fault(400, "The continuation of the change feed is not valid.");
  const now = Date.now();
  const asked = Number(header(call, "x-ms-max-item-count") ?? DEFAULT_PAGE);
  const key = header(call, "x-ms-documentdb-partitionkey");
  const pk = key === undefined ? undefined : documentKey(call.container, key);
  // Only containers whose feed is read pay for its index.
  call.database.exec(`CREATE INDEX IF NOT EXISTS ${items.name}_lsn ON ${items.name} (lsn)`);
  const sql = `SELECT lsn, body FROM ${items.name} WHERE lsn > ? AND (expires IS NULL OR expires > ?)
    ${pk === undefined ? "" : "AND +pk = ?"} ORDER BY lsn LIMIT ?`;
  const bindings = [from, now, ...(pk === undefined ? [] : [pk]), asked > 0 ? asked : DEFAULT_PAGE];
  const changes = [...items.rows(sql, bindings)].filter(({ body }) => writtenSince(body, since));
  const last = changes.at(-1);
  if (!last) return nothing(Math.max(from, items.lsn));
  const documents = changes.map(({ body }) => body).join(",");
  return {
    status: 200,
    charge: charges.query(documents.length),
    headers: ["etag", `"${last.lsn}"`, "x-ms-item-count", String(changes.length)],
    body: `{"_rid":"${rid}","Documents":[${documents}],"_count":${changes.length}}`,
  };
}

/** `_ts` has whole seconds, as the header does. */
function writtenSince(body: string, since: string | undefined): boolean {
  if (since === undefined) return true;
  const { _ts } = JSON.parse(body) as { _ts: number };
  return _ts * 1000 >= Date.parse(since);
}

const nothing = (lsn: number): Reply => ({
  status: 304,
  charge: 1,
  headers: ["etag", `"${lsn}"`, "x-ms-item-count", "0"],
});
