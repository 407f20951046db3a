// Parses Bicep for evaluation: declarations, and expressions as closures over their names. Of the language what infra/ is written in;
// anything else is a fault.
import type { Lambda, Value } from "./bicep-functions.ts";
import { type Token, tokensOf } from "./bicep-tokens.ts";

export interface Names {
  readonly named: (name: string) => Value;
  readonly functions: { readonly [name: string]: Lambda };
}
type Expression = (names: Names) => Value;

export interface Declaration {
  readonly kind: "param" | "var" | "resource" | "module" | "output";
  readonly name: string;
  /** Of a resource its type with its version, of a module its file. */
  readonly of: string;
  readonly isExisting: boolean;
  /** Of a parameter its default. */
  readonly body: Expression | undefined;
}

/** Where an object that stands for a resource keeps the resources inside it, and the names that they see. */
export const NESTED = " nested";
export type Nested = { readonly declaration: Declaration; readonly names: Names };

const PRECEDENCE = [["||"], ["&&"], ["==", "!="], ["<", ">", "<=", ">="], ["+", "-"]];

export function parseBicep(text: string): Declaration[] {
  return new BicepParser(text).file();
}

class BicepParser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(text: string) {
    this.#tokens = tokensOf(text);
  }

  file(): Declaration[] {
    const found: Declaration[] = [];
    for (;;) {
      this.#skipLines();
      const { kind, text } = this.#next();
      if (kind === "end") return found;
      if (text === "@") this.expression();
      else if (text === "targetScope") this.#ends("=", () => this.expression());
      else if (text === "extension") this.#next();
      else found.push(this.#declaration(text));
    }
  }

  #declaration(kind: string): Declaration {
    const { text: name } = this.#next();
    switch (kind) {
      case "var":
        return { kind, name, of: "", isExisting: false, body: this.#ends("=", () => this.expression()) };
      case "param":
      case "output": {
        this.#type();
        const body = this.#peek().text === "=" ? this.#ends("=", () => this.expression()) : undefined;
        return { kind, name, of: "", isExisting: false, body };
      }
      case "resource":
      case "module": {
        const of = String(this.#next().pieces[0]);
        const isExisting = this.#peek().text === "existing" && this.#next() !== undefined;
        return { kind, name, of, isExisting, body: this.#ends("=", () => this.expression()) };
      }
      default:
        throw new Error(`no declaration: ${kind} ${name}`);
    }
  }

  /** Left out: the compiler sees to types. */
  #type(): void {
    if (this.#next().text === "{") {
      for (let depth = 1; depth > 0; ) {
        const { text } = this.#next();
        depth += text === "{" ? 1 : text === "}" ? -1 : 0;
      }
    }
    while (this.#peek().text === "[") for (const sign of ["[", "]"]) this.#want(sign);
  }

  expression(): Expression {
    const condition = this.#binary(0);
    if (this.#beyondLines().text !== "?") return condition;
    this.#skipLines();
    this.#want("?");
    this.#skipLines();
    const one = this.expression();
    this.#skipLines();
    this.#want(":");
    this.#skipLines();
    const other = this.expression();
    return (names) => (condition(names) === true ? one(names) : other(names));
  }

  #binary(level: number): Expression {
    const signs = PRECEDENCE[level];
    if (!signs) return this.#unary();
    let left = this.#binary(level + 1);
    while (signs.includes(this.#beyondLines().text) && this.#beyondLines().kind === "mark") {
      this.#skipLines();
      const { text } = this.#next();
      this.#skipLines();
      left = joined(text, left, this.#binary(level + 1));
    }
    return left;
  }

  #unary(): Expression {
    const { text, kind } = this.#peek();
    if (kind !== "mark" || !["!", "-"].includes(text)) return this.#postfix(this.#primary());
    this.#next();
    const of = this.#unary();
    return text === "!" ? (names) => of(names) !== true : (names) => -Number(of(names));
  }

  #postfix(start: Expression): Expression {
    let object = start;
    for (;;) {
      const { text, kind } = this.#peek();
      if (kind !== "mark") return object;
      // `a!.b`: for the compiler alone.
      if (text === "!") this.#next();
      else if (text === "." || text === "::") {
        this.#next();
        const name = `${text === "::" ? "::" : ""}${this.#next().text}`;
        object = memberOf(object, () => name);
      } else if (text === "[") {
        this.#next();
        const index = this.expression();
        this.#want("]");
        object = memberOf(object, index);
      } else return object;
    }
  }

  #primary(): Expression {
    const token = this.#next();
    const { text } = token;
    switch (token.kind) {
      case "number":
        return () => Number(text);
      case "text":
        return textOf(token);
      case "word":
        return this.#word(text);
      default:
        if (text === "[") return this.#array();
        if (text === "{") return this.#object();
        if (text === "(") return this.#parentheses();
        throw new Error(`no expression begins with ${text}`);
    }
  }

  #word(word: string): Expression {
    if (word === "true" || word === "false") return () => word === "true";
    if (word === "null") return () => null;
    if (word === "if") return this.#condition();
    if (this.#peek().text === "=>") return this.#lambda([word]);
    if (this.#peek().text !== "(") return (names) => names.named(word);
    this.#next();
    const values = this.#list(")", () => this.expression());
    return (names) => {
      const made = names.functions[word];
      if (!made) throw new Error(`there is no function ${word}`);
      return made(...values.map((value) => value(names)));
    };
  }

  #condition(): Expression {
    this.#want("(");
    const holds = this.#parentheses();
    const body = this.expression();
    return (names) => (holds(names) === true ? body(names) : null);
  }

  #lambda(parameters: readonly string[]): Expression {
    this.#want("=>");
    this.#skipLines();
    const body = this.expression();
    return (names) =>
      (...values) =>
        body(withLocals(names, new Map(parameters.map((name, place) => [name, values[place] ?? null]))));
  }

  #parentheses(): Expression {
    const begun = this.#at;
    const words = this.#list(")", () => this.#next()).map(({ text }) => text);
    if (this.#peek().text === "=>") return this.#lambda(words);
    this.#at = begun;
    this.#skipLines();
    const inner = this.expression();
    this.#skipLines();
    this.#want(")");
    return inner;
  }

  #array(): Expression {
    this.#skipLines();
    if (this.#peek().text === "for") return this.#loop();
    const values = this.#list("]", () => this.expression());
    return (names) => values.map((value) => value(names));
  }

  #loop(): Expression {
    this.#want("for");
    const first = this.#next();
    const words = first.text === "(" ? this.#list(")", () => this.#next()) : [first];
    const [one = "", index = ""] = words.map(({ text }) => text);
    this.#want("in");
    const all = this.expression();
    this.#want(":");
    const body = this.expression();
    this.#skipLines();
    this.#want("]");
    return (names) =>
      (all(names) as Value[]).map((value, place) =>
        body(
          withLocals(
            names,
            new Map<string, Value>([
              [one, value],
              [index, place],
            ]),
          ),
        ),
      );
  }

  #object(): Expression {
    const nested: Declaration[] = [];
    const properties = this.#list("}", (): [Expression, Expression] | undefined => {
      const key = this.#next();
      if (key.text === "resource" && this.#peek().kind === "word") {
        nested.push(this.#declaration("resource"));
        return undefined;
      }
      const name = key.kind === "text" ? textOf(key) : () => key.text;
      this.#want(":");
      this.#skipLines();
      return [name, this.expression()];
    });
    return (names) => {
      const made = properties.flatMap((property) =>
        property ? [[String(property[0](names)), property[1](names)] as const] : [],
      );
      const inner = nested.map((declaration): Nested => ({ declaration, names }));
      return Object.fromEntries([...made, ...(inner.length > 0 ? [[NESTED, inner as unknown as Value] as const] : [])]);
    };
  }

  /** Separated by commas or lines. */
  #list<T>(closing: string, item: () => T): T[] {
    const found: T[] = [];
    for (;;) {
      this.#skipLines();
      if (this.#peek().text === ",") this.#next();
      else if (this.#peek().text === closing) {
        this.#next();
        return found;
      } else if (this.#peek().kind === "end") throw new Error(`there is no ${closing}`);
      else found.push(item());
    }
  }

  #peek = (): Token => this.#tokens[this.#at] ?? (this.#tokens.at(-1) as Token);

  #next(): Token {
    const token = this.#peek();
    this.#at += 1;
    return token;
  }

  #beyondLines(): Token {
    return this.#tokens.find(({ kind }, place) => place >= this.#at && kind !== "line") ?? this.#peek();
  }

  #skipLines(): void {
    while (this.#peek().kind === "line") this.#at += 1;
  }

  #want(text: string): void {
    const found = this.#next();
    if (found.text !== text) throw new Error(`${text} is wanted, and there is ${found.text || "a text"}`);
  }

  #ends<T>(sign: string, rest: () => T): T {
    this.#want(sign);
    this.#skipLines();
    return rest();
  }
}

function joined(sign: string, left: Expression, right: Expression): Expression {
  switch (sign) {
    case "&&":
      return (names) => left(names) === true && right(names);
    case "||":
      return (names) => left(names) === true || right(names);
    case "==":
      return (names) => left(names) === right(names);
    case "!=":
      return (names) => left(names) !== right(names);
    case "+":
      return (names) => Number(left(names)) + Number(right(names));
    case "-":
      return (names) => Number(left(names)) - Number(right(names));
    case ">":
      return (names) => Number(left(names)) > Number(right(names));
    case "<":
      return (names) => Number(left(names)) < Number(right(names));
    default:
      throw new Error(`there is no operator ${sign}`);
  }
}

function memberOf(object: Expression, name: Expression): Expression {
  return (names) => {
    const [found, wanted] = [object(names), String(name(names))];
    if (found === null) throw new Error(`${wanted} is asked of what is not deployed`);
    const value = (found as { readonly [name: string]: Value })[wanted];
    if (value === undefined) throw new Error(`there is no ${wanted} in ${Object.keys(found as object).join(", ")}`);
    return value;
  };
}

function textOf({ pieces }: Token): Expression {
  const made = pieces.map((piece) => (typeof piece === "string" ? piece : new BicepParser(piece.code).expression()));
  return (names) => made.map((piece) => (typeof piece === "string" ? piece : String(piece(names)))).join("");
}

function withLocals({ named, functions }: Names, locals: ReadonlyMap<string, Value>): Names {
  return { functions, named: (name) => locals.get(name) ?? named(name) };
}
