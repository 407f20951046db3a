// The Cosmos DB containers of infra/entities/cosmos.json, on an emulator that starts empty.
import { setTimeout as sleep } from "node:timers/promises";
import { type ContainerRequest, CosmosClient } from "@azure/cosmos";

export interface CosmosEntities {
  readonly database: string;
  readonly containers: readonly ContainerRequest[];
}

const PAUSE_MS = 1000;

/**
 * Creates what isn't there, once the emulator answers. Without the indexing policies: its documentation calls these not
 * implemented, and without one every path is indexed, so that every query works.
 * @throws what the last try said, after `withinMs`.
 */
export async function createContainers(
  connectionString: string,
  { database: name, containers }: CosmosEntities,
  withinMs: number,
): Promise<void> {
  const client = new CosmosClient(connectionString);
  const giveUpAt = Date.now() + withinMs;
  try {
    for (;;) {
      try {
        const { database } = await client.databases.createIfNotExists({ id: name });
        for (const { indexingPolicy: _, ...container } of containers) {
          await database.containers.createIfNotExists(container);
        }
        return;
      } catch (cause) {
        if (Date.now() > giveUpAt) throw new Error(`Cosmos DB isn't ready: ${String(cause)}`, { cause });
        await sleep(PAUSE_MS);
      }
    }
  } finally {
    client.dispose();
  }
}
