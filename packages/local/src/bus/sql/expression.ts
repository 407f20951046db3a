// The parsed form of filters and actions.
import type { Value } from "./values.ts";

export interface Property {
  readonly kind: "property";
  readonly scope: "sys" | "user";
  readonly name: string;
}

export type Comparison = "=" | "<>" | ">" | ">=" | "<" | "<=";
export type Arithmetic = "+" | "-" | "*" | "/" | "%";

export type Expression =
  | Property
  | { readonly kind: "constant"; readonly value: Value }
  | { readonly kind: "parameter"; readonly name: string }
  | { readonly kind: "call"; readonly name: string; readonly args: readonly Expression[] }
  | { readonly kind: "negate"; readonly operand: Expression }
  | {
      readonly kind: "calculate";
      readonly operator: Arithmetic;
      readonly left: Expression;
      readonly right: Expression;
    };

export type Predicate =
  | { readonly kind: "not"; readonly operand: Predicate }
  | { readonly kind: "and" | "or"; readonly left: Predicate; readonly right: Predicate }
  | {
      readonly kind: "compare";
      readonly operator: Comparison;
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly kind: "isNull"; readonly property: Property }
  | { readonly kind: "exists"; readonly property: Property }
  | { readonly kind: "in"; readonly operand: Expression; readonly list: readonly Expression[] }
  | {
      readonly kind: "like";
      readonly operand: Expression;
      readonly pattern: Expression;
      readonly escapeMark: Expression | undefined;
    }
  | { readonly kind: "boolean"; readonly operand: Expression };

export type Statement =
  | { readonly kind: "set"; readonly property: Property; readonly value: Expression }
  | { readonly kind: "remove"; readonly property: Property };
