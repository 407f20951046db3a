// What Azure Cosmos DB allows at most: each limit is kept to its value, and refused beyond it.
import type { ContainerRequest } from "@azure/cosmos";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { COSMOS_LIMITS as LIMITS } from "../limits.ts";
import { resourceQuotaFault } from "../resources/databases.ts";
import { sendSigned } from "./signed-request.ts";
import { codeOf, type TemporaryServer, temporaryServer } from "./temporary-server.ts";

let at: TemporaryServer;
let made = 0;
beforeAll(async () => {
  at = await temporaryServer();
});
afterAll(() => at.stop());

const create = (document: object) => at.plain.items.create({ id: `d${++made}`, pk: "p", ...document });
const createContainer = (definition: Omit<ContainerRequest, "id">) =>
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
  for (const version of [1, 2, undefined]) {
    const { container } = await createContainer({ partitionKey: { paths: ["/pk"], ...(version && { version }) } });
    await holds(LIMITS.keyBytes, (bytes) => container.items.create({ id: "x", pk: "k".repeat(bytes) }), 400);
  }
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

test.each([
  "SELECT c.pk, c.n FROM c GROUP BY c.pk",
  "SELECT c.pk, UPPER(c.n) AS n, COUNT(1) AS m FROM c GROUP BY c.pk",
  "SELECT VALUE {pk: c.pk, n: c.n} FROM c GROUP BY c.pk",
  "SELECT VALUE c FROM c GROUP BY c.pk",
  "SELECT * FROM c GROUP BY c.pk",
  "SELECT c.pk FROM c GROUP BY c.pk, COUNT(1)",
  "SELECT 1 AS one FROM c GROUP BY 1",
  "SELECT VALUE COUNT(1) FROM c GROUP BY (SELECT VALUE c.pk)",
])("what a group does not have is a 400: %s", async (text) => expect(await codeOf(query(text))).toBe(400));

test("keys of the group, what is computed of them, and literals are answered", async () => {
  await create({ pk: "grouped", n: 1 });
  const text =
    "SELECT c.pk, UPPER(c['pk']) AS large, 'x' AS x, SUM(c.n) AS n FROM c WHERE c.pk = 'grouped' GROUP BY c.pk";
  expect((await query(text)).resources).toEqual([{ pk: "grouped", large: "GROUPED", x: "x", n: 1 }]);
});

test.each(["SELECT * FROM c LIMIT 1", "SELECT * FROM c OFFSET 1", "SELECT * FROM c WHERE c.n IN ()"])(
  "half a clause is a 400: %s",
  async (text) => expect(await codeOf(query(text))).toBe(400),
);

test(LIMITS.groupedAggregates.what, async () => {
  const text = (count: number) =>
    `SELECT c.pk, ${Array.from({ length: count }, (_, n) => `SUM(c.a${n}) AS s${n}`).join(", ")} FROM c GROUP BY c.pk`;
  await holds(LIMITS.groupedAggregates, (count) => query(text(count)), 400);
  await at.plain.items.query(text(22), { partitionKey: "p" }).fetchAll();
});

test(LIMITS.leastCompositePaths.what, async () => {
  const run = (...list: string[]) =>
    createContainer({
      indexingPolicy: { compositeIndexes: [list.map((path) => ({ path, order: "ascending" as const }))] },
    });
  await run("/a", "/b");
  expect(await codeOf(run("/a"))).toBe(400);
  expect(await codeOf(run("/a/*", "/b"))).toBe(400);
});

const key = (paths: string[], more: object = { kind: "MultiHash", version: 2 }) =>
  createContainer({ partitionKey: { paths, ...more } });

test(LIMITS.keyPaths.what, async () => {
  await holds(LIMITS.keyPaths, (count) => key(["/a", "/b", "/c", "/d"].slice(0, count)), 400);
});

test.each([
  [["/a", "/b"], { kind: "Hash", version: 2 }],
  [["/a", "/b"], { kind: "MultiHash", version: 1 }],
  [["/a"], { kind: "Other" }],
  [["/a"], { kind: "Hash", version: 3 }],
])("a partition key of %j is not %j", async (paths, more) => expect(await codeOf(key(paths, more))).toBe(400));

test(LIMITS.name.what, async () => {
  await holds(LIMITS.name, (length) => createContainer({ id: "n".repeat(length) } as object), 400);
  await holds(LIMITS.name, (length) => at.client.databases.create({ id: "n".repeat(length) }), 400);
});

test(LIMITS.resources.what, () => {
  const accountOf = (databases: number, containers: number) => ({
    databases: new Map(Array.from({ length: databases }, (_, n) => [`d${n}`, { containers: { size: containers } }])),
  });
  const { value } = LIMITS.resources;
  expect(resourceQuotaFault(accountOf(value - 1, 0))).toBeUndefined();
  expect(resourceQuotaFault(accountOf(value, 0))).toContain("quota");
  // Two databases and what is in each.
  expect(resourceQuotaFault(accountOf(2, value / 2 - 2))).toBeUndefined();
  expect(resourceQuotaFault(accountOf(2, value / 2 - 1))).toContain("quota");
});

test(LIMITS.throughput.what, async () => {
  const { value } = LIMITS.throughput;
  await createContainer({ throughput: value });
  expect(await codeOf(createContainer({ throughput: value + 100 }))).toBe(400);
});

test(LIMITS.leastThroughput.what, async () => {
  await createContainer({ throughput: LIMITS.leastThroughput.value });
  expect(await codeOf(createContainer({ throughput: LIMITS.leastThroughput.value - 100 }))).toBe(400);
});

test(LIMITS.clockMs.what, async () => {
  const status = async (offMs: number) => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + offMs });
    const sent = sendSigned(at.server, "GET", "dbs/test");
    vi.useRealTimers();
    return (await sent).status;
  };
  const { value } = LIMITS.clockMs;
  expect([await status(10_000 - value), await status(value - 10_000)]).toEqual([200, 200]);
  expect([await status(-value - 10_000), await status(value + 10_000)]).toEqual([403, 403]);
});

test("a number that IEEE 754 does not have is a 400, and not stored as null", async () => {
  const body = (n: string) => `{"id":"number","pk":"p","deep":[{"n":${n}}]}`;
  const headers = { "x-ms-documentdb-partitionkey": '["p"]' };
  const post = (n: string) => sendSigned(at.server, "POST", "dbs/test/colls/plain/docs", headers, body(n));
  expect([(await post("1e999")).status, (await post("1e308")).status]).toEqual([400, 201]);
  const item = at.plain.item("number", "p");
  await item.patch([{ op: "set", path: "/n", value: 1e308 }]);
  expect(await codeOf(item.patch([{ op: "incr", path: "/n", value: 1.7e308 }]))).toBe(400);
});

/** A patch of each kind that makes a document of 0.9 MB more, again and again. */
test.each(["alone", "in a batch", "in bulk"])(
  "a document does not grow beyond its limit by patches %s",
  async (how) => {
    const id = `grows ${how}`;
    await create({ id, pk: "grows" });
    const grow = async (path: string): Promise<number | undefined> => {
      const operations = [{ op: "add" as const, path, value: "x".repeat(900_000) }];
      if (how === "alone")
        return at.plain
          .item(id, "grows")
          .patch(operations)
          .then(
            (done) => done.statusCode,
            (cause) => cause.code,
          );
      const patch = { operationType: "Patch" as const, id, resourceBody: { operations } };
      const results =
        how === "in bulk"
          ? await at.plain.items.bulk([{ ...patch, partitionKey: "grows" }])
          : (await at.plain.items.batch([patch], "grows")).result;
      return results?.[0]?.statusCode;
    };
    expect([await grow("/a"), await grow("/b"), await grow("/c"), await grow("/d")]).toEqual([200, 200, 413, 413]);
    const { resource } = await at.plain.item(id, "grows").read();
    expect(Object.keys(resource as object)).not.toContain("c");
  },
);
