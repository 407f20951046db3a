// The SQLite table of a container: its columns, its sparse indexes and the statements of the hot paths.
import type { StatementSync } from "node:sqlite";
import type { Database } from "../../database/database.ts";
import type { JsonObject } from "../../json.ts";
import { type IndexedPath, valueAt } from "../queries/indexing.ts";
import { sortKey } from "../sql/values.ts";
import type { UniqueKey } from "./unique-keys.ts";

export interface ItemStatements {
  readonly find: StatementSync;
  readonly insert: StatementSync;
  readonly update: StatementSync;
  readonly updateBody: StatementSync;
  readonly delete: StatementSync;
}

export const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** `names` are the columns of keys, of the paths that are indexed and of unique keys. */
export function prepareStatements(
  database: Pick<Database, "prepare" | "exec">,
  table: string,
  names: readonly string[],
): ItemStatements {
  const keys = names.map(quoted);
  const columns = ["pk", "id", "seq", "lsn", "expires", ...keys, "body"];
  const read = ["seq", "lsn", "expires", "body", ...keys];
  const set = ["lsn", "expires", ...keys, "body"].map((column) => `${column} = ?`);
  return {
    find: database.prepare(`SELECT ${read.join(", ")} FROM ${table} WHERE pk = ? AND id = ?`),
    insert: database.prepare(
      `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
    ),
    update: database.prepare(`UPDATE ${table} SET ${set.join(", ")} WHERE seq = ?`),
    updateBody: database.prepare(`UPDATE ${table} SET lsn = ?, body = ? WHERE seq = ?`),
    delete: database.prepare(`DELETE FROM ${table} WHERE seq = ?`),
  };
}

/** Makes the table, or gives the one that is there the columns and indexes of `paths` and no others. */
export function createTable(
  database: Pick<Database, "prepare" | "exec">,
  table: string,
  paths: readonly IndexedPath[],
  unique: readonly UniqueKey[],
): void {
  database.exec(`
    CREATE TABLE IF NOT EXISTS ${table} (
      seq INTEGER PRIMARY KEY, pk TEXT NOT NULL, id TEXT NOT NULL, lsn INTEGER NOT NULL, expires INTEGER,
      body TEXT NOT NULL, UNIQUE (pk, id)
    );
    CREATE INDEX IF NOT EXISTS ${table}_expires ON ${table} (expires) WHERE expires IS NOT NULL`);
  const columns = database.prepare(`SELECT name FROM pragma_table_info('${table}')`).all();
  const names = columns.map((column) => String(column["name"]));
  for (const { name } of unique) {
    // Fixed when the container is made, so its table is empty.
    if (names.includes(name)) continue;
    database.exec(`ALTER TABLE ${table} ADD COLUMN ${name} TEXT`);
    database.exec(`CREATE UNIQUE INDEX ${table}_${name} ON ${table} (pk, ${name})`);
  }
  const present = new Set(names.filter((name) => name.startsWith("/")));
  for (const stale of present) {
    if (paths.some(({ name }) => name === stale)) continue;
    database.exec(`DROP INDEX ${quoted(table + stale)}; ALTER TABLE ${table} DROP COLUMN ${quoted(stale)}`);
  }
  for (const path of paths) {
    if (present.has(path.name)) continue;
    const column = quoted(path.name);
    database.exec(`ALTER TABLE ${table} ADD COLUMN ${column} TEXT`);
    fillColumn(database, table, path);
    // Sparse: a document without the property is not in the index, which so stays as small as the work that is open.
    database.exec(`CREATE INDEX ${quoted(table + path.name)} ON ${table} (${column}) WHERE ${column} IS NOT NULL`);
  }
}

/** The keys of a new column, from the documents that are there. */
function fillColumn(
  database: Pick<Database, "prepare" | "exec">,
  table: string,
  { name, segments }: IndexedPath,
): void {
  const set = database.prepare(`UPDATE ${table} SET ${quoted(name)} = ? WHERE seq = ?`);
  for (const { seq, body } of database.prepare(`SELECT seq, body FROM ${table}`).all()) {
    const key = sortKey(valueAt(JSON.parse(String(body)) as JsonObject, segments));
    if (key !== null) set.run(key, Number(seq));
  }
}
