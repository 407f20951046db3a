// Cosmos DB inputs: one document by its id, those that a query finds, or all of a container (Functions documentation, "Azure Cosmos DB input binding").

import type { CosmosClients } from "../change-feed/cosmos-clients.ts";
import type { Binding, Invocation, TypedData } from "../contract.ts";
import { resolveExpressions, withExpressions } from "./binding-expressions.ts";

/** The settings of the binding are filled in. A document that is not there is undefined to the function. */
export async function readCosmosInput(
  { sqlQuery, ...others }: Binding,
  invocation: Invocation,
  clients: CosmosClients,
): Promise<TypedData> {
  const binding = resolveExpressions(others as Binding, invocation);
  const { connection, databaseName, containerName, id, partitionKey } = binding;
  const container = await clients.container(String(connection), String(databaseName), String(containerName));
  if (typeof id === "string" && id !== "") {
    // Without a key it is a document that has none, also where the id is the partition key (CosmosDBItemValueBinder).
    const key = partitionKey === undefined ? undefined : String(partitionKey);
    const { resource } = await container.item(id, key).read<object>();
    return resource ? { json: JSON.stringify(resource) } : { empty: true };
  }
  const query = boundQuery(typeof sqlQuery === "string" && sqlQuery ? sqlQuery : "SELECT * FROM c", invocation);
  const options = typeof partitionKey === "string" ? { partitionKey } : {};
  const { resources } = await container.items.query(query, options).fetchAll();
  return { json: JSON.stringify(resources) };
}

/** Expressions become parameters of the query, so that no value is read as a part of it. */
function boundQuery(text: string, invocation: Invocation) {
  const parameters: { name: string; value: string | number | boolean | null }[] = [];
  const query = withExpressions(text, "sqlQuery", invocation, (value) => {
    const name = `@p${parameters.length}`;
    parameters.push({ name, value: isPlain(value) ? value : JSON.stringify(value) });
    return name;
  });
  return { query, parameters };
}

function isPlain(value: unknown): value is string | number | boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}
