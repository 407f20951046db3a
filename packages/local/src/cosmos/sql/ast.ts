// The shape of a parsed query.
import type { Value } from "./values.ts";

export type Expression =
  | { readonly kind: "literal"; readonly value: Value }
  | { readonly kind: "parameter"; readonly name: string }
  | { readonly kind: "alias"; readonly name: string }
  | { readonly kind: "member"; readonly of: Expression; readonly key: Expression }
  | { readonly kind: "array"; readonly items: readonly Expression[] }
  | { readonly kind: "object"; readonly entries: readonly (readonly [string, Expression])[] }
  | { readonly kind: "unary"; readonly operator: string; readonly operand: Expression }
  | { readonly kind: "binary"; readonly operator: string; readonly left: Expression; readonly right: Expression }
  | { readonly kind: "in"; readonly of: Expression; readonly among: readonly Expression[] }
  | { readonly kind: "between"; readonly of: Expression; readonly low: Expression; readonly high: Expression }
  | {
      readonly kind: "conditional";
      readonly test: Expression;
      readonly then: Expression;
      readonly otherwise: Expression;
    }
  | { readonly kind: "call"; readonly name: string; readonly given: readonly Expression[] }
  /** `EXISTS(SELECT ...)`, and `ARRAY(SELECT ...)`, which is `(SELECT ...)` in FROM. */
  | { readonly kind: "subquery"; readonly as: "exists" | "array"; readonly query: Query };

export interface Selected {
  readonly name: string;
  readonly expression: Expression;
}

export type Selection =
  | { readonly kind: "all" }
  | { readonly kind: "value"; readonly expression: Expression }
  | { readonly kind: "list"; readonly items: readonly Selected[] };

/**
 * `FROM alias` binds the document, `FROM c.path alias` what is there, `JOIN alias IN array` and `FROM alias IN array` each
 * element in turn.
 */
export interface Source {
  readonly alias: string;
  readonly elementsOf?: Expression;
  readonly path?: Expression;
}

export interface Ordering {
  readonly expression: Expression;
  readonly descending: boolean;
}

export interface Query {
  readonly top?: Expression;
  readonly selection: Selection;
  readonly sources: readonly Source[];
  readonly where?: Expression;
  readonly groupBy: readonly Expression[];
  readonly orderBy: readonly Ordering[];
  readonly offset?: Expression;
  readonly limit?: Expression;
}

/** The property path from an alias, `["steps", "pay"]` of `c.steps.pay`, where the expression is nothing but that. */
export function propertyPathOf(expression: Expression, alias: string): readonly string[] | undefined {
  const segments: string[] = [];
  let at = expression;
  while (at.kind === "member") {
    if (at.key.kind !== "literal" || typeof at.key.value !== "string") return undefined;
    segments.unshift(at.key.value);
    at = at.of;
  }
  return at.kind === "alias" && at.name === alias ? segments : undefined;
}

/** The expressions directly within it; none for a subquery, which has a document of its own. */
export function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case "literal":
    case "parameter":
    case "alias":
    case "subquery":
      return [];
    case "member":
      return [expression.of, expression.key];
    case "array":
      return expression.items;
    case "object":
      return expression.entries.map(([, value]) => value);
    case "unary":
      return [expression.operand];
    case "binary":
      return [expression.left, expression.right];
    case "in":
      return [expression.of, ...expression.among];
    case "between":
      return [expression.of, expression.low, expression.high];
    case "conditional":
      return [expression.test, expression.then, expression.otherwise];
    case "call":
      return expression.given;
    default:
      return expression satisfies never;
  }
}
