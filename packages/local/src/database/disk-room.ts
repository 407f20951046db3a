// Whether the disk has room for what servers would take: they stop taking before it is full, where nothing could be written any more.
import { statfsSync } from "node:fs";
import { isError, messageOf } from "../thrown.ts";

/** Left free for what is stored already: settlements, conclusions, deletions, and the log of the database. */
export const RESERVED_BYTES = 32 * 1024 * 1024;
const LOOKED_EACH_MS = 1000;

export class DiskRoom {
  readonly #folder: string;
  readonly #freeBytes: (folder: string) => number;
  #fault: string | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(folder: string, freeBytes = freeBytesOf) {
    this.#folder = folder;
    this.#freeBytes = freeBytes;
  }

  /** Why nothing more is taken; undefined where there is room. @param now in milliseconds */
  fault(now = performance.now()): string | undefined {
    if (now - this.#lookedAt < LOOKED_EACH_MS) return this.#fault;
    this.#lookedAt = now;
    const isFull = this.#freeBytes(this.#folder) < RESERVED_BYTES;
    this.#fault = isFull
      ? `The disk of ${this.#folder} is full: nothing more is taken until there is room. What was acknowledged is kept.`
      : undefined;
    return this.#fault;
  }
}

/** SQLite's primary result codes. */
const IO_ERROR = 10;
const FULL = 13;

/** What to answer where the disk took no more in the middle of a write, of which nothing is kept; undefined for any other fault. */
export function diskFault(cause: unknown): string | undefined {
  if (!isError(cause)) return undefined;
  const { code, errcode } = cause as NodeJS.ErrnoException & { readonly errcode?: number };
  const isOfDisk =
    code === "ENOSPC" || (code === "ERR_SQLITE_ERROR" && [IO_ERROR, FULL].includes((errcode ?? 0) & 0xff));
  return isOfDisk ? `The disk takes no more: ${messageOf(cause)}. Nothing of this request is kept.` : undefined;
}

function freeBytesOf(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
