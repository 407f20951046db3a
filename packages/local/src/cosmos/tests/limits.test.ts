// What Azure Cosmos DB allows at most: each limit is kept to its value, and refused beyond it.
import type { ContainerDefinition } from "@azure/cosmos";
import { afterAll, beforeAll, expect, test } from "vitest";
import { COSMOS_LIMITS as LIMITS } from "../limits.ts";
import { sendSigned } from "./signed-request.ts";
import { codeOf, type TemporaryServer, temporaryServer } from "./temporary-server.ts";

let at: TemporaryServer;
let made = 0;
beforeAll(async () => {
  at = await temporaryServer();
});
afterAll(() => at.stop());

const create = (document: object) => at.plain.items.create({ id: `d${++made}`, pk: "p", ...document });
const createContainer = (definition: Omit<ContainerDefinition, "id">) =>
  at.client.database("test").containers.create({ id: `c${++made}`, partitionKey: "/pk", ...definition });
const query = (text: string) => at.plain.items.query(text).fetchAll();

/** Both sides of a limit. */
async function holds(
  { value }: { readonly value: number },
  run: (value: number) => Promise<unknown>,
  code: number,
): Promise<void> {
  await run(value);
  expect(await codeOf(run(value + 1))).toBe(code);
}

const nested = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`) as object;
const paths = (count: number, path: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => ({ path: path(n) }));

test(LIMITS.documentBytes.what, async () => {
  // The system properties are part of it.
  expect(await codeOf(create({ text: "x".repeat(LIMITS.documentBytes.value - 100) }))).toBe(413);
  await create({ text: "x".repeat(LIMITS.documentBytes.value - 1000) });
});

test(LIMITS.requestBytes.what, async () => {
  const operations = (bytes: number) => [
    { operationType: "Create" as const, resourceBody: { id: `d${++made}`, pk: "b", text: "x".repeat(bytes) } },
    { operationType: "Create" as const, resourceBody: { id: `d${++made}`, pk: "b", text: "x".repeat(bytes) } },
  ];
  const batch = async (bytes: number) => (await at.plain.items.batch(operations(bytes), "b")).code;
  expect(await batch(1_000_000)).toBe(200);
  await expect(batch(1_100_000)).rejects.toThrow(/too large/);
});

test(LIMITS.idBytes.what, async () => {
  await holds(LIMITS.idBytes, (bytes) => create({ id: "x".repeat(bytes) }), 400);
  expect(await codeOf(create({ id: "é".repeat(512) }))).toBe(400);
});

test(LIMITS.keyBytes.what, async () => {
  const { container } = await createContainer({ partitionKey: { paths: ["/pk"], version: 2 } });
  await holds(LIMITS.keyBytes, (bytes) => container.items.create({ id: "x", pk: "k".repeat(bytes) }), 400);
});

test(LIMITS.firstKeyBytes.what, async () => {
  const { container } = await createContainer({ partitionKey: { paths: ["/pk"], version: 1 } });
  await holds(LIMITS.firstKeyBytes, (bytes) => container.items.create({ id: "x", pk: "k".repeat(bytes) }), 400);
});

test(LIMITS.nesting.what, async () => {
  await holds(LIMITS.nesting, (levels) => create({ deep: nested(levels) }), 400);
  const item = (await create({})).item;
  expect(await codeOf(item.patch([{ op: "add", path: "/deep", value: nested(LIMITS.nesting.value + 1) }]))).toBe(400);
});

test("a document of 200,000 levels is a 400 too", async () => {
  const body = `{"id":"deep","pk":"p","deep":${"[".repeat(200_000)}${"]".repeat(200_000)}}`;
  const headers = { "x-ms-documentdb-partitionkey": '["p"]' };
  const answer = await sendSigned(at.server, "POST", "dbs/test/colls/plain/docs", headers, body);
  expect(answer.status).toBe(400);
});

test(LIMITS.ttl.what, async () => {
  await holds(LIMITS.ttl, (ttl) => create({ ttl }), 400);
  await holds(LIMITS.ttl, (defaultTtl) => createContainer({ defaultTtl }), 400);
});

test(LIMITS.batchOperations.what, async () => {
  const body = (count: number) =>
    JSON.stringify(
      Array.from({ length: count }, () => ({ operationType: "Upsert", resourceBody: { id: "o", pk: "p" } })),
    );
  const headers = {
    "x-ms-documentdb-partitionkey": '["p"]',
    "x-ms-cosmos-is-batch-request": "True",
    "x-ms-cosmos-batch-atomic": "true",
  };
  const batch = (count: number) =>
    sendSigned(at.server, "POST", "dbs/test/colls/plain/docs", headers, body(count)).then(({ status }) => status);
  expect(await batch(LIMITS.batchOperations.value)).toBe(200);
  expect(await batch(LIMITS.batchOperations.value + 1)).toBe(400);
});

test(LIMITS.patchOperations.what, async () => {
  const { item } = await create({});
  const patch = (count: number) =>
    item.patch(Array.from({ length: count }, () => ({ op: "set" as const, path: "/a", value: 1 })));
  await holds(LIMITS.patchOperations, patch, 400);
});

test(LIMITS.pageBytes.what, async () => {
  for (let n = 0; n < 6; n += 1) await create({ pk: "page", text: "x".repeat(1_000_000) });
  const page = await at.plain.items.query("SELECT * FROM c WHERE c.pk = 'page'", { maxItemCount: 100 }).fetchNext();
  expect(page.resources).toHaveLength(5);
  expect(page.hasMoreResults).toBe(true);
});

test(LIMITS.queryCharacters.what, async () => {
  const text = (length: number) => "SELECT * FROM c".padEnd(length, " ");
  await holds(LIMITS.queryCharacters, (length) => query(text(length)), 400);
});

test(LIMITS.joins.what, async () => {
  const joined = (count: number) => Array.from({ length: count }, (_, n) => `JOIN j${n} IN c.list`).join(" ");
  await holds(LIMITS.joins, (count) => query(`SELECT VALUE c.id FROM c ${joined(count)}`), 400);
});

test(LIMITS.includedPaths.what, async () => {
  const indexingPolicy = (count: number) => ({
    includedPaths: paths(count, (n) => `/p${n}/*`),
    excludedPaths: [{ path: "/*" }],
  });
  await holds(LIMITS.includedPaths, (count) => createContainer({ indexingPolicy: indexingPolicy(count) }), 400);
});

test(LIMITS.excludedPaths.what, async () => {
  const indexingPolicy = (count: number) => ({
    includedPaths: [{ path: "/*" }],
    excludedPaths: paths(count, (n) => `/p${n}/*`),
  });
  await holds(LIMITS.excludedPaths, (count) => createContainer({ indexingPolicy: indexingPolicy(count) }), 400);
});

test(LIMITS.compositePaths.what, async () => {
  const compositeIndexes = (count: number) => [
    paths(count, (n) => `/p${n}`).map((path) => ({ ...path, order: "ascending" as const })),
  ];
  const run = (count: number) => createContainer({ indexingPolicy: { compositeIndexes: compositeIndexes(count) } });
  await holds(LIMITS.compositePaths, run, 400);
});

test(LIMITS.composites.what, async () => {
  const one = (n: number) => [
    { path: `/a${n}`, order: "ascending" as const },
    { path: `/b${n}`, order: "ascending" as const },
  ];
  const run = (count: number) =>
    createContainer({ indexingPolicy: { compositeIndexes: Array.from({ length: count }, (_, n) => one(n)) } });
  await holds(LIMITS.composites, run, 400);
});

test(LIMITS.uniqueKeys.what, async () => {
  const uniqueKeys = (count: number) => Array.from({ length: count }, (_, n) => ({ paths: [`/u${n}`] }));
  await holds(
    LIMITS.uniqueKeys,
    (count) => createContainer({ uniqueKeyPolicy: { uniqueKeys: uniqueKeys(count) } }),
    400,
  );
});

test(LIMITS.uniquePaths.what, async () => {
  const key = (count: number) => [{ paths: Array.from({ length: count }, (_, n) => `/u${n}`) }];
  await holds(LIMITS.uniquePaths, (count) => createContainer({ uniqueKeyPolicy: { uniqueKeys: key(count) } }), 400);
});

test.each([
  ["5,000 parentheses", `SELECT * FROM c WHERE ${"(".repeat(5000)}true${")".repeat(5000)}`],
  ["5,000 times NOT", `SELECT * FROM c WHERE ${"NOT ".repeat(5000)}true`],
  ["5,000 signs", `SELECT VALUE ${"- ".repeat(5000)}1 FROM c`],
  ["5,000 arrays", `SELECT VALUE ${"[".repeat(5000)}1${"]".repeat(5000)} FROM c`],
  ["5,000 subqueries", `SELECT VALUE ${"(SELECT VALUE ".repeat(5000)}1${")".repeat(5000)} FROM c`],
  ["50,000 conditions in a row", `SELECT * FROM c WHERE true${" AND true".repeat(50_000)}`],
])("a query with %s is a 400", async (_, text) => {
  expect(await codeOf(query(text))).toBe(400);
  const condition = text.replace(/^.*?WHERE/, "FROM c WHERE");
  if (!condition.startsWith("FROM")) return;
  const { item } = await create({});
  expect(await codeOf(item.patch({ condition, operations: [{ op: "set", path: "/a", value: 1 }] }))).toBe(400);
});

test("100 levels of parentheses, and 1,000 conditions in a row, are answered", async () => {
  await create({ pk: "answered" });
  const deep = `${"(".repeat(100)}c.pk = 'answered'${")".repeat(100)}`;
  expect((await query(`SELECT * FROM c WHERE ${deep}${" AND true".repeat(1000)}`)).resources).toHaveLength(1);
});

test.each([
  "SELECT COUNT(1), c.pk FROM c",
  "SELECT VALUE {n: COUNT(1), pk: c.pk} FROM c",
  "SELECT c.pk, 1 + MAX(c.n) AS n FROM c",
])("a property beside an aggregate is a 400: %s", async (text) => expect(await codeOf(query(text))).toBe(400));
