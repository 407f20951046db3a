// The operators over compiled operands, with Cosmos DB's rules for undefined.
import type { Evaluate } from "./evaluate.ts";
import { QueryFault } from "./fault.ts";
import { equal, ordered, type Value } from "./values.ts";

export function unary(operator: string, operand: Evaluate): Evaluate {
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

export function binary(operator: string, left: Evaluate, right: Evaluate): Evaluate {
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
