// All versions of the documents of a container and their deletions, for as long as its change feed policy keeps them.
// SQLite's triggers write them, so that every way in which a document changes is in here.
import type { Database } from "../../database/database.ts";

export interface StoredChange {
  /** The order of the changes. */
  readonly place: number;
  /** Milliseconds. */
  readonly at: number;
  readonly kind: "create" | "replace" | "delete";
  /** Of a deletion, the last version. */
  readonly body: string;
  /** The number of the write before. */
  readonly previous: number | null;
  /** 1 where the time to live was over. */
  readonly expired: number;
}

const NOW_MS = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";
const nameOf = (table: string) => `${table}_history`;

/** Runs DDL, so at start or inside a write: begins to keep changes, or stops and forgets them. */
export function keepHistory(
  database: Pick<Database, "prepare" | "exec">,
  table: string,
  retentionMs: number | undefined,
): void {
  const history = nameOf(table);
  const kept = database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(history);
  if (retentionMs === undefined) {
    if (kept) dropHistory(database, table);
    return;
  }
  if (kept) return;
  const trigger = (event: string, kind: string, row: "NEW" | "OLD", previous: string, expired: string) =>
    `CREATE TRIGGER ${history}_${kind} AFTER ${event} ON ${table} BEGIN
      INSERT INTO ${history} (at, pk, kind, body, previous, expired)
      VALUES (${NOW_MS}, ${row}.pk, '${kind}', ${row}.body, ${previous}, ${expired});
    END;`;
  // The first row is where reading may begin; what was written before it is not known.
  database.exec(`
    CREATE TABLE ${history} (place INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, pk TEXT NOT NULL,
      kind TEXT NOT NULL, body TEXT NOT NULL, previous INTEGER, expired INTEGER NOT NULL);
    INSERT INTO ${history} (at, pk, kind, body, expired) VALUES (${NOW_MS}, '', 'start', '', 0);
    ${trigger("INSERT", "create", "NEW", "NULL", "0")}
    ${trigger("UPDATE OF body", "replace", "NEW", "OLD.lsn", "0")}
    ${trigger("DELETE", "delete", "OLD", "OLD.lsn", `OLD.expires IS NOT NULL AND OLD.expires <= ${NOW_MS}`)}`);
}

/** Inside a write. */
export function dropHistory(database: Pick<Database, "prepare" | "exec">, table: string): void {
  const history = nameOf(table);
  const triggers = ["create", "replace", "delete"].map((kind) => `DROP TRIGGER IF EXISTS ${history}_${kind};`);
  database.exec(`${triggers.join("")} DROP TABLE IF EXISTS ${history}`);
}

/** Inside a write: the newest of what is too old stays, as where reading may begin. */
export function forgetHistory(database: Pick<Database, "prepare" | "exec">, table: string, before: number): void {
  const history = nameOf(table);
  const last = database.prepare(`SELECT max(place) AS place FROM ${history} WHERE at < ?`).get(before)?.["place"];
  if (last === null || last === undefined) return;
  database.prepare(`DELETE FROM ${history} WHERE place < ?`).run(Number(last));
  database.prepare(`UPDATE ${history} SET kind = 'start', body = '' WHERE place = ?`).run(Number(last));
}

/** The places of the first and the last change that are kept. */
export function historyBounds(
  database: Pick<Database, "prepare" | "exec">,
  table: string,
): { readonly first: number; readonly last: number } {
  const row = database.prepare(`SELECT min(place) AS first, max(place) AS last FROM ${nameOf(table)}`).get();
  return { first: Number(row?.["first"] ?? 0), last: Number(row?.["last"] ?? 0) };
}

/** The last change before a time in milliseconds; undefined where all that is kept is later. */
export function placeBefore(
  database: Pick<Database, "prepare" | "exec">,
  table: string,
  at: number,
): number | undefined {
  const sql = `SELECT max(place) AS place FROM ${nameOf(table)} WHERE at < ?`;
  const place = database.prepare(sql).get(at)?.["place"];
  return place === null || place === undefined ? undefined : Number(place);
}

export const selectHistory = (table: string) => `SELECT place, at, kind, body, previous, expired FROM ${nameOf(table)}`;
