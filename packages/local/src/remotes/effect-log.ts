// What the services did: one row for each idempotency key, so that a repeat is answered and never acted on twice.
import type { Database } from "../database/database.ts";

/** What became of a key: an effect, an answer without one (nothing to compensate), or so far only calls. */
export interface Entry {
  readonly path: string | null;
  readonly id: string | null;
  readonly action: string | null;
  readonly body: string | null;
  readonly status: number | null;
  readonly answer: string | null;
  /** 1: something came of it. */
  readonly effect: number;
  /** 1: a compensation came before the create, which has to be refused from now on. */
  readonly compensated: number;
}

export interface Recorded {
  readonly path: string;
  readonly id: string | null;
  readonly action: string;
  readonly body: string;
  readonly status: number;
  readonly answer: string;
  readonly effect: boolean;
}

export interface Effect {
  readonly key: string;
  readonly path: string;
  readonly id: string;
  readonly action: string;
  readonly calls: number;
  readonly at: string;
  readonly body: unknown;
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS entries (
    seq INTEGER PRIMARY KEY,
    service TEXT NOT NULL,
    key TEXT NOT NULL,
    calls INTEGER NOT NULL,
    path TEXT, id TEXT, action TEXT, body TEXT, status INTEGER, answer TEXT, at TEXT,
    effect INTEGER NOT NULL DEFAULT 0,
    compensated INTEGER NOT NULL DEFAULT 0,
    UNIQUE (service, key)
  );
  CREATE INDEX IF NOT EXISTS created ON entries (service, id) WHERE action = 'create';`;

/** The list of effects of one service. All but `list` runs inside `Database.write`. */
export class EffectLog {
  readonly #database: Database;
  readonly #service: string;

  constructor(database: Database, service: string) {
    this.#database = database;
    this.#service = service;
    database.exec(SCHEMA);
  }

  find(key: string): Entry | undefined {
    return this.#database
      .prepare(
        "SELECT path, id, action, body, status, answer, effect, compensated FROM entries WHERE service = ? AND key = ?",
      )
      .get(this.#service, key) as Entry | undefined;
  }

  /** The request that created `id` under `path`, and when; undefined if none did. */
  created(path: string, id: string): { readonly at: string; readonly body: string } | undefined {
    return this.#database
      .prepare("SELECT at, body FROM entries WHERE service = ? AND id = ? AND path = ? AND action = 'create'")
      .get(this.#service, id, path) as { at: string; body: string } | undefined;
  }

  /** What was done last with `id`. */
  lastAction(path: string, id: string): string | undefined {
    const row = this.#database
      .prepare(
        "SELECT action FROM entries WHERE service = ? AND id = ? AND path = ? AND effect = 1 ORDER BY seq DESC LIMIT 1",
      )
      .get(this.#service, id, path) as { readonly action: string } | undefined;
    return row?.action;
  }

  /** Counts a call that changed nothing: a repeat, or one that a fault turned away. */
  call(key: string): void {
    this.#database
      .prepare(
        "INSERT INTO entries (service, key, calls) VALUES (?, ?, 1) ON CONFLICT (service, key) DO UPDATE SET calls = calls + 1",
      )
      .run(this.#service, key);
  }

  /** Counts a call and keeps its answer for every later one with the same key. */
  record(key: string, { path, id, action, body, status, answer, effect }: Recorded): void {
    this.#database
      .prepare(
        `INSERT INTO entries (service, key, calls, path, id, action, body, status, answer, at, effect)
         VALUES (?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (service, key) DO UPDATE SET calls = calls + 1, path = excluded.path, id = excluded.id,
           action = excluded.action, body = excluded.body, status = excluded.status, answer = excluded.answer,
           at = excluded.at, effect = excluded.effect`,
      )
      .run(this.#service, key, path, id, action, body, status, answer, new Date().toISOString(), effect ? 1 : 0);
  }

  /** Leaves a tombstone: whatever arrives under `key` later is refused. */
  bury(key: string): void {
    this.#database
      .prepare(
        "INSERT INTO entries (service, key, calls, compensated) VALUES (?, ?, 0, 1) ON CONFLICT (service, key) DO UPDATE SET compensated = 1",
      )
      .run(this.#service, key);
  }

  /** What was made under `path` by a request with every one of `fields`, oldest first, with its status of now. */
  made(path: string, fields: Iterable<readonly [string, string]>): unknown[] {
    const rows = this.list(fields).filter((row) => row.path === path && row.action === "create");
    const last = this.#database.prepare(
      "SELECT answer FROM entries WHERE service = ? AND id = ? AND path = ? ORDER BY seq DESC LIMIT 1",
    );
    return rows.map(({ key, id }) => {
      const { answer } = last.get(this.#service, id, path) as { answer: string };
      return { ...JSON.parse(this.find(key)?.answer ?? "{}"), ...JSON.parse(answer) };
    });
  }

  /** The effects, oldest first, whose request body has every one of `fields` at its top level. */
  list(fields: Iterable<readonly [string, string]>): Effect[] {
    const conditions: string[] = [];
    const values: string[] = [this.#service];
    for (const [field, value] of fields) {
      conditions.push(" AND CAST(json_extract(body, ?) AS TEXT) = ?");
      values.push(`$.${JSON.stringify(field)}`, value);
    }
    const sql = `SELECT key, path, id, action, calls, at, body FROM entries WHERE service = ? AND effect = 1${conditions.join("")} ORDER BY at, seq`;
    const rows = this.#database.prepare(sql).all(...values) as unknown as (Effect & { body: string })[];
    return rows.map((row) => ({ ...row, body: JSON.parse(row.body) as unknown }));
  }
}
