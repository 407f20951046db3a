// What an expression is compiled to, and what that is compiled and run with.
import type { Aggregate } from "./aggregates.ts";
import type { Value } from "./values.ts";

export interface Scope {
  /** By slot: what each alias is bound to, slot 0 the document. */
  readonly values: Value[];
  readonly parameters: ReadonlyMap<string, Value>;
  /** In a grouped query, what each aggregate has come to. */
  readonly totals: readonly Value[];
}

export type Evaluate = (scope: Scope) => Value;

export interface Compiling {
  readonly slots: ReadonlyMap<string, number>;
  /** Where aggregates are allowed, those met so far: each fills the next place of `Scope.totals`. */
  readonly aggregates?: { readonly start: () => Aggregate; readonly given: Evaluate }[];
}
