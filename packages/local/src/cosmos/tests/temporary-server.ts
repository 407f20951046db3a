// A server of its own for a test: in a temporary folder, on a free port, with one container as the orders have it.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Container, CosmosClient } from "@azure/cosmos";
import { type ContainerResource, type CosmosOptions, type RunningCosmos, startCosmos } from "../start.ts";

export const ORDERS: ContainerResource = {
  id: "orders",
  partitionKey: { paths: ["/orderId"], kind: "Hash", version: 2 },
  defaultTtl: -1,
  indexingPolicy: {
    indexingMode: "consistent",
    includedPaths: [{ path: "/dueAt/?" }, { path: "/processState/?" }, { path: "/createdAt/?" }],
    excludedPaths: [{ path: "/*" }],
  },
};

/** Everything indexed, as Azure does when no policy is given. */
export const PLAIN: ContainerResource = { id: "plain", partitionKey: { paths: ["/pk"] } };

export interface TemporaryServer {
  readonly server: RunningCosmos;
  readonly data: string;
  readonly client: CosmosClient;
  readonly orders: Container;
  readonly plain: Container;
  counts(): Promise<Record<string, number>>;
  stop(): Promise<void>;
}

export async function temporaryServer(options: Partial<CosmosOptions> = {}): Promise<TemporaryServer> {
  const data = options.data ?? (await mkdtemp(join(tmpdir(), "cosmos-")));
  const resources = { database: "test", containers: [ORDERS, PLAIN] };
  const server = await startCosmos({ port: 0, data, resources, ...options });
  const client = new CosmosClient(server.connectionString);
  return {
    server,
    data,
    client,
    orders: client.database("test").container("orders"),
    plain: client.database("test").container("plain"),
    counts: async () => (await (await fetch(`${server.endpoint}$counts`)).json()) as Record<string, number>,
    stop: async () => {
      client.dispose();
      await server.close();
      await rm(data, { recursive: true, force: true });
    },
  };
}

/** What a rejected request was rejected with. */
export async function codeOf(request: Promise<unknown>): Promise<number | string | undefined> {
  try {
    await request;
  } catch (cause) {
    return (cause as { code?: number | string }).code;
  }
  throw new Error("The request was expected to fail.");
}
