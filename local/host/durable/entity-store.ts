// What the engine keeps of entities in SQLite: their states, and the requests that they have not yet worked off.
import type { Database } from "../../database/database.ts";
import type { EntityRequest } from "./scheduling.ts";

/** The orchestration that waits for an answer. */
export interface Caller {
  readonly int: number;
  readonly generation: number;
}

export interface PendingRequest {
  readonly n: number;
  readonly request: EntityRequest;
  readonly caller: Caller | undefined;
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS entities (id TEXT PRIMARY KEY, state TEXT NOT NULL, updatedAt INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS entityRequests (
    n INTEGER PRIMARY KEY AUTOINCREMENT, entity TEXT NOT NULL, request TEXT NOT NULL, caller TEXT);
  CREATE INDEX IF NOT EXISTS requestsOf ON entityRequests (entity);`;

/** Every method that changes something is to be called inside `Database.write`. An entity's id is `@name@key`. */
export class EntityStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
    db.exec(SCHEMA);
  }

  /** JSON text; undefined where the entity does not exist. */
  state(id: string): string | undefined {
    const row = this.#db.prepare("SELECT state FROM entities WHERE id = ?").get(id);
    return row && String(row["state"]);
  }

  /** @param state undefined removes the entity. */
  setState(id: string, state: string | undefined, at: number): void {
    if (state === undefined) this.#db.prepare("DELETE FROM entities WHERE id = ?").run(id);
    else this.#db.prepare("INSERT OR REPLACE INTO entities (id, state, updatedAt) VALUES (?, ?, ?)").run(id, state, at);
  }

  addRequest(id: string, request: EntityRequest, caller: Caller | undefined): void {
    this.#db
      .prepare("INSERT INTO entityRequests (entity, request, caller) VALUES (?, ?, ?)")
      .run(id, JSON.stringify(request), caller ? JSON.stringify(caller) : null);
  }

  removeRequest(n: number): void {
    this.#db.prepare("DELETE FROM entityRequests WHERE n = ?").run(n);
  }

  requests(id: string, limit: number): PendingRequest[] {
    const rows = this.#db
      .prepare("SELECT n, request, caller FROM entityRequests WHERE entity = ? ORDER BY n LIMIT ?")
      .all(id, limit);
    return rows.map((row) => ({
      n: Number(row["n"]),
      request: JSON.parse(String(row["request"])) as EntityRequest,
      caller: row["caller"] === null ? undefined : (JSON.parse(String(row["caller"])) as Caller),
    }));
  }

  /** The entities that have something to do. */
  waiting(): string[] {
    return this.#db
      .prepare("SELECT DISTINCT entity FROM entityRequests")
      .all()
      .map((row) => String(row["entity"]));
  }
}
