// The databases and containers, in memory for every request and in SQLite for the next start.
import type { Database } from "../../database/database.ts";
import { KeptMap } from "../../database/kept-map.ts";
import { isObject, type JsonObject } from "../../json.ts";
import { ItemTable, type ItemTableOptions } from "../items/item-table.ts";
import { KeyRoom } from "../items/key-room.ts";
import { readUniqueKeys } from "../items/unique-keys.ts";
import { COSMOS_LIMITS } from "../limits.ts";
import { KeyRanges } from "../partitions/key-ranges.ts";
import { HASH_FUNCTIONS } from "../partitions/partition-hash.ts";
import { completePolicy, pathSegments, readIndexing } from "../queries/indexing.ts";
import type { Container } from "./container.ts";
import { containerRid, databaseRid, documentSeq } from "./resource-id.ts";

export interface DatabaseRecord {
  readonly id: string;
  readonly rid: string;
  readonly definition: JsonObject;
  readonly containers: Map<string, Container>;
}

interface ResourceRow {
  readonly number: number;
  readonly parent: string;
  readonly id: string;
  readonly body: string;
}

const LAST_WRITER_WINS: JsonObject = {
  mode: "LastWriterWins",
  conflictResolutionPath: "/_ts",
  conflictResolutionProcedure: "",
};

const GIGABYTE = 1024 ** 3;

export class Catalog {
  readonly databases: Map<string, DatabaseRecord>;
  readonly ranges: KeyRanges;
  readonly #database: Database;
  readonly #room: KeyRoom;

  /** @param gigabyte the bytes that count as one where storage is limited */
  constructor(database: Database, gigabyte = GIGABYTE) {
    this.#database = database;
    this.#room = new KeyRoom(database, COSMOS_LIMITS.keyGigabytes.value * gigabyte);
    this.databases = new KeptMap(database);
    this.ranges = new KeyRanges(database);
    for (const [name, run] of Object.entries(HASH_FUNCTIONS)) database.define(name, run);
    database.exec(`CREATE TABLE IF NOT EXISTS resources (
      number INTEGER PRIMARY KEY AUTOINCREMENT, parent TEXT NOT NULL, id TEXT NOT NULL, body TEXT NOT NULL,
      UNIQUE (parent, id))`);
    const rows = database.prepare("SELECT number, parent, id, body FROM resources ORDER BY parent, number").all();
    for (const row of rows as unknown as ResourceRow[]) {
      const definition = JSON.parse(row.body) as JsonObject;
      const parent = this.databases.get(row.parent);
      if (row.parent === "") this.#openDatabase(row.id, row.number, definition);
      else if (parent) parent.containers.set(row.id, this.#open(parent, row.number, definition));
    }
  }

  container(database: string, id: string): Container | undefined {
    return this.databases.get(database)?.containers.get(id);
  }

  /** The names in a path, of which the clients also write resource ids: database, container, document. */
  names(given: readonly string[]): readonly string[] {
    const [first = "", second, third] = given;
    const parent = this.databases.get(first) ?? [...this.databases.values()].find(({ rid }) => rid === first);
    if (!parent || parent.id === first || second === undefined) return [parent?.id ?? first, ...given.slice(1)];
    const container = [...parent.containers.values()].find(({ rid }) => rid === second);
    const seq = container && third !== undefined ? documentSeq(container.rid, third) : undefined;
    const document = seq === undefined ? third : (container?.items.idOf(seq) ?? third);
    return [parent.id, container?.id ?? second, ...(document === undefined ? [] : [document])];
  }

  /** Resolves to undefined where that name is taken. */
  createDatabase(id: string): Promise<DatabaseRecord | undefined> {
    return this.#database.write(() => {
      if (this.databases.has(id)) return undefined;
      const number = this.#insert("", id);
      const definition = this.#save(number, { id, ...systemProperties(), _colls: "colls/", _users: "users/" });
      return this.#openDatabase(id, number, definition);
    });
  }

  deleteDatabase(record: DatabaseRecord): Promise<void> {
    return this.#database.write(() => {
      for (const { items, rid } of record.containers.values()) {
        items.drop();
        this.ranges.forget(rid);
      }
      this.#database
        .prepare("DELETE FROM resources WHERE parent = ? OR (parent = '' AND id = ?)")
        .run(record.id, record.id);
      this.databases.delete(record.id);
    });
  }

  /** With a throughput it has as many physical partitions as Azure gives it. */
  createContainer(parent: DatabaseRecord, given: JsonObject, throughput = 0): Promise<Container | undefined> {
    return this.#database.write(() => {
      const id = String(given["id"]);
      if (parent.containers.has(id)) return undefined;
      const number = this.#insert(parent.id, id);
      const definition = this.#save(number, {
        conflictResolutionPolicy: LAST_WRITER_WINS,
        geospatialConfig: { type: "Geography" },
        ...given,
        indexingPolicy: completePolicy(given["indexingPolicy"]),
        ...systemProperties(),
        _docs: "docs/",
        _sprocs: "sprocs/",
        _triggers: "triggers/",
        _udfs: "udfs/",
        _conflicts: "conflicts/",
      });
      const container = this.#open(parent, number, definition);
      parent.containers.set(id, container);
      this.ranges.divide(container, throughput);
      return container;
    });
  }

  /** A new indexing policy or time to live; indexes are built at once, expiries count from the next write. */
  replaceContainer(parent: DatabaseRecord, old: Container, given: JsonObject): Promise<Container> {
    return this.#database.write(() => {
      const { defaultTtl: _, ...kept } = old.definition;
      const number = this.#number(parent.id, old.id);
      const definition = this.#save(number, {
        ...kept,
        ...given,
        indexingPolicy: completePolicy(given["indexingPolicy"] ?? kept["indexingPolicy"]),
        ...systemProperties(),
      });
      const container = this.#open(parent, number, definition, old.items);
      parent.containers.set(old.id, container);
      return container;
    });
  }

  deleteContainer(parent: DatabaseRecord, container: Container): Promise<void> {
    return this.#database.write(() => {
      container.items.drop();
      this.ranges.forget(container.rid);
      this.#database.prepare("DELETE FROM resources WHERE parent = ? AND id = ?").run(parent.id, container.id);
      parent.containers.delete(container.id);
    });
  }

  #insert(parent: string, id: string): number {
    const insert = this.#database.prepare("INSERT INTO resources (parent, id, body) VALUES (?, ?, '')");
    return Number(insert.run(parent, id).lastInsertRowid);
  }

  #number(parent: string, id: string): number {
    return Number(
      this.#database.prepare("SELECT number FROM resources WHERE parent = ? AND id = ?").get(parent, id)?.["number"],
    );
  }

  #save(number: number, definition: JsonObject): JsonObject {
    this.#database.prepare("UPDATE resources SET body = ? WHERE number = ?").run(JSON.stringify(definition), number);
    return definition;
  }

  #openDatabase(id: string, number: number, definition: JsonObject): DatabaseRecord {
    const rid = databaseRid(number);
    const named = { ...definition, _rid: rid, _self: `dbs/${rid}/` };
    const record: DatabaseRecord = { id, rid, definition: named, containers: new KeptMap(this.#database) };
    this.databases.set(id, record);
    return record;
  }

  #open(parent: DatabaseRecord, number: number, given: JsonObject, open?: ItemTable): Container {
    const id = String(given["id"]);
    const rid = containerRid(parent.rid, number);
    const self = `dbs/${parent.rid}/colls/${rid}/`;
    const definition: JsonObject = { ...given, _rid: rid, _self: self };
    const indexing = readIndexing(definition["indexingPolicy"]);
    const ttl = given["defaultTtl"];
    const key = given["partitionKey"];
    const paths = isObject(key) && Array.isArray(key["paths"]) ? key["paths"] : [];
    const options: ItemTableOptions = {
      number,
      rid,
      self,
      link: `dbs/${parent.id}/colls/${id}`,
      paths: indexing.paths,
      unique: readUniqueKeys(given["uniqueKeyPolicy"]),
      defaultTtl: typeof ttl === "number" ? ttl : undefined,
      room: this.#room,
    };
    open?.reconfigure(options);
    const partitionPaths = paths.map((path) => pathSegments(String(path)));
    return { id, rid, definition, partitionPaths, indexing, items: open ?? new ItemTable(this.#database, options) };
  }
}

/** The link and id of a resource follow from its number; they are added when it is opened. */
function systemProperties(): JsonObject {
  const now = Date.now();
  return { _etag: `"${now.toString(16).padStart(16, "0")}"`, _ts: Math.floor(now / 1000) };
}
