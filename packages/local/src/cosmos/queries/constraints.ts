// Turns the plain conditions of a query into SQLite conditions on the columns of a container's table.

import { quoted } from "../items/item-schema.ts";
import { type KeyScope, prefixScope } from "../partitions/key-scope.ts";
import type { Container } from "../resources/container.ts";
import type { Conjunct } from "../sql/conjuncts.ts";
import { sortKey, type Value } from "../sql/values.ts";

interface Condition {
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
  /** The partition keys, from the headers or from the filter. */
  readonly scope: KeyScope;
  /** Whether every condition was turned into SQL, so that SQLite's answer needs no second look. */
  readonly complete: boolean;
}

const HIGHEST = "\u{10FFFF}";

export function constraintsOf(
  container: Container,
  conjuncts: readonly Conjunct[],
  parameters: ReadonlyMap<string, Value>,
  given: KeyScope,
): Constraints {
  const byPath = new Map<string, Constraint>();
  const keyPaths = container.partitionPaths.map((path) => `/${path.join("/")}`);
  const key: Value[] = [];
  const columns = new Map(container.items.paths.map(({ name }) => [name, quoted(name)]));
  columns.set("/id", "id");
  let complete = true;
  for (const { path, operator, operands } of conjuncts) {
    const values = operands.map((operand) => operand({ values: [], parameters, totals: [] }));
    const [first] = values;
    const part = keyPaths.indexOf(path);
    if (part >= 0 && operator === "=" && isScalar(first)) {
      complete &&= key[part] === undefined || key[part] === first;
      if (key[part] === undefined) key[part] = first;
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
  const scope = scopeOfValues(key, keyPaths.length);
  // Where the headers say more than the filter does, what the filter says is looked at in the documents.
  const isGiven = given.pk !== undefined || given.prefix !== undefined;
  const isServed = key.length === 0 || (isGiven ? given.pk !== undefined && given.pk === scope.pk : isLeading(key));
  return { byPath, scope: isGiven ? given : { ...given, ...scope }, complete: complete && isServed };
}

/** The values of a key that the filter has: all of it, the first ones, or none that finds anything. */
function scopeOfValues(key: readonly Value[], parts: number): KeyScope {
  const leading = key.slice(0, isLeading(key) ? key.length : 0);
  if (leading.length === 0) return {};
  return leading.length === parts ? { pk: JSON.stringify(leading) } : prefixScope(leading);
}

const isLeading = (key: readonly Value[]) => !key.includes(undefined);

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
