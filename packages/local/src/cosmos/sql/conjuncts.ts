// Finds in a filter the plain conditions on one property, which an index can serve.
import { type Expression, partsOf, propertyPathOf, type Query } from "./ast.ts";
import { compile } from "./compile.ts";
import type { Evaluate } from "./evaluate.ts";

type ConjunctOperator = "=" | "<" | "<=" | ">" | ">=" | "in" | "prefix" | "defined";

export interface Conjunct {
  /** `/dueAt` */
  readonly path: string;
  readonly operator: ConjunctOperator;
  /** Constants of the query, to be evaluated with its parameters. */
  readonly operands: readonly Evaluate[];
}

const FLIPPED: Readonly<Record<string, ConjunctOperator>> = { "=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<=" };

/** The conditions joined by AND that have such a form, and whether they are all there is. */
export function conjunctsOf(where: Expression, alias: string): { conjuncts: readonly Conjunct[]; exact: boolean } {
  if (where.kind === "binary" && where.operator === "AND") {
    const left = conjunctsOf(where.left, alias);
    const right = conjunctsOf(where.right, alias);
    return { conjuncts: [...left.conjuncts, ...right.conjuncts], exact: left.exact && right.exact };
  }
  const conjuncts = conjunctOf(where, alias);
  return { conjuncts, exact: conjuncts.length > 0 };
}

function conjunctOf(condition: Expression, alias: string): readonly Conjunct[] {
  switch (condition.kind) {
    case "binary": {
      const { operator, left, right } = condition;
      const flipped = FLIPPED[operator];
      if (!flipped) return [];
      const direct = conjunct(left, operator as ConjunctOperator, [right], alias);
      return direct.length > 0 ? direct : conjunct(right, flipped, [left], alias);
    }
    case "in":
      return conjunct(condition.of, "in", condition.among, alias);
    case "between": {
      const low = conjunct(condition.of, ">=", [condition.low], alias);
      const high = conjunct(condition.of, "<=", [condition.high], alias);
      return low.length > 0 && high.length > 0 ? [...low, ...high] : [];
    }
    case "call": {
      const [of, part] = condition.given;
      if (condition.name === "IS_DEFINED" && of) return conjunct(of, "defined", [], alias);
      const isPrefix = condition.name === "STARTSWITH" && condition.given.length === 2;
      return isPrefix && of && part ? conjunct(of, "prefix", [part], alias) : [];
    }
    default:
      return [];
  }
}

function conjunct(
  of: Expression,
  operator: ConjunctOperator,
  operands: readonly Expression[],
  alias: string,
): readonly Conjunct[] {
  const path = propertyPathOf(of, alias);
  if (!path || path.length === 0 || !operands.every(isConstant)) return [];
  const slots = new Map<string, number>();
  return [{ path: `/${path.join("/")}`, operator, operands: operands.map((operand) => compile(operand, { slots })) }];
}

const isConstant = (expression: Expression) => expression.kind === "literal" || expression.kind === "parameter";

/** Every path of the document that the query reads, or undefined where it reads it whole. */
export function pathsUsed(query: Query, alias: string): readonly string[] | undefined {
  if (query.selection.kind === "all") return undefined;
  const used = new Set<string>();
  const selected =
    query.selection.kind === "value"
      ? [query.selection.expression]
      : query.selection.items.map(({ expression }) => expression);
  const roots = [...selected, ...query.groupBy, ...query.orderBy.map(({ expression }) => expression)];
  const whole = [...roots, ...(query.where ? [query.where] : [])].some(
    (expression) => !collect(expression, alias, used),
  );
  return whole ? undefined : [...used];
}

/** False where the expression needs more than paths. */
function collect(expression: Expression, alias: string, used: Set<string>): boolean {
  if (expression.kind === "subquery") return false;
  const path = propertyPathOf(expression, alias);
  if (path) {
    used.add(`/${path.join("/")}`);
    return path.length > 0;
  }
  return partsOf(expression).every((part) => collect(part, alias, used));
}
