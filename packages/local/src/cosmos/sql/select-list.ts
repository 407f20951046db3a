// What may stand in a select list: aggregates, and beside them nothing that differs within a group.
import { aggregateNamed } from "./aggregates.ts";
import { type Expression, partsOf, type Query } from "./ast.ts";
import { QueryFault } from "./fault.ts";

/** Throws a QueryFault. Beside an aggregate a property has to be a key of GROUP BY. */
export function checkSelectList({ selection, groupBy }: Query): void {
  if (groupBy.length > 0 || selection.kind === "all") return;
  const selected =
    selection.kind === "list" ? selection.items.map(({ expression }) => expression) : [selection.expression];
  if (!selected.some(hasAggregate) || !selected.some(readsOutside)) return;
  throw new QueryFault(
    "Property reference is invalid in the select list because it is contained in neither an aggregate function nor the GROUP BY clause.",
  );
}

export function hasAggregate(expression: Expression): boolean {
  return isAggregate(expression) || partsOf(expression).some(hasAggregate);
}

/** Whether it reads the document other than within an aggregate. */
function readsOutside(expression: Expression): boolean {
  if (isAggregate(expression)) return false;
  return expression.kind === "alias" || partsOf(expression).some(readsOutside);
}

const isAggregate = (expression: Expression) =>
  expression.kind === "call" && aggregateNamed(expression.name) !== undefined;
