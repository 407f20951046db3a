// How much the documents of one partition key may have together. Only of a database that has so much are they counted.
import type { Database } from "../../database/database.ts";

export class KeyRoom {
  readonly #database: Pick<Database, "prepare">;
  readonly #most: number;
  /** So many bytes can be written before the whole database has as much as one key may have. */
  #left = 0;

  /** @param most bytes of one partition key */
  constructor(database: Pick<Database, "prepare">, most: number) {
    this.#database = database;
    this.#most = most;
  }

  /** Inside a write that adds so many bytes to the key. */
  isFull(table: string, pk: string, added: number): boolean {
    if (added <= 0) return false;
    this.#left -= added;
    if (this.#left > 0) return false;
    this.#left =
      this.#most -
      added -
      this.#numberOf("SELECT page_count * page_size AS n FROM pragma_page_count, pragma_page_size");
    if (this.#left > 0) return false;
    return this.#numberOf(`SELECT sum(octet_length(body)) AS n FROM ${table} WHERE pk = ?`, pk) + added > this.#most;
  }

  #numberOf(sql: string, ...bindings: readonly string[]): number {
    return Number(this.#database.prepare(sql).get(...bindings)?.["n"] ?? 0);
  }
}
