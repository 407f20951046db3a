// Durable storage for every server of the local stack: SQLite behind a group commit, so that one flush serves many callers,
// and the wait for the disk off the event loop.
import { dirname } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { makeFolder } from "../make-folder.ts";
import { inWords } from "../thrown.ts";
import { DiskRoom } from "./disk-room.ts";
import { Statements } from "./statements.ts";
import { WriteAheadLog } from "./write-ahead-log.ts";

/** `full` flushes to disk at every commit and survives power loss; `normal` survives a crash of the process. */
export type Durability = "full" | "normal";

export interface DatabaseCounts {
  /** Transactions committed. */
  readonly commits: number;
  /** Of the log, after a commit: none in `normal` durability. SQLite's own, at checkpoints, are not counted. */
  readonly flushes: number;
  /** Units of work that those transactions carried. */
  readonly writes: number;
}

interface Waiting {
  readonly work: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (cause: unknown) => void;
}

interface DatabaseOptions {
  /** `shrink` gives free pages back. A file that was made without it is rewritten when it is opened with most of it free. */
  readonly shrinks?: boolean;
}

/** Rows are committed and perhaps not on the disk, where nothing can be done about it. */
export class FlushFault extends Error {
  override readonly name = "FlushFault";
}

const BUSY_TIMEOUT_MS = 5000;
/** Pages: of 4 KB each these are 100 MB, and take about a second. */
const MOST_COPIED = 25_000;
/** The value of `PRAGMA auto_vacuum`. */
const INCREMENTAL = 2;

/** A group that is committed and not yet on the disk. */
interface Unflushed {
  readonly settle: () => void;
  readonly flushed: PromiseWithResolvers<void>;
}

const NOTHING_UNFLUSHED = Promise.resolve();

/**
 * In `full` durability SQLite itself flushes only at checkpoints (WAL mode with `synchronous = NORMAL`). After each COMMIT the log is
 * flushed on another thread, and the writes resolve after that. Writes that come meanwhile wait and are the next group: so nothing
 * is committed between a COMMIT and the end of its flush, but reads outside of `write` can see what a power loss may still take.
 *
 * A flush that fails ends the process by an uncaught `FlushFault`: the system may have dropped what it could not write, and the next
 * flush then succeeds without it (as PostgreSQL ends at a failed fsync). The next start checkpoints what it finds in the log.
 */
export class Database {
  readonly #path: string;
  readonly #sqlite: DatabaseSync;
  readonly #log: WriteAheadLog | undefined;
  readonly #statements: Statements;
  readonly #room: DiskRoom | undefined;
  #waiting: Waiting[] = [];
  /** What puts back the memory of the group that is being written. */
  #undo: (() => void)[] = [];
  #scheduled: NodeJS.Immediate | undefined;
  #unflushed: Unflushed | undefined;
  #fault: FlushFault | undefined;
  #commits = 0;
  #flushes = 0;
  #writes = 0;

  /** @param path a file, whose folder is made, or `:memory:`. */
  constructor(path: string, durability: Durability = "normal", { shrinks = false }: DatabaseOptions = {}) {
    if (path !== ":memory:") makeFolder(dirname(path));
    this.#path = path;
    this.#room = path === ":memory:" ? undefined : new DiskRoom(dirname(path));
    this.#sqlite = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
    this.#statements = new Statements(this.#sqlite);
    if (shrinks) this.#makeShrinking();
    this.#sqlite.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
    const file = this.#sqlite.location();
    if (durability === "normal" || file === null) return;
    this.#log = new WriteAheadLog(file);
    // What a process that was killed has left in the log may not be on the disk, and is read from now on.
    this.checkpoint();
  }

  /** The file, or `:memory:`. */
  get path(): string {
    return this.#path;
  }

  /** Why a server should take nothing more to store; undefined where the disk has room. What is stored can still be ended and deleted. */
  roomFault(): string | undefined {
    return this.#room?.fault();
  }

  /** Runs statements at once, outside any group: for the schema, at start. */
  exec(sql: string): void {
    this.#sqlite.exec(sql);
  }

  /** Makes a function of one text, that gives the same text for the same, known to SQL by `name`. */
  define(name: string, run: (text: string) => string): void {
    this.#statements.define(name, run);
  }

  /** The prepared statement for `sql`, prepared once and kept while there are not too many. */
  prepare(sql: string): StatementSync {
    return this.#statements.prepare(sql);
  }

  /**
   * Runs `work` in the next transaction and resolves with its result after COMMIT, and in `full` durability after a flush that began
   * after the COMMIT. Writes resolve in their order.
   * Work is synchronous and sees the work queued before it. A throw means a bug or a full disk: the whole group is
   * rolled back and every waiter rejects, so expected refusals are returned, and partial work is undone by `savepoint`.
   * Rejects once the database is closed.
   */
  write<T>(work: () => T): Promise<T> {
    if (!this.#sqlite.isOpen) return Promise.reject(new Error("the database is closed"));
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, resolve: resolve as (value: unknown) => void, reject });
      this.#schedule();
    });
  }

  /**
   * Resolves when all that a read has seen is on the disk, at once where it is. What leaves the process after a read outside of
   * `write` waits for this.
   */
  flushed(): Promise<void> {
    return this.#unflushed?.flushed.promise ?? NOTHING_UNFLUSHED;
  }

  /** Inside `write`: `undo` runs if what was written is not kept, the last one first. It puts back what the write changes in memory. */
  onRollback(undo: () => void): void {
    if (this.#sqlite.isTransaction) this.#undo.push(undo);
  }

  /** Inside `write`: runs `work`, and takes back its changes alone when it throws or returns a value that `keep` refuses. */
  savepoint<T>(work: () => T, keep: (value: T) => boolean): T {
    this.prepare("SAVEPOINT work").run();
    const before = this.#undo.length;
    let kept = false;
    try {
      const value = work();
      kept = keep(value);
      return value;
    } finally {
      if (!kept) this.#putBack(before);
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
    return { commits: this.#commits, flushes: this.#flushes, writes: this.#writes };
  }

  /** Commits and flushes what waits, then closes the file. Throws a `FlushFault`. */
  close(): void {
    if (this.#scheduled) clearImmediate(this.#scheduled);
    this.#flushNow();
    this.#commitGroup();
    this.#flushNow();
    this.#log?.close();
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

  #schedule(): void {
    if (this.#unflushed || this.#waiting.length === 0) return;
    this.#scheduled ??= setImmediate(() => {
      this.#scheduled = undefined;
      // Asked for by the work of a group whose flush has begun: its end goes on with this.
      if (this.#unflushed) return;
      this.#commitGroup();
      this.#flush();
    });
  }

  #commitGroup(): void {
    const group = this.#waiting;
    if (group.length === 0) return;
    this.#waiting = [];
    this.#undo = [];
    const results: unknown[] = [];
    try {
      this.prepare("BEGIN IMMEDIATE").run();
      for (const { work } of group) results.push(work());
      this.prepare("COMMIT").run();
    } catch (cause) {
      if (this.#sqlite.isTransaction) this.#sqlite.exec("ROLLBACK");
      this.#putBack(0);
      for (const { reject } of group) reject(cause);
      return;
    }
    this.#commits += 1;
    this.#writes += group.length;
    const settle = () => {
      group.forEach(({ resolve }, index) => {
        resolve(results[index]);
      });
    };
    if (this.#log) this.#unflushed = { settle, flushed: Promise.withResolvers() };
    else settle();
  }

  /** @param from how many changes of the memory stay. */
  #putBack(from: number): void {
    for (const undo of this.#undo.splice(from).reverse()) undo();
  }

  #flush(): void {
    const committed = this.#unflushed;
    if (!committed) return;
    this.#log?.flush((fault) => {
      if (fault) throw this.#lost(fault);
      // Or `close` has flushed it meanwhile.
      if (this.#unflushed === committed) this.#settle(committed);
      this.#schedule();
    });
  }

  #flushNow(): void {
    if (this.#fault) throw this.#fault;
    if (!this.#unflushed) return;
    try {
      this.#log?.flushNow();
    } catch (cause) {
      throw this.#lost(cause);
    }
    this.#settle(this.#unflushed);
  }

  #settle({ settle, flushed }: Unflushed): void {
    this.#flushes += 1;
    this.#unflushed = undefined;
    settle();
    flushed.resolve();
  }

  /** From now on nothing resolves: the next flush would say nothing of what this one lost. */
  #lost(cause: unknown): FlushFault {
    this.#fault = new FlushFault(`What is committed in ${this.#path} may not be on the disk: ${inWords(cause)}`, {
      cause,
    });
    return this.#fault;
  }
}
