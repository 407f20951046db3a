// The signatures are compared with the SDK's own, request by request.

import { createHttpHeaders, type PipelineRequest } from "@azure/core-rest-pipeline";
import { CosmosClient, type CosmosClientOptions } from "@azure/cosmos";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { accountOf } from "./cosmos-http-client.ts";

const ENDPOINT = "https://account.example:443/";
const KEY = Buffer.from("a key of an account").toString("base64");
const CONNECTION = `AccountEndpoint=${ENDPOINT};AccountKey=${KEY};`;

beforeEach(() => vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-11-23T10:00:00Z") }));
afterEach(() => vi.useRealTimers());

/** The authorization headers of a few requests of different kinds. */
async function headersOf(options: CosmosClientOptions) {
  const headers: Record<string, string | undefined> = {};
  const httpClient = {
    async sendRequest(request: PipelineRequest) {
      const { method, url } = request;
      headers[`${method} ${new URL(url).pathname}`] = request.headers.get("authorization");
      return { status: 200, headers: createHttpHeaders(), request, bodyAsText: '{"Offers":[],"Documents":[]}' };
    },
  };
  const connectionPolicy = { enableEndpointDiscovery: false, enableBackgroundEndpointRefreshing: false };
  const client = new CosmosClient({ ...options, httpClient, connectionPolicy });
  const container = client.database("Über Shop").container("Jobs");
  await client.getDatabaseAccount();
  await container.item("State 1", "a").read();
  await container.item("State 1", "a").patch([{ op: "set", path: "/a", value: 1 }]);
  await container.item("State 1", "a").delete();
  await container.items.upsert({ id: "a" });
  await client.offers.readAll().fetchAll();
  client.dispose();
  return headers;
}

test("the signature of each request is the SDK's own", async () => {
  const own = await headersOf({ connectionString: CONNECTION });
  const account = accountOf(CONNECTION);
  expect(account?.endpoint).toBe(ENDPOINT);
  expect(Object.keys(own).length).toBeGreaterThan(5);
  expect(Object.values(own).every((value) => value?.startsWith("type%3Dmaster%26"))).toBe(true);
  expect(await headersOf({ ...account })).toEqual(own);
});

test.each([
  `AccountKey=${KEY}`,
  `AccountEndpoint=${ENDPOINT}`,
  `AccountEndpoint=${ENDPOINT};AccountKey=type=sas&ver=1.0&sig=x`,
  "",
])("%s is left to the SDK", (connection) => {
  expect(accountOf(connection)).toBeUndefined();
});
