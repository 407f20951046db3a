// A query made ready to run over documents: its filter, its output, and what a store can use to find candidates faster.
import { COSMOS_LIMITS } from "../limits.ts";
import type { Aggregate } from "./aggregates.ts";
import type { Expression, Query, Source } from "./ast.ts";
import { propertyPathOf } from "./ast.ts";
import { bind, compile, type ElementSet, projection } from "./compile.ts";
import { type Conjunct, conjunctsOf, pathsUsed } from "./conjuncts.ts";
import type { Compiling, Evaluate, Scope } from "./evaluate.ts";
import { NOT_A_PATH, QueryFault } from "./fault.ts";
import { parseQuery } from "./parser.ts";
import { checkSelectList } from "./select-list.ts";
import type { Value } from "./values.ts";

interface CompiledOrdering {
  /** `/createdAt` */
  readonly path: string;
  readonly evaluate: Evaluate;
  readonly descending: boolean;
}

export interface CompiledQuery {
  readonly all: boolean;
  readonly where: Evaluate | undefined;
  /** Necessary conditions that a store may use to leave documents out; all of `where` when `exact`. */
  readonly conjuncts: readonly Conjunct[];
  readonly exact: boolean;
  /** Each binds one more slot to the elements of an array. */
  readonly joins: readonly ElementSet[];
  readonly orderings: readonly CompiledOrdering[];
  readonly grouping: Grouping | undefined;
  /** The paths of the document that are read, or undefined where it is needed whole. */
  readonly paths: readonly string[] | undefined;
  /** Those of them that the results are made of, without what only the filter reads. */
  readonly shownPaths: readonly string[] | undefined;
  /** One result; undefined is no result. */
  readonly project: Evaluate;
  readonly skip: Evaluate | undefined;
  readonly take: Evaluate | undefined;
}

export interface Grouping {
  readonly keys: readonly Evaluate[];
  readonly aggregates: readonly { readonly start: () => Aggregate; readonly given: Evaluate }[];
}

const KEPT = 500;
const compiled = new Map<string, CompiledQuery>();

export function compileQuery(sql: string): CompiledQuery {
  const known = compiled.get(sql);
  if (known) return known;
  if (sql.length > COSMOS_LIMITS.queryCharacters.value) {
    throw new QueryFault(
      `The query has ${sql.length} characters, and may have ${COSMOS_LIMITS.queryCharacters.value}.`,
    );
  }
  const query = compileParsed(parseQuery(sql));
  if (compiled.size >= KEPT) compiled.clear();
  compiled.set(sql, query);
  return query;
}

function compileParsed(query: Query): CompiledQuery {
  const most = COSMOS_LIMITS.joins.value;
  if (query.sources.length - 1 > most) throw new QueryFault(`A query has ${most} joins at most.`);
  const [source, ...joined] = query.sources;
  if (!source) throw new QueryFault("A query without FROM is not supported by this server.");
  if (source.elementsOf?.kind === "subquery")
    throw new QueryFault("A query over another one in FROM is not supported by this server.");
  const { alias, slots, joins } = bindings(source, joined);
  const where = query.where ? compile(query.where, { slots }) : undefined;
  const aggregates: NonNullable<Compiling["aggregates"]> = [];
  const project = projection(query, { slots, aggregates });
  // After the projection, which names what in it is not supported.
  checkSelectList(query);
  const keys = query.groupBy.map((expression) => compile(expression, { slots }));
  const grouped = keys.length > 0 || aggregates.length > 0;
  const { conjuncts, exact } = query.where ? conjunctsOf(query.where, alias) : { conjuncts: [], exact: true };
  const take = query.top ?? query.limit;
  const { where: _, ...shown } = query;
  return {
    all: query.selection.kind === "all",
    where,
    conjuncts,
    exact,
    joins,
    // One result needs no order.
    orderings: (grouped ? [] : query.orderBy).map(({ expression, descending }) => {
      // First, for it names what in the expression is not supported.
      const evaluate = compile(expression, { slots });
      const path = propertyPathOf(expression, alias);
      if (!path || path.length === 0) {
        throw new QueryFault(NOT_A_PATH);
      }
      return { path: `/${path.join("/")}`, evaluate, descending };
    }),
    grouping: grouped ? { keys, aggregates } : undefined,
    paths: joins.length > 0 ? undefined : pathsUsed(query, alias),
    shownPaths: joins.length > 0 ? undefined : pathsUsed(shown, alias),
    project,
    skip: query.offset ? compile(query.offset, { slots: new Map() }) : undefined,
    take: take ? compile(take, { slots: new Map() }) : undefined,
  };
}

interface Bindings {
  readonly alias: string;
  readonly slots: ReadonlyMap<string, number>;
  readonly joins: readonly ElementSet[];
}

/** Slot 0 is the document; in `FROM s IN c.steps` and `FROM c.steps`, `c` is. */
function bindings(given: Source, joined: readonly Source[]): Bindings {
  // `FROM orders o` is the container by another name.
  const first: Source = given.path?.kind === "alias" ? { alias: given.alias } : given;
  let root = first.elementsOf ?? first.path;
  while (root?.kind === "member") root = root.of;
  const alias = root?.kind === "alias" ? root.name : root ? "" : first.alias;
  const slots = new Map([[alias, 0]]);
  const sets: { readonly slot: number; readonly set: Expression }[] = [];
  for (const { alias: name, elementsOf, path } of [first, ...joined]) {
    const set: Expression | undefined = elementsOf ?? (path && { kind: "array", items: [path] });
    if (!set) continue;
    if (slots.has(name)) throw new QueryFault(`The alias '${name}' is used twice.`);
    sets.push({ slot: slots.size, set });
    slots.set(name, slots.size);
  }
  return { alias, slots, joins: sets.map(({ slot, set }) => ({ slot, elements: compile(set, { slots }) })) };
}

/** The scopes one document makes that pass the filter: one, or with joins one for each combination of elements. */
export function* matches(
  { joins, where }: CompiledQuery,
  document: Value,
  parameters: ReadonlyMap<string, Value>,
): Generator<Scope> {
  for (const scope of bind(joins, { values: [document], parameters, totals: [] })) {
    if (!where || where(scope) === true) yield scope;
  }
}
