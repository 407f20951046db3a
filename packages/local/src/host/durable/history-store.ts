// The histories of orchestrations in SQLite, one row a turn.
//
// The rows stand in the order in which they were written, and an index finds those of an instance. In a table without
// rowid a row of more than 1 KB takes a page of its own, and each turn writes into another place of the file.
// A history that is over becomes one row of compressed text (`packing.ts`).
import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { Database } from "../../database/database.ts";
import { EventType, endedTask, type HistoryEvent } from "./history.ts";
import { readEvents, writeEvents } from "./stored-events.ts";

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS turns (
    n INTEGER PRIMARY KEY, int INTEGER NOT NULL, seq INTEGER NOT NULL, events TEXT NOT NULL, UNIQUE (int, seq))`;

/** All turns of one history in one row. */
export interface PackedHistory {
  readonly int: number;
  readonly turns: number;
  readonly events: Uint8Array;
}

/** The quickest: what ended orchestrations have in common is most of it. */
const COMPRESSION = { level: 1 };

/** Every method that changes something is to be called inside `Database.write`. */
export class HistoryStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
    db.exec(SCHEMA);
  }

  append(int: number, seq: number, events: readonly HistoryEvent[]): void {
    this.#db.prepare("INSERT INTO turns (int, seq, events) VALUES (?, ?, ?)").run(int, seq, writeEvents(events));
  }

  remove(int: number): void {
    this.#db.prepare("DELETE FROM turns WHERE int = ?").run(int);
  }

  /**
   * The events of all turns, oldest first, and the number of turns.
   * @param inputOf gives the input of the orchestration
   */
  read(int: number, inputOf: () => string | null): { events: HistoryEvent[]; turns: number } {
    const rows = this.#db.prepare("SELECT events FROM turns WHERE int = ? ORDER BY seq").all(int);
    const texts = rows.map(({ events }) =>
      events instanceof Uint8Array ? inflateRawSync(events).toString() : String(events),
    );
    if (texts.length === 0) return { events: [], turns: 0 };
    const input = inputOf();
    const events = texts.flatMap((text) => readEvents(text, input));
    return { events, turns: texts.length };
  }

  /** The history in one piece, without what only work that is open needs: the inputs of tasks that have ended. */
  pack(int: number): PackedHistory | undefined {
    const { events, turns } = this.read(int, () => null);
    if (turns < 2) return undefined;
    const ended = new Set(events.map(endedTask));
    const kept = events.map((event) => {
      if (event.EventType !== EventType.taskScheduled || !ended.has(event.EventId)) return event;
      const { Input: _, ...rest } = event;
      return rest;
    });
    return { int, turns, events: deflateRawSync(writeEvents(kept), COMPRESSION) };
  }

  /** Puts the piece in the place of the turns, if they still are what it was made of. */
  putPack({ int, turns, events }: PackedHistory): boolean {
    const found = this.#db.prepare("SELECT count(*) AS n FROM turns WHERE int = ?").get(int);
    if (Number(found?.["n"]) !== turns) return false;
    this.#db.prepare("DELETE FROM turns WHERE int = ?").run(int);
    this.#db.prepare("INSERT INTO turns (int, seq, events) VALUES (?, 0, ?)").run(int, events);
    return true;
  }
}
