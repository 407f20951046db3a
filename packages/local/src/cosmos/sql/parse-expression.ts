// The expression half of the parser: precedence climbing over the tokens of one query.
import type { Expression, Query } from "./ast.ts";
import { QueryFault } from "./fault.ts";
import { type Token, tokenize } from "./lexer.ts";

/** After a dot these are keywords to Azure too (`c.value` is an error there): `c["value"]` is how to say it. */
const RESERVED = new Set(
  "AND ARRAY AS ASC BETWEEN BY DESC DISTINCT ESCAPE EXISTS FALSE FROM GROUP IN JOIN LIKE LIMIT NOT NULL OFFSET OR ORDER SELECT TOP TRUE UNDEFINED VALUE WHERE".split(
    " ",
  ),
);

/** Binary operators from the loosest to the tightest; comparison and the tests IN and BETWEEN have a level of their own. */
const LEVELS: readonly (readonly string[])[] = [
  ["|"],
  ["^"],
  ["&"],
  ["<<", ">>", ">>>"],
  ["+", "-", "||"],
  ["*", "/", "%"],
];
const MOST_DEPTH = 200;
const COMPARISONS = new Set(["=", "!=", "<>", "<", ">", "<=", ">="]);

export class ExpressionParser {
  readonly #tokens: readonly Token[];
  readonly #parseSelect: (parser: ExpressionParser) => Query;
  #next = 0;
  #depth = 0;

  /** `parseSelect` reads the SELECT statement of a subquery. */
  constructor(sql: string, parseSelect: (parser: ExpressionParser) => Query) {
    this.#tokens = tokenize(sql);
    this.#parseSelect = parseSelect;
  }

  get token(): Token {
    const token = this.#tokens[this.#next] ?? this.#tokens.at(-1);
    if (!token) throw new QueryFault("The query is empty.");
    return token;
  }

  take(): Token {
    const token = this.token;
    this.#next += 1;
    return token;
  }

  is(...texts: readonly string[]): boolean {
    const { kind, upper } = this.token;
    return (kind === "word" || kind === "symbol") && texts.includes(upper);
  }

  accept(text: string): boolean {
    if (!this.is(text)) return false;
    this.#next += 1;
    return true;
  }

  expect(text: string): void {
    if (!this.accept(text)) this.fail(`'${text}' expected`);
  }

  fail(why?: string): never {
    const { text, at } = this.token;
    throw new QueryFault(`The query cannot be read at ${at}, '${text}'${why ? `: ${why}` : ""}.`);
  }

  name(): string {
    const token = this.token;
    if (token.kind !== "word" || RESERVED.has(token.upper)) this.fail("a name expected");
    return this.take().text;
  }

  list(close: string): Expression[] {
    const items: Expression[] = [];
    if (this.accept(close)) return items;
    do items.push(this.expression());
    while (this.accept(","));
    this.expect(close);
    return items;
  }

  /** What an alias can stand for each element of: an array, or the results of a subquery. */
  set(): Expression {
    const [open, select] = this.#tokens.slice(this.#next);
    if (open?.text !== "(" || select?.upper !== "SELECT") return this.expression();
    this.take();
    return this.#within(() => this.#subquery("array"));
  }

  /** `c` or `c.path[0]` */
  path(): Expression {
    return this.#members({ kind: "alias", name: this.name() });
  }

  /** All that nests comes by here or by a sign: the compiler and the query itself go as deep. */
  expression(): Expression {
    return this.#within(() => this.#conditional());
  }

  #within<T>(parse: () => T): T {
    this.#depth += 1;
    if (this.#depth > MOST_DEPTH) throw new QueryFault(`The query is nested more than ${MOST_DEPTH} levels deep.`);
    const parsed = parse();
    this.#depth -= 1;
    return parsed;
  }

  #conditional(): Expression {
    const test = this.#coalesce();
    if (!this.accept("?")) return test;
    const then = this.expression();
    this.expect(":");
    return { kind: "conditional", test, then, otherwise: this.expression() };
  }

  #coalesce(): Expression {
    let left = this.#or();
    while (this.accept("??")) left = { kind: "binary", operator: "??", left, right: this.#or() };
    return left;
  }

  #or(): Expression {
    let left = this.#and();
    while (this.accept("OR")) left = { kind: "binary", operator: "OR", left, right: this.#and() };
    return left;
  }

  #and(): Expression {
    let left = this.#not();
    while (this.accept("AND")) left = { kind: "binary", operator: "AND", left, right: this.#not() };
    return left;
  }

  #not(): Expression {
    if (this.accept("NOT")) return { kind: "unary", operator: "NOT", operand: this.#within(() => this.#not()) };
    return this.#comparison();
  }

  #comparison(): Expression {
    const left = this.#binary(0);
    const { kind, text } = this.token;
    if (kind === "symbol" && COMPARISONS.has(text)) {
      this.take();
      return { kind: "binary", operator: text === "<>" ? "!=" : text, left, right: this.#binary(0) };
    }
    if (this.accept("NOT")) return { kind: "unary", operator: "NOT", operand: this.#tested(left) };
    return this.is("IN", "BETWEEN", "LIKE") ? this.#tested(left) : left;
  }

  #tested(of: Expression): Expression {
    if (this.accept("IN")) {
      this.expect("(");
      if (this.is(")")) this.fail("a value expected");
      return { kind: "in", of, among: this.list(")") };
    }
    if (this.accept("BETWEEN")) {
      const low = this.#binary(0);
      this.expect("AND");
      return { kind: "between", of, low, high: this.#binary(0) };
    }
    if (this.is("LIKE")) throw new QueryFault("LIKE is not supported by this server.");
    return this.fail("IN or BETWEEN expected");
  }

  #binary(level: number): Expression {
    const operators = LEVELS[level];
    if (!operators) return this.#unary();
    let left = this.#binary(level + 1);
    while (this.token.kind === "symbol" && operators.includes(this.token.text)) {
      const operator = this.take().text;
      left = { kind: "binary", operator, left, right: this.#binary(level + 1) };
    }
    return left;
  }

  #unary(): Expression {
    if (!this.is("-", "+", "~", "!")) return this.#members(this.#primary());
    const operator = this.take().text;
    if (operator === "!") this.fail("NOT expected");
    return { kind: "unary", operator, operand: this.#within(() => this.#unary()) };
  }

  #members(of: Expression): Expression {
    let at = of;
    for (;;) {
      if (this.accept(".")) at = { kind: "member", of: at, key: { kind: "literal", value: this.#property() } };
      else if (this.accept("[")) {
        at = { kind: "member", of: at, key: this.expression() };
        this.expect("]");
      } else return at;
    }
  }

  #property(): string {
    const { upper, text } = this.token;
    if (RESERVED.has(upper)) this.fail(`'${text}' is a keyword, write ["${text}"]`);
    return this.name();
  }

  #primary(): Expression {
    const token = this.take();
    if (token.kind === "string") return { kind: "literal", value: token.text };
    if (token.kind === "number") return { kind: "literal", value: Number(token.text) };
    if (token.kind === "parameter") return { kind: "parameter", name: token.text };
    if (token.kind === "word") return this.#word(token);
    if (token.text === "[") return { kind: "array", items: this.list("]") };
    if (token.text === "{") return this.#object();
    if (token.text === "(") {
      if (this.is("SELECT"))
        throw new QueryFault(
          "A subquery for one value is not supported by this server: EXISTS, ARRAY and FROM take one.",
        );
      const inner = this.expression();
      this.expect(")");
      return inner;
    }
    this.#next -= 1;
    return this.fail();
  }

  #word(token: Token): Expression {
    switch (token.upper) {
      case "TRUE":
      case "FALSE":
        return { kind: "literal", value: token.upper === "TRUE" };
      case "NULL":
        return { kind: "literal", value: null };
      case "UNDEFINED":
        return { kind: "literal", value: undefined };
      case "EXISTS":
      case "ARRAY":
        this.expect("(");
        return this.#subquery(token.upper === "EXISTS" ? "exists" : "array");
    }
    if (this.accept("(")) return { kind: "call", name: token.upper, given: this.list(")") };
    if (RESERVED.has(token.upper)) {
      this.#next -= 1;
      this.fail();
    }
    if (token.upper === "UDF" && this.is("."))
      throw new QueryFault("User defined functions are not supported by this server.");
    return { kind: "alias", name: token.text };
  }

  #subquery(as: "exists" | "array"): Expression {
    const query = this.#parseSelect(this);
    const { top, groupBy, orderBy, offset } = query;
    if (top || groupBy.length > 0 || orderBy.length > 0 || offset)
      throw new QueryFault("TOP, GROUP BY, ORDER BY and OFFSET are not supported by this server in a subquery.");
    this.expect(")");
    return { kind: "subquery", as, query };
  }

  #object(): Expression {
    const entries: [string, Expression][] = [];
    if (!this.accept("}")) {
      do {
        const key = this.token.kind === "string" ? this.take().text : this.name();
        this.expect(":");
        entries.push([key, this.expression()]);
      } while (this.accept(","));
      this.expect("}");
    }
    return { kind: "object", entries };
  }
}
