// A MODEL of request units, from published figures and not measured on Azure: 1 KB read 1, 100 KB read 10, 1 KB insert 5.5
// without indexes and 6.3 with the default ones, replace twice the insert, patch no cheaper than replace. A query that loads
// 400 MB of documents takes 4,060 (Microsoft, "Troubleshoot query issues").
import type { Visited } from "./visited.ts";

const INSERT = 5.5;
/** The difference between Microsoft's bare insert and one measured in the field with default indexing, a path. */
const PER_INDEXED_PATH = 0.2;
const QUERY = 2.5;
/** No figure is published for a result; taken as half a point read. */
const PER_RESULT_KB = 0.5;
const PER_LOADED_KB = 0.01;
/** No figure is published for an entry of an index either; taken as what a filter beside another order costs in the same article. */
const PER_ENTRY = 0.004;

/** 1 for up to 1 KB, 10 for 100 KB, a straight line between and beyond. */
function sizeFactor(bytes: number): number {
  return 1 + (9 * Math.max(0, bytes / 1024 - 1)) / 99;
}

const round = (charge: number) => Math.round(charge * 100) / 100;

export const charges = {
  /** What was not there, was not changed or was refused: about a small read. */
  nothing: 1,
  read: (bytes: number) => round(sizeFactor(bytes)),
  insert: (bytes: number, indexedPaths: number) =>
    round((INSERT + PER_INDEXED_PATH * indexedPaths) * sizeFactor(bytes)),
  replace: (bytes: number, indexedPaths: number) =>
    round((2 * INSERT + PER_INDEXED_PATH * indexedPaths) * sizeFactor(bytes)),
  delete: (bytes: number, indexedPaths: number) =>
    round((INSERT + PER_INDEXED_PATH * indexedPaths) * sizeFactor(bytes)),
  /** Of the size of the results, and of what was visited to find them. */
  query: (bytes: number, { bytes: loaded, entries }: Omit<Visited, "documents">) =>
    round(QUERY + (PER_RESULT_KB * bytes + PER_LOADED_KB * loaded) / 1024 + PER_ENTRY * entries),
};
