// The host's trigger and bindings on Cosmos DB, against the local server.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Container, CosmosClient } from "@azure/cosmos";
import { type RunningCosmos, startCosmos } from "@scheduler-agent-supervisor/local/cosmos/start";
import { type RunningHost, startHost } from "@scheduler-agent-supervisor/local/host/start";
import { afterAll, beforeAll, expect, test } from "vitest";

const APP = join(import.meta.dirname, "../../packages/local/src/host/fixtures/cosmos-app");
const folder = mkdtempSync(join(tmpdir(), "host-cosmos-"));

interface Run {
  readonly name: string;
  readonly item?: unknown;
}
const bindingRuns: Run[] = [];
Object.assign(globalThis, { bindingRuns });
const runsOf = (name: string) => bindingRuns.filter((run) => run.name === name);

let cosmos: RunningCosmos;
let client: CosmosClient;
let host: RunningHost;
const start = (name: string, settings: Record<string, string> = {}) => {
  const given = { CosmosDB: cosmos.connectionString, Watched: "watched", ...settings };
  return startHost({ appDir: APP, port: 0, data: join(folder, name), settings: given });
};

beforeAll(async () => {
  const containers = ["watched", "handed-over"].map((id) => ({ id, partitionKey: { paths: ["/id"] } }));
  cosmos = await startCosmos({ port: 0, data: join(folder, "cosmos"), resources: { database: "shop", containers } });
  client = new CosmosClient(cosmos.connectionString);
  host = await start("host");
});
afterAll(async () => {
  await host.close();
  client.dispose();
  await cosmos.close();
  rmSync(folder, { recursive: true });
});

const container = (id: string): Container => client.database("shop").container(id);
const changesSeen = () => runsOf("changes").flatMap(({ item }) => item as string[]);

test("a function is handed the changes of a container, and its output makes some", async () => {
  bindingRuns.length = 0;
  const documents = [1, 2, 3].map((n) => ({ id: `d${n}`, n }));
  const response = await fetch(`${host.baseUrl}/api/save`, { method: "POST", body: JSON.stringify(documents) });
  expect(response.status).toBe(202);
  await expect.poll(() => changesSeen()).toEqual(["d1=1", "d2=2", "d3=3"]);
  expect(Math.max(...runsOf("changes").map(({ item }) => (item as string[]).length))).toBeLessThanOrEqual(2);
});

test("a page that fails is tried as often as the retry policy says, and then left behind", async () => {
  bindingRuns.length = 0;
  await container("watched").items.upsert({ id: "bad", n: 4, fails: true });
  await expect.poll(() => changesSeen()).toEqual(["bad=4", "bad=4"]);
  await container("watched").items.upsert({ id: "good", n: 5 });
  await expect.poll(() => changesSeen()).toEqual(["bad=4", "bad=4", "good=5"]);
});

test("from the beginning one host reads at a time, and the next one goes on where the last one stopped", async () => {
  bindingRuns.length = 0;
  const watched = { Watched: "handed-over" };
  await container("handed-over").items.create({ id: "a", n: 1 });
  const hosts = await Promise.all([start("one", watched), start("other", watched)]);
  await expect.poll(() => changesSeen()).toEqual(["a=1"]);
  await hosts[0].close(1000);
  await container("handed-over").items.create({ id: "b", n: 2 });
  await expect.poll(() => changesSeen()).toEqual(["a=1", "b=2"]);
  await hosts[1].close(1000);
});

test("a function is given the document that its request names, and those that a query finds", async () => {
  const look = async (path: string) => (await fetch(`${host.baseUrl}/api/look/${path}`)).json();
  for (const id of ["a 1", "a2"]) await container("watched").items.upsert({ id, kind: "it's", n: 1 });
  const found = (await look(`${encodeURIComponent("it's")}/a%201`)) as { one: object; more: string[] };
  const { one, more } = found;
  // The binding names no partition key, and the document has one.
  expect(found).not.toHaveProperty("keyless");
  expect(one).toMatchObject({ id: "a 1", n: 1 });
  expect(more.sort()).toEqual(["a 1", "a2"]);
  expect(await look("other/none")).toEqual({ more: [] });
});
