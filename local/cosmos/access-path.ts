// Decides how a query reaches its candidates: by partition key, along an index, or over the whole table.
//
// The choice is made here and not left to SQLite, which has no statistics: columns that must not drive the search are
// written `+column`. A due query (`c.dueAt < @now ORDER BY c.dueAt`) walks the sparse index of `/dueAt` in order and
// touches only what it returns: a few ms over 100,000 documents, tested by its EXPLAIN QUERY PLAN.
import type { Container } from "./catalog.ts";
import { type Constraint, type Constraints, constraintsOf } from "./constraints.ts";
import { quoted } from "./item-schema.ts";
import type { CompiledQuery } from "./sql/compiled-query.ts";
import type { Value } from "./sql/values.ts";

export type Binding = string | number;

/** The place in the candidates after which a page goes on. */
export interface Position {
  readonly key: string | null;
  readonly seq: number;
}

export interface AccessPath {
  /** Run one after the other; each yields its rows in order. */
  readonly parts: readonly Part[];
  /** The column whose order the candidates come in; undefined is the order of creation. */
  readonly orderedBy: string | undefined;
  readonly constraints: Constraints;
  readonly filters: readonly Filter[];
}

export interface Part {
  readonly sql: string;
  readonly bindings: readonly Binding[];
}

export interface Filter {
  readonly sql: string;
  readonly bindings: readonly Binding[];
}

/** Up to this many documents a lookup with a sort afterwards beats a walk along the wanted order. */
const FEW = 1000;

export interface Request {
  readonly container: Container;
  readonly query: CompiledQuery;
  readonly parameters: ReadonlyMap<string, Value>;
  readonly pk: string | undefined;
  readonly now: number;
  /** How many documents satisfy a constraint, counted no further than `most`. */
  readonly count: (constraint: Constraint, most: number) => number;
  readonly anyExpired: boolean;
  /** How an earlier page of this query chose between the wanted order and a lookup; undefined on the first. */
  readonly chosen: "walk" | "lookup" | undefined;
  readonly after: Position | undefined;
}

export function accessPath(request: Request): AccessPath {
  const { container, query, parameters } = request;
  const constraints = constraintsOf(container, query.conjuncts, parameters, request.pk);
  const drive = driver(request, constraints);
  const filters = filtersOf(request, constraints, drive?.path);
  const table = container.items.name;
  const select = `SELECT seq, body${drive ? `, ${drive.column} AS key` : ""} FROM ${table}`;
  if (!drive) {
    const after: Filter[] = request.after ? [{ sql: "seq > ?", bindings: [request.after.seq] }] : [];
    return { parts: [part(select, [...filters, ...after], "seq")], orderedBy: undefined, constraints, filters };
  }
  const { column, constraint, descending } = drive;
  const direction = descending ? " DESC" : "";
  const { after } = request;
  // Documents without the property come first, or last when descending; a constraint on it leaves them out.
  const nulls: Part[] = [];
  if (!constraint && (after === undefined || after.key === null || descending)) {
    const from: Filter[] =
      after?.key === null ? [{ sql: `seq ${descending ? "<" : ">"} ?`, bindings: [after.seq] }] : [];
    nulls.push(part(select, [...filters, { sql: `${column} IS NULL`, bindings: [] }, ...from], `seq${direction}`));
  }
  const valued: Part[] = [];
  if (after === undefined || after.key !== null || !descending) {
    const along = [...filters, ...walk(column, constraint, descending, after)];
    valued.push(part(select, along, `${column}${direction}, seq${direction}`));
  }
  return {
    parts: descending ? [...valued, ...nulls] : [...nulls, ...valued],
    orderedBy: drive.path,
    constraints,
    filters,
  };
}

interface Drive {
  readonly path: string;
  readonly column: string;
  readonly constraint: Constraint | undefined;
  readonly descending: boolean;
}

function driver(request: Request, { byPath, pk }: Constraints): Drive | undefined {
  const { query, container } = request;
  if (pk !== undefined) return undefined;
  const constrained = [...byPath.values()].filter(({ path }) => path !== "/id");
  const [ordering, ...more] = query.orderings;
  const named = container.items.paths.some(({ name }) => name === ordering?.path);
  const exact =
    constrained.find(({ narrows }) => narrows === "one") ?? constrained.find(({ narrows }) => narrows === "some");
  if (ordering && named && more.length === 0) {
    const own = byPath.get(ordering.path);
    const along = {
      path: ordering.path,
      column: quoted(ordering.path),
      constraint: own,
      descending: ordering.descending,
    };
    if (!exact || exact === own || request.chosen === "walk") return along;
    if (request.chosen !== "lookup" && request.count(exact, FEW) >= FEW) return along;
    return { ...exact, constraint: exact, descending: false };
  }
  const best = exact ?? constrained[0];
  return best && { path: best.path, column: best.column, constraint: best, descending: false };
}

function filtersOf({ anyExpired, now }: Request, { byPath, pk }: Constraints, driving: string | undefined): Filter[] {
  const filters: Filter[] = pk === undefined ? [] : [{ sql: "pk = ?", bindings: [pk] }];
  for (const { path, column, conditions } of byPath.values()) {
    if (path === driving) continue;
    const own = path === "/id" ? column : `+${column}`;
    for (const { test, bindings } of conditions) filters.push({ sql: `${own} ${test}`, bindings });
  }
  // Left out when it would filter nothing, so that a count can be answered from an index alone.
  if (anyExpired) filters.push({ sql: "(expires IS NULL OR expires > ?)", bindings: [now] });
  return filters;
}

/** The conditions on the driving column; a page that goes on starts where the one before it ended. */
function walk(
  column: string,
  constraint: Constraint | undefined,
  descending: boolean,
  after: Position | undefined,
): Filter[] {
  const conditions = constraint?.conditions ?? [{ test: "IS NOT NULL", bindings: [] }];
  const [passed, onward] = descending ? ["<", "<"] : [">", ">"];
  // The bound that the position replaces would only make SQLite begin its walk at the start again.
  const kept = after ? conditions.filter(({ test }) => !test.startsWith(passed)) : conditions;
  const filters: Filter[] = kept.map(({ test, bindings }) => ({ sql: `${column} ${test}`, bindings }));
  if (after?.key === null || after === undefined) return filters;
  const from = { sql: `${column} ${onward}= ?`, bindings: [after.key] };
  const beyond = { sql: `(${column} ${onward} ? OR seq ${onward} ?)`, bindings: [after.key, after.seq] };
  return [...filters, from, beyond];
}

export function part(select: string, filters: readonly Filter[], order: string): Part {
  const where = filters.length > 0 ? ` WHERE ${filters.map(({ sql }) => sql).join(" AND ")}` : "";
  const bindings = filters.flatMap((filter) => filter.bindings);
  return { sql: `${select}${where}${order ? ` ORDER BY ${order}` : ""}`, bindings };
}
