// Runs a compiled query over a container: a page at a time along an ordered access path, or all at once where it must.

import type { StoredItem } from "../items/item-table.ts";
import type { Sliced } from "../slices.ts";
import { type CompiledQuery, matches } from "../sql/compiled-query.ts";
import { QueryFault } from "../sql/fault.ts";
import type { Value } from "../sql/values.ts";
import { nothingVisited } from "../visited.ts";
import { type AccessPath, accessPath, type Request } from "./access-path.ts";
import { candidates } from "./candidates.ts";
import type { Constraint } from "./constraints.ts";
import { type Continuation, readContinuation, writeContinuation, writeValues } from "./continuation.ts";
import { collectGroups } from "./group-query.ts";
import { orderFault } from "./indexing.ts";
import { type Bounds, PAGE_BYTES, type Page, pageOfAll, type QueryRequest } from "./page.ts";
import { type Pause, positionOf, rowsOf } from "./row-source.ts";
import { mergeSorted } from "./sliced-sort.ts";
import { sortedPage } from "./sorted-page.ts";
import { type BoundValue, type Position, statement } from "./walk.ts";

/** A document with joins can make very many results. */
const JOINED_AT_ONCE = 256;

const MOST_READ_AT_FIRST = 1000;

/** A page of results; left for a while between the pieces that it reads. */
export function* runQuery(asked: QueryRequest): Sliced<Page> {
  const request = { ...asked, visited: asked.visited ?? nothingVisited() };
  const { container, query, parameters } = request;
  const unserved = orderFault(container.indexing, query.orderings);
  if (unserved) throw new QueryFault(unserved);
  const from = startOf(request);
  const isAnew = request.continuation === undefined || from.given !== undefined;
  const bounds: Bounds = {
    skip: isAnew ? (bound(query.skip, parameters) ?? 0) : 0,
    take: from.left ?? bound(query.take, parameters),
  };
  const search = searchOf(request, from);
  if (query.grouping) {
    const groups = yield* collectGroups(search, query.grouping);
    // They come in the order in which documents were met, which may be another one at the next page.
    const isPaged = !request.unsized && groups.length > request.pageSize;
    return pageOfAll(request, isPaged ? yield* mergeSorted(groups, byText) : groups, from, bounds);
  }
  const path = accessPath(search);
  const [ordering] = query.orderings;
  const streams = !ordering || path.orderedBy === ordering.path;
  if (!streams) return yield* sortedPage(request, candidates(request, path), from, bounds);
  const first = Math.min(request.pageSize, bounds.skip + (bounds.take ?? MOST_READ_AT_FIRST), MOST_READ_AT_FIRST) + 1;
  return path.constraints.complete && query.exact && query.all && query.joins.length === 0
    ? yield* streamPage(request, storedTexts(request, path, first), from, bounds)
    : yield* streamPage(request, resultTexts(request, path, first), from, bounds);
}

const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

function startOf({ continuation, resume }: QueryRequest): Continuation {
  if (continuation !== undefined || !resume) return readContinuation(continuation);
  return { after: { values: writeValues(resume.values), seq: resume.seq } };
}

function searchOf(
  { container, query, parameters, scope, window, visited }: QueryRequest,
  { at, after, within }: Continuation,
): Request {
  const now = Date.now();
  const { items } = container;
  const one = (sql: string, bindings: readonly BoundValue[]) => [...items.rows(sql, bindings)][0];
  return {
    container,
    query,
    parameters,
    scope,
    window,
    ...(visited && { visited }),
    now,
    after: at,
    // The first page has chosen between a walk and a lookup, and the others keep to it.
    chosen: at || within ? "walk" : after ? "lookup" : undefined,
    anyExpired: one(`SELECT seq FROM ${items.name} WHERE expires <= ? LIMIT 1`, [now]) !== undefined,
    count: ({ column, conditions }: Constraint, most: number) => {
      const filters = conditions.map(({ test, bindings }) => ({ sql: `${column} ${test}`, bindings }));
      const { sql, bindings } = statement(`SELECT 1 FROM ${items.name}`, filters, "");
      return Number(one(`SELECT count(*) AS n FROM (${sql} LIMIT ${most})`, bindings)?.["n"] ?? 0);
    },
  };
}

interface Texts {
  readonly row: StoredItem;
  /** The results that the row makes, as JSON. */
  readonly texts: Iterable<string>;
}

/** The rows come in the order of the results: stop as soon as the page is full, be it among the results of one row. */
function* streamPage(
  { pageSize, unsized, container, visited, until = Number.POSITIVE_INFINITY }: QueryRequest,
  rows: Iterable<Texts | Pause>,
  from: Continuation,
  bounds: Bounds,
): Sliced<Page> {
  const results: string[] = [];
  let { skip } = bounds;
  let left = bounds.take ?? Number.POSITIVE_INFINITY;
  let bytes = 0;
  let { at, within } = from;
  if (left <= 0) return { results };
  const rest = () => (bounds.take === undefined ? {} : { left });
  let reached: Position | undefined;
  for (const next of rows) {
    yield;
    if (!next) {
      // At the end of a piece, whose rows may all have been left out.
      if (visited?.reached === reached) continue;
      reached = visited?.reached;
      at = reached;
      if (at && skip === 0 && performance.now() >= until)
        return { results, continuation: writeContinuation({ at, ...(within && { within }), ...rest() }) };
      continue;
    }
    const { row, texts } = next;
    let given = 0;
    const before = within?.seq === row.seq ? within.given : 0;
    for (const text of texts) {
      given += 1;
      if (given <= before) continue;
      if (skip > 0) {
        skip -= 1;
        continue;
      }
      if (results.length >= pageSize || bytes >= PAGE_BYTES) {
        const some = given > 1 ? { within: { seq: row.seq, given: given - 1 } } : {};
        return { results, continuation: writeContinuation({ ...(at && { at }), ...some, ...rest() }) };
      }
      results.push(text);
      bytes += text.length;
      left -= 1;
      if (left <= 0) return { results };
    }
    at = positionOf(row);
    if (before > 0) within = undefined;
  }
  // Of a container with a hierarchical key, a full page says that there may be more, and an empty one may follow (as in
  // Azure: the JavaScript SDK's suite counts the pages).
  const isHierarchical = container.partitionPaths.length > 1;
  const mayGoOn = isHierarchical && !unsized && bounds.take === undefined && results.length >= pageSize;
  return mayGoOn && at ? { results, continuation: writeContinuation({ at }) } : { results };
}

/** Where SQLite has done all the filtering and whole documents are wanted, the stored text is the result. */
function* storedTexts(request: QueryRequest, { walks }: AccessPath, first: number): Generator<Texts | Pause> {
  for (const row of rowsOf(request.container.items, walks, first, request.window, request.visited)) {
    yield row && { row, texts: [row.body] };
  }
}

function* resultTexts(request: QueryRequest, path: AccessPath, first: number): Generator<Texts | Pause> {
  const { query, parameters } = request;
  for (const candidate of candidates(request, path, first)) {
    yield;
    if (!candidate) continue;
    const { row, document } = candidate;
    const texts: string[] = [];
    for (const scope of matches(query, document, parameters)) {
      const output = query.project(scope);
      if (output !== undefined) texts.push(output === document ? row.body : JSON.stringify(output));
      if (texts.length % JOINED_AT_ONCE === 0) yield;
    }
    yield { row, texts };
  }
}

function bound(count: CompiledQuery["take"], parameters: ReadonlyMap<string, Value>): number | undefined {
  if (!count) return undefined;
  const value = count({ values: [], parameters, totals: [] });
  if (typeof value === "number" && Number.isInteger(value) && value >= 0) return value;
  throw new QueryFault("TOP, OFFSET and LIMIT take whole numbers.");
}
