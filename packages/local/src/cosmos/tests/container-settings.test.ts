// What a container is made with besides its key: unique keys and throughput; its quota; all documents of a key taken away.
import {
  type Container,
  GeospatialType,
  IndexingMode,
  type IndexingPolicy,
  type PartitionKeyDefinition,
  PartitionKeyKind,
} from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { COSMOS_REJECTIONS as REJECTIONS } from "../rejections.ts";
import { sendSigned } from "./signed-request.ts";
import { codeOf, type TemporaryServer, temporaryServer } from "./temporary-server.ts";

let at: TemporaryServer;
let made = 0;
beforeAll(async () => {
  at = await temporaryServer();
});
afterAll(() => at.stop());

describe("unique keys", () => {
  let people: Container;
  beforeAll(async () => {
    const uniqueKeyPolicy = { uniqueKeys: [{ paths: ["/email"] }, { paths: ["/name/first", "/name/last"] }] };
    const definition = { id: "unique", partitionKey: "/pk", uniqueKeyPolicy, defaultTtl: -1 };
    people = (await at.client.database("test").containers.create(definition)).container;
    await people.items.create({ id: "1", pk: "a", email: "e1", name: { first: "Ann", last: "Lee" } });
  });

  test("are refused with 409 where another document of the partition has the value", async () => {
    expect(await codeOf(people.items.create({ id: "2", pk: "a", email: "e1", name: { first: "B" } }))).toBe(409);
    const ann = { first: "Ann", last: "Lee" };
    expect(await codeOf(people.items.create({ id: "2", pk: "a", email: "e2", name: ann }))).toBe(409);
    expect((await people.items.create({ id: "2", pk: "b", email: "e1", name: ann })).statusCode).toBe(201);
  });

  test("count for replace, upsert and patch too, and not against the document itself", async () => {
    await people.items.create({ id: "3", pk: "a", email: "e3", name: { first: "C" } });
    const third = people.item("3", "a");
    expect(await codeOf(third.replace({ id: "3", pk: "a", email: "e1", name: { first: "C" } }))).toBe(409);
    expect(await codeOf(people.items.upsert({ id: "3", pk: "a", email: "e1", name: { first: "C" } }))).toBe(409);
    expect(await codeOf(third.patch([{ op: "set", path: "/email", value: "e1" }]))).toBe(409);
    expect((await third.patch([{ op: "set", path: "/age", value: 3 }])).statusCode).toBe(200);
    expect((await third.read()).resource).toMatchObject({ email: "e3", age: 3 });
    expect((await third.patch([{ op: "set", path: "/email", value: "e4" }])).statusCode).toBe(200);
    expect((await people.items.create({ id: "5", pk: "a", email: "e3", name: { first: "D" } })).statusCode).toBe(201);
  });

  test("take a batch back whole", async () => {
    const create = (id: string, email: string) => ({
      operationType: "Create" as const,
      resourceBody: { id, pk: "batch", email, name: { first: id } },
    });
    const { result } = await people.items.batch([create("1", "x"), create("2", "x")], "batch");
    expect(result?.map(({ statusCode }) => statusCode)).toEqual([424, 409]);
    expect((await people.item("1", "batch").read()).statusCode).toBe(404);
  });

  test("hold for a value that is not there, and are free again once a document is gone", async () => {
    await people.items.create({ id: "1", pk: "none", email: "e" });
    expect(await codeOf(people.items.create({ id: "2", pk: "none", email: "f" }))).toBe(409);
    await people.item("1", "none").delete();
    expect((await people.items.create({ id: "2", pk: "none", email: "f" })).statusCode).toBe(201);
  });

  test("are fixed", async () => {
    const { resource } = await people.read();
    const changed = { ...resource, uniqueKeyPolicy: { uniqueKeys: [{ paths: ["/other"] }] } };
    expect(await codeOf(people.replace(changed as Parameters<typeof people.replace>[0]))).toBe(400);
  });
});

describe("throughput", () => {
  test(REJECTIONS.throughputStep.what, async () => {
    const definition = { id: "odd", partitionKey: "/pk", throughput: 401 };
    expect(await codeOf(at.client.database("test").containers.create(definition))).toBe(400);
  });

  test.each<[string, () => Promise<unknown>, string]>([
    [
      "of a database",
      () => at.client.databases.create({ id: "sharing", throughput: 500 }),
      "The throughput of a database",
    ],
    [
      "that scales",
      () => at.client.database("test").containers.create({ id: "auto", partitionKey: "/pk", maxThroughput: 4000 }),
      "Autoscale is not supported",
    ],
    ["that is read", () => at.plain.readOffer(), "Offers, by which throughput is read and changed, are not supported"],
  ])("%s is refused by name", async (_, run, message) => {
    await expect(run()).rejects.toMatchObject({ code: 400, message: expect.stringContaining(message) });
  });
});

test("a container says its quota and how far its indexes are", async () => {
  const { headers } = await at.plain.read({ populateQuotaInfo: true });
  expect(headers["x-ms-resource-quota"]).toContain("collectionSize=");
  expect(headers["x-ms-documentdb-collection-index-transformation-progress"]).toBe("100");
});

test("all documents of a partition key are taken away, and no others", async () => {
  for (const id of ["1", "2"]) await at.plain.items.create({ id, pk: "gone" });
  await at.plain.items.create({ id: "1", pk: "stays" });
  await at.plain.deleteAllItemsForPartitionKey("gone");
  const query = "SELECT VALUE c.pk FROM c WHERE c.pk IN ('gone', 'stays')";
  expect((await at.plain.items.query(query).fetchAll()).resources).toEqual(["stays"]);
});

test("a query says what it read, where the client asks for that", async () => {
  for (let n = 0; n < 5; n += 1) await at.plain.items.create({ id: `m${n}`, pk: "metrics", n });
  const query = "SELECT * FROM c WHERE c.n > 2";
  const options = { partitionKey: "metrics", populateQueryMetrics: true };
  const { queryMetrics } = (await at.plain.items.query(query, options).fetchAll()) as unknown as {
    queryMetrics?: Record<string, { retrievedDocumentCount: number; outputDocumentCount: number }>;
  };
  const page = await at.plain.items.query(query, options).fetchNext();
  const metrics = JSON.stringify(queryMetrics ?? page);
  expect(metrics).toMatch(/retrievedDocumentCount"?[:=]\s*5/);
  expect(metrics).toMatch(/outputDocumentCount"?[:=]\s*2/);
});

test.each([
  ["id", "begins with /, and 'id' does not"],
  ["/a b", "names of letters, digits and _"],
])("a partition key path like %s is refused", async (path, message) => {
  const partitionKey = { paths: [path] };
  const creating = at.client.database("test").containers.create({ id: "bad", partitionKey });
  await expect(creating).rejects.toMatchObject({ code: 400, message: expect.stringContaining(message) });
});

test(REJECTIONS.samePath.what, async () => {
  const indexingPolicy = { includedPaths: [{ path: "/a/?" }, { path: "/a/?" }], excludedPaths: [{ path: "/*" }] };
  const creating = at.client.database("test").containers.create({ id: "twice", partitionKey: "/pk", indexingPolicy });
  await expect(creating).rejects.toMatchObject({ code: 400, message: expect.stringContaining("'/a/?' stands in") });
});

const creationWith = (indexingPolicy: IndexingPolicy) =>
  at.client.database("test").containers.create({ id: `policy${++made}`, partitionKey: "/pk", indexingPolicy });

describe(REJECTIONS.indexingPath.what, () => {
  test.each(["/a", "/a*", "/a/*/b/?", "/a//?", "a/?", "/a-b/?", "/a b/?", "/a/?/b/?", '/"a/?'])("%s", async (path) => {
    const creating = creationWith({ includedPaths: [{ path }], excludedPaths: [{ path: "/*" }] });
    await expect(creating).rejects.toMatchObject({
      code: 400,
      message: expect.stringContaining("no path of an indexing policy"),
    });
  });
});

test.each(["/a/?", "/a/*", "/a/[]/?", "/a/[]/b/*", "/_a1/?", "/größe/?", '/"a-b"/?', '/a/"b c"/*'])(
  "the indexing path %s is taken",
  async (path) => {
    const { statusCode } = await creationWith({ includedPaths: [{ path }], excludedPaths: [{ path: "/*" }] });
    expect(statusCode).toBe(201);
  },
);

test.each([
  ["/a/?", "ascending"],
  ["/a/*", "ascending"],
  ["/a-b", "ascending"],
  ["/a", "upwards"],
])("a composite index with the path %s, %s, is refused", async (path, order) => {
  const parts = [
    { path, order },
    { path: "/other", order: "ascending" },
  ] as unknown as { path: string; order: "ascending" }[];
  const creating = creationWith({ includedPaths: [{ path: "/*" }], compositeIndexes: [parts] });
  await expect(creating).rejects.toMatchObject({ code: 400 });
});

describe("what Azure refuses when a container is made", () => {
  const refused: readonly (readonly [name: string, definition: object])[] = [
    ...["_ts", "_rid", "_self", "_etag", "_attachments"].map(
      (name) => [REJECTIONS.systemKey.what, { partitionKey: { paths: [`/${name}`] } }] as const,
    ),
    [REJECTIONS.systemKey.what, { partitionKey: { paths: ["/a", "/_ts"], kind: "MultiHash", version: 2 } }],
    [REJECTIONS.uniquePath.what, { uniqueKeyPolicy: { uniqueKeys: [{ paths: ["/a/"] }] } }],
    [REJECTIONS.uniquePath.what, { uniqueKeyPolicy: { uniqueKeys: [{ paths: ["/a/?"] }] } }],
    ["an analytical store", { analyticalStorageTtl: -1 }],
    [REJECTIONS.conflicts.what, { conflictResolutionPolicy: { mode: "FirstWins" } }],
    [REJECTIONS.conflicts.what, { conflictResolutionPolicy: { mode: "Custom", conflictResolutionPath: "/a" } }],
    [REJECTIONS.conflicts.what, { conflictResolutionPolicy: { conflictResolutionProcedure: "dbs/a" } }],
    [REJECTIONS.geospatial.what, { geospatialConfig: { type: "Sphere" } }],
    [REJECTIONS.spatialIndex.what, { indexingPolicy: { spatialIndexes: [{ path: "/a/*", types: ["Circle"] }] } }],
    [REJECTIONS.spatialIndex.what, { indexingPolicy: { spatialIndexes: [{ path: "/a", types: ["Point"] }] } }],
    [REJECTIONS.nameEnd.what, { id: "trailing " }],
  ];
  test.each(refused)("%s: %j", async (_, definition) => {
    const all = { id: `refused-${++made}`, partitionKey: { paths: ["/pk"] }, ...definition };
    const answer = await sendSigned(at.server, "POST", "dbs/test/colls", {}, JSON.stringify(all));
    expect(answer.status).toBe(400);
  });

  test("and not what it takes: a nested key of such a name, a last writer's path, lazy indexing, which becomes consistent", async () => {
    const definition = {
      id: `taken-${++made}`,
      partitionKey: { paths: ["/a/_ts"] },
      conflictResolutionPolicy: { mode: "LastWriterWins" as const, conflictResolutionPath: "/at" },
      geospatialConfig: { type: GeospatialType.Geometry },
      indexingPolicy: { indexingMode: IndexingMode.lazy },
    };
    const { container, resource } = await at.client.database("test").containers.create(definition);
    expect(resource?.indexingPolicy?.indexingMode).toBe("consistent");
    const other = { mode: "LastWriterWins" as const, conflictResolutionPath: "/other" };
    const replaced = { ...definition, conflictResolutionPolicy: other };
    expect(await codeOf(container.replace(replaced))).toBe(400);
    expect((await container.replace({ ...definition, defaultTtl: 5 })).statusCode).toBe(200);
  });
});

test(REJECTIONS.fixedKey.what, async () => {
  const partitionKey: PartitionKeyDefinition = { paths: ["/pk"], kind: PartitionKeyKind.Hash, version: 2 };
  const { container } = await at.client.database("test").containers.create({ id: "fixed", partitionKey });
  const as = (key: object) => container.replace({ id: "fixed", partitionKey: { ...partitionKey, ...key } });
  expect(await codeOf(as({ paths: ["/other"] }))).toBe(400);
  expect(await codeOf(as({ version: 1 }))).toBe(400);
  expect(await codeOf(as({ kind: "Range" }))).toBe(400);
  expect((await as({})).statusCode).toBe(200);
});
