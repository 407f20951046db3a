// The users of databases and the permissions of users, in SQLite: definitions that are read and written seldom.
import type { Database } from "../../database/database.ts";
import type { JsonObject } from "../sql/values.ts";
import { permissionRid, userRid } from "./resource-id.ts";

export type UserKind = "users" | "permissions";

export interface UserResource {
  readonly number: number;
  readonly rid: string;
  readonly definition: JsonObject;
}

const RID_OF = { users: userRid, permissions: permissionRid } as const;

/** A user's parent is a database, a permission's is a user, each named by its resource id. */
export class UserStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
    for (const kind of Object.keys(RID_OF)) {
      database.exec(`CREATE TABLE IF NOT EXISTS ${kind} (
        number INTEGER PRIMARY KEY AUTOINCREMENT, parent TEXT NOT NULL, id TEXT NOT NULL, body TEXT NOT NULL,
        UNIQUE (parent, id))`);
    }
  }

  list(kind: UserKind, parent: string): UserResource[] {
    const sql = `SELECT number, body FROM ${kind} WHERE parent = ? ORDER BY number`;
    return this.#database
      .prepare(sql)
      .all(parent)
      .map((row) => {
        const number = Number(row["number"]);
        return { number, rid: RID_OF[kind](parent, number), definition: JSON.parse(String(row["body"])) as JsonObject };
      });
  }

  find(kind: UserKind, parent: string, name: string): UserResource | undefined {
    const all = this.list(kind, parent);
    return all.find(({ definition }) => definition["id"] === name) ?? all.find(({ rid }) => rid === name);
  }

  /** Inside a write: undefined where another has the id. */
  put(kind: UserKind, parent: string, definition: JsonObject, old?: UserResource): UserResource | undefined {
    const id = String(definition["id"]);
    const other = this.find(kind, parent, id);
    if (other && other.number !== old?.number) return undefined;
    const body = JSON.stringify(definition);
    if (old) {
      this.#database.prepare(`UPDATE ${kind} SET id = ?, body = ? WHERE number = ?`).run(id, body, old.number);
      return { ...old, definition };
    }
    const insert = this.#database.prepare(`INSERT INTO ${kind} (parent, id, body) VALUES (?, ?, ?)`);
    const number = Number(insert.run(parent, id, body).lastInsertRowid);
    return { number, rid: RID_OF[kind](parent, number), definition };
  }

  /** Inside a write: a user goes with its permissions. */
  remove(kind: UserKind, { number, rid }: UserResource): void {
    this.#database.prepare(`DELETE FROM ${kind} WHERE number = ?`).run(number);
    if (kind === "users") this.#database.prepare("DELETE FROM permissions WHERE parent = ?").run(rid);
  }

  /** Inside a write: the users of a database that is deleted. */
  removeAll(database: string): void {
    for (const user of this.list("users", database)) this.remove("users", user);
  }
}
