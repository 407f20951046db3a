// The documents of one container in one SQLite table, with a sparse index for each path the policy names.
import type { Database } from "../../database/database.ts";
import type { Snapshot } from "../../database/snapshot.ts";
import type { JsonObject } from "../../json.ts";
import { COSMOS_LIMITS } from "../limits.ts";
import { type IndexedPath, valueAt } from "../queries/indexing.ts";
import { documentRids } from "../resources/resource-id.ts";
import { sortKey } from "../sql/values.ts";
import { createTable, type ItemStatements, prepareStatements } from "./item-schema.ts";
import type { KeyRoom } from "./key-room.ts";
import { type UniqueKey, uniqueText } from "./unique-keys.ts";

export interface StoredItem {
  /** The order of creation; the last resort of every ordering. */
  readonly seq: number;
  readonly lsn: number;
  /** Milliseconds; null lives for ever. */
  readonly expires: number | null;
  /** The document as it is sent, system properties included. */
  readonly body: string;
  /** The sort key of each indexed path, by its name. */
  readonly [path: string]: string | number | null;
}

export interface ItemTableOptions {
  readonly number: number;
  readonly rid: string;
  /** The same as `link`, by resource ids and with a slash at its end. */
  readonly self: string;
  /** `dbs/<database>/colls/<container>`. */
  readonly link: string;
  readonly paths: readonly IndexedPath[];
  readonly unique: readonly UniqueKey[];
  /** Seconds; -1 is for ever unless the document says otherwise, undefined switches expiry off. */
  readonly defaultTtl: number | undefined;
  readonly room: KeyRoom;
}

/** Why a document is not stored. */
export type NoRoom = "document too large" | "partition key full";

/** Sequence numbers start above this many a millisecond of the clock, so that no restart repeats one. */
const LSN_PER_MS = 16;
const SWEEP_AT_ONCE = 500;

export class ItemTable {
  readonly name: string;
  readonly #database: Pick<Database, "prepare" | "exec" | "onRollback">;
  #options: ItemTableOptions;
  /** The columns of keys. */
  #columns: readonly string[];
  #statements: ItemStatements;
  #dropped = false;
  readonly #ridOf: (seq: number) => string;
  readonly #encodedLink: string;
  #seq: number;
  #lsn: number;

  /** Runs DDL, so at start or inside `Database.write`, unless it is a table `asOf`, of which it gets the `lsn`. */
  constructor(database: Pick<Database, "prepare" | "exec" | "onRollback">, options: ItemTableOptions, lsn?: number) {
    this.#database = database;
    this.#options = options;
    this.name = `items_${options.number}`;
    this.#ridOf = documentRids(options.rid);
    this.#encodedLink = encodeURI(options.link);
    if (lsn === undefined) createTable(database, this.name, options.paths, options.unique);
    this.#columns = columnsOf(options);
    this.#statements = prepareStatements(database, this.name, this.#columns);
    const last = database.prepare(`SELECT max(seq) AS seq, max(lsn) AS lsn FROM ${this.name}`).get();
    this.#seq = Number(last?.["seq"] ?? 0);
    this.#lsn = lsn ?? Math.max(Number(last?.["lsn"] ?? 0), Date.now() * LSN_PER_MS);
  }

  /** What `snapshot`, which was renewed just now, reads of this table: no writes. `known` is the one of the snapshot before. */
  asOf(snapshot: Snapshot, known: ItemTable | undefined): ItemTable {
    if (!known)
      return new ItemTable(
        { prepare: snapshot.prepare.bind(snapshot), exec: () => {}, onRollback: () => {} },
        this.#options,
        this.#lsn,
      );
    known.#lsn = this.#lsn;
    return known;
  }

  /** Inside a write: other indexes or another time to live, for the writes that are queued behind it too. */
  reconfigure(options: ItemTableOptions): void {
    const [before, columns, statements] = [this.#options, this.#columns, this.#statements];
    this.#database.onRollback(() => {
      this.#options = before;
      this.#columns = columns;
      this.#statements = statements;
    });
    this.#options = options;
    createTable(this.#database, this.name, options.paths, options.unique);
    this.#columns = columnsOf(options);
    this.#statements = prepareStatements(this.#database, this.name, this.#columns);
  }

  /** The link as a header can have it, in ASCII: names are encoded as in a URL, as Azure does. */
  get encodedLink(): string {
    return this.#encodedLink;
  }

  get paths(): readonly IndexedPath[] {
    return this.#options.paths;
  }

  /** The highest number that a document was given. */
  get lastSeq(): number {
    return this.#seq;
  }

  get lsn(): number {
    return this.#lsn;
  }

  /** The document, or undefined: what has expired is gone even before it is swept. */
  find(pk: string, id: string, now = Date.now()): StoredItem | undefined {
    if (this.#dropped) return undefined;
    const item = this.#statements.find.get(pk, id) as StoredItem | undefined;
    return item && (item.expires === null || item.expires > now) ? item : undefined;
  }

  /** The id of the document with this number. */
  idOf(seq: number): string | undefined {
    const row = this.#dropped
      ? undefined
      : this.#database.prepare(`SELECT id FROM ${this.name} WHERE seq = ?`).get(seq);
    return row && String(row["id"]);
  }

  /** Inside a write: whether another document of this partition key has the value of a unique key that this one wants. */
  clashes(pk: string, document: JsonObject, own: StoredItem | undefined, now: number): boolean {
    return this.#options.unique.some((key) => {
      const sql = `SELECT seq, expires FROM ${this.name} WHERE pk = ? AND ${key.name} = ?`;
      const other = this.#database.prepare(sql).get(pk, uniqueText(key, document)) as StoredItem | undefined;
      if (!other || other.seq === own?.seq) return false;
      if (other.expires === null || other.expires > now) return true;
      this.#statements.delete.run(other.seq);
      return false;
    });
  }

  /** Inside a write: takes away all documents of one partition key. */
  removeAll(pk: string): void {
    this.#lsn += 1;
    this.#database.prepare(`DELETE FROM ${this.name} WHERE pk = ?`).run(pk);
  }

  /** Inside a write, where `find` has found nothing. */
  insert(pk: string, id: string, document: JsonObject, now: number): StoredItem | NoRoom {
    const item = this.#render(this.#seq + 1, document, now);
    const noRoom = this.#noRoom(pk, item);
    if (noRoom) return noRoom;
    this.#seq = item.seq;
    const expired = this.#statements.find.get(pk, id);
    if (expired) this.#statements.delete.run(Number(expired["seq"]));
    const keys = this.#columns.map((name) => item[name] ?? null);
    this.#statements.insert.run(pk, id, item.seq, item.lsn, item.expires, ...keys, item.body);
    return item;
  }

  /** Inside a write. Rewrites indexes only where a key changed: most patches touch no indexed path. */
  update(pk: string, old: StoredItem, document: JsonObject, now: number): StoredItem | NoRoom {
    const item = this.#render(old.seq, document, now);
    const noRoom = this.#noRoom(pk, item, old);
    if (noRoom) return noRoom;
    const moved = item.expires !== old.expires || this.#columns.some((name) => item[name] !== old[name]);
    if (moved) {
      const keys = this.#columns.map((name) => item[name] ?? null);
      this.#statements.update.run(item.lsn, item.expires, ...keys, item.body, item.seq);
    } else {
      this.#statements.updateBody.run(item.lsn, item.body, item.seq);
    }
    return item;
  }

  /** Inside a write. */
  remove({ seq }: StoredItem): void {
    this.#lsn += 1;
    this.#statements.delete.run(seq);
  }

  /** Inside a write: takes away some of what has expired and says how many. */
  sweep(now: number): number {
    const sql = `DELETE FROM ${this.name} WHERE seq IN (SELECT seq FROM ${this.name} WHERE expires <= ? LIMIT ${SWEEP_AT_ONCE})`;
    return Number(this.#database.prepare(sql).run(now).changes);
  }

  /** Writes that were queued behind the deletion of the container find it gone. */
  get isDropped(): boolean {
    return this.#dropped;
  }

  /** Inside a write: the table and all it holds. */
  drop(): void {
    this.#dropped = true;
    this.#database.onRollback(() => {
      this.#dropped = false;
    });
    this.#database.exec(`DROP TABLE ${this.name}`);
  }

  /** Any SELECT over this table, lazily. */
  *rows(sql: string, bindings: readonly (string | number | null)[]): Generator<StoredItem> {
    yield* this.#database.prepare(sql).iterate(...bindings) as IterableIterator<StoredItem>;
  }

  etag(lsn: number): string {
    return `"${lsn.toString(16).padStart(16, "0")}"`;
  }

  #render(seq: number, document: JsonObject, now: number): StoredItem {
    this.#lsn += 1;
    const own = this.#ridOf(seq);
    document["_rid"] = own;
    document["_self"] = `${this.#options.self}docs/${own}/`;
    document["_etag"] = this.etag(this.#lsn);
    document["_attachments"] = "attachments/";
    document["_ts"] = Math.floor(now / 1000);
    const item: Record<string, string | number | null> & { seq: number; lsn: number } = {
      seq,
      lsn: this.#lsn,
    };
    for (const { name, segments } of this.paths) item[name] = sortKey(valueAt(document, segments));
    for (const key of this.#options.unique) item[key.name] = uniqueText(key, document);
    return { ...item, expires: this.#expiry(document, now), body: JSON.stringify(document) };
  }

  #noRoom(pk: string, { body }: StoredItem, old?: StoredItem): NoRoom | undefined {
    const bytes = Buffer.byteLength(body);
    if (bytes > MOST_DOCUMENT_BYTES) return "document too large";
    const added = bytes - Buffer.byteLength(old?.body ?? "");
    return this.#options.room.isFull(this.name, pk, added) ? "partition key full" : undefined;
  }

  #expiry(document: JsonObject, now: number): number | null {
    const { defaultTtl } = this.#options;
    if (defaultTtl === undefined) return null;
    const own = document["ttl"];
    const seconds = typeof own === "number" ? own : defaultTtl;
    return seconds < 0 ? null : now + seconds * 1000;
  }
}

const MOST_DOCUMENT_BYTES = COSMOS_LIMITS.documentBytes.value;

function columnsOf({ paths, unique }: ItemTableOptions): string[] {
  return [...paths, ...unique].map(({ name }) => name);
}
