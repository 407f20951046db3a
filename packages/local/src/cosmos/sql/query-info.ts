// What a plan says of one query, and what all plans share.
import type { Query } from "./ast.ts";
import { printExpression } from "./print.ts";

export interface QueryInfo {
  readonly distinctType: "None" | "Ordered" | "Unordered";
  readonly top: number | null;
  readonly offset: number | null;
  readonly limit: number | null;
  readonly orderBy: readonly ("Ascending" | "Descending")[];
  readonly orderByExpressions: readonly string[];
  readonly groupByExpressions: readonly string[];
  readonly groupByAliases: readonly string[];
  readonly aggregates: readonly string[];
  readonly groupByAliasToAggregateType: Readonly<Record<string, string | null>>;
  readonly rewrittenQuery: string;
  readonly hasSelectValue: boolean;
  readonly hasNonStreamingOrderBy: boolean;
}

export const NOTHING_TO_MERGE: QueryInfo = {
  distinctType: "None",
  top: null,
  offset: null,
  limit: null,
  orderBy: [],
  orderByExpressions: [],
  groupByExpressions: [],
  groupByAliases: [],
  aggregates: [],
  groupByAliasToAggregateType: {},
  rewrittenQuery: "",
  hasSelectValue: false,
  hasNonStreamingOrderBy: false,
};

/** What a query selects, as one value. */
export function payloadOf({ selection, sources }: Query): string {
  switch (selection.kind) {
    case "all":
      return sources[0]?.alias ?? "c";
    case "value":
      return printExpression(selection.expression);
    case "list":
      return `{${selection.items.map(({ name, expression }) => entry(name, printExpression(expression))).join(", ")}}`;
    default:
      return selection satisfies never;
  }
}

/** A member of an object, as text. */
export const entry = (name: string, text: string) => `${JSON.stringify(name)}: ${text}`;
