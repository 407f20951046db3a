// What a request has visited to find its results: it is charged for that, not for the results alone.

export interface Visited {
  /** Documents that were loaded. */
  documents: number;
  /** Of those documents. */
  bytes: number;
  /** Entries of the index that the search went along, also of documents that a filter then left out. */
  entries: number;
}

export const nothingVisited = (): Visited => ({ documents: 0, bytes: 0, entries: 0 });
