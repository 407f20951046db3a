// Decides how a query reaches its candidates: by partition key, along an index, or over the whole table.
//
// The choice is made here and not left to SQLite, which has no statistics: columns that must not drive the search are
// written `+column`. A due query (`c.dueAt < @now ORDER BY c.dueAt`) walks the sparse index of `/dueAt` in order and
// touches only what it returns: a few ms over 100,000 documents, tested by its EXPLAIN QUERY PLAN.

import { quoted } from "../items/item-schema.ts";
import type { KeyScope } from "../partitions/key-scope.ts";
import type { Container } from "../resources/container.ts";
import type { CompiledQuery } from "../sql/compiled-query.ts";
import type { Value } from "../sql/values.ts";
import type { Visited } from "../visited.ts";
import { type Constraint, type Constraints, constraintsOf } from "./constraints.ts";
import { type Filter, type Position, type Walk, walksAlong, walksFrom } from "./walk.ts";

export interface AccessPath {
  /** Run one after the other; each yields its rows in order. */
  readonly walks: readonly Walk[];
  /** The column whose order the candidates come in; undefined is the order of creation. */
  readonly orderedBy: string | undefined;
  readonly constraints: Constraints;
}

/** Up to this many documents a lookup with a sort afterwards beats a walk along the wanted order. */
const FEW = 1000;

export interface Search {
  readonly container: Container;
  /** How many documents filters go through in one go at first; a small number is for tests. */
  readonly window?: number | undefined;
  /** Told of all that is read. */
  readonly visited?: Visited;
}

export interface Request extends Search {
  readonly query: CompiledQuery;
  readonly parameters: ReadonlyMap<string, Value>;
  readonly scope: KeyScope;
  readonly now: number;
  /** How many documents satisfy a constraint, counted no further than `most`. */
  readonly count: (constraint: Constraint, most: number) => number;
  readonly anyExpired: boolean;
  /** How an earlier page of this query chose between the wanted order and a lookup; undefined on the first. */
  readonly chosen: "walk" | "lookup" | undefined;
  readonly after: Position | undefined;
}

export function accessPath(request: Request): AccessPath {
  const { container, query, parameters, after } = request;
  const constraints = constraintsOf(container, query.conjuncts, parameters, request.scope);
  const drive = driver(request, constraints);
  const filters = filtersOf(request, constraints, drive?.path);
  const table = container.items.name;
  const select = `SELECT seq, body${drive ? `, ${drive.column} AS key` : ""} FROM ${table}`;
  if (!drive) {
    const keys = keyFilter(constraints.scope);
    const way = { select, descending: false, filters };
    const whole: Walk = keys ? { ...way, kind: "keys", keys } : { ...way, kind: "table" };
    return { walks: walksFrom([whole], after), orderedBy: undefined, constraints };
  }
  const { column, constraint, descending } = drive;
  const valued = walksAlong({ select, descending, filters }, column, constraint);
  // Documents without the property come first, or last when descending; a constraint on it leaves them out.
  const without = { sql: `${column} IS NULL`, bindings: [] };
  const nulls: Walk[] = constraint ? [] : [{ kind: "table", select, descending, filters: [...filters, without] }];
  const walks = descending ? [...valued, ...nulls] : [...nulls, ...valued];
  return { walks: walksFrom(walks, after), orderedBy: drive.path, constraints };
}

interface Drive {
  readonly path: string;
  readonly column: string;
  readonly constraint: Constraint | undefined;
  readonly descending: boolean;
}

function driver(request: Request, { byPath, scope }: Constraints): Drive | undefined {
  const { query, container } = request;
  if (keyFilter(scope)) return undefined;
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

/** The keys that the request reads, where the index of keys finds them. */
function keyFilter({ pk, prefix }: KeyScope): Filter | undefined {
  if (pk !== undefined) return { sql: "pk = ?", bindings: [pk] };
  return prefix && { sql: "pk >= ? AND pk < ?", bindings: [prefix.from, prefix.below] };
}

function filtersOf(
  { anyExpired, now }: Request,
  { byPath, scope }: Constraints,
  driving: string | undefined,
): Filter[] {
  const { hashes } = scope;
  const filters: Filter[] = hashes
    ? [{ sql: `${hashes.of}(pk) >= ? AND ${hashes.of}(pk) < ?`, bindings: [hashes.min, hashes.max] }]
    : [];
  for (const { path, column, conditions } of byPath.values()) {
    if (path === driving) continue;
    const own = path === "/id" ? column : `+${column}`;
    for (const { test, bindings } of conditions) filters.push({ sql: `${own} ${test}`, bindings });
  }
  // Left out when it would filter nothing, so that a count can be answered from an index alone.
  if (anyExpired) filters.push({ sql: "(expires IS NULL OR expires > ?)", bindings: [now] });
  return filters;
}
