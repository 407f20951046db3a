// A map of what the database holds: what a write changed in it is put back where the write is not kept.
import type { Database } from "./database.ts";

/** Small: each change within a write copies it. */
export class KeptMap<Key, Value> extends Map<Key, Value> {
  readonly #database: Pick<Database, "onRollback">;

  constructor(database: Pick<Database, "onRollback">) {
    super();
    this.#database = database;
  }

  override set(key: Key, value: Value): this {
    this.#remember();
    return super.set(key, value);
  }

  override delete(key: Key): boolean {
    this.#remember();
    return super.delete(key);
  }

  /** With the order, in which its values are listed. */
  #remember(): void {
    const before = [...this];
    this.#database.onRollback(() => {
      super.clear();
      for (const [key, value] of before) super.set(key, value);
    });
  }
}
