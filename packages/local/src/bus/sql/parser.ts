// Parses filters and actions of subscription rules (Service Bus documentation, "SQL filter syntax" and "SQL action syntax").

import { BUS_LIMITS } from "../limits.ts";
import type { Arithmetic, Comparison, Expression, Predicate, Property, Statement } from "./expression.ts";
import { FUNCTIONS } from "./functions.ts";
import { readTokens, SyntaxFault, type Token } from "./lexer.ts";

const MAX_STATEMENTS = BUS_LIMITS.actionStatements.value;
const MAX_DEPTH = 64;
const MAX_INTEGER = 2n ** 63n - 1n;
const COMPARISONS: Readonly<Record<string, Comparison>> = {
  "=": "=",
  "<>": "<>",
  "!=": "<>",
  ">": ">",
  ">=": ">=",
  "<": "<",
  "<=": "<=",
};

/** Throws a SyntaxFault. */
export function parseFilter(text: string): Predicate {
  const parser = new Parser(text, BUS_LIMITS.filterCharacters.value);
  const predicate = parser.predicate();
  parser.expectEnd();
  return predicate;
}

/** Throws a SyntaxFault. */
export function parseAction(text: string): Statement[] {
  const parser = new Parser(text, BUS_LIMITS.actionCharacters.value);
  const statements: Statement[] = [];
  while (!parser.isAtEnd()) {
    statements.push(parser.statement());
    // Both separators may be left out.
    while (parser.takeSymbol(";") || parser.takeSymbol(","));
  }
  if (statements.length > MAX_STATEMENTS) throw new SyntaxFault(`More than ${MAX_STATEMENTS} actions`, text.length);
  return statements;
}

class Parser {
  readonly #tokens: Token[];
  #next = 0;
  #depth = 0;

  constructor(text: string, most: number) {
    if (text.length > most) throw new SyntaxFault(`More than ${most} characters`, most);
    this.#tokens = readTokens(text);
  }

  predicate(): Predicate {
    let left = this.#conjunction();
    while (this.#takeKeyword("OR")) left = { kind: "or", left, right: this.#conjunction() };
    return left;
  }

  statement(): Statement {
    if (this.#takeKeyword("REMOVE")) return { kind: "remove", property: this.#property() };
    if (!this.#takeKeyword("SET")) throw this.#unexpected("SET or REMOVE");
    const property = this.#property();
    this.#expectSymbol("=");
    return { kind: "set", property, value: this.#expression() };
  }

  isAtEnd(): boolean {
    return this.#token.kind === "end";
  }

  expectEnd(): void {
    if (!this.isAtEnd()) throw this.#unexpected("the end");
  }

  takeSymbol(text: string): boolean {
    const { kind, text: found } = this.#token;
    const isThere = kind === "symbol" && found === text;
    if (isThere) this.#next += 1;
    return isThere;
  }

  #conjunction(): Predicate {
    let left = this.#negation();
    while (this.#takeKeyword("AND")) left = { kind: "and", left, right: this.#negation() };
    return left;
  }

  #negation(): Predicate {
    if (this.#takeKeyword("NOT")) return { kind: "not", operand: this.#within(() => this.#negation()) };
    return this.#test();
  }

  #test(): Predicate {
    if (this.#takeKeyword("EXISTS")) {
      this.#expectSymbol("(");
      const property = this.#property();
      this.#expectSymbol(")");
      return { kind: "exists", property };
    }
    return this.#enclosedPredicate() ?? this.#comparison();
  }

  /** A parenthesis opens a predicate or an expression: which one shows behind it. */
  #enclosedPredicate(): Predicate | undefined {
    const start = this.#next;
    if (!this.takeSymbol("(")) return undefined;
    const predicate = this.#within(() => this.predicate());
    this.#expectSymbol(")");
    const { kind, text } = this.#token;
    const isOperand =
      (kind === "symbol" && (text in COMPARISONS || "+-*/%".includes(text))) ||
      (kind === "keyword" && ["LIKE", "IN", "IS"].includes(text)) ||
      this.#isNegatedTest();
    if (!isOperand || predicate.kind !== "boolean") return predicate;
    this.#next = start;
    return undefined;
  }

  #comparison(): Predicate {
    const left = this.#expression();
    const comparison = this.#token.kind === "symbol" ? COMPARISONS[this.#token.text] : undefined;
    if (comparison) {
      this.#next += 1;
      return { kind: "compare", operator: comparison, left, right: this.#expression() };
    }
    if (this.#takeKeyword("IS")) return this.#isNull(left);
    const isNegated = this.#isNegatedTest();
    if (isNegated) this.#next += 1;
    const test = this.#listOrPattern(left);
    return isNegated ? { kind: "not", operand: test } : test;
  }

  #isNegatedTest(): boolean {
    const [token, next] = [this.#token, this.#tokens[this.#next + 1]];
    return (
      token.kind === "keyword" && token.text === "NOT" && next?.kind === "keyword" && /^(IN|LIKE)$/.test(next.text)
    );
  }

  #isNull(operand: Expression): Predicate {
    const isNegated = this.#takeKeyword("NOT");
    this.#expectKeyword("NULL");
    if (operand.kind !== "property") throw this.#unexpected("IS [NOT] NULL behind a property");
    const test: Predicate = { kind: "isNull", property: operand };
    return isNegated ? { kind: "not", operand: test } : test;
  }

  #listOrPattern(operand: Expression): Predicate {
    if (this.#takeKeyword("IN")) {
      this.#expectSymbol("(");
      const list = [this.#expression()];
      while (this.takeSymbol(",")) list.push(this.#expression());
      this.#expectSymbol(")");
      return { kind: "in", operand, list };
    }
    if (this.#takeKeyword("LIKE")) {
      const pattern = this.#expression();
      const escapeMark = this.#takeKeyword("ESCAPE") ? this.#expression() : undefined;
      return { kind: "like", operand, pattern, escapeMark };
    }
    return { kind: "boolean", operand };
  }

  #expression(): Expression {
    return this.#binary(["+", "-"], () => this.#binary(["*", "/", "%"], () => this.#unary()));
  }

  #binary(operators: readonly Arithmetic[], operand: () => Expression): Expression {
    let left = operand();
    for (;;) {
      const operator = operators.find((symbol) => this.takeSymbol(symbol));
      if (!operator) return left;
      left = { kind: "calculate", operator, left, right: operand() };
    }
  }

  #unary(): Expression {
    if (this.takeSymbol("-")) return { kind: "negate", operand: this.#within(() => this.#unary()) };
    if (this.takeSymbol("+")) return this.#within(() => this.#unary());
    if (this.takeSymbol("(")) {
      const expression = this.#within(() => this.#expression());
      this.#expectSymbol(")");
      return expression;
    }
    return this.#constant() ?? this.#callOrProperty();
  }

  #constant(): Expression | undefined {
    const { kind, text, at } = this.#token;
    if (kind === "parameter") return this.#taken({ kind: "parameter", name: text });
    if (kind === "string") return this.#taken({ kind: "constant", value: text });
    if (kind === "real") return this.#taken({ kind: "constant", value: Number(text) });
    if (kind === "integer") {
      if (BigInt(text) > MAX_INTEGER) throw new SyntaxFault(`${text} has more than 64 bits`, at);
      return this.#taken({ kind: "constant", value: BigInt(text) });
    }
    if (this.#takeKeyword("TRUE")) return { kind: "constant", value: true };
    if (this.#takeKeyword("FALSE")) return { kind: "constant", value: false };
    return this.#takeKeyword("NULL") ? { kind: "constant", value: null } : undefined;
  }

  #callOrProperty(): Expression {
    const next = this.#tokens[this.#next + 1];
    if (this.#token.kind !== "name" || next?.kind !== "symbol" || next.text !== "(") return this.#property();
    const { text, at } = this.#token;
    const name = text.toLowerCase();
    const definition = FUNCTIONS[name];
    if (!definition) throw new SyntaxFault(`There is no function ${text}`, at);
    this.#next += 2;
    const args: Expression[] = [];
    while (!this.takeSymbol(")")) {
      if (args.length > 0) this.#expectSymbol(",");
      args.push(this.#within(() => this.#expression()));
    }
    if (args.length !== definition.arity) throw new SyntaxFault(`${text} takes ${definition.arity} arguments`, at);
    return { kind: "call", name, args };
  }

  #property(): Property {
    const first = this.#name();
    if (!this.takeSymbol(".")) return { kind: "property", scope: "user", name: first };
    const scope = first.toLowerCase();
    if (scope !== "sys" && scope !== "user") throw this.#unexpected("the scope sys or user");
    return { kind: "property", scope, name: this.#name() };
  }

  #name(): string {
    const { kind, text } = this.#token;
    if (kind !== "name") throw this.#unexpected("a name");
    this.#next += 1;
    return text;
  }

  /** Evaluation goes as deep as parsing does, on the stack of whoever sends a message. */
  #within<T>(parse: () => T): T {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw new SyntaxFault(`More than ${MAX_DEPTH} levels`, this.#token.at);
    const parsed = parse();
    this.#depth -= 1;
    return parsed;
  }

  get #token(): Token {
    // The last one is the end, which is never passed.
    return this.#tokens[this.#next] as Token;
  }

  #taken(expression: Expression): Expression {
    this.#next += 1;
    return expression;
  }

  #takeKeyword(text: string): boolean {
    const { kind, text: found } = this.#token;
    const isThere = kind === "keyword" && found === text;
    if (isThere) this.#next += 1;
    return isThere;
  }

  #expectKeyword(text: string): void {
    if (!this.#takeKeyword(text)) throw this.#unexpected(text);
  }

  #expectSymbol(text: string): void {
    if (!this.takeSymbol(text)) throw this.#unexpected(text);
  }

  #unexpected(wanted: string): SyntaxFault {
    const { kind, text, at } = this.#token;
    return new SyntaxFault(`${wanted} is expected, not ${kind === "end" ? "the end" : text}`, at);
  }
}
