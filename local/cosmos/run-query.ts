// Runs a compiled query over a container: a page at a time along an ordered access path, or all at once where it must.
import { accessPath, type Binding, type Position, part, type Request } from "./access-path.ts";
import type { Container } from "./catalog.ts";
import type { Constraint } from "./constraints.ts";
import { collectGroups } from "./group-query.ts";
import type { StoredItem } from "./item-table.ts";
import { type CompiledQuery, matches } from "./sql/compiled-query.ts";
import { QueryFault } from "./sql/fault.ts";
import { compareValues, type Json, type Value } from "./sql/values.ts";

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

/** Where the next page goes on: after a place in the candidates, or after the sort values of the last result. */
interface Continuation {
  readonly at?: Position;
  readonly after?: { readonly values: readonly Json[]; readonly seq: number };
  /** How many results TOP or LIMIT still allow. */
  readonly left?: number;
}

/** Azure ends a page at 4 MB, however many results were asked for. */
const PAGE_BYTES = 4 * 1024 * 1024;

export function runQuery(request: QueryRequest): Page {
  const { container, query } = request;
  refuseUnindexedOrder(container, query);
  const from = readContinuation(request.continuation);
  const left = from.left ?? bound(query.take, request.parameters);
  const search = searchOf(request, from.at);
  if (query.grouping)
    return {
      results: collectGroups(search, query.grouping).slice(
        bound(query.skip, request.parameters) ?? 0,
        end(request, left),
      ),
    };
  const path = accessPath(search);
  const [ordering] = query.orderings;
  const streams = !query.distinct && (!ordering || path.orderedBy === ordering.path);
  return streams ? streamPage(request, search, from, left) : sortedPage(request, search, from, left);
}

function end({ query, parameters }: QueryRequest, left: number | undefined): number | undefined {
  return left === undefined ? undefined : (bound(query.skip, parameters) ?? 0) + left;
}

function searchOf({ container, query, parameters, pk }: QueryRequest, after: Position | undefined): Request {
  const now = Date.now();
  const { items } = container;
  const first = (sql: string, bindings: readonly Binding[]) => [...items.rows(sql, bindings)][0];
  return {
    container,
    query,
    parameters,
    pk,
    now,
    after,
    anyExpired: first(`SELECT seq FROM ${items.name} WHERE expires <= ? LIMIT 1`, [now]) !== undefined,
    count: (constraint: Constraint, most: number) => {
      const filters = constraint.conditions.map(({ test, bindings }) => ({
        sql: `${constraint.column} ${test}`,
        bindings,
      }));
      const { sql, bindings } = part(`SELECT 1 FROM ${items.name}`, filters, "");
      return Number(first(`SELECT count(*) AS n FROM (${sql} LIMIT ${most})`, bindings)?.["n"] ?? 0);
    },
  };
}

/** The candidates come in the order of the results: stop as soon as the page is full. */
function streamPage(request: QueryRequest, search: Request, from: Continuation, given: number | undefined): Page {
  const { query, parameters, pageSize } = request;
  const results: string[] = [];
  let skip = request.continuation === undefined ? (bound(query.skip, parameters) ?? 0) : 0;
  let left = given ?? Number.POSITIVE_INFINITY;
  let bytes = 0;
  let at: Position | undefined = from.at;
  if (left <= 0) return { results };
  for (const { row, document } of candidates(search)) {
    if (results.length >= pageSize || bytes >= PAGE_BYTES) {
      return {
        results,
        ...(at ? { continuation: writeContinuation({ at, ...(given === undefined ? {} : { left }) }) } : {}),
      };
    }
    for (const scope of matches(query, document, parameters)) {
      const output = query.project(scope);
      if (output === undefined) continue;
      if (skip > 0) {
        skip -= 1;
        continue;
      }
      const text = output === document ? row.body : JSON.stringify(output);
      results.push(text);
      bytes += text.length;
      left -= 1;
      if (left <= 0) return { results };
    }
    at = { key: (row["key"] as string | null | undefined) ?? null, seq: row.seq };
  }
  return { results };
}

/** The candidates come in another order: take them all, sort, and leave out what earlier pages had. */
function sortedPage(request: QueryRequest, search: Request, from: Continuation, given: number | undefined): Page {
  const { query, parameters, container } = request;
  const found: { readonly text: string; readonly values: readonly Value[]; readonly seq: number }[] = [];
  // Azure leaves documents without the property out, unless its path is named in the indexing policy.
  const keepsUndefined = query.orderings.every(({ path }) => container.indexing.coverage(path) === "named");
  for (const { row, document } of candidates(search)) {
    for (const scope of matches(query, document, parameters)) {
      const output = query.project(scope);
      const values = query.orderings.map(({ evaluate }) => evaluate(scope));
      if (output === undefined || (!keepsUndefined && values.includes(undefined))) continue;
      found.push({ text: output === document ? row.body : JSON.stringify(output), values, seq: row.seq });
    }
  }
  const compare = (a: { values: readonly Value[]; seq: number }, b: { values: readonly Value[]; seq: number }) => {
    for (const [index, { descending }] of query.orderings.entries()) {
      const order = compareValues(a.values[index], b.values[index]);
      if (order !== 0) return descending ? -order : order;
    }
    return a.seq - b.seq;
  };
  found.sort(compare);
  const skip = bound(query.skip, parameters) ?? 0;
  if (query.distinct) {
    // One page: what is distinct depends on everything before it.
    return { results: [...new Set(found.map(({ text }) => text))].slice(skip, end(request, given)) };
  }
  const last = from.after;
  const rest = last
    ? found.filter((item) => compare(item, { ...last, values: last.values.map(decodeUndefined) }) > 0)
    : found.slice(skip);
  const taken = rest.slice(0, Math.min(request.pageSize, given ?? request.pageSize));
  const results = taken.map(({ text }) => text);
  const left = given === undefined ? undefined : given - taken.length;
  const end_ = taken.at(-1);
  if (!end_ || taken.length === rest.length || left === 0) return { results };
  const after = { values: end_.values.map(encodeUndefined), seq: end_.seq };
  return { results, continuation: writeContinuation({ after, ...(left === undefined ? {} : { left }) }) };
}

function* candidates(search: Request): Generator<{ readonly row: StoredItem; readonly document: Json }> {
  for (const { sql, bindings } of accessPath(search).parts) {
    for (const row of search.container.items.rows(sql, bindings)) {
      yield { row, document: JSON.parse(row.body) as Json };
    }
  }
}

/** Azure answers 400 to an ORDER BY that no index serves; so does this server, although it could sort. */
function refuseUnindexedOrder({ indexing }: Container, { orderings }: CompiledQuery): void {
  const [first, ...more] = orderings;
  if (!first) return;
  if (more.length === 0) {
    if (indexing.coverage(first.path) !== "none") return;
    throw new QueryFault(`The index path corresponding to the specified order-by item is excluded: ${first.path}.`);
  }
  const served = indexing.composites.some(
    (parts) =>
      parts.length === orderings.length &&
      parts.every(({ name }, index) => name === orderings[index]?.path) &&
      new Set(parts.map(({ descending }, index) => descending === orderings[index]?.descending)).size === 1,
  );
  if (!served) {
    const paths = orderings.map(({ path }) => path).join(", ");
    throw new QueryFault(
      `The order by query does not have a corresponding composite index that it can be served from: ${paths}.`,
    );
  }
}

function bound(count: CompiledQuery["take"], parameters: ReadonlyMap<string, Value>): number | undefined {
  if (!count) return undefined;
  const value = count({ values: [], parameters, totals: [] });
  if (typeof value === "number" && Number.isInteger(value) && value >= 0) return value;
  throw new QueryFault("TOP, OFFSET and LIMIT take whole numbers.");
}

const UNDEFINED = { undefined: true };
const encodeUndefined = (value: Value): Json => (value === undefined ? UNDEFINED : value);
const decodeUndefined = (value: Json): Value =>
  typeof value === "object" && value !== null && "undefined" in value ? undefined : value;

function writeContinuation(continuation: Continuation): string {
  return Buffer.from(JSON.stringify(continuation)).toString("base64url");
}

function readContinuation(text: string | undefined): Continuation {
  if (text === undefined) return {};
  try {
    return JSON.parse(Buffer.from(text, "base64url").toString()) as Continuation;
  } catch {
    throw new QueryFault("The continuation token is not valid.");
  }
}
