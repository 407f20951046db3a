// The local Cosmos DB server in a test's own process, with the container of the core's own jobs.
import { rmSync } from "node:fs";
import { ConsistencyLevel, CosmosClient } from "@azure/cosmos";
import { startCosmos } from "@scheduler-agent-supervisor/local/cosmos";
import { temporaryFolder } from "@scheduler-agent-supervisor/testing/stack";
import { idNameOf } from "../src/messaging/contract.ts";
import { CONTAINERS, DATABASE } from "../src/store/containers.ts";
import type { JobsContainer } from "../src/store/cosmos-job-store.ts";
import { contracts } from "./goods.ts";

export async function startJobsContainer(): Promise<JobsContainer & AsyncDisposable> {
  const idName = idNameOf(contracts);
  const data = temporaryFolder("cosmos-");
  const container = { id: CONTAINERS.jobs, partitionKey: { paths: [`/${idName}`] }, defaultTtl: -1 };
  const server = await startCosmos({ port: 0, data, resources: { database: DATABASE, containers: [container] } });
  const { connectionString } = server;
  const client = new CosmosClient({ connectionString, consistencyLevel: ConsistencyLevel.Session });
  return {
    container: client.database(DATABASE).container(CONTAINERS.jobs),
    idName,
    async [Symbol.asyncDispose]() {
      client.dispose();
      await server.close();
      rmSync(data, { recursive: true, force: true });
    },
  };
}
