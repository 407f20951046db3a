// Turns an expression into a closure that evaluates it, with Cosmos DB's rules for undefined.

import { type Aggregate, aggregateNamed } from "./aggregates.ts";
import type { Expression } from "./ast.ts";
import { QueryFault } from "./fault.ts";
import { scalarFunction } from "./functions.ts";
import { type LikePattern, likePattern } from "./like.ts";
import { compileSubquery } from "./subquery.ts";
import { equal, isObject, type JsonObject, ordered, setOwn, type Value } from "./values.ts";

export interface Scope {
  /** By slot: what each alias is bound to, slot 0 the document. */
  readonly values: Value[];
  readonly parameters: ReadonlyMap<string, Value>;
  /** In a grouped query, what each aggregate has come to. */
  readonly totals: readonly Value[];
}

export type Evaluate = (scope: Scope) => Value;

export interface Compiling {
  readonly slots: ReadonlyMap<string, number>;
  /** Where aggregates are allowed, those met so far: each fills the next place of `Scope.totals`. */
  readonly aggregates?: { readonly start: () => Aggregate; readonly given: Evaluate }[];
}

export function compile(expression: Expression, context: Compiling): Evaluate {
  switch (expression.kind) {
    case "literal": {
      const { value } = expression;
      return () => value;
    }
    case "parameter": {
      const { name } = expression;
      return (scope) => scope.parameters.get(name);
    }
    case "alias": {
      const slot = context.slots.get(expression.name);
      if (slot === undefined) throw new QueryFault(`Nothing in FROM is called '${expression.name}'.`);
      return (scope) => scope.values[slot];
    }
    case "member":
      return member(expression, context);
    case "array": {
      const items = expression.items.map((item) => compile(item, context));
      return (scope) => items.map((item) => item(scope)).filter((value) => value !== undefined);
    }
    case "object": {
      const entries = expression.entries.map(([key, value]) => [key, compile(value, context)] as const);
      return (scope) => build(entries, scope);
    }
    case "unary":
      return unary(expression.operator, compile(expression.operand, context));
    case "binary":
      return binary(expression.operator, compile(expression.left, context), compile(expression.right, context));
    case "in": {
      const of = compile(expression.of, context);
      const among = expression.among.map((item) => compile(item, context));
      return (scope) => {
        const value = of(scope);
        return value === undefined ? undefined : among.some((item) => equal(value, item(scope)) === true);
      };
    }
    case "between": {
      const [of, low, high] = [expression.of, expression.low, expression.high].map((part) => compile(part, context));
      if (!of || !low || !high) throw new QueryFault("BETWEEN takes two bounds.");
      return binary("AND", binary(">=", of, low), binary("<=", of, high));
    }
    case "like":
      return like(expression, context);
    case "conditional": {
      const test = compile(expression.test, context);
      const then = compile(expression.then, context);
      const otherwise = compile(expression.otherwise, context);
      return (scope) => (test(scope) === true ? then(scope) : otherwise(scope));
    }
    case "call":
      return call(expression, context);
    case "subquery":
      return compileSubquery(expression, context);
    default:
      return expression satisfies never;
  }
}

/** An object of what is defined: undefined properties are left out. */
export function build(entries: readonly (readonly [string, Evaluate])[], scope: Scope): JsonObject {
  const object: JsonObject = {};
  for (const [key, evaluate] of entries) {
    const value = evaluate(scope);
    if (value !== undefined) setOwn(object, key, value);
  }
  return object;
}

function member(expression: Extract<Expression, { kind: "member" }>, context: Compiling): Evaluate {
  const of = compile(expression.of, context);
  if (expression.key.kind === "literal" && typeof expression.key.value === "string") {
    const name = expression.key.value;
    return (scope) => property(of(scope), name);
  }
  const key = compile(expression.key, context);
  return (scope) => {
    const at = key(scope);
    const value = of(scope);
    if (typeof at === "string") return property(value, at);
    return Array.isArray(value) && typeof at === "number" ? value[at] : undefined;
  };
}

function property(value: Value, name: string): Value {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function unary(operator: string, operand: Evaluate): Evaluate {
  if (operator === "NOT") {
    return (scope) => {
      const value = operand(scope);
      return typeof value === "boolean" ? !value : undefined;
    };
  }
  return (scope) => {
    const value = operand(scope);
    if (typeof value !== "number") return undefined;
    return operator === "-" ? -value : operator === "~" ? ~value : value;
  };
}

const ARITHMETIC: Readonly<Record<string, (a: number, b: number) => number>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "%": (a, b) => a % b,
  "&": (a, b) => a & b,
  "|": (a, b) => a | b,
  "^": (a, b) => a ^ b,
  "<<": (a, b) => a << b,
  ">>": (a, b) => a >> b,
  ">>>": (a, b) => a >>> b,
};

const ORDERED: Readonly<Record<string, (order: number) => boolean>> = {
  "<": (order) => order < 0,
  "<=": (order) => order <= 0,
  ">": (order) => order > 0,
  ">=": (order) => order >= 0,
};

function binary(operator: string, left: Evaluate, right: Evaluate): Evaluate {
  switch (operator) {
    case "=":
      return (scope) => equal(left(scope), right(scope));
    case "!=":
      return (scope) => {
        const same = equal(left(scope), right(scope));
        return same === undefined ? undefined : !same;
      };
    case "AND":
      return (scope) => logical(left(scope), () => right(scope), false);
    case "OR":
      return (scope) => logical(left(scope), () => right(scope), true);
    case "??":
      return (scope) => left(scope) ?? right(scope);
    case "||":
      return (scope) => {
        const [a, b] = [left(scope), right(scope)];
        return typeof a === "string" && typeof b === "string" ? a + b : undefined;
      };
  }
  const test = ORDERED[operator];
  if (test) {
    return (scope) => {
      const order = ordered(left(scope), right(scope));
      return order === undefined ? undefined : test(order);
    };
  }
  const compute = ARITHMETIC[operator];
  if (!compute) throw new QueryFault(`The operator '${operator}' is not supported by this server.`);
  return (scope) => {
    const [a, b] = [left(scope), right(scope)];
    if (typeof a !== "number" || typeof b !== "number") return undefined;
    const result = compute(a, b);
    // JSON has no infinity and no NaN.
    return Number.isFinite(result) ? result : undefined;
  };
}

/** AND and OR of three values: `decisive` on either side decides, otherwise anything but a boolean makes it undefined. */
function logical(left: Value, right: () => Value, decisive: boolean): Value {
  if (left === decisive) return decisive;
  const other = right();
  if (other === decisive) return decisive;
  return typeof left === "boolean" && typeof other === "boolean" ? !decisive : undefined;
}

function like(expression: Extract<Expression, { kind: "like" }>, context: Compiling): Evaluate {
  const of = compile(expression.of, context);
  const pattern = compile(expression.pattern, context);
  const escapeMark = expression.escape ? compile(expression.escape, context) : () => undefined;
  let last: { readonly text: string; readonly escapedBy: Value; readonly matches: LikePattern } | undefined;
  return (scope) => {
    const value = of(scope);
    const text = pattern(scope);
    if (typeof value !== "string" || typeof text !== "string") return undefined;
    const mark = escapeMark(scope);
    if (last?.text !== text || last.escapedBy !== mark) {
      last = { text, escapedBy: mark, matches: likePattern(text, typeof mark === "string" ? mark : undefined) };
    }
    return last.matches(value);
  };
}

function call(expression: Extract<Expression, { kind: "call" }>, context: Compiling): Evaluate {
  const start = aggregateNamed(expression.name);
  if (start) {
    const [given, ...more] = expression.given;
    if (!context.aggregates) throw new QueryFault(`The aggregate ${expression.name} is not allowed here.`);
    if (!given || more.length > 0) throw new QueryFault(`${expression.name} takes one argument.`);
    const index = context.aggregates.push({ start, given: compile(given, { slots: context.slots }) }) - 1;
    return (scope) => scope.totals[index];
  }
  const run = scalarFunction(expression.name, expression.given.length);
  const given = expression.given.map((argument) => compile(argument, context));
  return (scope) => run(given.map((argument) => argument(scope)));
}
