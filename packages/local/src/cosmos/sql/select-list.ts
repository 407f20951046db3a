// What may stand in a select list: aggregates, and beside them nothing that differs within a group.
import { aggregateNamed } from "./aggregates.ts";
import { type Expression, partsOf, type Query } from "./ast.ts";
import { QueryFault } from "./fault.ts";
import { printExpression } from "./print.ts";

/** Throws a QueryFault. Beside an aggregate, and with GROUP BY, a property has to be a key of GROUP BY. */
export function checkSelectList({ selection, groupBy }: Query): void {
  const strange = groupBy.find((key) => key.kind === "subquery" || hasAggregate(key) || !readsOutside(key, NO_KEYS));
  if (strange) throw new QueryFault("An expression of GROUP BY reads a property, without subquery and aggregate.");
  if (selection.kind === "all") {
    if (groupBy.length > 0) throw new QueryFault("'SELECT *' is not valid with GROUP BY.");
    return;
  }
  const selected =
    selection.kind === "list" ? selection.items.map(({ expression }) => expression) : [selection.expression];
  if (groupBy.length === 0 && !selected.some(hasAggregate)) return;
  const keys = new Set(groupBy.map(printExpression));
  if (!selected.some((expression) => readsOutside(expression, keys))) return;
  throw new QueryFault(
    "With GROUP BY or an aggregate, a selected property is one of GROUP BY or stands within an aggregate.",
  );
}

export function hasAggregate(expression: Expression): boolean {
  return isAggregate(expression) || partsOf(expression).some(hasAggregate);
}

const NO_KEYS: ReadonlySet<string> = new Set();

/** Whether it reads the document other than within an aggregate or a key. */
function readsOutside(expression: Expression, keys: ReadonlySet<string>): boolean {
  if (isAggregate(expression) || keys.has(printExpression(expression))) return false;
  return expression.kind === "alias" || partsOf(expression).some((part) => readsOutside(part, keys));
}

const isAggregate = (expression: Expression) =>
  expression.kind === "call" && aggregateNamed(expression.name) !== undefined;
