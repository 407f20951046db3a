// Table inputs and outputs: one entity or those that a filter finds go in, new ones come out.
// (Functions documentation, "Azure Tables input bindings", "Azure Tables output bindings".)
import { resolveExpressions } from "../bindings/binding-expressions.ts";
import type { Binding, Invocation, TypedData } from "../contract.ts";
import { StorageAccount } from "./storage-account.ts";
import { Table, type TableEntity } from "./table.ts";

const tableOf = ({ connection, tableName }: Binding) =>
  new Table(new StorageAccount(String(connection)), String(tableName));

/** With a row key one entity, or undefined; without one an array. */
export async function readTableInput(filled: Binding, invocation: Invocation): Promise<TypedData> {
  const binding = resolveExpressions(filled, invocation);
  const { partitionKey, rowKey, filter, take } = binding;
  const table = tableOf(binding);
  if (rowKey !== undefined) {
    const found = await table.read(String(partitionKey ?? ""), String(rowKey));
    return found ? { json: JSON.stringify(found) } : { empty: true };
  }
  const ofKey = partitionKey === undefined ? [] : [`PartitionKey eq '${String(partitionKey).replaceAll("'", "''")}'`];
  const filters = [...ofKey, ...(filter === undefined || filter === "" ? [] : [`(${String(filter)})`])];
  const query = { filter: filters.join(" and ") || undefined, take: take === undefined ? undefined : Number(take) };
  return { json: JSON.stringify(await table.list(query)) };
}

/** An array is several entities. The binding's keys are for those that have none of their own. */
export async function writeEntities(binding: Binding, data: TypedData): Promise<void> {
  const text = "json" in data ? data.json : "string" in data ? data.string : undefined;
  if (text === undefined) throw new Error(`A function's ${Object.keys(data)[0]} cannot be written to a table.`);
  const given = JSON.parse(text) as unknown;
  const table = tableOf(binding);
  for (const each of Array.isArray(given) ? given : [given]) await table.insert(entityOf(each, binding));
}

function entityOf(given: unknown, { partitionKey, rowKey, tableName }: Binding): TableEntity {
  if (typeof given !== "object" || given === null) throw new Error(`What goes into table ${tableName} is no object.`);
  const keys = { PartitionKey: partitionKey, RowKey: rowKey };
  const entity: Record<string, unknown> = { ...keys, ...given };
  for (const [name, value] of Object.entries(entity)) {
    if (name in keys) {
      if (value === undefined || value === null) throw new Error(`An entity for table ${tableName} has no ${name}.`);
      entity[name] = String(value);
    } else Object.assign(entity, propertyOf(name, value));
  }
  return entity;
}

const MOST_INT32 = 2 ** 31;

/** A property as the service's JSON has it: what is neither text, number nor truth value is written as JSON text. */
function propertyOf(name: string, value: unknown): Record<string, unknown> {
  if (typeof value === "object" && value !== null) return { [name]: JSON.stringify(value) };
  const isLarge = Number.isInteger(value) && Math.abs(value as number) >= MOST_INT32;
  return isLarge ? { [name]: String(value), [`${name}@odata.type`]: "Edm.Int64" } : { [name]: value };
}
