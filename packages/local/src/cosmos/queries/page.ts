// A page of a query's results: what is asked for, what comes back, and where it is cut.
import { COSMOS_LIMITS } from "../limits.ts";
import type { KeyScope } from "../partitions/key-scope.ts";
import type { CompiledQuery } from "../sql/compiled-query.ts";
import type { Value } from "../sql/values.ts";
import type { Search } from "./access-path.ts";
import { type Continuation, writeContinuation } from "./continuation.ts";

/** A place in the order of the results. */
export interface Place {
  readonly values: readonly Value[];
  readonly seq: number;
}

export interface Bounds {
  readonly skip: number;
  /** Undefined is no limit. */
  readonly take: number | undefined;
}

export interface QueryRequest extends Search {
  readonly query: CompiledQuery;
  readonly parameters: ReadonlyMap<string, Value>;
  readonly scope: KeyScope;
  readonly pageSize: number;
  /** The client left the size to the server: what has to be computed as a whole then comes as a whole. */
  readonly unsized?: boolean;
  readonly continuation: string | undefined;
  /** Where a client goes on that merges sorted partitions, and has no continuation of this one. */
  readonly resume?: Place | undefined;
  /** By `performance.now()`: then a page ends whose results come in the order in which they are read. */
  readonly until?: number;
}

export interface Page {
  /** Each result as JSON. */
  readonly results: readonly string[];
  readonly continuation?: string;
}

/** However many results were asked for. */
export const PAGE_BYTES = COSMOS_LIMITS.pageBytes.value;
/** A page of results that are all there. Clients merge pages only if none has more results than they asked for. */
export function pageOfAll(
  { pageSize, unsized }: QueryRequest,
  all: readonly string[],
  { given = 0 }: Continuation,
  { skip, take }: Bounds,
): Page {
  const rest = all.slice(skip, take === undefined ? undefined : skip + take).slice(given);
  const results = unsized
    ? rest
    : cut(
        rest.map((text) => ({ text })),
        pageSize,
      ).map(({ text }) => text);
  if (results.length === rest.length) return { results };
  return { results, continuation: writeContinuation({ given: given + results.length }) };
}

/** What has room in a page. */
export function cut<T extends { readonly text: string }>(found: readonly T[], size: number): T[] {
  let bytes = 0;
  const end = found.findIndex(({ text }, at) => {
    const isFull = at >= size || bytes >= PAGE_BYTES;
    bytes += text.length;
    return isFull;
  });
  return found.slice(0, end < 0 ? undefined : end);
}
