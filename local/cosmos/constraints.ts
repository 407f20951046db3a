// Turns the plain conditions of a query into SQLite conditions on the columns of a container's table.
import type { Container } from "./catalog.ts";
import { quoted } from "./item-schema.ts";
import type { Conjunct } from "./sql/conjuncts.ts";
import { sortKey, type Value } from "./sql/values.ts";

export interface Condition {
  /** `= ?`, to follow a column. */
  readonly test: string;
  readonly bindings: readonly string[];
}

export interface Constraint {
  /** The column as SQL. */
  readonly column: string;
  readonly path: string;
  readonly conditions: readonly Condition[];
  /** `=` narrows most; every kind but none leaves undefined out. */
  readonly narrows: "one" | "some" | "range";
}

export interface Constraints {
  readonly byPath: ReadonlyMap<string, Constraint>;
  /** The partition key, from the header or from the filter. */
  readonly pk: string | undefined;
  /** Whether every condition was turned into SQL, so that SQLite's answer needs no second look. */
  readonly complete: boolean;
}

const HIGHEST = "\u{10FFFF}";

export function constraintsOf(
  container: Container,
  conjuncts: readonly Conjunct[],
  parameters: ReadonlyMap<string, Value>,
  givenKey: string | undefined,
): Constraints {
  const byPath = new Map<string, Constraint>();
  const [only, ...others] = container.partitionPaths;
  const keyPath = only && others.length === 0 ? `/${only.join("/")}` : undefined;
  const columns = new Map(container.items.paths.map(({ name }) => [name, quoted(name)]));
  columns.set("/id", "id");
  let pk = givenKey;
  let complete = true;
  for (const { path, operator, operands } of conjuncts) {
    const values = operands.map((operand) => operand({ values: [], parameters, totals: [] }));
    const [first] = values;
    if (path === keyPath && operator === "=" && isScalar(first)) {
      const wanted = JSON.stringify([first]);
      complete &&= pk === undefined || pk === wanted;
      pk ??= wanted;
      continue;
    }
    const column = columns.get(path);
    const conditions = column === undefined ? undefined : conditionsOf(operator, values, path === "/id");
    if (column === undefined || !conditions) {
      complete = false;
      continue;
    }
    const narrows = operator === "=" ? "one" : operator === "in" ? "some" : "range";
    const before = byPath.get(path);
    byPath.set(path, {
      column,
      path,
      conditions: [...(before?.conditions ?? []), ...conditions],
      narrows: before && before.narrows !== "range" ? before.narrows : narrows,
    });
  }
  return { byPath, pk, complete };
}

const isScalar = (value: Value) => value !== undefined && (value === null || typeof value !== "object");

/** Undefined where the condition cannot be told from the key alone. */
function conditionsOf(
  operator: Conjunct["operator"],
  values: readonly Value[],
  isId: boolean,
): Condition[] | undefined {
  if (!values.every(isScalar)) return undefined;
  // The id is a column of its own, always text and without a key's type mark.
  if (isId && !values.every((value) => typeof value === "string")) return undefined;
  const keys = values.map((value) => (isId ? String(value) : (sortKey(value) ?? "")));
  const [key = ""] = keys;
  switch (operator) {
    case "=":
      return [{ test: "= ?", bindings: [key] }];
    case "in":
      return [{ test: `IN (${keys.map(() => "?").join(", ")})`, bindings: keys }];
    case "defined":
      return [{ test: "IS NOT NULL", bindings: [] }];
    case "prefix":
      if (typeof values[0] !== "string") return undefined;
      return [
        { test: ">= ?", bindings: [key] },
        { test: "< ?", bindings: [key + HIGHEST] },
      ];
    default:
      return isId || values[0] === null ? undefined : range(operator, key);
  }
}

/** A comparison holds within one type only: false and true are marked 2 and 3, numbers 4, texts 5. */
function range(operator: "<" | "<=" | ">" | ">=", key: string): Condition[] {
  const type = key.charAt(0);
  const [lowest, beyond] = type === "2" || type === "3" ? ["2", "4"] : [type, String(Number(type) + 1)];
  const bound = { test: `${operator} ?`, bindings: [key] };
  return operator.startsWith("<")
    ? [{ test: ">= ?", bindings: [lowest] }, bound]
    : [bound, { test: "< ?", bindings: [beyond] }];
}
