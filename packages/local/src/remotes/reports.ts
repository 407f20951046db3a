// What a service does later: reported by a POST to the address that the request named, until somebody takes it. Kept in the database.
import type { Database } from "../database/database.ts";
import { inWords } from "../thrown.ts";

interface Report {
  readonly id: string;
  readonly url: string;
  readonly body: string;
  /** An instant in milliseconds. */
  readonly due: number;
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS reports (
    service TEXT NOT NULL,
    id TEXT NOT NULL,
    url TEXT NOT NULL,
    body TEXT NOT NULL,
    due INTEGER NOT NULL,
    PRIMARY KEY (service, id)
  );`;

const PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;
const ANSWER_WITHIN_MS = 10_000;

interface ReportsOptions {
  readonly database: Database;
  readonly service: string;
  readonly log: (line: string) => void;
}

/** Starts with those that an earlier process left. A report goes again until its answer is final: a success, or a 4xx but 429. */
export class Reports {
  readonly #options: ReportsOptions;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #waiting = new Map<string, Report>();
  #isClosed = false;

  constructor(options: ReportsOptions) {
    this.#options = options;
    const { database, service } = options;
    database.exec(SCHEMA);
    const rows = database.prepare("SELECT id, url, body, due FROM reports WHERE service = ?").all(service);
    for (const row of rows as unknown as Report[]) this.#schedule(row, row.due - Date.now(), PAUSE_MS);
  }

  /** Runs inside `Database.write`, with the effect that the report is of. */
  add(id: string, url: string, body: object, afterMs: number): void {
    const { database, service } = this.#options;
    const report = { id, url, body: JSON.stringify(body), due: Date.now() + afterMs };
    database
      .prepare("INSERT INTO reports (service, id, url, body, due) VALUES (?, ?, ?, ?, ?)")
      .run(service, id, url, report.body, report.due);
    this.#schedule(report, afterMs, PAUSE_MS);
    database.onRollback(() => this.#forget(id));
  }

  /** What is taken back is not reported any more. Runs inside `Database.write`. */
  drop(id: string): void {
    const { database, service } = this.#options;
    const report = this.#waiting.get(id);
    this.#forget(id);
    // It is kept for the next process, and so it goes again here too.
    if (report)
      database.onRollback(() => this.#schedule(report, Math.max(report.due - Date.now(), PAUSE_MS), PAUSE_MS));
    database.prepare("DELETE FROM reports WHERE service = ? AND id = ?").run(service, id);
  }

  /** What is not reported yet, is by the next process. */
  close(): void {
    this.#isClosed = true;
    for (const id of [...this.#timers.keys()]) this.#forget(id);
  }

  #forget(id: string): void {
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
    this.#waiting.delete(id);
  }

  #schedule(report: Report, afterMs: number, pauseMs: number): void {
    if (this.#isClosed) return;
    this.#waiting.set(report.id, report);
    const timer = setTimeout(() => void this.#send(report, pauseMs), Math.max(afterMs, 0));
    this.#timers.set(report.id, timer);
  }

  async #send(report: Report, pauseMs: number): Promise<void> {
    const { database, service, log } = this.#options;
    // Scheduled inside the write of the effect, which may not be on the disk yet.
    await database.flushed();
    const answer = await post(report);
    if (this.#isClosed || !this.#timers.has(report.id)) return;
    if (answer === "again") {
      this.#schedule(report, pauseMs, Math.min(pauseMs * 2, LONGEST_PAUSE_MS));
      return;
    }
    if (answer >= 400) log(`${service}: the report of ${report.id} was answered with ${answer}`);
    await database.write(() => this.drop(report.id)).catch((cause: unknown) => log(`${service}: ${inWords(cause)}`));
  }
}

/** The status of a final answer. */
async function post({ url, body }: Report): Promise<number | "again"> {
  try {
    const headers = { "Content-Type": "application/json" };
    const { status } = await fetch(url, {
      method: "POST",
      headers,
      body,
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    return status >= 500 || status === 429 ? "again" : status;
  } catch {
    return "again";
  }
}
