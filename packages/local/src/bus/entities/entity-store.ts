// Queues in SQLite.
import type { Database } from "../../database/database.ts";
import type { ArmProperties } from "../queue/queue-settings.ts";
import { NO_TOPICS } from "./entity-path.ts";

export interface EntityRow {
  readonly number: number;
  readonly name: string;
  readonly properties: ArmProperties;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly nextSequence: number;
}

/** What writes has to be called inside a commit. */
export class EntityStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Throws where an earlier version kept a topic. */
  all(): EntityRow[] {
    const rows = this.#database.prepare("SELECT * FROM queue ORDER BY number").all();
    const other = rows.find(({ kind = "queue" }) => kind !== "queue");
    if (other) throw new Error(`${NO_TOPICS} Its data has the ${other["kind"]} ${other["name"]}: delete its folder.`);
    return rows.map((row) => ({
      number: Number(row["number"]),
      name: String(row["name"]),
      properties: JSON.parse(String(row["properties"])) as ArmProperties,
      createdAt: Number(row["created_at"]),
      updatedAt: Number(row["updated_at"]),
      nextSequence: Number(row["next_sequence"]),
    }));
  }

  put(row: EntityRow): void {
    this.#database
      .prepare(
        `INSERT OR REPLACE INTO queue (number, name, properties, created_at, updated_at, next_sequence)
         VALUES (?, ?, ?, ?, ?, ?)`,
      )
      .run(row.number, row.name, JSON.stringify(row.properties), row.createdAt, row.updatedAt, row.nextSequence);
  }

  delete(number: number): void {
    this.#database.prepare("DELETE FROM queue WHERE number = ?").run(number);
  }

  reserveSequences(number: number, next: number): void {
    this.#database.prepare("UPDATE queue SET next_sequence = ? WHERE number = ?").run(next, number);
  }
}
