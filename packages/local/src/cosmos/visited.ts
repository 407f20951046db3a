// What a request has visited to find its results: it is charged for that, not for the results alone.
import type { Position } from "./queries/walk.ts";

export interface Visited {
  /** Documents that were loaded. */
  documents: number;
  /** Of those documents. */
  bytes: number;
  /** Entries of the index that the search went along, also of documents that a filter then left out. */
  entries: number;
  /** The place up to which all was read and handed on, also what a filter left out. */
  reached?: Position | undefined;
}

export const nothingVisited = (): Visited => ({ documents: 0, bytes: 0, entries: 0 });
