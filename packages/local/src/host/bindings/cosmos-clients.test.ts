// What a function sets becomes documents, in the local server.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CosmosClient } from "@azure/cosmos";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RunningCosmos, startCosmos } from "../../cosmos/start.ts";
import { type RunningHost, startHost } from "../start.ts";

const appDir = join(import.meta.dirname, "../fixtures/cosmos-app");
const folder = mkdtempSync(join(tmpdir(), "host-cosmos-"));
let cosmos: RunningCosmos;
let client: CosmosClient;
let host: RunningHost;
beforeAll(async () => {
  const containers = [{ id: "kept", partitionKey: { paths: ["/id"] } }];
  cosmos = await startCosmos({ port: 0, data: join(folder, "cosmos"), resources: { database: "shop", containers } });
  client = new CosmosClient(cosmos.connectionString);
  const settings = { CosmosDB: cosmos.connectionString, Kept: "kept" };
  host = await startHost({ appDir, port: 0, data: join(folder, "host"), settings });
});
afterAll(async () => {
  await host.close();
  client.dispose();
  await cosmos.close();
  rmSync(folder, { recursive: true });
});

const save = async (value: unknown) => {
  const response = await fetch(`${host.baseUrl}/api/save`, { method: "POST", body: JSON.stringify(value) });
  return response.status;
};

test("one document, several, and one written anew; what is none fails the invocation", async () => {
  expect(await save({ id: "a", n: 1 })).toBe(202);
  expect(
    await save([
      { id: "a", n: 2 },
      { id: "b", n: 3 },
    ]),
  ).toBe(202);
  const { resources } = await client
    .database("shop")
    .container("kept")
    .items.readAll<{ id: string; n: number }>()
    .fetchAll();
  expect(resources.map(({ id, n }) => [id, n]).sort()).toEqual([
    ["a", 2],
    ["b", 3],
  ]);
  expect(await save(5)).toBe(500);
});
