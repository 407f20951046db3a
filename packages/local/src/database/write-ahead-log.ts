// The write-ahead log of an SQLite database, as a file to be flushed: off the event loop, on a thread of libuv's pool.
import { closeSync, fdatasync, fdatasyncSync, openSync } from "node:fs";

/**
 * SQLite appends the pages of a commit to `<database>-wal`, which stays the same file for as long as a connection is open. It
 * holds no lock on it (its locks are on the database and on `-shm`), so a descriptor of our own can be closed at any time.
 */
export class WriteAheadLog {
  readonly #path: string;
  #descriptor: number | undefined;
  #isFlushing = false;
  #isClosed = false;

  /** @param database its path as SQLite has it, where symbolic links are followed. */
  constructor(database: string) {
    this.#path = `${database}-wal`;
  }

  /** Calls `done` when all that was in the file before this call is on the disk. One at a time. */
  flush(done: (fault: Error | null) => void): void {
    this.#isFlushing = true;
    fdatasync(this.#open(), (fault) => {
      this.#isFlushing = false;
      if (this.#isClosed) this.#end();
      done(fault);
    });
  }

  /** The same within this call. Throws the fault. */
  flushNow(): void {
    fdatasyncSync(this.#open());
  }

  /** The number of a descriptor that is still in use on another thread must not be given to another file. */
  close(): void {
    this.#isClosed = true;
    if (!this.#isFlushing) this.#end();
  }

  /** Not before the first commit, which has made the file. Windows flushes only what is open for writing. */
  #open(): number {
    this.#descriptor ??= openSync(this.#path, "r+");
    return this.#descriptor;
  }

  #end(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}
