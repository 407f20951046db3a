// Evaluates filters, with three truth values (Service Bus documentation, "Property evaluation semantics").
import type { Comparison, Expression, Predicate } from "./expression.ts";
import { FUNCTIONS, type Properties } from "./functions.ts";
import { calculate, compare, FilterFault, type Known, negate, UNKNOWN, type Value } from "./values.ts";

export type Parameters = Readonly<Record<string, Value>>;

/** `undefined`: unknown. */
type Truth = boolean | undefined;

const HOLDS: Readonly<Record<Comparison, (order: number) => boolean>> = {
  "=": (order) => order === 0,
  "<>": (order) => order !== 0,
  ">": (order) => order > 0,
  ">=": (order) => order >= 0,
  "<": (order) => order < 0,
  "<=": (order) => order <= 0,
};

/** Throws a FilterFault if the predicate cannot be evaluated for these properties. */
export function test(predicate: Predicate, properties: Properties, parameters: Parameters): Truth {
  const value = (expression: Expression) => evaluate(expression, properties, parameters);
  const truth = (inner: Predicate) => test(inner, properties, parameters);
  switch (predicate.kind) {
    case "not":
      return not(truth(predicate.operand));
    case "and":
      return and(truth(predicate.left), () => truth(predicate.right));
    case "or":
      return not(and(not(truth(predicate.left)), () => not(truth(predicate.right))));
    case "compare": {
      const order = compare(value(predicate.left), value(predicate.right));
      return order === UNKNOWN ? UNKNOWN : HOLDS[predicate.operator](order);
    }
    case "isNull": {
      const found = value(predicate.property);
      return found === UNKNOWN || found === null;
    }
    case "exists":
      return value(predicate.property) !== UNKNOWN;
    case "in":
      return isIn(value(predicate.operand), predicate.list.map(value));
    case "like":
      return isLike(
        value(predicate.operand),
        value(predicate.pattern),
        predicate.escapeMark && value(predicate.escapeMark),
      );
    case "boolean":
      return asTruth(value(predicate.operand));
    default:
      throw predicate satisfies never;
  }
}

export function evaluate(expression: Expression, properties: Properties, parameters: Parameters): Known {
  const value = (inner: Expression) => evaluate(inner, properties, parameters);
  switch (expression.kind) {
    case "constant":
      return expression.value;
    case "parameter":
      if (!Object.hasOwn(parameters, expression.name)) throw new FilterFault(`${expression.name} has no value`);
      return parameters[expression.name];
    case "property":
      return expression.scope === "sys" ? properties.system(expression.name) : properties.user(expression.name);
    case "call":
      return FUNCTIONS[expression.name]?.call(properties, expression.args.map(value));
    case "negate":
      return negate(value(expression.operand));
    case "calculate":
      return calculate(expression.operator, value(expression.left), value(expression.right));
    default:
      throw expression satisfies never;
  }
}

function not(truth: Truth): Truth {
  return truth === undefined ? undefined : !truth;
}

function and(left: Truth, right: () => Truth): Truth {
  if (left === false) return false;
  const other = right();
  if (other === false) return false;
  return left === undefined ? undefined : other;
}

function isIn(operand: Known, list: readonly Known[]): Truth {
  if (operand === UNKNOWN || operand === null) return UNKNOWN;
  const orders = list.map((item) => compare(operand, item));
  if (orders.includes(0)) return true;
  return list.includes(UNKNOWN) ? UNKNOWN : false;
}

function isLike(operand: Known, pattern: Known, escapeMark: Known): Truth {
  if (typeof operand !== "string" || typeof pattern !== "string") return UNKNOWN;
  if (escapeMark !== UNKNOWN && (typeof escapeMark !== "string" || escapeMark.length !== 1)) {
    throw new FilterFault("The escape character has to be a text of length 1");
  }
  return matches(operand, readPattern(pattern, escapeMark));
}

/** `%` and `_`, and what stands for itself. */
type PatternPart = "any" | "one" | { readonly literal: string };

function readPattern(pattern: string, escapeMark: string | undefined): PatternPart[] {
  const parts: PatternPart[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    const isEscaped = escapeMark !== undefined && pattern[at] === escapeMark && at + 1 < pattern.length;
    if (isEscaped) at += 1;
    const literal = pattern[at] ?? "";
    if (isEscaped || !"%_".includes(literal)) parts.push({ literal });
    else parts.push(literal === "%" ? "any" : "one");
  }
  return parts;
}

/** Goes back to the last `%` alone, so that no pattern takes long. */
function matches(text: string, parts: readonly PatternPart[]): boolean {
  let at = 0;
  let part = 0;
  let retryPart = -1;
  let retryAt = 0;
  while (at < text.length) {
    const wanted = parts[part];
    if (wanted === "any") {
      retryPart = part;
      retryAt = at;
      part += 1;
    } else if (wanted === "one" || (wanted && wanted.literal === text[at])) {
      at += 1;
      part += 1;
    } else if (retryPart >= 0) {
      part = retryPart + 1;
      retryAt += 1;
      at = retryAt;
    } else {
      return false;
    }
  }
  return parts.slice(part).every((left) => left === "any");
}

function asTruth(value: Known): Truth {
  if (value === UNKNOWN || value === null) return UNKNOWN;
  if (typeof value === "boolean") return value;
  throw new FilterFault("A filter has to be true or false");
}
