// Subqueries: over arrays of the document, inside an expression of the query around them, whose aliases they see.
import type { Aggregate } from "./aggregates.ts";
import type { Expression, Query } from "./ast.ts";
import { type Compiling, compile, type Evaluate, type Scope } from "./compile.ts";
import { projection } from "./compiled-query.ts";
import { QueryFault } from "./fault.ts";
import { compareValues, distinct, identity, type Json } from "./values.ts";

type Results = (scope: Scope) => Json[];

export function compileSubquery(
  { as, query }: Extract<Expression, { kind: "subquery" }>,
  context: Compiling,
): Evaluate {
  const results = compileResults(query, context);
  switch (as) {
    case "exists":
      return (scope) => results(scope).length > 0;
    case "array":
      return results;
    case "value":
      return (scope) => {
        const [only, ...others] = results(scope);
        if (others.length > 0) throw new QueryFault("A subquery that stands for one value has more than one result.");
        return only;
      };
    default:
      return as satisfies never;
  }
}

function compileResults(query: Query, outer: Compiling): Results {
  const { slots, bind } = compileSources(query, outer.slots);
  const where = query.where ? compile(query.where, { slots }) : undefined;
  const aggregates: NonNullable<Compiling["aggregates"]> = [];
  const project = projection(query, { slots, aggregates });
  const keys = query.groupBy.map((expression) => compile(expression, { slots }));
  const isGrouped = keys.length > 0 || aggregates.length > 0;
  const orderings = query.orderBy.map(({ expression, descending }) => {
    const evaluate = compile(expression, { slots });
    return { evaluate, sign: descending ? -1 : 1 };
  });
  const take = query.top ?? query.limit;
  const [skipped, taken] = [query.offset, take].map((count) => (count ? compile(count, { slots }) : undefined));
  return (scope) => {
    let scopes = [...bind(scope)].filter((inner) => !where || where(inner) === true);
    if (isGrouped) scopes = [...groups(scopes, { ...scope, values: [...scope.values] }, keys, aggregates)];
    scopes = orderings.reduceRight(
      (sorted, { evaluate, sign }) => sorted.sort((a, b) => sign * compareValues(evaluate(a), evaluate(b))),
      scopes,
    );
    const outputs = scopes.map(project).filter((output) => output !== undefined);
    const kept = query.distinct ? distinct(outputs) : outputs;
    const skip = Number(skipped?.(scope) ?? 0);
    const most = taken ? Number(taken(scope)) : kept.length;
    return kept.slice(skip, skip + most);
  };
}

/** The scopes that the sources make of the one around them: one for each combination of elements. */
function compileSources(query: Query, outer: ReadonlyMap<string, number>) {
  const slots = new Map(outer);
  const sets: { readonly slot: number; readonly elements: Evaluate }[] = [];
  let next = Math.max(-1, ...outer.values()) + 1;
  for (const { alias, elementsOf, path } of query.sources) {
    if (!elementsOf && !path) {
      if (!slots.has(alias)) throw new QueryFault(`Nothing in FROM is called '${alias}'.`);
      continue;
    }
    const set: Expression = elementsOf ?? { kind: "array", items: path ? [path] : [] };
    sets.push({ slot: next, elements: compile(set, { slots }) });
    slots.set(alias, next);
    next += 1;
  }
  function* bind(scope: Scope, at = 0): Generator<Scope> {
    const set = sets[at];
    if (!set) {
      yield { ...scope, values: [...scope.values] };
      return;
    }
    const elements = set.elements(scope);
    for (const element of Array.isArray(elements) ? elements : []) {
      const values = [...scope.values];
      values[set.slot] = element;
      yield* bind({ ...scope, values }, at + 1);
    }
  }
  return { slots, bind: (scope: Scope) => bind(scope) };
}

/** One scope a group, with what its aggregates come to; without GROUP BY exactly one, even over nothing. */
function* groups(
  scopes: readonly Scope[],
  around: Scope,
  keys: readonly Evaluate[],
  aggregates: NonNullable<Compiling["aggregates"]>,
): Generator<Scope> {
  const found = new Map<string, { readonly first: Scope; readonly totals: readonly Aggregate[] }>();
  const open = (first: Scope) => ({ first, totals: aggregates.map(({ start }) => start()) });
  if (keys.length === 0) found.set("", open(around));
  for (const scope of scopes) {
    const name = keys.map((key) => identity(key(scope))).join("\n");
    const group = found.get(name) ?? open(scope);
    found.set(name, group);
    for (const [index, total] of group.totals.entries()) total.add(aggregates[index]?.given(scope), 1);
  }
  for (const { first, totals } of found.values()) yield { ...first, totals: totals.map((total) => total.result()) };
}
