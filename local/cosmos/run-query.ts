// Runs a compiled query over a container: a page at a time along an ordered access path, or all at once where it must.
import { type AccessPath, accessPath, type Binding, type Position, part, type Request } from "./access-path.ts";
import { candidates } from "./candidates.ts";
import type { Container } from "./catalog.ts";
import type { Constraint } from "./constraints.ts";
import { type Continuation, readContinuation, writeContinuation } from "./continuation.ts";
import { collectGroups } from "./group-query.ts";
import { orderFault } from "./indexing.ts";
import type { StoredItem } from "./item-table.ts";
import { type Bounds, sortedPage } from "./sorted-page.ts";
import { type CompiledQuery, matches } from "./sql/compiled-query.ts";
import { QueryFault } from "./sql/fault.ts";
import type { Value } from "./sql/values.ts";

export interface QueryRequest {
  readonly container: Container;
  readonly query: CompiledQuery;
  readonly parameters: ReadonlyMap<string, Value>;
  readonly pk: string | undefined;
  readonly pageSize: number;
  readonly continuation: string | undefined;
}

export interface Page {
  /** Each result as JSON. */
  readonly results: readonly string[];
  readonly continuation?: string;
}

/** Azure ends a page at 4 MB, however many results were asked for. */
const PAGE_BYTES = 4 * 1024 * 1024;

export function runQuery(request: QueryRequest): Page {
  const { container, query, parameters } = request;
  const unserved = orderFault(container.indexing, query.orderings);
  if (unserved) throw new QueryFault(unserved);
  const from = readContinuation(request.continuation);
  const bounds: Bounds = {
    skip: request.continuation === undefined ? (bound(query.skip, parameters) ?? 0) : 0,
    take: from.left ?? bound(query.take, parameters),
  };
  const search = searchOf(request, from);
  if (query.grouping) {
    const { skip, take } = bounds;
    return { results: collectGroups(search, query.grouping).slice(skip, take === undefined ? undefined : skip + take) };
  }
  const path = accessPath(search);
  const [ordering] = query.orderings;
  const streams = !query.distinct && (!ordering || path.orderedBy === ordering.path);
  if (!streams) return sortedPage(request, candidates(container, path), from, bounds);
  return path.constraints.complete && query.exact && query.all && query.joins.length === 0
    ? streamPage(request, storedTexts(container, path), from.at, bounds)
    : streamPage(request, resultTexts(request, path), from.at, bounds);
}

function searchOf({ container, query, parameters, pk }: QueryRequest, { at, after }: Continuation): Request {
  const now = Date.now();
  const { items } = container;
  const first = (sql: string, bindings: readonly Binding[]) => [...items.rows(sql, bindings)][0];
  return {
    container,
    query,
    parameters,
    pk,
    now,
    after: at,
    // The first page has chosen between a walk and a lookup, and the others keep to it.
    chosen: at ? "walk" : after ? "lookup" : undefined,
    anyExpired: first(`SELECT seq FROM ${items.name} WHERE expires <= ? LIMIT 1`, [now]) !== undefined,
    count: ({ column, conditions }: Constraint, most: number) => {
      const filters = conditions.map(({ test, bindings }) => ({ sql: `${column} ${test}`, bindings }));
      const { sql, bindings } = part(`SELECT 1 FROM ${items.name}`, filters, "");
      return Number(first(`SELECT count(*) AS n FROM (${sql} LIMIT ${most})`, bindings)?.["n"] ?? 0);
    },
  };
}

interface Texts {
  readonly row: StoredItem;
  /** The results that the row makes, as JSON. */
  readonly texts: Iterable<string>;
}

/** The rows come in the order of the results: stop as soon as the page is full. */
function streamPage(
  { pageSize }: QueryRequest,
  rows: Iterable<Texts>,
  from: Position | undefined,
  bounds: Bounds,
): Page {
  const results: string[] = [];
  let { skip } = bounds;
  let left = bounds.take ?? Number.POSITIVE_INFINITY;
  let bytes = 0;
  let at = from;
  if (left <= 0) return { results };
  for (const { row, texts } of rows) {
    if (at && (results.length >= pageSize || bytes >= PAGE_BYTES)) {
      return { results, continuation: writeContinuation({ at, ...(bounds.take === undefined ? {} : { left }) }) };
    }
    for (const text of texts) {
      if (skip > 0) {
        skip -= 1;
        continue;
      }
      results.push(text);
      bytes += text.length;
      left -= 1;
      if (left <= 0) return { results };
    }
    at = { key: (row["key"] as string | null | undefined) ?? null, seq: row.seq };
  }
  return { results };
}

/** Where SQLite has done all the filtering and whole documents are wanted, the stored text is the result. */
function* storedTexts({ items }: Container, { parts }: AccessPath): Generator<Texts> {
  for (const { sql, bindings } of parts) {
    for (const row of items.rows(sql, bindings)) yield { row, texts: [row.body] };
  }
}

function* resultTexts({ container, query, parameters }: QueryRequest, path: AccessPath): Generator<Texts> {
  for (const { row, document } of candidates(container, path)) {
    const texts: string[] = [];
    for (const scope of matches(query, document, parameters)) {
      const output = query.project(scope);
      if (output !== undefined) texts.push(output === document ? row.body : JSON.stringify(output));
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
