// Subqueries: over arrays of the document, inside an expression of the query around them, whose aliases they see.
import type { Aggregate } from "./aggregates.ts";
import type { Compiling, Evaluate, Scope } from "./evaluate.ts";
import { QueryFault } from "./fault.ts";
import { compareValues, distinct, identity, type Json } from "./values.ts";

export type Results = (scope: Scope) => Json[];

/** What a source of a subquery goes over, and where its element is found. */
export interface ElementSet {
  readonly slot: number;
  readonly elements: Evaluate;
}

export interface CompiledSubquery {
  readonly sets: readonly ElementSet[];
  readonly where: Evaluate | undefined;
  readonly project: Evaluate;
  readonly keys: readonly Evaluate[];
  readonly aggregates: NonNullable<Compiling["aggregates"]>;
  readonly orderings: readonly { readonly evaluate: Evaluate; readonly sign: number }[];
  readonly distinct: boolean;
  readonly skip: Evaluate | undefined;
  readonly take: Evaluate | undefined;
}

export function resultsOf({ sets, where, project, orderings, ...query }: CompiledSubquery): Results {
  const { keys, aggregates, skip: skipped, take: taken } = query;
  const isGrouped = keys.length > 0 || aggregates.length > 0;
  return (scope) => {
    let scopes = [...bind(sets, scope)].filter((inner) => !where || where(inner) === true);
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

/** Of a subquery that stands for one value. */
export function only([first, ...others]: readonly Json[]): Json | undefined {
  if (others.length > 0) throw new QueryFault("A subquery that stands for one value has more than one result.");
  return first;
}

/** The scopes that the sources make of the one around them: one for each combination of elements. */
function* bind(sets: readonly ElementSet[], scope: Scope, at = 0): Generator<Scope> {
  const set = sets[at];
  if (!set) {
    yield { ...scope, values: [...scope.values] };
    return;
  }
  const elements = set.elements(scope);
  for (const element of Array.isArray(elements) ? elements : []) {
    const values = [...scope.values];
    values[set.slot] = element;
    yield* bind(sets, { ...scope, values }, at + 1);
  }
}

/** One scope a group, with what its aggregates come to; without GROUP BY exactly one, even over nothing. */
function* groups(
  scopes: readonly Scope[],
  around: Scope,
  keys: readonly Evaluate[],
  aggregates: CompiledSubquery["aggregates"],
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
