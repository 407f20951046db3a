// The server around the documents: keys, throttling, counters, session tokens, databases and containers.

import { createHmac } from "node:crypto";
import { join } from "node:path";
import { ConsistencyLevel, CosmosClient, type ErrorResponse, TriggerOperation, TriggerType } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { COSMOS_REJECTIONS as REJECTIONS } from "../rejections.ts";
import { EMULATOR_KEY } from "../resources/signature.ts";
import { startCosmos } from "../start.ts";
import { sendSigned } from "./signed-request.ts";
import { codeOf, ORDERS, type TemporaryServer, temporaryServer } from "./temporary-server.ts";

let at: TemporaryServer;
beforeAll(async () => {
  at = await temporaryServer();
});
afterAll(() => at.stop());

test("another key than the emulator's is a 401", async () => {
  const key = Buffer.from("not the key").toString("base64");
  const client = new CosmosClient({ endpoint: at.server.endpoint, key });
  expect(await codeOf(client.database("test").container("orders").item("a", "a").read())).toBe(401);
  client.dispose();
});

test("a request that is not signed, or signed for something else, is a 401", async () => {
  await at.orders.items.create({ id: "signed", orderId: "s" });
  const link = "dbs/test/colls/orders/docs/signed";
  const date = new Date().toUTCString();
  const key = Buffer.from(EMULATOR_KEY, "base64");
  const signature = createHmac("sha256", key).update(`get\ndocs\n${link}\n${date.toLowerCase()}\n\n`).digest("base64");
  const authorization = encodeURIComponent(`type=master&ver=1.0&sig=${signature}`);
  const headers = { authorization, "x-ms-date": date, "x-ms-documentdb-partitionkey": '["s"]' };
  const send = (method: string, path: string, given: Record<string, string>) =>
    fetch(at.server.endpoint + path, { method, headers: given });
  expect((await send("GET", link, headers)).status).toBe(200);
  expect((await send("GET", link, {})).status).toBe(401);
  expect((await send("DELETE", link, headers)).status).toBe(401);
  expect((await send("GET", `${link}-too`, headers)).status).toBe(401);
  expect((await send("GET", link, { ...headers, "x-ms-date": new Date(0).toUTCString() })).status).toBe(401);
});

describe("refusals on demand", () => {
  const refuse = (body: object, headers: Record<string, string> = { authorization: EMULATOR_KEY }) =>
    fetch(`${at.server.endpoint}$refuse`, { method: "POST", body: JSON.stringify(body), headers });
  const throttle = (requests: number) => refuse({ requests });

  test("403, as without a role, for data alone and until it is ended", async () => {
    await refuse({ requests: 1000, status: 403 });
    const read = at.orders.item("state", "nobody").read();
    await expect(read).rejects.toMatchObject({ code: 403, substatus: 5300 });
    expect((await at.orders.read()).statusCode).toBe(200);
    await refuse({ requests: 0 });
    expect((await at.orders.item("state", "nobody").read()).statusCode).toBe(404);
  });

  test("without the key nothing is switched on", async () => {
    for (const headers of [{}, { authorization: "wrong" }, { "content-type": "text/plain" }])
      expect((await refuse({ requests: 1000, status: 403 }, headers)).status).toBe(401);
    expect((await at.orders.item("state", "nobody").read()).statusCode).toBe(404);
  });

  test("another status, or no count, is refused itself", async () => {
    expect((await refuse({ requests: 1, status: 500 })).status).toBe(400);
    expect((await refuse({ status: 403 })).status).toBe(400);
  });

  test("refuses the next data requests with 429, which the SDK outlasts", async () => {
    const before = await at.counts();
    await throttle(3);
    const { statusCode, headers } = await at.orders.items.create({ id: "state", orderId: "throttled" });
    expect(statusCode).toBe(201);
    expect(headers["x-ms-throttle-retry-count"]).toBe(3);
    expect((await at.counts())["throttled"]).toBe((before["throttled"] ?? 0) + 3);
  });

  test("reaches the caller with its substatus and delay where the SDK gives up", async () => {
    await throttle(1000);
    const failed = await at.orders
      .item("state", "throttled")
      .read()
      .catch((cause: ErrorResponse) => cause);
    expect(failed).toMatchObject({ code: 429, substatus: 3200, retryAfterInMs: 10 });
    const batch = await at.orders.items
      .batch([{ operationType: "Read", id: "state" }], "throttled")
      .catch((error: Error) => error);
    expect((batch as Error).cause).toMatchObject({ code: 429, retryAfterInMs: 10 });
    await throttle(0);
    expect((await at.orders.item("state", "throttled").read()).statusCode).toBe(200);
  });
});

test("counts each kind of request, the commits and the modelled charge", async () => {
  const before = await at.counts();
  await at.orders.items.create({ id: "state", orderId: "counted" });
  await at.orders.item("state", "counted").read();
  await at.orders.item("state", "counted").patch([{ op: "set", path: "/a", value: 1 }]);
  await at.orders.items.query("SELECT * FROM c", { partitionKey: "counted" }).fetchAll();
  const after = await at.counts();
  const grown = (name: string) => (after[name] ?? 0) - (before[name] ?? 0);
  expect(["create", "read", "patch", "query", "queryPlan", "commits", "writes"].map(grown)).toEqual([
    1, 1, 1, 1, 1, 2, 2,
  ]);
  expect(grown("requestChargeModelled")).toBeGreaterThan(5.5 + 1 + 11 + 2.5);
  expect(Object.values(after).every((value) => typeof value === "number")).toBe(true);
});

test(REJECTIONS.consistency.what, async () => {
  await at.plain.items.create({ id: "weak", pk: "weak" });
  const read = (consistencyLevel: ConsistencyLevel) => at.plain.item("weak", "weak").read({ consistencyLevel });
  for (const level of [ConsistencyLevel.Session, ConsistencyLevel.ConsistentPrefix, ConsistencyLevel.Eventual])
    expect((await read(level)).statusCode).toBe(200);
  for (const level of [ConsistencyLevel.Strong, ConsistencyLevel.BoundedStaleness])
    await expect(read(level)).rejects.toMatchObject({ code: 400, message: expect.stringContaining("only weaken") });
});

test("session tokens rise with every write, and the SDK keeps them", async () => {
  const first = await at.orders.items.create({ id: "state", orderId: "session" });
  const second = await at.orders.items.upsert({ id: "state", orderId: "session" });
  const lsn = (token: unknown) => Number(String(token).split("#")[1]);
  expect(lsn(second.headers["x-ms-session-token"])).toBeGreaterThan(lsn(first.headers["x-ms-session-token"]));
  const { sessionContainer } = (at.client as unknown as { clientContext: { sessionContainer: object } }).clientContext;
  expect(JSON.stringify(Object.values(sessionContainer).map((map) => [...(map as Map<string, unknown>)]))).toContain(
    "dbs/test/colls/orders",
  );
});

test("a port that is taken rejects with EADDRINUSE and says which", async () => {
  const port = at.server.port;
  await expect(startCosmos({ port, data: join(at.data, "second") })).rejects.toMatchObject({
    code: "EADDRINUSE",
    port,
  });
});

const ENCRYPTION = { policyFormatVersion: 1, includedPaths: [] };

describe("what it does not support is a 400 that names it", () => {
  const scripts = () => at.plain.scripts;
  const body = "function () {}";
  const create = (definition: object) =>
    at.client.database("test").containers.create({ id: "lacking", partitionKey: "/pk", ...definition });
  test.each<[string, () => Promise<unknown>, string]>([
    ["stored procedures", () => scripts().storedProcedures.create({ id: "s", body }), "Stored procedures"],
    ["running one", () => scripts().storedProcedure("s").execute("p", []), "Stored procedures"],
    ["functions", () => scripts().userDefinedFunctions.create({ id: "u", body }), "User defined functions"],
    [
      "triggers",
      () =>
        scripts().triggers.create({
          id: "t",
          body,
          triggerOperation: TriggerOperation.All,
          triggerType: TriggerType.Pre,
        }),
      "Triggers are not supported",
    ],
    [
      "vector policies",
      () => create({ vectorEmbeddingPolicy: { vectorEmbeddings: [] } }),
      "Vector search is not supported",
    ],
    ["full text policies", () => create({ fullTextPolicy: { defaultLanguage: "en-US" } }), "Full text search is not"],
    [
      "full text indexes",
      () => create({ indexingPolicy: { fullTextIndexes: [{ path: "/a" }] } }),
      "Full text search is not supported",
    ],
    ["computed properties", () => create({ computedProperties: [{ name: "x", query: "SELECT VALUE 1" }] }), "Computed"],
    ["users", () => at.client.database("test").users.create({ id: "u" }), "Users and their permissions are not"],
    ["all versions and deletes", () => create({ changeFeedPolicy: { retentionDuration: 5 } }), "Change feeds are not"],
    ["the change feed", () => at.plain.items.getChangeFeedIterator().readNext(), "Change feeds are not supported"],
    ["client encryption", () => create({ clientEncryptionPolicy: ENCRYPTION }), "Client encryption is not supported"],
  ])("%s", async (_, run, message) => {
    await expect(run()).rejects.toMatchObject({ code: 400, message: expect.stringContaining(message) });
  });

  test("an empty list of computed properties is none", async () => {
    const { container } = await create({ computedProperties: [] });
    await container.delete();
  });

  test.each([
    ["POST", "dbs/test/clientencryptionkeys", "Client encryption keys are not supported"],
    ["POST", "dbs/test/colls/plain/docs/1/attachments", "Attachments are not supported"],
    ["GET", "addresses", "The direct mode of clients (use the gateway mode) are not supported"],
  ])("%s %s", async (method, path, message) => {
    const answer = await sendSigned(at.server, method, path);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain(message);
  });
});

describe("databases and containers", () => {
  test("are created once, read, listed, queried and deleted", async () => {
    const { database, statusCode } = await at.client.databases.createIfNotExists({ id: "mine" });
    expect(statusCode).toBe(201);
    expect((await at.client.databases.createIfNotExists({ id: "mine" })).statusCode).toBe(200);
    expect(await codeOf(at.client.databases.create({ id: "mine" }))).toBe(409);
    expect((await at.client.databases.readAll().fetchAll()).resources.map(({ id }) => id)).toEqual(["test", "mine"]);

    const { container } = await database.containers.createIfNotExists({ id: "c", partitionKey: "/pk" });
    expect((await database.containers.createIfNotExists({ id: "c", partitionKey: "/pk" })).statusCode).toBe(200);
    expect((await container.read()).resource?.indexingPolicy?.includedPaths).toEqual([{ path: "/*" }]);
    const named = database.containers.query({ query: "SELECT VALUE r.id FROM root r WHERE r.id = 'c'" });
    expect((await named.fetchAll()).resources).toEqual(["c"]);
    await container.items.create({ id: "1", pk: "1" });

    expect((await container.delete()).statusCode).toBe(204);
    expect(await codeOf(container.items.create({ id: "1", pk: "1" }))).toBe(404);
    await database.containers.create({ id: "c", partitionKey: "/pk" });
    expect((await container.items.query("SELECT * FROM c").fetchAll()).resources).toEqual([]);
    expect((await database.delete()).statusCode).toBe(204);
    expect(await codeOf(database.read())).toBe(404);
  });

  test("a new indexing policy indexes the documents that are there", async () => {
    const { container } = await at.client
      .database("test")
      .containers.create({ id: "policy", partitionKey: "/orderId", indexingPolicy: ORDERS.indexingPolicy ?? {} });
    for (const n of [2, 1, 3]) await container.items.create({ id: "state", orderId: `o${n}`, rank: n, dueAt: `${n}` });
    const ranked = () => container.items.query("SELECT VALUE c.rank FROM c ORDER BY c.rank").fetchAll();
    expect(await codeOf(ranked())).toBe(400);
    const { resource } = await container.read();
    const indexingPolicy = { includedPaths: [{ path: "/rank/?" }], excludedPaths: [{ path: "/*" }] };
    if (resource) await container.replace({ ...resource, indexingPolicy } as Parameters<typeof container.replace>[0]);
    expect((await ranked()).resources).toEqual([1, 2, 3]);
    await container.items.create({ id: "state", orderId: "o0", rank: 0 });
    expect((await ranked()).resources).toEqual([0, 1, 2, 3]);
    expect(await codeOf(container.items.query("SELECT * FROM c ORDER BY c.dueAt").fetchAll())).toBe(400);
  });

  test("composite indexes allow an ORDER BY over several properties", async () => {
    const paths = [
      { path: "/a", order: "ascending" as const },
      { path: "/b", order: "descending" as const },
    ];
    const indexingPolicy = { includedPaths: [{ path: "/*" }], compositeIndexes: [paths] };
    const definition = { id: "composite", partitionKey: "/id", indexingPolicy };
    const { container } = await at.client.database("test").containers.create(definition);
    for (const [id, a, b] of [
      ["1", 2, 1],
      ["2", 1, 1],
      ["3", 1, 2],
    ] as const) {
      await container.items.create({ id, a, b });
    }
    const ordered = async (by: string) =>
      (await container.items.query(`SELECT VALUE c.id FROM c ORDER BY ${by}`, { maxItemCount: 2 }).fetchAll())
        .resources;
    expect(await ordered("c.a, c.b DESC")).toEqual(["3", "2", "1"]);
    expect(await ordered("c.a DESC, c.b")).toEqual(["1", "2", "3"]);
    expect(await codeOf(ordered("c.a, c.b"))).toBe(400);
    await container.items.create({ id: "4", b: 0 });
    expect(await ordered("c.a, c.b DESC")).toEqual(["4", "3", "2", "1"]);
  });
});
