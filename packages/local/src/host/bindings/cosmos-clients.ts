// Cosmos DB outputs, with one client for each connection string, made when the first function needs it: the SDK is not loaded for an app without.
import type { CosmosClient } from "@azure/cosmos";
import type { Binding, TypedData } from "../contract.ts";

export class CosmosClients {
  readonly #clients = new Map<string, CosmosClient>();

  /** Writes what a function returns or sets: one document, or each of an array. */
  async upsert({ connection, databaseName, containerName }: Binding, data: TypedData): Promise<void> {
    const client = await this.#client(String(connection));
    const container = client.database(String(databaseName)).container(String(containerName));
    const json = "json" in data ? data.json : "string" in data ? data.string : undefined;
    if (json === undefined) throw new Error(`A function's ${Object.keys(data)[0]} is no document for Cosmos DB.`);
    const value = JSON.parse(json) as unknown;
    for (const document of Array.isArray(value) ? value : [value]) await container.items.upsert(document);
  }

  close(): void {
    for (const client of this.#clients.values()) client.dispose();
  }

  async #client(connectionString: string): Promise<CosmosClient> {
    const { CosmosClient: Client } = await import("@azure/cosmos");
    const client = this.#clients.get(connectionString) ?? new Client(connectionString);
    this.#clients.set(connectionString, client);
    return client;
  }
}
