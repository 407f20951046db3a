// Turns an expression into a closure that evaluates it, with Cosmos DB's rules for undefined.

import { isObject, type JsonObject, setOwn } from "../../json.ts";
import { aggregateNamed } from "./aggregates.ts";
import type { Expression, Query } from "./ast.ts";
import type { Compiling, Evaluate, Scope } from "./evaluate.ts";
import { QueryFault } from "./fault.ts";
import { scalarFunction } from "./functions.ts";
import { binary, unary } from "./operators.ts";
import { equal, type Value } from "./values.ts";

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
function build(entries: readonly (readonly [string, Evaluate])[], scope: Scope): JsonObject {
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

export function projection({ selection, sources }: Query, context: Compiling): Evaluate {
  switch (selection.kind) {
    case "all": {
      const [only, ...others] = sources;
      if (!only || others.length > 0)
        throw new QueryFault("'SELECT *' is not valid with more than one source, or none.");
      return compile({ kind: "alias", name: only.alias }, context);
    }
    case "value":
      return compile(selection.expression, context);
    case "list": {
      const entries = selection.items.map(({ name, expression }) => [name, compile(expression, context)] as const);
      return (scope) => build(entries, scope);
    }
    default:
      return selection satisfies never;
  }
}

/** What a source goes over, and where its element is found. */
export interface ElementSet {
  readonly slot: number;
  readonly elements: Evaluate;
}

/** Over arrays of the document, inside an expression of the query around it, whose aliases it sees. */
function compileSubquery({ as, query }: Extract<Expression, { kind: "subquery" }>, context: Compiling): Evaluate {
  const { slots, sets } = compileSources(query, context.slots);
  const where = query.where && compile(query.where, { slots });
  const project = projection(query, { slots });
  const results = (scope: Scope) =>
    [...bind(sets, scope)]
      .filter((inner) => !where || where(inner) === true)
      .map(project)
      .filter((output) => output !== undefined);
  return as === "array" ? results : (scope) => results(scope).length > 0;
}

/** The sets of elements that the sources name, and with them the aliases that the subquery sees. */
function compileSources(query: Query, outer: ReadonlyMap<string, number>) {
  const slots = new Map(outer);
  const sets: ElementSet[] = [];
  let next = Math.max(-1, ...outer.values()) + 1;
  for (const { alias, elementsOf, path } of query.sources) {
    if (!elementsOf && !path) {
      if (!slots.has(alias)) throw new QueryFault(`Nothing in FROM is called '${alias}'.`);
      continue;
    }
    const set: Expression = elementsOf ?? { kind: "array", items: path ? [path] : [] };
    sets.push({ slot: next, elements: compile(set, { slots }) });
    slots.set(alias, next);
    next += 1;
  }
  return { slots, sets };
}

/** The scopes that the sources make of the one around them: one for each combination of elements. */
export function* bind(sets: readonly ElementSet[], scope: Scope, at = 0): Generator<Scope> {
  const set = sets[at];
  if (!set) {
    yield scope;
    return;
  }
  const elements = set.elements(scope);
  for (const element of Array.isArray(elements) ? elements : []) {
    const values = [...scope.values];
    values[set.slot] = element;
    yield* bind(sets, { ...scope, values }, at + 1);
  }
}
