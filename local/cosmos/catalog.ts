// The databases and containers, in memory for every request and in SQLite for the next start.
import type { Database } from "../database/database.ts";
import { completePolicy, type Indexing, pathName, readIndexing } from "./indexing.ts";
import { ItemTable, type ItemTableOptions } from "./item-table.ts";
import { HASH_FUNCTIONS } from "./partition-hash.ts";
import { isObject, type JsonObject } from "./sql/values.ts";

export interface Container {
  readonly id: string;
  readonly rid: string;
  readonly definition: JsonObject;
  /** The segments of each partition key path. */
  readonly partitionPaths: readonly (readonly string[])[];
  readonly indexing: Indexing;
  readonly items: ItemTable;
}

export interface DatabaseRecord {
  readonly id: string;
  readonly definition: JsonObject;
  readonly containers: Map<string, Container>;
}

interface ResourceRow {
  readonly number: number;
  readonly parent: string;
  readonly id: string;
  readonly body: string;
}

export class Catalog {
  readonly databases = new Map<string, DatabaseRecord>();
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
    for (const [name, run] of Object.entries(HASH_FUNCTIONS)) database.define(name, run);
    database.exec(`CREATE TABLE IF NOT EXISTS resources (
      number INTEGER PRIMARY KEY AUTOINCREMENT, parent TEXT NOT NULL, id TEXT NOT NULL, body TEXT NOT NULL,
      UNIQUE (parent, id))`);
    const rows = database.prepare("SELECT number, parent, id, body FROM resources ORDER BY parent, number").all();
    for (const row of rows as unknown as ResourceRow[]) {
      const definition = JSON.parse(row.body) as JsonObject;
      if (row.parent === "") this.databases.set(row.id, { id: row.id, definition, containers: new Map() });
      else this.databases.get(row.parent)?.containers.set(row.id, this.#open(row.parent, row.number, definition));
    }
  }

  container(database: string, id: string): Container | undefined {
    return this.databases.get(database)?.containers.get(id);
  }

  /** Resolves to undefined where that name is taken. */
  createDatabase(id: string): Promise<DatabaseRecord | undefined> {
    return this.#database.write(() => {
      if (this.databases.has(id)) return undefined;
      const number = this.#insert("", id);
      const rid = resourceRid(number);
      const definition = this.#save(number, { id, ...system(rid, `dbs/${rid}/`), _colls: "colls/", _users: "users/" });
      const record: DatabaseRecord = { id, definition, containers: new Map() };
      this.databases.set(id, record);
      return record;
    });
  }

  deleteDatabase(record: DatabaseRecord): Promise<void> {
    return this.#database.write(() => {
      for (const { items } of record.containers.values()) items.drop();
      this.#database
        .prepare("DELETE FROM resources WHERE parent = ? OR (parent = '' AND id = ?)")
        .run(record.id, record.id);
      this.databases.delete(record.id);
    });
  }

  createContainer(parent: DatabaseRecord, given: JsonObject): Promise<Container | undefined> {
    return this.#database.write(() => {
      const id = String(given["id"]);
      if (parent.containers.has(id)) return undefined;
      const number = this.#insert(parent.id, id);
      const rid = resourceRid(number, number);
      const definition = this.#save(number, {
        ...given,
        indexingPolicy: completePolicy(given["indexingPolicy"]),
        ...system(rid, `dbs/${parent.definition["_rid"]}/colls/${rid}/`),
        _docs: "docs/",
        _sprocs: "sprocs/",
        _triggers: "triggers/",
        _udfs: "udfs/",
        _conflicts: "conflicts/",
      });
      const container = this.#open(parent.id, number, definition);
      parent.containers.set(id, container);
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
        ...system(old.rid, String(kept["_self"])),
      });
      const container = this.#open(parent.id, number, definition, old.items);
      parent.containers.set(old.id, container);
      return container;
    });
  }

  deleteContainer(parent: DatabaseRecord, container: Container): Promise<void> {
    return this.#database.write(() => {
      container.items.drop();
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

  #open(database: string, number: number, definition: JsonObject, open?: ItemTable): Container {
    const id = String(definition["id"]);
    const rid = String(definition["_rid"]);
    const indexing = readIndexing(definition["indexingPolicy"]);
    const ttl = definition["defaultTtl"];
    const key = definition["partitionKey"];
    const paths = isObject(key) && Array.isArray(key["paths"]) ? key["paths"] : [];
    const options: ItemTableOptions = {
      number,
      rid,
      link: `dbs/${database}/colls/${id}`,
      paths: indexing.paths,
      defaultTtl: typeof ttl === "number" ? ttl : undefined,
    };
    open?.reconfigure(options);
    const partitionPaths = paths.map((path) => pathName(String(path)).slice(1).split("/"));
    return { id, rid, definition, partitionPaths, indexing, items: open ?? new ItemTable(this.#database, options) };
  }
}

function system(rid: string, self: string): JsonObject {
  const now = Date.now();
  return { _rid: rid, _self: self, _etag: `"${now.toString(16).padStart(16, "0")}"`, _ts: Math.floor(now / 1000) };
}

/** 4 bytes for a database, 8 for a container: the SDK drops the session tokens of any other length. */
function resourceRid(...numbers: readonly number[]): string {
  const bytes = Buffer.alloc(4 * numbers.length);
  numbers.forEach((number, index) => {
    bytes.writeUInt32BE(number, 4 * index);
  });
  return bytes.toString("base64").replaceAll("/", "-");
}
