// Statements on one connection: each is prepared once, and kept while there are not too many.
import type { DatabaseSync, StatementSync } from "node:sqlite";

const MOST_STATEMENTS = 2000;

export class Statements {
  readonly #sqlite: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(sqlite: DatabaseSync) {
    this.#sqlite = sqlite;
  }

  /** Makes a function of one text, that gives the same text for the same, known to SQL by `name`. */
  define(name: string, run: (text: string) => string): void {
    this.#sqlite.function(name, { deterministic: true }, (text) => run(String(text)));
  }

  prepare(sql: string): StatementSync {
    let statement = this.#prepared.get(sql);
    if (!statement) {
      if (this.#prepared.size >= MOST_STATEMENTS) this.#prepared.clear();
      statement = this.#sqlite.prepare(sql);
      this.#prepared.set(sql, statement);
    }
    return statement;
  }
}
