// The tables of the bus, and what earlier versions of them lack.
import type { Database } from "../../database/database.ts";

const TABLES = `
CREATE TABLE IF NOT EXISTS queue (
  number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, properties TEXT NOT NULL,
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, next_sequence INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS message (
  id INTEGER PRIMARY KEY, dead INTEGER NOT NULL, state INTEGER NOT NULL, delivery_count INTEGER NOT NULL,
  enqueued_at INTEGER NOT NULL, ttl INTEGER, expires_at INTEGER, due_at INTEGER NOT NULL, session TEXT, bytes BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS duplicate (
  id INTEGER PRIMARY KEY, queue INTEGER NOT NULL, message_id TEXT NOT NULL, seen_at INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS session (
  queue INTEGER NOT NULL, session TEXT NOT NULL, state BLOB, PRIMARY KEY (queue, session)) WITHOUT ROWID;
`;

/** Columns that came later, in the order in which they came. */
const COLUMNS: readonly (readonly [table: string, column: string, definition: string])[] = [
  ["message", "enqueued_sequence", "INTEGER"],
  ["message", "hops", "INTEGER"],
  ["message", "source", "TEXT"],
];

export function createTables(database: Database): void {
  database.exec(TABLES);
  for (const [table, column, definition] of COLUMNS) {
    const present = database.prepare(`SELECT name FROM pragma_table_info('${table}')`).all();
    if (present.every(({ name }) => name !== column))
      database.exec(`ALTER TABLE ${table} ADD COLUMN ${column} ${definition}`);
  }
}
