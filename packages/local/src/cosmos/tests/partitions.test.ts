// Containers over several physical partitions: what a client asks each for and merges itself.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Container, CosmosClient } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startCosmos } from "../start.ts";
import { sendSigned } from "./signed-request.ts";
import { type TemporaryServer, temporaryServer } from "./temporary-server.ts";

const ITEMS = 40;
let at: TemporaryServer;
let wide: Container;
beforeAll(async () => {
  at = await temporaryServer();
  const definition = { id: "wide", partitionKey: { paths: ["/pk"], version: 2 }, throughput: 20_000 };
  ({ container: wide } = await at.client.database("test").containers.create(definition));
  for (let n = 0; n < ITEMS; n += 1) {
    await wide.items.create({ id: `i${n}`, pk: `key ${n}`, n, kind: n % 3 === 0 ? "a" : "b" });
  }
});
afterAll(() => at.stop());

const all = async (sql: string, parameters: { name: string; value: number }[] = []) =>
  (await wide.items.query({ query: sql, parameters }, { maxItemCount: 7 }).fetchAll()).resources as unknown[];

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n);

test.each([
  [10_000, 1],
  [12_000, 2],
  [25_100, 5],
])("a container of %i RU/s has %i partitions", async (throughput, count) => {
  const definition = { id: `of-${throughput}`, partitionKey: "/pk", throughput };
  const { container } = await at.client.database("test").containers.create(definition);
  expect(await container.getFeedRanges()).toHaveLength(count);
});

describe("a query over all partitions", () => {
  test("is answered by each for its part, and by all for the whole", async () => {
    const query = (id: string) =>
      sendSigned(
        at.server,
        "POST",
        "dbs/test/colls/wide/docs",
        { "x-ms-documentdb-isquery": "true", "x-ms-documentdb-partitionkeyrangeid": id },
        JSON.stringify({ query: "SELECT VALUE c.n FROM c" }),
      );
    const parts: number[][] = [];
    for (const id of ["0", "1", "2", "3"]) {
      const reply = await query(id);
      expect(reply.headers.get("x-ms-session-token")).toMatch(new RegExp(`^${id}:`));
      parts.push(((await reply.json()) as { Documents: number[] }).Documents);
    }
    expect(parts.every(({ length }) => length > 0 && length < ITEMS)).toBe(true);
    expect(parts.flat().sort((a, b) => a - b)).toEqual(range(0, ITEMS));
    expect((await query("4")).status).toBe(410);
  });

  test("is refused to who does not merge, with the plan for it", async () => {
    const headers = { "x-ms-documentdb-isquery": "true" };
    const body = JSON.stringify({ query: "SELECT VALUE COUNT(1) FROM c" });
    const reply = await sendSigned(at.server, "POST", "dbs/test/colls/wide/docs", headers, body);
    expect([reply.status, reply.headers.get("x-ms-substatus")]).toEqual([400, "1004"]);
    const { additionalErrorInfo } = (await reply.json()) as { additionalErrorInfo: string };
    expect(JSON.parse(additionalErrorInfo)).toMatchObject({ queryInfo: { aggregates: ["Count"] } });
  });

  test("comes sorted, cut and paged", async () => {
    expect(await all("SELECT VALUE c.n FROM c ORDER BY c.n")).toEqual(range(0, ITEMS));
    expect(await all("SELECT * FROM c WHERE c.n < 5 OR c.n > 38 ORDER BY c.n DESC")).toMatchObject(
      [39, 4, 3, 2, 1, 0].map((n) => ({ n, id: `i${n}` })),
    );
    expect(await all("SELECT TOP 3 c.n, c['kind'] FROM c ORDER BY c.n")).toEqual(
      [0, 1, 2].map((n) => ({ n, kind: n === 0 ? "a" : "b" })),
    );
    const bounds = [
      { name: "@from", value: 30 },
      { name: "@count", value: 3 },
    ];
    const page = await all("SELECT VALUE c.n FROM c ORDER BY c.n OFFSET @from LIMIT @count", bounds);
    expect(page).toEqual([30, 31, 32]);
  });

  test("comes aggregated and grouped", async () => {
    expect(await all("SELECT VALUE COUNT(1) FROM c WHERE STARTSWITH(c.kind, 'a')")).toEqual([14]);
    expect(await all("SELECT VALUE SUM(c.n) FROM c WHERE c.n BETWEEN 1 AND 4")).toEqual([10]);
    expect(await all("SELECT VALUE AVG(c.n) FROM c WHERE NOT (c.n > 3)")).toEqual([1.5]);
    expect(await all("SELECT MIN(c.n) AS low, MAX(c.n) AS high FROM c")).toEqual([{ low: 0, high: 39 }]);
    const groups = await all("SELECT c.kind, COUNT(1) AS n, AVG(c.none) AS none FROM c GROUP BY c.kind");
    expect(groups).toHaveLength(2);
    expect(groups).toEqual(
      expect.arrayContaining([
        { kind: "a", n: 14, none: undefined },
        { kind: "b", n: 26, none: undefined },
      ]),
    );
  });

  test("takes its filter, joins and subqueries to each partition as they are written", async () => {
    const sql = `SELECT VALUE {"n": c.n, "t": t} FROM c JOIN t IN (SELECT VALUE x FROM x IN ["p", "q'\\""])
      WHERE c.n IN (3, 4) AND (c.n = 3 ? true : t = "p") AND EXISTS(SELECT VALUE 1 FROM y IN [1] WHERE y = -(-1)) ORDER BY c.n`;
    expect(await all(sql)).toEqual([
      { n: 3, t: "p" },
      { n: 3, t: `q'"` },
      { n: 4, t: "p" },
    ]);
  });

  test("of one partition key needs no merging", async () => {
    const options = { partitionKey: "key 7" };
    const { resources } = await wide.items.query("SELECT VALUE COUNT(1) FROM c", options).fetchAll();
    expect(resources).toEqual([1]);
  });
});

test("groups come from the client over one partition too, whose missing values it keeps", async () => {
  await at.plain.items.create({ id: "grouped", pk: "g", kind: "x" });
  const sql = "SELECT c.kind, MAX(c.none) AS none FROM c GROUP BY c.kind";
  const { resources } = await at.plain.items.query(sql).fetchAll();
  expect(resources).toStrictEqual([{ kind: "x", none: undefined }]);
});

test("a full page of a container with a hierarchical key may be followed by an empty one", async () => {
  const paths = ["/a", "/b"];
  const definition = { id: "tree", partitionKey: { paths, kind: "MultiHash", version: 2 } } as const;
  const { container } = await at.client.database("test").containers.create(definition as never);
  for (const id of ["1", "2"]) await container.items.create({ id, a: "a", b: "b" });
  const pages: number[] = [];
  for await (const { resources } of container.items.query("SELECT * FROM c", { maxItemCount: 2 }).getAsyncIterator()) {
    pages.push(resources.length);
  }
  expect(pages).toEqual([2, 0]);
});

test("a client that merges goes on from sort values and a document, as .NET's does", async () => {
  const container = at.client.database("test").container("ties");
  await at.client.database("test").containers.create({ id: "ties", partitionKey: "/pk", throughput: 12_000 });
  const rids: string[] = [];
  for (let n = 0; n < 6; n += 1) {
    const { resource } = await container.items.create({ id: `${n}`, pk: "p", n: Math.floor(n / 3) });
    rids.push(String(resource?._rid));
  }
  const ask = async (resumeFilter: object) => {
    const body = JSON.stringify({ query: "SELECT VALUE c.id FROM c ORDER BY c.n DESC", resumeFilter });
    const found: string[] = [];
    for (const id of ["0", "1"]) {
      const headers = { "x-ms-documentdb-isquery": "true", "x-ms-documentdb-partitionkeyrangeid": id };
      const reply = await sendSigned(at.server, "POST", "dbs/test/colls/ties/docs", headers, body);
      expect(reply.headers.get("x-ms-cosmos-query-execution-info")).toContain(`"reverseRidEnabled":false`);
      found.push(...((await reply.json()) as { Documents: string[] }).Documents);
    }
    return found;
  };
  expect(await ask({ value: [1], exclude: false })).toEqual(["3", "4", "5", "0", "1", "2"]);
  expect(await ask({ value: [1], rid: rids[4], exclude: false })).toEqual(["4", "5", "0", "1", "2"]);
  expect(await ask({ value: [1], exclude: true })).toEqual(["0", "1", "2"]);
  expect(await ask({ value: [[]], exclude: true })).toEqual([]);
});

test("a sorted query over several partitions goes on from a token with a client of its own", async () => {
  const numbers: number[] = [];
  let continuationToken: string | undefined;
  do {
    const options = { maxItemCount: 7, enableQueryControl: true, ...(continuationToken ? { continuationToken } : {}) };
    const page = await wide.items.query("SELECT VALUE c.n FROM c ORDER BY c.n DESC", options).fetchNext();
    numbers.push(...(page.resources as number[]));
    continuationToken = page.continuationToken;
  } while (continuationToken && numbers.length <= ITEMS);
  expect(numbers).toEqual(range(0, ITEMS).reverse());
});

test("partitions outlast a restart and a change of the indexing policy", async () => {
  const data = mkdtempSync(join(tmpdir(), "cosmos-"));
  const open = async () => {
    const server = await startCosmos({ port: 0, data });
    const client = new CosmosClient(server.connectionString);
    return { server, client, close: () => server.close().finally(() => client.dispose()) };
  };
  const first = await open();
  const { database } = await first.client.databases.create({ id: "kept" });
  const definition = { id: "wide", partitionKey: "/pk", throughput: 12_000 };
  const { container } = await database.containers.create(definition);
  await container.items.create({ id: "a", pk: "p", n: 1 });
  const { resource } = await container.read();
  await container.replace({
    ...resource,
    indexingPolicy: { includedPaths: [{ path: "/n/?" }], excludedPaths: [{ path: "/*" }] },
  } as never);
  await first.close();

  const second = await open();
  const again = second.client.database("kept").container("wide");
  expect(await again.getFeedRanges()).toHaveLength(2);
  expect((await again.item("a", "p").read()).resource).toMatchObject({ n: 1 });
  await second.client.database("kept").delete();
  await second.close();
  rmSync(data, { recursive: true });
});
