// A second connection to a database that reads it as it was at one moment, as a replica does that lags behind.
import { DatabaseSync, type StatementSync } from "node:sqlite";

const MOST_STATEMENTS = 2000;

/** The log of the database cannot be emptied beyond the moment of the oldest snapshot: it has to be renewed now and then. */
export class Snapshot {
  readonly #sqlite: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  /** @param path of a database that is open in this process. */
  constructor(path: string) {
    this.#sqlite = new DatabaseSync(path, { readOnly: true });
    this.renew();
  }

  /** Outside of any read: from now on what is committed now is read. */
  renew(): void {
    if (this.#sqlite.isTransaction) this.#sqlite.exec("COMMIT");
    // The first read takes the snapshot.
    this.#sqlite.exec("BEGIN; SELECT count(*) FROM sqlite_master");
  }

  define(name: string, run: (text: string) => string): void {
    this.#sqlite.function(name, { deterministic: true }, (text) => run(String(text)));
  }

  prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      if (this.#statements.size >= MOST_STATEMENTS) this.#statements.clear();
      statement = this.#sqlite.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  close(): void {
    this.#sqlite.close();
  }
}
