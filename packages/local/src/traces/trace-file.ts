// Where traces are kept: one SQLite file, written by the receiver and read by whoever wants to see them, running or not.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Database, type Durability } from "../database/database.ts";
import type { Attributes, LogEvent, Point, Span } from "./otlp-json.ts";

/** The newest of each are kept. */
export interface Retention {
  readonly spans: number;
  readonly events: number;
}

const RETENTION: Retention = { spans: 100_000, events: 100_000 };
/** Series of metrics; more than these are not taken. */
const SERIES = 10_000;
const TRIM_EVERY = 1000;

const SCHEMA = `
CREATE TABLE IF NOT EXISTS spans (
  seq INTEGER PRIMARY KEY, traceId TEXT NOT NULL, spanId TEXT NOT NULL, parentId TEXT, name TEXT NOT NULL, kind TEXT NOT NULL,
  startUs INTEGER NOT NULL, endUs INTEGER NOT NULL, attributes TEXT NOT NULL, isError INTEGER NOT NULL, message TEXT,
  service TEXT NOT NULL, UNIQUE (traceId, spanId));
CREATE TABLE IF NOT EXISTS events (
  seq INTEGER PRIMARY KEY, traceId TEXT, spanId TEXT, atUs INTEGER NOT NULL, name TEXT NOT NULL, severity TEXT NOT NULL,
  attributes TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS eventsOfTrace ON events (traceId);
CREATE TABLE IF NOT EXISTS points (
  metric TEXT NOT NULL, attributes TEXT NOT NULL, kind TEXT NOT NULL, unit TEXT NOT NULL, atUs INTEGER NOT NULL,
  value REAL NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (metric, attributes));`;

const fileIn = (data: string) => join(data, "traces.sqlite");

export class TraceWriter {
  readonly #database: Database;
  readonly #retention: Retention;
  #sinceTrim = 0;

  /** @param data a folder, made if absent */
  constructor(data: string, durability: Durability = "normal", retention: Retention = RETENTION) {
    this.#database = new Database(fileIn(data), durability);
    this.#database.exec(SCHEMA);
    this.#retention = retention;
  }

  /** Why nothing more is taken. */
  roomFault(): string | undefined {
    return this.#database.roomFault();
  }

  get counts() {
    return this.#database.counts;
  }

  /** A batch that is sent again, for its answer was lost, changes nothing. */
  spans(spans: readonly Span[]): Promise<void> {
    return this.#database.write(() => {
      const insert = this.#database.prepare(
        `INSERT OR IGNORE INTO spans (traceId, spanId, parentId, name, kind, startUs, endUs, attributes, isError, message, service)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      );
      for (const span of spans) {
        const { traceId, spanId, parentId, name, kind, startUs, endUs, attributes, isError, message, service } = span;
        const json = JSON.stringify(attributes);
        insert.run(traceId, spanId, parentId, name, kind, startUs, endUs, json, isError ? 1 : 0, message, service);
      }
      this.#trim(spans.length);
    });
  }

  events(events: readonly LogEvent[]): Promise<void> {
    return this.#database.write(() => {
      const insert = this.#database.prepare(
        "INSERT INTO events (traceId, spanId, atUs, name, severity, attributes) VALUES (?, ?, ?, ?, ?, ?)",
      );
      for (const { traceId, spanId, atUs, name, severity, attributes } of events)
        insert.run(traceId, spanId, atUs, name, severity, JSON.stringify(attributes));
      this.#trim(events.length);
    });
  }

  points(points: readonly Point[]): Promise<void> {
    return this.#database.write(() => {
      const known = this.#database.prepare("SELECT COUNT(*) AS n FROM points").get() as { n: number };
      if (known.n > SERIES) this.#database.prepare("DELETE FROM points").run();
      const insert = this.#database.prepare(
        "INSERT OR REPLACE INTO points (metric, attributes, kind, unit, atUs, value, count) VALUES (?, ?, ?, ?, ?, ?, ?)",
      );
      for (const { metric, attributes, kind, unit, atUs, value, count } of points)
        insert.run(metric, JSON.stringify(attributes), kind, unit, atUs, value, count);
    });
  }

  close(): void {
    this.#database.close();
  }

  #trim(added: number): void {
    this.#sinceTrim += added;
    if (this.#sinceTrim < TRIM_EVERY) return;
    this.#sinceTrim = 0;
    for (const table of ["spans", "events"] as const)
      this.#database
        .prepare(`DELETE FROM ${table} WHERE seq <= (SELECT MAX(seq) FROM ${table}) - ?`)
        .run(this.#retention[table]);
  }
}

export interface Trace {
  readonly traceId: string;
  readonly spans: readonly Span[];
  readonly events: readonly LogEvent[];
}

export interface TraceReader {
  /** The traces in which some span has this attribute, whole, the oldest first. */
  tracesWith(attribute: string, value: string): Trace[];
  /** The events' names, each with how often it came. */
  eventNames(): ReadonlyMap<string, number>;
  eventsNamed(name: string): LogEvent[];
  /** The last values. */
  points(): Point[];
  close(): void;
}

type Row = { readonly attributes: string };
type SpanRow = Omit<Span, "isError"> & { readonly isError: number };

/** Undefined where no receiver has ever kept anything in that folder. */
export function openTraces(data: string): TraceReader | undefined {
  const file = fileIn(data);
  if (!existsSync(file)) return undefined;
  const sqlite = new DatabaseSync(file, { readOnly: true, timeout: 5000 });
  const all = <T>(sql: string, ...values: string[]) => {
    const rows = sqlite.prepare(sql).all(...values) as unknown as Row[];
    return rows.map((row) => ({ ...row, attributes: JSON.parse(row.attributes) as Attributes }) as T);
  };
  return {
    tracesWith(attribute, value) {
      const found = sqlite
        .prepare(
          "SELECT traceId, MIN(startUs) AS first FROM spans WHERE attributes ->> ? = ? GROUP BY traceId ORDER BY first",
        )
        .all(`$.${JSON.stringify(attribute)}`, value) as unknown as { traceId: string }[];
      return found.map(({ traceId }) => ({
        traceId,
        spans: all<SpanRow>("SELECT * FROM spans WHERE traceId = ? ORDER BY startUs, seq", traceId).map((row) => ({
          ...row,
          isError: row.isError === 1,
        })),
        events: all<LogEvent>("SELECT * FROM events WHERE traceId = ? ORDER BY atUs, seq", traceId),
      }));
    },
    eventNames() {
      const rows = sqlite.prepare("SELECT name, COUNT(*) AS times FROM events GROUP BY name ORDER BY name").all();
      return new Map((rows as unknown as { name: string; times: number }[]).map(({ name, times }) => [name, times]));
    },
    eventsNamed: (name) => all<LogEvent>("SELECT * FROM events WHERE name = ? ORDER BY atUs, seq", name),
    points: () => all<Point>("SELECT * FROM points ORDER BY metric, attributes"),
    close: () => sqlite.close(),
  };
}
