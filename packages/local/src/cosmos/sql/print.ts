// The text of a parsed query: for the queries that a client sends to each physical partition in the place of its own.
import type { Expression, Ordering, Query, Selection, Source } from "./ast.ts";

export function printExpression(expression: Expression): string {
  const print = printExpression;
  switch (expression.kind) {
    case "literal":
      return typeof expression.value === "number"
        ? String(expression.value)
        : (JSON.stringify(expression.value) ?? "undefined");
    case "parameter":
    case "alias":
      return expression.name;
    case "member":
      return `${print(expression.of)}[${print(expression.key)}]`;
    case "array":
      return `[${list(expression.items)}]`;
    case "object":
      return `{${expression.entries.map(([name, value]) => `${JSON.stringify(name)}: ${print(value)}`).join(", ")}}`;
    case "unary":
      return `(${expression.operator} ${print(expression.operand)})`;
    case "binary":
      return `(${print(expression.left)} ${expression.operator} ${print(expression.right)})`;
    case "in":
      return `(${print(expression.of)} IN (${list(expression.among)}))`;
    case "between":
      return `(${print(expression.of)} BETWEEN ${print(expression.low)} AND ${print(expression.high)})`;
    case "conditional":
      return `(${print(expression.test)} ? ${print(expression.then)} : ${print(expression.otherwise)})`;
    case "call":
      return `${expression.name}(${list(expression.given)})`;
    case "subquery":
      return `${expression.as.toUpperCase()}(${printQuery(expression.query)})`;
    default:
      return expression satisfies never;
  }
}

const list = (expressions: readonly Expression[]) => expressions.map(printExpression).join(", ");

export function printQuery(query: Query): string {
  return [
    `SELECT${query.top ? ` TOP ${printExpression(query.top)}` : ""}`,
    printSelection(query.selection),
    printTail(query),
    query.offset ? `OFFSET ${printExpression(query.offset)}` : "",
    query.limit ? `LIMIT ${printExpression(query.limit)}` : "",
  ]
    .filter(Boolean)
    .join(" ");
}

/** From FROM to ORDER BY. `condition` is the text of a further one. */
export function printTail({ sources, where, groupBy, orderBy }: Query, condition?: string): string {
  const conditions = [
    ...(condition === undefined ? [] : [`(${condition})`]),
    ...(where ? [printExpression(where)] : []),
  ];
  return [
    sources.length > 0 ? `FROM ${sources.map(printSource).join(" JOIN ")}` : "",
    conditions.length > 0 ? `WHERE ${conditions.join(" AND ")}` : "",
    groupBy.length > 0 ? `GROUP BY ${list(groupBy)}` : "",
    orderBy.length > 0 ? `ORDER BY ${orderBy.map(printOrdering).join(", ")}` : "",
  ]
    .filter(Boolean)
    .join(" ");
}

const printOrdering = ({ expression, descending }: Ordering) =>
  `${printExpression(expression)} ${descending ? "DESC" : "ASC"}`;

function printSelection(selection: Selection): string {
  switch (selection.kind) {
    case "all":
      return "*";
    case "value":
      return `VALUE ${printExpression(selection.expression)}`;
    case "list":
      return selection.items.map(({ name, expression }) => `${printExpression(expression)}${named(name)}`).join(", ");
    default:
      return selection satisfies never;
  }
}

/** What has no name is numbered, and may be named so nowhere. */
const named = (name: string) => (/^\$\d+$/.test(name) ? "" : ` AS ${name}`);

function printSource({ alias, elementsOf, path }: Source): string {
  if (elementsOf?.kind === "subquery") return `(${printQuery(elementsOf.query)}) AS ${alias}`;
  if (elementsOf) return `${alias} IN ${printExpression(elementsOf)}`;
  return path ? `${printExpression(path)}${alias === "" ? "" : ` AS ${alias}`}` : alias;
}
