// The plan by which a client merges what several physical partitions answer: the query that it sends to each, and what of
// sorting, grouping and counting is left to it. Source: what the SDKs do with a plan (queryExecutionContext of @azure/cosmos).

import type { Expression, Query } from "./ast.ts";
import { NOT_A_PATH, QueryFault } from "./fault.ts";
import { parseQuery } from "./parser.ts";
import { printExpression, printQuery, printTail } from "./print.ts";
import { hasAggregate } from "./select-list.ts";

/** Clients put in its place where they go on in a sorted query. */
const RESUME = "{documentdb-formattableorderbyquery-filter}";

const TYPES: Readonly<Record<string, string>> = {
  COUNT: "Count",
  SUM: "Sum",
  AVG: "Average",
  MIN: "Min",
  MAX: "Max",
};

export interface QueryInfo {
  readonly distinctType: "None";
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

type CountOf = (expression: Expression) => number;

/** Undefined where the answers of the partitions one after the other are the answer. */
export function planOf(sql: string, countOf: CountOf): QueryInfo | undefined {
  const query = parseQuery(sql);
  const { top, limit, offset } = query;
  const bounds = {
    top: top ? countOf(top) : null,
    offset: limit ? (offset ? countOf(offset) : 0) : null,
    limit: limit ? countOf(limit) : null,
  };
  const { groupBy: _, top: _top, limit: _limit, offset: _offset, ...rest } = query;
  const most = bounds.top ?? (bounds.limit === null ? undefined : bounds.limit + (bounds.offset ?? 0));
  // Which groups come first is only known of all.
  const cut = most === undefined || isGrouped(query) ? "" : ` TOP ${most}`;
  const info = isGrouped(query) ? grouped(query) : query.orderBy.length > 0 ? sorted(query, cut) : undefined;
  if (!info && !top && !limit) return undefined;
  const plain = printQuery({ ...rest, groupBy: [] }).replace(/^SELECT/, `SELECT${cut}`);
  return {
    ...NOTHING_TO_MERGE,
    ...info,
    ...bounds,
    rewrittenQuery: info?.rewrittenQuery ?? plain,
    hasSelectValue: query.selection.kind === "value",
  };
}

function isGrouped({ groupBy, selection }: Query): boolean {
  if (groupBy.length > 0) return true;
  if (selection.kind === "value") return hasAggregate(selection.expression);
  return selection.kind === "list" && selection.items.some(({ expression }) => hasAggregate(expression));
}

/** `cut` is the TOP of each partition. */
function sorted(query: Query, cut: string): Partial<QueryInfo> {
  const items = query.orderBy.map(({ expression }) => `{"item": ${printExpression(expression)}}`);
  const head = `SELECT${cut} ${rootOf(query)}["_rid"], [${items.join(", ")}] AS orderByItems, ${payloadOf(query)} AS payload`;
  return {
    orderBy: query.orderBy.map(({ descending }) => (descending ? "Descending" : "Ascending")),
    orderByExpressions: query.orderBy.map(({ expression }) => printExpression(expression)),
    rewrittenQuery: `${head} ${printTail(query, RESUME)}`,
  };
}

function rootOf({ orderBy: [first] }: Query): string {
  let at = first?.expression;
  while (at?.kind === "member") at = at.of;
  if (at?.kind === "alias") return at.name;
  throw new QueryFault(NOT_A_PATH);
}

function grouped(query: Query): Partial<QueryInfo> {
  const { selection, groupBy } = query;
  if (query.sources.some(({ elementsOf }) => elementsOf?.kind === "subquery")) {
    throw new QueryFault("An aggregate over a subquery in FROM is not supported over several physical partitions.");
  }
  const keys = groupBy.map((expression) => `{"item": ${printExpression(expression)}}`);
  const by = keys.length > 0 ? `[${keys.join(", ")}] AS groupByItems, ` : "";
  const tail = printTail(query);
  const groupByExpressions = groupBy.map(printExpression);
  if (selection.kind === "value") {
    const { text, type } = partial(selection.expression);
    const payload = type === null ? text : `[${text}]`;
    const head = by === "" ? `SELECT VALUE ${payload}` : `SELECT ${by}${payload} AS payload`;
    return { groupByExpressions, aggregates: type === null ? [] : [type], rewrittenQuery: `${head} ${tail}` };
  }
  if (selection.kind === "all") throw new QueryFault("'SELECT *' is not valid with GROUP BY.");
  const parts = selection.items.map(({ name, expression }) => ({ name, ...partial(expression) }));
  const payload = `{${parts.map(({ name, text }) => entry(name, text)).join(", ")}}`;
  return {
    groupByExpressions,
    groupByAliases: parts.map(({ name }) => name),
    groupByAliasToAggregateType: Object.fromEntries(parts.map(({ name, type }) => [name, type])),
    rewrittenQuery: `SELECT ${by}${payload} AS payload ${tail}`,
  };
}

/** What a partition tells of a part of a group, from which clients make the whole. */
function partial(expression: Expression): { readonly text: string; readonly type: string | null } {
  const name = expression.kind === "call" ? expression.name : "";
  const type = TYPES[name];
  if (type === undefined || expression.kind !== "call") {
    if (!hasAggregate(expression)) return { text: printExpression(expression), type: null };
    throw new QueryFault("Cross partition query only supports an aggregate alone, not an expression of it.");
  }
  const given = printExpression(expression.given[0] ?? { kind: "literal", value: 1 });
  if (name === "AVG") return { text: `{"item": {"sum": SUM(${given}), "count": COUNT(${given})}}`, type };
  if (name !== "MIN" && name !== "MAX") return { text: `{"item": ${name}(${given})}`, type };
  const of = `${name}(${given})`;
  return { text: `{"item": ${of}, "item2": {"${name.toLowerCase()}": ${of}, "count": COUNT(${given})}}`, type };
}

/** What a query selects, as one value. */
function payloadOf({ selection, sources }: Query): string {
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
const entry = (name: string, text: string) => `${JSON.stringify(name)}: ${text}`;
