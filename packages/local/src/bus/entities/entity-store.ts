// Queues, topics, subscriptions and rules in SQLite.
import type { Database } from "../../database/database.ts";
import type { ArmProperties, EntityKind } from "../queue/queue-settings.ts";

export interface EntityRow {
  readonly number: number;
  readonly kind: EntityKind;
  /** Of a subscription: `topic/Subscriptions/name`. */
  readonly name: string;
  readonly properties: ArmProperties;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly nextSequence: number;
}

export interface RuleRow {
  readonly name: string;
  readonly properties: ArmProperties;
  readonly createdAt: number;
}

/** What writes has to be called inside a commit. */
export class EntityStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  all(): EntityRow[] {
    const rows = this.#database.prepare("SELECT * FROM queue ORDER BY number").all();
    return rows.map((row) => ({
      number: Number(row["number"]),
      kind: String(row["kind"]) as EntityKind,
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
        `INSERT OR REPLACE INTO queue (number, kind, name, properties, created_at, updated_at, next_sequence)
         VALUES (?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        row.number,
        row.kind,
        row.name,
        JSON.stringify(row.properties),
        row.createdAt,
        row.updatedAt,
        row.nextSequence,
      );
  }

  delete(number: number): void {
    this.#database.prepare("DELETE FROM queue WHERE number = ?").run(number);
    this.#database.prepare("DELETE FROM rule WHERE queue = ?").run(number);
  }

  reserveSequences(number: number, next: number): void {
    this.#database.prepare("UPDATE queue SET next_sequence = ? WHERE number = ?").run(next, number);
  }

  rules(number: number): RuleRow[] {
    const rows = this.#database.prepare("SELECT * FROM rule WHERE queue = ? ORDER BY created_at, name").all(number);
    return rows.map((row) => ({
      name: String(row["name"]),
      properties: JSON.parse(String(row["properties"])) as ArmProperties,
      createdAt: Number(row["created_at"]),
    }));
  }

  putRule(number: number, { name, properties, createdAt }: RuleRow): void {
    this.#database
      .prepare("INSERT OR REPLACE INTO rule VALUES (?, ?, ?, ?)")
      .run(number, name, JSON.stringify(properties), createdAt);
  }

  deleteRule(number: number, name: string): void {
    this.#database.prepare("DELETE FROM rule WHERE queue = ? AND name = ?").run(number, name);
  }
}
