// The local Cosmos DB server in the test's own process, with the sample's containers.
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ConsistencyLevel, type Container, CosmosClient } from "@azure/cosmos";
import { startCosmos } from "@scheduler-agent-supervisor/local/cosmos";
import { temporaryFolder } from "@scheduler-agent-supervisor/testing/stack";
import { ROOT } from "../../cli/settings.ts";

export interface CosmosInProcess extends AsyncDisposable {
  /** The container of the records, for a client that reads its own writes. Each call is another client, as another process has it. */
  orders(): Container;
  supervision(): Container;
}

export async function startCosmosInProcess(staleReadsMs?: number): Promise<CosmosInProcess> {
  const data = temporaryFolder("cosmos-");
  const resources = JSON.parse(readFileSync(join(ROOT, "infra/entities/cosmos.json"), "utf8"));
  const server = await startCosmos({ port: 0, data, resources, staleReadsMs });
  const clients: CosmosClient[] = [];
  const container = (name: string): Container => {
    const client = new CosmosClient({
      connectionString: server.connectionString,
      consistencyLevel: ConsistencyLevel.Session,
    });
    clients.push(client);
    return client.database(resources.database).container(name);
  };
  return {
    orders: () => container("jobs"),
    supervision: () => container("supervision"),
    async [Symbol.asyncDispose]() {
      for (const client of clients) client.dispose();
      await server.close();
      rmSync(data, { recursive: true, force: true });
    },
  };
}
