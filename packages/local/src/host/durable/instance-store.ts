// What the engine keeps in SQLite: instances, their histories (`history-store.ts`) and the inbox of accepted messages.
import type { Database } from "../../database/database.ts";
import type { HistoryEvent } from "./history.ts";
import { HistoryStore, type PackedHistory } from "./history-store.ts";
import type { Work } from "./work.ts";

export type UnfinishedStatus = "Pending" | "Running" | "Suspended";
export type EndedStatus = "Completed" | "Failed" | "Terminated";
export type Status = UnfinishedStatus | EndedStatus;

const UNFINISHED: readonly Status[] = ["Pending", "Running", "Suspended"];
export const STATUSES: readonly Status[] = [...UNFINISHED, "Completed", "Failed", "Terminated"];

/** Where the result of a sub-orchestration goes. */
export interface ParentLink {
  readonly int: number;
  readonly id: string;
  readonly generation: number;
  readonly taskId: number;
}

/** Columns as they are stored: `input`, `output`, `customStatus`, `parent` are JSON text; instants are epoch milliseconds. */
export interface InstanceRow {
  /** Names this run of the id; never used twice. */
  readonly int: number;
  readonly id: string;
  readonly name: string;
  readonly status: Status;
  readonly input: string | null;
  readonly output: string | null;
  readonly customStatus: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Counts the runs by continue-as-new. */
  readonly generation: number;
  readonly parent: string | null;
}

export interface NewInstance {
  readonly id: string;
  readonly name: string;
  readonly input: string | null;
  readonly at: number;
  readonly parent?: ParentLink | undefined;
}

type Creation =
  | { readonly kind: "created"; readonly int: number }
  | { readonly kind: "exists"; readonly status: UnfinishedStatus };

interface InboxRow {
  readonly n: number;
  readonly generation: number | null;
  readonly event: HistoryEvent;
}

/** Work whose orchestration ended, or went on to a next generation, without its answer: it is done all the same. */
export interface Orphan {
  readonly int: number;
  readonly generation: number;
  readonly task: number;
}

/** Where a search by the time of creation goes on. */
export interface Cursor {
  readonly createdAt: number;
  readonly int: number;
}

export interface InstanceFilter {
  readonly statuses?: readonly Status[];
  readonly createdFrom?: number;
  readonly createdTo?: number;
  readonly idPrefix?: string;
  /** The last `int` of the page before. */
  readonly after?: number;
  readonly limit: number;
}

/** The last instant that a Date can have. */
const LAST_INSTANT = 8.64e15;

const quoted = (statuses: readonly Status[]) => statuses.map((status) => `'${status}'`).join(", ");
const IS_UNFINISHED = `status IN (${quoted(UNFINISHED)})`;

/** An input is large and never changes in a generation: apart from the row, which each change of its state writes anew. */
const INPUT = "(SELECT input FROM inputs WHERE inputs.int = instances.int)";
const COLUMNS = `int, id, name, status, ${INPUT} AS input, output, customStatus, createdAt, updatedAt, generation, parent`;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS instances (
    int INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, status TEXT NOT NULL,
    output TEXT, customStatus TEXT, createdAt INTEGER NOT NULL, updatedAt INTEGER NOT NULL, generation INTEGER NOT NULL,
    parent TEXT);
  CREATE TABLE IF NOT EXISTS inputs (int INTEGER PRIMARY KEY, input TEXT NOT NULL);
  CREATE INDEX IF NOT EXISTS unfinished ON instances (int) WHERE ${IS_UNFINISHED};
  CREATE INDEX IF NOT EXISTS created ON instances (createdAt);
  CREATE TABLE IF NOT EXISTS inbox (
    n INTEGER PRIMARY KEY AUTOINCREMENT, int INTEGER NOT NULL, generation INTEGER, event TEXT NOT NULL);
  CREATE INDEX IF NOT EXISTS inboxOf ON inbox (int);
  CREATE TABLE IF NOT EXISTS orphans (
    int INTEGER NOT NULL, generation INTEGER NOT NULL, task INTEGER NOT NULL, work TEXT NOT NULL,
    PRIMARY KEY (int, generation, task)) WITHOUT ROWID;`;

/** Every method that changes something is to be called inside `Database.write`. */
export class InstanceStore {
  readonly #db: Database;
  readonly #histories: HistoryStore;

  constructor(db: Database) {
    this.#db = db;
    db.exec(SCHEMA);
    this.#histories = new HistoryStore(db);
  }

  /** An unfinished instance of that id refuses the new one; an ended one is replaced by it. */
  create({ id, name, input, at, parent }: NewInstance): Creation {
    const existing = this.find(id);
    if (existing && isUnfinished(existing.status)) return { kind: "exists", status: existing.status };
    if (existing) this.remove(existing.int);
    const { lastInsertRowid } = this.#db
      .prepare(
        "INSERT INTO instances (id, name, status, createdAt, updatedAt, generation, parent) VALUES (?, ?, 'Pending', ?, ?, 0, ?)",
      )
      .run(id, name, at, at, parent ? JSON.stringify(parent) : null);
    const int = Number(lastInsertRowid);
    if (input !== null) this.#setInput(int, input);
    return { kind: "created", int };
  }

  appendHistory(int: number, seq: number, events: readonly HistoryEvent[]): void {
    this.#histories.append(int, seq, events);
  }

  /** Whoever goes on has no output. */
  setProgress(int: number, status: UnfinishedStatus, customStatus: string | null, at: number): void {
    this.#db
      .prepare("UPDATE instances SET status = ?, output = NULL, customStatus = ?, updatedAt = ? WHERE int = ?")
      .run(status, customStatus, at, int);
  }

  /** @param output JSON text: as on the real host, the reason why somebody suspended or resumed it. */
  setStatus(int: number, status: UnfinishedStatus, output: string, at: number): void {
    this.#db
      .prepare("UPDATE instances SET status = ?, output = ?, updatedAt = ? WHERE int = ?")
      .run(status, output, at, int);
  }

  /** @param customStatus null leaves it as it is. */
  end(int: number, status: EndedStatus, output: string, customStatus: string | null, at: number): void {
    this.#db
      .prepare(
        "UPDATE instances SET status = ?, output = ?, customStatus = coalesce(?, customStatus), updatedAt = ? WHERE int = ?",
      )
      .run(status, output, customStatus, at, int);
  }

  /** Starts the next generation: a new input and an empty history. */
  continueAsNew(int: number, generation: number, input: string, customStatus: string | null, at: number): void {
    this.#histories.remove(int);
    this.#db
      .prepare(
        "UPDATE instances SET status = iif(status = 'Suspended', status, 'Running'), generation = ?, customStatus = ?, updatedAt = ? WHERE int = ?",
      )
      .run(generation, customStatus, at, int);
    this.#setInput(int, input);
  }

  remove(int: number): void {
    for (const table of ["instances", "inputs", "inbox"])
      this.#db.prepare(`DELETE FROM ${table} WHERE int = ?`).run(int);
    this.#histories.remove(int);
  }

  /** @param generation where the message answers something of one generation only. */
  addToInbox(int: number, generation: number | null, event: HistoryEvent): number {
    const { lastInsertRowid } = this.#db
      .prepare("INSERT INTO inbox (int, generation, event) VALUES (?, ?, ?)")
      .run(int, generation, JSON.stringify(event));
    return Number(lastInsertRowid);
  }

  removeFromInbox(n: number): void {
    this.#db.prepare("DELETE FROM inbox WHERE n = ?").run(n);
  }

  emptyInbox(int: number): void {
    this.#db.prepare("DELETE FROM inbox WHERE int = ?").run(int);
  }

  find(id: string): InstanceRow | undefined {
    return this.#db.prepare(`SELECT ${COLUMNS} FROM instances WHERE id = ?`).get(id) as InstanceRow | undefined;
  }

  addOrphan({ int, generation, task }: Orphan, work: Work): void {
    this.#db
      .prepare("INSERT INTO orphans (int, generation, task, work) VALUES (?, ?, ?, ?)")
      .run(int, generation, task, JSON.stringify(work));
  }

  removeOrphan({ int, generation, task }: Orphan): void {
    this.#db.prepare("DELETE FROM orphans WHERE int = ? AND generation = ? AND task = ?").run(int, generation, task);
  }

  orphans(): { readonly orphan: Orphan; readonly work: Work }[] {
    const rows = this.#db.prepare("SELECT int, generation, task, work FROM orphans").all();
    return rows.map(({ work, ...orphan }) => ({
      orphan: orphan as unknown as Orphan,
      work: JSON.parse(String(work)) as Work,
    }));
  }

  /** The events of all turns, oldest first, and the number of turns. */
  history(int: number): { events: HistoryEvent[]; turns: number } {
    return this.#histories.read(int, () => {
      const row = this.#db.prepare(`SELECT ${INPUT} AS input FROM instances WHERE int = ?`).get(int);
      return (row?.["input"] ?? null) as string | null;
    });
  }

  /** The history of an instance that has ended, to be put in the place of its turns; undefined where there is nothing to pack. */
  pack(int: number): PackedHistory | undefined {
    return this.#histories.pack(int);
  }

  /** False where it was removed meanwhile. */
  putPack(pack: PackedHistory): boolean {
    return this.#histories.putPack(pack);
  }

  #setInput(int: number, input: string): void {
    this.#db.prepare("INSERT OR REPLACE INTO inputs (int, input) VALUES (?, ?)").run(int, input);
  }

  inbox(int: number): InboxRow[] {
    const rows = this.#db.prepare("SELECT n, generation, event FROM inbox WHERE int = ? ORDER BY n").all(int);
    return rows.map((row) => ({
      n: Number(row["n"]),
      generation: row["generation"] === null ? null : Number(row["generation"]),
      event: JSON.parse(String(row["event"])) as HistoryEvent,
    }));
  }

  unfinished(): InstanceRow[] {
    const rows = this.#db.prepare(`SELECT ${COLUMNS} FROM instances WHERE ${IS_UNFINISHED} ORDER BY int`).all();
    return rows as unknown as InstanceRow[];
  }

  /** The next instances that began within a time, whatever became of them, in the order of their beginning. */
  next(
    { createdFrom = 0, createdTo = LAST_INSTANT }: Pick<InstanceFilter, "createdFrom" | "createdTo">,
    after: Cursor | undefined,
    most: number,
  ) {
    const { createdAt, int } = after ?? { createdAt: createdFrom, int: 0 };
    const rows = this.#db
      .prepare(
        `SELECT int, id, status, createdAt FROM instances
         WHERE (createdAt, int) > (?, ?) AND createdAt <= ? ORDER BY createdAt, int LIMIT ?`,
      )
      .all(createdAt, int, createdTo, most);
    return rows as unknown as Pick<InstanceRow, "int" | "id" | "status" | "createdAt">[];
  }

  query({ statuses, createdFrom, createdTo, idPrefix, after, limit }: InstanceFilter): InstanceRow[] {
    const conditions: [string, string | number | undefined][] = [
      ["int > ?", after],
      ["createdAt >= ?", createdFrom],
      ["createdAt <= ?", createdTo],
      ["substr(id, 1, length(?)) = ?", idPrefix],
    ];
    const used = conditions.flatMap(([sql, value]) => (value === undefined ? [] : [{ sql, value }]));
    const values = used.flatMap(({ sql, value }) => (sql.startsWith("substr") ? [value, value] : [value]));
    const where = used.map(({ sql }) => sql);
    // Spelled out, not bound, so that SQLite sees that the partial index answers a question for unfinished ones.
    if (statuses) where.push(`status IN (${quoted(statuses)})`);
    if (statuses?.every((status) => UNFINISHED.includes(status))) where.push(IS_UNFINISHED);
    const sql = `SELECT ${COLUMNS} FROM instances ${where.length > 0 ? `WHERE ${where.join(" AND ")}` : ""} ORDER BY int LIMIT ?`;
    return this.#db.prepare(sql).all(...values, limit) as unknown as InstanceRow[];
  }
}

export function isUnfinished(status: Status): status is UnfinishedStatus {
  return UNFINISHED.includes(status);
}
