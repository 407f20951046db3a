// Which messages were dequeued and are invisible until when: what a process that is killed had in hand comes back only then.
import type { Database } from "../../../database/database.ts";

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS leases (message TEXT PRIMARY KEY, visibleAt INTEGER NOT NULL) WITHOUT ROWID;`;

/** Every method that changes something is to be called inside `Database.write`. */
export class Leases {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
    db.exec(SCHEMA);
    // What is visible again needs none.
    db.prepare("DELETE FROM leases WHERE visibleAt <= ?").run(Date.now());
  }

  /** Epoch milliseconds by message. */
  all(): Map<string, number> {
    const rows = this.#db.prepare("SELECT message, visibleAt FROM leases").all();
    return new Map(rows.map((row) => [String(row["message"]), Number(row["visibleAt"])]));
  }

  take(messages: Iterable<string>, visibleAt: number): void {
    const statement = this.#db.prepare("INSERT OR REPLACE INTO leases (message, visibleAt) VALUES (?, ?)");
    for (const message of messages) statement.run(message, visibleAt);
  }

  end(messages: Iterable<string>): void {
    const statement = this.#db.prepare("DELETE FROM leases WHERE message = ?");
    for (const message of messages) statement.run(message);
  }
}
