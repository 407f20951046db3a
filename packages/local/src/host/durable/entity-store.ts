// What the engine keeps of entities in SQLite: their states, and the requests that they have not yet worked off.
import type { Database } from "../../database/database.ts";
import type { EntityRequest } from "./scheduling.ts";

/** The orchestration that waits for an answer, or holds a lock. */
export interface Caller {
  readonly int: number;
  readonly generation: number;
}

export interface PendingRequest {
  readonly n: number;
  readonly request: EntityRequest;
  readonly caller: Caller | undefined;
}

/** An entity that exists; its id is `@name@key`. */
export interface EntityRow {
  readonly id: string;
  /** JSON text; undefined where no operation has set one yet. */
  readonly state: string | undefined;
  /** Epoch milliseconds, as `updatedAt`. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface EntityFilter {
  readonly idPrefix?: string;
  readonly createdFrom?: number;
  readonly createdTo?: number;
  readonly updatedFrom?: number;
  readonly updatedTo?: number;
  /** The last id of the page before. */
  readonly after?: string;
  readonly limit: number;
}

/** How the table says that an entity exists and has no state: the empty text is no JSON. */
const NO_STATE = "";
const LAST_INSTANT = 8.64e15;
const COLUMNS = "id, state, coalesce(createdAt, updatedAt) AS createdAt, updatedAt";

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS entities (id TEXT PRIMARY KEY, state TEXT NOT NULL, updatedAt INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS entityRequests (
    n INTEGER PRIMARY KEY AUTOINCREMENT, entity TEXT NOT NULL, request TEXT NOT NULL, caller TEXT);
  CREATE INDEX IF NOT EXISTS requestsOf ON entityRequests (entity);
  CREATE TABLE IF NOT EXISTS entityLocks (
    entity TEXT PRIMARY KEY, int INTEGER NOT NULL, generation INTEGER NOT NULL) WITHOUT ROWID;`;

/** Every method that changes something is to be called inside `Database.write`. */
export class EntityStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
    db.exec(SCHEMA);
    // A hub of an earlier version has no such column; then the last operation is the oldest time that is known.
    const hasCreatedAt = db.prepare("SELECT 1 FROM pragma_table_info('entities') WHERE name = 'createdAt'").get();
    if (!hasCreatedAt) db.exec("ALTER TABLE entities ADD COLUMN createdAt INTEGER");
  }

  /** Undefined where the entity does not exist. */
  find(id: string): EntityRow | undefined {
    const row = this.#db.prepare(`SELECT ${COLUMNS} FROM entities WHERE id = ?`).get(id);
    return row && entityRow(row);
  }

  remove(id: string): void {
    this.#db.prepare("DELETE FROM entities WHERE id = ?").run(id);
  }

  save(id: string, state: string | undefined, at: number): void {
    this.#db
      .prepare(
        `INSERT INTO entities (id, state, createdAt, updatedAt) VALUES (?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET state = excluded.state, updatedAt = excluded.updatedAt`,
      )
      .run(id, state ?? NO_STATE, at, at);
  }

  list(filter: EntityFilter): EntityRow[] {
    const { idPrefix = "@", after = "", limit } = filter;
    const { createdFrom = 0, createdTo = LAST_INSTANT, updatedFrom = 0, updatedTo = LAST_INSTANT } = filter;
    return this.#db
      .prepare(
        `SELECT ${COLUMNS} FROM entities
         WHERE substr(id, 1, length(?)) = ? AND updatedAt BETWEEN ? AND ? AND coalesce(createdAt, updatedAt) BETWEEN ? AND ?
           AND id > ? ORDER BY id LIMIT ?`,
      )
      .all(idPrefix, idPrefix, updatedFrom, updatedTo, createdFrom, createdTo, after, limit)
      .map(entityRow);
  }

  addRequest(id: string, request: EntityRequest, caller: Caller | undefined): void {
    this.#db
      .prepare("INSERT INTO entityRequests (entity, request, caller) VALUES (?, ?, ?)")
      .run(
        id,
        JSON.stringify(request),
        caller ? JSON.stringify({ int: caller.int, generation: caller.generation }) : null,
      );
  }

  removeRequest(n: number): void {
    this.#db.prepare("DELETE FROM entityRequests WHERE n = ?").run(n);
  }

  /** @param holder whose lock is on the entity: all others wait. */
  requests(id: string, limit: number, holder: Caller | undefined): PendingRequest[] {
    const rows = this.#db
      .prepare(
        `SELECT n, request, caller FROM entityRequests
         WHERE entity = ? AND (? IS NULL OR caller ->> 'int' = ?) ORDER BY n LIMIT ?`,
      )
      .all(id, holder?.int ?? null, holder?.int ?? null, limit);
    return rows.map((row) => ({
      n: Number(row["n"]),
      request: JSON.parse(String(row["request"])) as EntityRequest,
      caller: row["caller"] === null ? undefined : (JSON.parse(String(row["caller"])) as Caller),
    }));
  }

  lock(id: string, { int, generation }: Caller): void {
    this.#db
      .prepare("INSERT OR REPLACE INTO entityLocks (entity, int, generation) VALUES (?, ?, ?)")
      .run(id, int, generation);
  }

  unlock(id: string, { int }: Caller): void {
    this.#db.prepare("DELETE FROM entityLocks WHERE entity = ? AND int = ?").run(id, int);
  }

  locks(): { readonly entity: string; readonly holder: Caller }[] {
    const rows = this.#db.prepare("SELECT entity, int, generation FROM entityLocks").all();
    return rows.map(({ entity, int, generation }) => ({
      entity: String(entity),
      holder: { int: Number(int), generation: Number(generation) },
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

function entityRow(row: Record<string, unknown>): EntityRow {
  const state = String(row["state"]);
  return {
    id: String(row["id"]),
    state: state === NO_STATE ? undefined : state,
    createdAt: Number(row["createdAt"]),
    updatedAt: Number(row["updatedAt"]),
  };
}
