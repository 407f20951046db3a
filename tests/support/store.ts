// The store of a test's stack, as the app's own clients have it: by the app's HTTP client, and each client reads what it has written.
import { setTimeout as sleep } from "node:timers/promises";
import { ConsistencyLevel, type Container, CosmosClient, type Database } from "@azure/cosmos";
import { createCosmosHttpClient } from "@scheduler-agent-supervisor/core/create-app";
import { CONTAINERS, DATABASE } from "@scheduler-agent-supervisor/core/store";
import type { Settings } from "../../cli/every-app/stack-file.ts";
import { chosenStaleReadsMs } from "./chosen.ts";

/** Another client with each call, as another process has it. */
export function databaseOf(settings: Settings): Database {
  const options = { connectionString: settings["Cosmos"] ?? "", httpClient: createCosmosHttpClient() };
  return new CosmosClient({ ...options, consistencyLevel: ConsistencyLevel.Session }).database(DATABASE);
}

export const containerOf = (settings: Settings): Container => databaseOf(settings).container(CONTAINERS.jobs);

/** Until every client reads what any of them has written: at once, unless reads may be stale. */
export const seenByAll = (): Promise<void> => sleep(chosenStaleReadsMs() ?? 0);
