// Partition keys as Azure has them: null and absent ones, hierarchical ones, and all documents under the start of one.
import { type Container, PartitionKeyDefinitionVersion, PartitionKeyKind } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sendSigned } from "./signed-request.ts";
import { codeOf, type TemporaryServer, temporaryServer } from "./temporary-server.ts";

let at: TemporaryServer;
let tree: Container;
beforeAll(async () => {
  at = await temporaryServer();
  const partitionKey = {
    paths: ["/tenant", "/user", "/session"],
    kind: PartitionKeyKind.MultiHash,
    version: PartitionKeyDefinitionVersion.V2,
  };
  tree = (await at.client.database("test").containers.create({ id: "tree", partitionKey })).container;
  for (const tenant of ["a", "ab", 'a"]'])
    for (const user of ["u", "v"])
      for (const session of [1, null]) {
        await tree.items.create({ id: `${tenant}-${user}-${session}`, tenant, user, session });
      }
});
afterAll(() => at.stop());

describe("null and none", () => {
  test("are two keys: a document with a null one, and one without the property", async () => {
    const { statusCode } = await at.plain.items.create({ id: "same", pk: null, which: "null" });
    expect(statusCode).toBe(201);
    await at.plain.items.create({ id: "same", which: "none" });
    expect((await at.plain.item("same", null).read()).resource).toMatchObject({ which: "null" });
    expect((await at.plain.item("same", undefined).read()).resource).toMatchObject({ which: "none" });
  });

  test("are distinguished from an object, which is no key: a document with one is as one without", async () => {
    await at.plain.items.create({ id: "object", pk: { state: "WA" } });
    expect((await at.plain.item("object", undefined).read()).resource).toMatchObject({ pk: { state: "WA" } });
    await at.plain.item("object", undefined).delete();
  });

  test("are found by a query of that key, and by a filter", async () => {
    const which = async (query: string, options = {}) =>
      (await at.plain.items.query(query, options).fetchAll()).resources;
    expect(await which("SELECT VALUE c.which FROM c", { partitionKey: null })).toEqual(["null"]);
    expect(await which("SELECT VALUE c.which FROM c WHERE c.pk = null")).toEqual(["null"]);
    expect(await which("SELECT VALUE c.which FROM c WHERE NOT IS_DEFINED(c.pk)")).toEqual(["none"]);
  });

  test("take replace, patch, batch and delete", async () => {
    const item = at.plain.item("life", null);
    await at.plain.items.upsert({ id: "life", pk: null });
    expect((await item.replace({ id: "life", pk: null, n: 1 })).statusCode).toBe(200);
    expect((await item.patch([{ op: "incr", path: "/n", value: 1 }])).resource).toMatchObject({ n: 2 });
    const { result } = await at.plain.items.batch([{ operationType: "Read", id: "life" }], null);
    expect(result?.[0]?.resourceBody).toMatchObject({ n: 2 });
    expect((await item.delete()).statusCode).toBe(204);
  });
});

test("a key path in quotes may have any character", async () => {
  for (const [id, path] of [
    ["double", `/"a 'b'"/"c/d"`],
    ["single", `/'a "b"'/'c/d'`],
  ] as const) {
    const { container } = await at.client
      .database("test")
      .containers.create({ id, partitionKey: { paths: [path], version: PartitionKeyDefinitionVersion.V2 } });
    const outer = id === "double" ? "a 'b'" : 'a "b"';
    await container.items.create({ id: "1", [outer]: { "c/d": "value" } });
    expect((await container.item("1", "value").read()).statusCode).toBe(200);
  }
});

describe("a hierarchical key", () => {
  const idsOf = async (query: string, partitionKey?: (string | number | null)[], maxItemCount = 3) => {
    const options = partitionKey ? { partitionKey, maxItemCount } : { maxItemCount };
    return (await tree.items.query(query, options).fetchAll()).resources;
  };
  const IDS = "SELECT VALUE c.id FROM c";

  test("finds one document by the whole of it", async () => {
    expect((await tree.item("a-u-1", ["a", "u", 1]).read()).resource).toMatchObject({ id: "a-u-1" });
    expect((await tree.item("a-u-null", ["a", "u", null]).read()).statusCode).toBe(200);
    expect((await tree.item("a-u-1", ["a", "u", 2]).read()).statusCode).toBe(404);
    expect(await idsOf(IDS, ["a", "v", null])).toEqual(["a-v-null"]);
  });

  test("finds all documents under its first values, and none beside them", async () => {
    expect(await idsOf(IDS, ["a"])).toEqual(["a-u-1", "a-u-null", "a-v-1", "a-v-null"]);
    expect(await idsOf(IDS, ["a", "v"])).toEqual(["a-v-1", "a-v-null"]);
    expect(await idsOf(IDS, ['a"]'])).toHaveLength(4);
    expect(await idsOf(IDS, ["nobody"])).toEqual([]);
    expect(await idsOf("SELECT VALUE COUNT(1) FROM c", ["ab"])).toEqual([4]);
    expect(await idsOf(`${IDS} WHERE c.session = 1 ORDER BY c.id DESC`, ["a"])).toEqual(["a-v-1", "a-u-1"]);
  });

  test("is found in the filter of a query over all of them", async () => {
    expect(await idsOf(`${IDS} WHERE c.tenant = 'ab' AND c.user = 'u'`)).toEqual(["ab-u-1", "ab-u-null"]);
    expect(await idsOf(`${IDS} WHERE c.tenant = 'ab' AND c.session = null`)).toEqual(["ab-u-null", "ab-v-null"]);
    expect(await idsOf(`${IDS} WHERE c.session = null AND c.user = 'v' AND c.tenant = 'a'`)).toEqual(["a-v-null"]);
    expect(await idsOf(`${IDS} WHERE c.user = 'v' AND c.session = 1`)).toEqual(["a-v-1", "ab-v-1", 'a"]-v-1']);
    expect(await idsOf(`${IDS} WHERE c.user = 'u'`, ["a"])).toEqual(["a-u-1", "a-u-null"]);
  });

  test("is refused where it is too short for one document", async () => {
    expect(await codeOf(tree.item("a-u-1", ["a", "u"]).delete())).toBe(400);
  });

  test("finds the same however many documents a key has", async () => {
    for (let from = 0; from < 2400; from += 100) {
      const operations = Array.from({ length: 100 }, (_, n) => ({
        operationType: "Create" as const,
        resourceBody: { id: `${from + n}`, tenant: "big", user: n % 2 === 0 ? "u" : "v", session: 0, n: from + n },
      }));
      for (const user of ["u", "v"]) {
        const own = operations.filter(({ resourceBody }) => resourceBody.user === user);
        await tree.items.batch(own, ["big", user, 0]);
      }
    }
    expect(await idsOf("SELECT VALUE COUNT(1) FROM c", ["big"])).toEqual([2400]);
    const all = (await idsOf("SELECT VALUE c.n FROM c", ["big"], 700)) as number[];
    expect(new Set(all).size).toBe(2400);
    expect(all.slice(0, 3)).toEqual([0, 2, 4]);
    expect(await idsOf("SELECT VALUE c.n FROM c WHERE c.n > 2390 ORDER BY c.n DESC", ["big", "u"])).toEqual([
      2398, 2396, 2394, 2392,
    ]);
  });
});

describe("an indexing policy", () => {
  test.each([
    ["empty", {}],
    ["without included paths", { indexingMode: "consistent" as const, excludedPaths: [{ path: "/big/*" }] }],
  ])("that is %s indexes everything", async (name, indexingPolicy) => {
    const id = `policy-${name}`;
    const { container, resource } = await at.client
      .database("test")
      .containers.create({ id, partitionKey: "/id", indexingPolicy });
    expect(resource?.indexingPolicy).toMatchObject({
      automatic: true,
      indexingMode: "consistent",
      includedPaths: [{ path: "/*" }],
    });
    for (const rank of [2, 3, 1]) await container.items.create({ id: `${rank}`, rank });
    const { resources } = await container.items.query("SELECT VALUE c.rank FROM c ORDER BY c.rank").fetchAll();
    expect(resources).toEqual([1, 2, 3]);
  });

  test("has to say what becomes of the root", async () => {
    const indexingPolicy = { includedPaths: [{ path: "/a/?" }] };
    const creating = at.client
      .database("test")
      .containers.create({ id: "rootless", partitionKey: "/id", indexingPolicy });
    await expect(creating).rejects.toMatchObject({ code: 400, message: expect.stringContaining("/*") });
  });
});

test("a container without a key, as clients of 2018 make, holds all documents under one", async () => {
  const create = (version: string) =>
    sendSigned(at.server, "POST", "dbs/test/colls", { "x-ms-version": version }, JSON.stringify({ id: "no-key" }));
  expect((await create("2018-12-31")).status).toBe(400);
  expect((await create("2018-06-18")).status).toBe(201);
  const container = at.client.database("test").container("no-key");
  expect((await container.read()).resource?.partitionKey).toMatchObject({ systemKey: true });
  await container.items.create({ id: "a", n: 1 });
  expect(await codeOf(container.items.create({ id: "a", n: 2 }))).toBe(409);
  const operations = [{ operationType: "Upsert" as const, resourceBody: { id: "b" } }];
  expect((await container.items.batch(operations)).result?.[0]?.statusCode).toBe(201);
  expect((await container.item("a", undefined).read()).resource).toMatchObject({ n: 1 });
});
