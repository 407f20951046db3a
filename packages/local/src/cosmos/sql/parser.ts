// The clause half of the parser: a SELECT statement, or the `FROM c WHERE ...` condition of a patch.
import type { Expression, Ordering, Query, Selected, Selection, Source } from "./ast.ts";
import { QueryFault } from "./fault.ts";
import { ExpressionParser } from "./parse-expression.ts";

export function parseQuery(sql: string): Query {
  const parser = new ExpressionParser(sql, parseSelect);
  const query = parseSelect(parser);
  end(parser);
  return query;
}

/** A SELECT statement, alone or in parentheses. */
function parseSelect(parser: ExpressionParser): Query {
  parser.expect("SELECT");
  if (parser.is("DISTINCT")) throw new QueryFault("DISTINCT is not supported by this server.");
  const top = parser.accept("TOP") ? count(parser) : undefined;
  const selection = parseSelection(parser);
  const sources = parser.is("FROM") ? parseSources(parser) : [];
  const where = parser.accept("WHERE") ? parser.expression() : undefined;
  const groupBy = by(parser, "GROUP") ? expressions(parser) : [];
  const isOrdered = by(parser, "ORDER");
  if (isOrdered && parser.is("RANK"))
    throw new QueryFault("Full text search is not supported by this server: ORDER BY RANK.");
  const orderBy = isOrdered ? orderings(parser) : [];
  const offset = parser.accept("OFFSET") ? count(parser) : undefined;
  if (offset && !parser.is("LIMIT")) parser.fail("LIMIT expected");
  if (top && offset) throw new QueryFault("TOP and OFFSET LIMIT cannot be in one query.");
  const limit = offset && parser.accept("LIMIT") ? count(parser) : undefined;
  if (groupBy.length > 0 && orderBy.length > 0)
    throw new QueryFault("ORDER BY together with GROUP BY is not supported.");
  return {
    ...(top ? { top } : {}),
    selection,
    sources,
    ...(where ? { where } : {}),
    groupBy,
    orderBy,
    ...(offset ? { offset } : {}),
    ...(limit ? { limit } : {}),
  };
}

/** The condition of a patch: `FROM c WHERE ...` over the document as it is. */
export function parseCondition(sql: string): { readonly alias: string; readonly where: Expression } {
  const parser = new ExpressionParser(sql, parseSelect);
  const [source, ...others] = parseSources(parser);
  if (!source || source.elementsOf || source.path || others.length > 0)
    throw new QueryFault("A patch condition reads one document.");
  parser.expect("WHERE");
  const where = parser.expression();
  end(parser);
  return { alias: source.alias, where };
}

function end(parser: ExpressionParser): void {
  if (parser.token.kind !== "end") parser.fail();
}

function by(parser: ExpressionParser, keyword: string): boolean {
  if (!parser.accept(keyword)) return false;
  parser.expect("BY");
  return true;
}

function count(parser: ExpressionParser): Expression {
  const token = parser.take();
  if (token.kind === "number") return { kind: "literal", value: Number(token.text) };
  if (token.kind === "parameter") return { kind: "parameter", name: token.text };
  throw new QueryFault(`The query cannot be read at ${token.at}, '${token.text}': a count expected.`);
}

function parseSelection(parser: ExpressionParser): Selection {
  if (parser.accept("*")) return { kind: "all" };
  if (parser.accept("VALUE")) return { kind: "value", expression: parser.expression() };
  const items: Selected[] = [];
  let unnamed = 0;
  do {
    const expression = parser.expression();
    const named = parser.accept("AS")
      ? parser.name()
      : parser.token.kind === "word" && !parser.is("FROM")
        ? parser.name()
        : implied(expression);
    if (named === undefined) unnamed += 1;
    items.push({ name: named ?? `$${unnamed}`, expression });
  } while (parser.accept(","));
  const repeated = items.find(({ name }, index) => items.findIndex((other) => other.name === name) !== index);
  if (repeated) throw new QueryFault(`Two selected values have the name '${repeated.name}'.`);
  return { kind: "list", items };
}

/** Without an alias a property keeps its own name, and anything else is numbered. */
function implied(expression: Expression): string | undefined {
  if (expression.kind === "alias") return expression.name;
  if (expression.kind !== "member" || expression.key.kind !== "literal") return undefined;
  return typeof expression.key.value === "string" ? expression.key.value : undefined;
}

function parseSources(parser: ExpressionParser): Source[] {
  parser.expect("FROM");
  const sources = [parseSource(parser)];
  while (parser.accept("JOIN")) {
    const source = parseSource(parser);
    if (!source.elementsOf) parser.fail("IN expected");
    sources.push(source);
  }
  return sources;
}

/** What SELECT * means where nothing else can name it. */
const UNNAMED = "";

/** `alias IN set`, `(SELECT ...) AS alias`, `(SELECT ...)`, `c`, `c AS alias` or `c.path AS alias`. */
function parseSource(parser: ExpressionParser): Source {
  if (parser.is("(")) {
    const elementsOf = parser.set();
    return { alias: parser.accept("AS") || isName(parser) ? parser.name() : UNNAMED, elementsOf };
  }
  const path = parser.path();
  if (path.kind === "alias" && parser.accept("IN")) return { alias: path.name, elementsOf: parser.set() };
  const alias = parser.accept("AS") || isName(parser) ? parser.name() : (implied(path) ?? UNNAMED);
  return path.kind === "alias" && path.name === alias ? { alias } : { alias, path: path };
}

const isName = (parser: ExpressionParser) => parser.token.kind === "word" && !parser.is(...CLAUSES);

const CLAUSES = ["WHERE", "GROUP", "ORDER", "OFFSET", "LIMIT", "JOIN"];

function expressions(parser: ExpressionParser): Expression[] {
  const items = [parser.expression()];
  while (parser.accept(",")) items.push(parser.expression());
  return items;
}

function orderings(parser: ExpressionParser): Ordering[] {
  const items: Ordering[] = [];
  do {
    const expression = parser.expression();
    const descending = parser.accept("DESC");
    if (!descending) parser.accept("ASC");
    items.push({ expression, descending });
  } while (parser.accept(","));
  return items;
}
