// Durable storage for every server of the local stack: SQLite behind a group commit, so that one flush serves many callers.
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";

/** `full` flushes to disk at every commit and survives power loss; `normal` survives a crash of the process. */
export type Durability = "full" | "normal";

export interface DatabaseCounts {
  /** Transactions committed; in `full` durability each is one flush. */
  readonly commits: number;
  /** Units of work that those transactions carried. */
  readonly writes: number;
}

interface Waiting {
  readonly work: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (cause: unknown) => void;
}

export interface DatabaseOptions {
  /** `shrink` gives free pages back. A file that was made without it is rewritten when it is opened with most of it free. */
  readonly shrinks?: boolean;
}

const BUSY_TIMEOUT_MS = 5000;
const MOST_STATEMENTS = 2000;
/** Pages: of 4 KB each these are 100 MB, and take about a second. */
const MOST_COPIED = 25_000;
/** The value of `PRAGMA auto_vacuum`. */
const INCREMENTAL = 2;

export class Database {
  readonly #sqlite: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #waiting: Waiting[] = [];
  #flush: NodeJS.Immediate | undefined;
  #commits = 0;
  #writes = 0;

  /** @param path a file, whose folder is made, or `:memory:`. */
  constructor(path: string, durability: Durability = "normal", { shrinks = false }: DatabaseOptions = {}) {
    if (path !== ":memory:") mkdirSync(dirname(path), { recursive: true });
    this.#sqlite = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
    if (shrinks) this.#makeShrinking();
    this.#sqlite.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${durability === "full" ? "FULL" : "NORMAL"}`);
  }

  /** Runs statements at once, outside any group: for the schema, at start. */
  exec(sql: string): void {
    this.#sqlite.exec(sql);
  }

  /** Makes a function of one text, that gives the same text for the same, known to SQL by `name`. */
  define(name: string, run: (text: string) => string): void {
    this.#sqlite.function(name, { deterministic: true }, (text) => run(String(text)));
  }

  /** The prepared statement for `sql`, prepared once and kept while there are not too many. */
  prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      if (this.#statements.size >= MOST_STATEMENTS) this.#statements.clear();
      statement = this.#sqlite.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  /**
   * Runs `work` in the transaction of this turn of the event loop and resolves with its result after COMMIT.
   * Work is synchronous and sees the work queued before it. A throw means a bug or a full disk: the whole group is
   * rolled back and every waiter rejects, so expected refusals are returned, and partial work is undone by `savepoint`.
   * Rejects once the database is closed.
   */
  write<T>(work: () => T): Promise<T> {
    if (!this.#sqlite.isOpen) return Promise.reject(new Error("the database is closed"));
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, resolve: resolve as (value: unknown) => void, reject });
      this.#flush ??= setImmediate(() => this.#commitGroup());
    });
  }

  /** Inside `write`: runs `work`, and takes back its changes alone when it throws or returns a value that `keep` refuses. */
  savepoint<T>(work: () => T, keep: (value: T) => boolean): T {
    this.prepare("SAVEPOINT work").run();
    let kept = false;
    try {
      const value = work();
      kept = keep(value);
      return value;
    } finally {
      // A full disk can have ended the whole transaction, and the savepoint with it.
      if (this.#sqlite.isTransaction) {
        if (!kept) this.prepare("ROLLBACK TO work").run();
        this.prepare("RELEASE work").run();
      }
    }
  }

  /** Inside `write`: gives up to so many free pages back to the system, and says how many are still free. */
  shrink(pages: number): number {
    this.#sqlite.exec(`PRAGMA incremental_vacuum(${pages})`);
    // A file that cannot shrink yet keeps them.
    return this.#pragma("auto_vacuum") === INCREMENTAL ? this.freePages : 0;
  }

  /** Outside of `write`: brings the file itself up to date. */
  checkpoint(): void {
    this.#sqlite.exec("PRAGMA wal_checkpoint");
  }

  /** Of a database that is closed 0. */
  get freePages(): number {
    return this.#sqlite.isOpen ? this.#pragma("freelist_count") : 0;
  }

  get counts(): DatabaseCounts {
    return { commits: this.#commits, writes: this.#writes };
  }

  /** Commits what waits, then closes the file. */
  close(): void {
    if (this.#flush) clearImmediate(this.#flush);
    this.#commitGroup();
    this.#sqlite.close();
  }

  /** Takes effect where no table is there yet, or with VACUUM, which copies what is not free in one go. */
  #makeShrinking(): void {
    if (this.#pragma("auto_vacuum") === INCREMENTAL) return;
    this.#sqlite.exec(`PRAGMA auto_vacuum = ${INCREMENTAL}`);
    const free = this.freePages;
    const used = this.#pragma("page_count") - free;
    if (free <= used || used > MOST_COPIED) return;
    try {
      this.#sqlite.exec("VACUUM");
    } catch {
      // No room for the copy, or somebody else has the file open: it stays as it is.
    }
  }

  #pragma(name: string): number {
    return Number(this.#sqlite.prepare(`PRAGMA ${name}`).get()?.[name]);
  }

  #commitGroup(): void {
    this.#flush = undefined;
    const group = this.#waiting;
    if (group.length === 0) return;
    this.#waiting = [];
    const results: unknown[] = [];
    try {
      this.prepare("BEGIN IMMEDIATE").run();
      for (const { work } of group) results.push(work());
      this.prepare("COMMIT").run();
    } catch (cause) {
      if (this.#sqlite.isTransaction) this.#sqlite.exec("ROLLBACK");
      for (const { reject } of group) reject(cause);
      return;
    }
    this.#commits += 1;
    this.#writes += group.length;
    group.forEach(({ resolve }, index) => {
      resolve(results[index]);
    });
  }
}
