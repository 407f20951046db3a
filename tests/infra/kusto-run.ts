// Runs the queries of alerts over rows that a test makes: the little of KQL that they use, by the syntax tree of Microsoft's language service.
import { type KustoNode, syntaxOf } from "./kusto.ts";

type Cell = string | number | boolean | null | { readonly [name: string]: Cell };
export type Row = Readonly<Record<string, Cell>>;
/** By the table's name; times are milliseconds. */
export type Tables = Readonly<Record<string, readonly Row[]>>;

/** What an expression stands in: a row, or the rows that it summarizes. */
interface Scope {
  readonly named: ReadonlyMap<string, KustoNode>;
  readonly tables: Tables;
  readonly now: number;
  readonly row: Row;
  readonly group?: readonly Row[];
}

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** @param now what `ago` counts from; rows that arrive later are not seen */
export function run(query: string, tables: Tables, now: number): Row[] {
  const named = new Map<string, KustoNode>();
  let answer: KustoNode | undefined;
  for (const statement of listed(child(syntaxOf(query), 1))) {
    if (kindOf(statement) === "LetStatement") named.set(textOf(child(statement, 1)), child(statement, 3));
    else answer = child(statement, 0);
  }
  if (!answer) throw new Error("the query asks for nothing");
  return rowsOf(answer, { named, tables, now, row: {} });
}

function rowsOf(node: KustoNode, scope: Scope): Row[] {
  switch (kindOf(node)) {
    case "PipeExpression":
      return operated(child(node, 2), rowsOf(child(node, 0), scope), scope);
    case "ParenthesizedExpression":
      return rowsOf(child(node, 1), scope);
    case "UnionOperator":
      return listed(lastOf(node)).flatMap((each) => rowsOf(each, scope));
    case "NameReference": {
      const own = scope.named.get(textOf(node));
      return own ? rowsOf(own, scope) : [...(scope.tables[textOf(node)] ?? [])];
    }
    default:
      throw new Error(`${kindOf(node)} is not known here: ${textOf(node)}`);
  }
}

function operated(operator: KustoNode, rows: Row[], scope: Scope): Row[] {
  const inRow = (row: Row): Scope => ({ ...scope, row });
  switch (kindOf(operator)) {
    case "FilterOperator":
      return rows.filter((row) => cellOf(lastOf(operator), inRow(row)) === true);
    case "ExtendOperator":
      return rows.map((row) => columnsOf(lastOf(operator), inRow(row), row));
    case "ProjectOperator":
      return rows.map((row) => columnsOf(lastOf(operator), inRow(row)));
    case "SummarizeOperator":
      return summarized(operator, rows, scope);
    case "JoinOperator":
      return joined(operator, rows, scope);
    case "CountOperator":
      return [{ Count: rows.length }];
    default:
      throw new Error(`${kindOf(operator)} is not known here: ${textOf(operator)}`);
  }
}

/** Each column sees those before it, as far as they are in the row. */
function columnsOf(list: KustoNode, scope: Scope, before: Row = {}): Row {
  const columns = { ...before };
  for (const node of listed(list)) {
    const isNamed = kindOf(node) === "SimpleNamedExpression";
    const expression = isNamed ? child(node, 2) : node;
    const within = { ...scope, row: { ...scope.row, ...columns } };
    if (functionOf(expression) === "arg_max") Object.assign(columns, newest(expression, within));
    else columns[isNamed ? textOf(child(node, 0)) : textOf(expression)] = cellOf(expression, within);
  }
  return columns;
}

/** Of no rows there is none, and each column is empty. */
function newest(call: KustoNode, scope: Scope): Row {
  const columns = argumentsOf(call).map(textOf);
  const at = (row: Row | undefined) => Number(row?.[columns[0] ?? ""] ?? Number.NEGATIVE_INFINITY);
  const found = scope.group?.reduce<Row | undefined>((best, row) => (at(row) > at(best) ? row : best), undefined);
  return Object.fromEntries(columns.map((name) => [name, found?.[name] ?? null]));
}

/** Without `by` there is a row for no rows at all. */
function summarized(operator: KustoNode, rows: readonly Row[], scope: Scope): Row[] {
  const by = childrenOf(operator).find((node) => kindOf(node) === "SummarizeByClause");
  const aggregates = childrenOf(operator).find((node) => kindOf(node) === "SyntaxList" && listed(node).length > 0);
  const ofGroup = (group: readonly Row[], key: Row) =>
    aggregates ? columnsOf(aggregates, { ...scope, row: key, group }, key) : key;
  if (!by) return [ofGroup(rows, {})];
  const keyOf = (row: Row) => columnsOf(lastOf(by), { ...scope, row });
  const groups = Map.groupBy(rows, (row) => JSON.stringify(keyOf(row)));
  return [...groups].map(([key, group]) => ofGroup(group, JSON.parse(key) as Row));
}

function joined(operator: KustoNode, left: readonly Row[], scope: Scope): Row[] {
  const text = textOf(operator);
  const kind = /kind\s*=\s*(\w+)/.exec(text)?.[1];
  const names = /\bon\s+([\w, ]+)$/.exec(text)?.[1]?.split(/,\s*/) ?? [];
  const parts = childrenOf(operator).filter(
    (node) => /Expression$/.test(kindOf(node)) || kindOf(node) === "NameReference",
  );
  const right = rowsOf(parts[0] as KustoNode, scope);
  const isPair = (one: Row, other: Row) => names.every((name) => one[name] === other[name]);
  const both = (one: Row, other: Row): Row => ({
    ...Object.fromEntries(
      Object.entries(other).map(([name, value]) => [name in one || names.includes(name) ? `${name}1` : name, value]),
    ),
    ...one,
  });
  const pairs = left.flatMap((one) => right.filter((other) => isPair(one, other)).map((other) => both(one, other)));
  const alone = left.filter((one) => !right.some((other) => isPair(one, other)));
  if (kind === "inner") return pairs;
  if (kind === "leftanti") return alone;
  if (kind !== "fullouter") throw new Error(`a join of the kind ${kind} is not known here`);
  const others = right.filter((other) => !left.some((one) => isPair(one, other)));
  return [...pairs, ...alone, ...others.map((other) => both({}, other))];
}

function cellOf(node: KustoNode, scope: Scope): Cell {
  const of = (at: number) => cellOf(child(node, at), scope);
  switch (kindOf(node)) {
    case "NameReference": {
      const name = textOf(node);
      const own = Object.hasOwn(scope.row, name) ? undefined : scope.named.get(name);
      return own ? cellOf(own, scope) : (scope.row[name] ?? null);
    }
    case "LiteralExpression":
      return literalOf(textOf(node));
    case "ParenthesizedExpression":
      return of(1);
    case "PrefixUnaryExpression":
      return -Number(of(1));
    case "PathExpression":
    case "ElementExpression":
      return (
        (of(0) as Row | null)?.[
          textOf(child(node, kindOf(node) === "PathExpression" ? 2 : 1)).replaceAll(/[[\]"]/g, "")
        ] ?? null
      );
    case "InExpression": {
      const among = child(child(node, 2), 1);
      const [first] = listed(among);
      const isQuery = first !== undefined && /^(ParenthesizedExpression|PipeExpression)$/.test(kindOf(first));
      const all = isQuery
        ? rowsOf(first, scope).map((row) => Object.values(row)[0])
        : listed(among).map((each) => cellOf(each, scope));
      return all.includes(of(0));
    }
    case "BinaryExpression":
      return compared(textOf(child(node, 1)), of(0), () => of(2));
    case "FunctionCallExpression":
      return called(node, scope);
    case "ToScalarExpression": {
      const query = childrenOf(node).find((each) => kindOf(each) === "PipeExpression");
      const [row] = query ? rowsOf(query, { ...scope, row: {} }) : [];
      return Object.values(row ?? {})[0] ?? null;
    }
    default:
      throw new Error(`${kindOf(node)} is not known here: ${textOf(node)}`);
  }
}

function literalOf(text: string): Cell {
  const [, amount, unit = ""] = /^([\d.]+)([smhd])?$/.exec(text) ?? [];
  if (amount !== undefined) return Number(amount) * (UNITS[unit] ?? 1);
  return text === "true" || text === "false" ? text === "true" : text.slice(1, -1);
}

/** What is compared or reckoned with nothing is nothing. */
function compared(operator: string, one: Cell, second: () => Cell): Cell {
  if (operator === "and") return one === true && second() === true;
  if (operator === "or") return one === true || second() === true;
  const other = second();
  if (operator === "==") return one === other;
  if (operator === "!=") return one !== other;
  if (operator === "startswith") return String(one).startsWith(String(other));
  if (operator === "!startswith") return !String(one).startsWith(String(other));
  if (one === null || other === null) return null;
  const [a, b] = [Number(one), Number(other)];
  const answers: Readonly<Record<string, Cell>> = {
    ...{ "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b },
    ...{ "+": a + b, "-": a - b, "*": a * b, "/": b === 0 ? null : a / b },
  };
  const found = answers[operator];
  if (found === undefined) throw new Error(`the operator ${operator} is not known here`);
  return found;
}

const isEmpty = (value: Cell | undefined) => value === null || value === undefined || value === "";
const numberOf = (value: Cell | undefined) => (isEmpty(value) || Number.isNaN(Number(value)) ? null : Number(value));

const FUNCTIONS: Readonly<Record<string, (...values: Cell[]) => Cell>> = {
  bin: (value = null, size = null) => Math.floor(Number(value) / Number(size)) * Number(size),
  coalesce: (...values) => values.find((value) => !isEmpty(value)) ?? null,
  iff: (when, one = null, other = null) => (when === true ? one : other),
  isempty: (value) => isEmpty(value),
  isnotempty: (value) => !isEmpty(value),
  max_of: (...values) => Math.max(...values.flatMap((value) => numberOf(value) ?? [])),
  min_of: (...values) => (values.some(isEmpty) ? null : Math.min(...values.map(Number))),
  not: (value) => value !== true,
  tobool: (value = null) => (isEmpty(value) ? null : String(value) === "true"),
  todouble: (value) => numberOf(value),
  toint: (value) => numberOf(value),
  tostring: (value = null) => (value === null ? "" : String(value)),
};

function called(node: KustoNode, scope: Scope): Cell {
  const name = functionOf(node) ?? "";
  const parts = argumentsOf(node);
  if (name === "ago") return scope.now - Number(cellOf(parts[0] as KustoNode, scope));
  // As late as the test says; else at once.
  if (name === "ingestion_time") return scope.row["ingested"] ?? scope.row["TimeGenerated"] ?? null;
  const plain = FUNCTIONS[name];
  if (plain) return plain(...parts.map((part) => cellOf(part, scope)));
  const rows = scope.group;
  if (!rows) throw new Error(`${name} is not known here`);
  const condition = name.endsWith("if") ? parts.at(-1) : undefined;
  const inRow = (row: Row) => ({ ...scope, row });
  const holding = condition ? rows.filter((row) => cellOf(condition, inRow(row)) === true) : rows;
  const [value] = parts;
  const values = value && value !== condition ? holding.map((row) => cellOf(value, inRow(row))) : [];
  const known = values.filter((each) => each !== null);
  const numbers = known.map(Number);
  switch (name.replace(/if$/, "")) {
    case "count":
      return holding.length;
    case "dcount":
      return new Set(known).size;
    case "sum":
      return numbers.reduce((sum, value) => sum + value, 0);
    case "max":
      return numbers.length === 0 ? null : Math.max(...numbers);
    case "min":
      return numbers.length === 0 ? null : Math.min(...numbers);
    case "take_any":
      return known[0] ?? null;
    default:
      throw new Error(`${name} is not known here`);
  }
}

const functionOf = (node: KustoNode) =>
  kindOf(node) === "FunctionCallExpression" ? textOf(child(node, 0)) : undefined;
const argumentsOf = (call: KustoNode) => listed(child(child(call, 1), 1));

function childrenOf(node: KustoNode): KustoNode[] {
  return Array.from({ length: node.ChildCount }, (_, at) => node.GetChild(at)).filter((each) => each !== null);
}

function child(node: KustoNode, at: number): KustoNode {
  const found = node.GetChild(at);
  if (!found) throw new Error(`${textOf(node)} has no part ${at}`);
  return found;
}

const lastOf = (node: KustoNode) => childrenOf(node).at(-1) as KustoNode;
const listed = (node: KustoNode) => childrenOf(node).map((each) => child(each, 0));
const textOf = (node: KustoNode) => node.toString().trim();

/** Such as `FilterOperator`; lists have the kinds of what they hold in their names. */
function kindOf({ constructor: { $$name } }: KustoNode): string {
  return $$name.replace(/^Kusto\.Language\.Syntax\.(\w+).*$/, "$1").replace(/\$1$/, "");
}
