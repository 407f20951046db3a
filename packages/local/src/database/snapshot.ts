// A second connection to a database that reads it as it was at one moment, as a replica does that lags behind.
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { Statements } from "./statements.ts";

/** The log of the database cannot be emptied beyond the moment of the oldest snapshot: it has to be renewed now and then. */
export class Snapshot {
  readonly #sqlite: DatabaseSync;
  readonly #statements: Statements;

  /** @param path of a database that is open in this process. */
  constructor(path: string) {
    this.#sqlite = new DatabaseSync(path, { readOnly: true });
    this.#statements = new Statements(this.#sqlite);
    this.renew();
  }

  /** Outside of any read: from now on what is committed now is read. */
  renew(): void {
    if (this.#sqlite.isTransaction) this.#sqlite.exec("COMMIT");
    // The first read takes the snapshot.
    this.#sqlite.exec("BEGIN; SELECT count(*) FROM sqlite_master");
  }

  define(name: string, run: (text: string) => string): void {
    this.#statements.define(name, run);
  }

  prepare(sql: string): StatementSync {
    return this.#statements.prepare(sql);
  }

  close(): void {
    this.#sqlite.close();
  }
}
