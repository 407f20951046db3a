// Queries through the SDK: what the language means, undefined above all, and how results come in pages.
import type { JSONValue } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { COSMOS_REJECTIONS as REJECTIONS } from "../rejections.ts";
import { codeOf, type TemporaryServer, temporaryServer } from "./temporary-server.ts";

let at: TemporaryServer;

const PEOPLE = [
  {
    id: "ann",
    pk: "a",
    n: 1,
    name: "Ann",
    tags: ["x", "y"],
    address: { city: "Bonn" },
    order: 3,
    items: [{ k: 1 }, { k: 2 }],
  },
  { id: "bob", pk: "a", n: 2, name: "bob", tags: [], address: { city: "Ulm" }, value: "v", items: [{ k: 3 }] },
  { id: "cid", pk: "b", n: null, name: "Cid 100%", flag: true },
  { id: "dan", pk: "b", n: "2", flag: false, tags: [{ a: 1, b: 2 }] },
  { id: "eve", pk: "b", n: 3.5, name: "Eve" },
];

beforeAll(async () => {
  at = await temporaryServer();
  for (const person of PEOPLE) await at.plain.items.create(person);
});
afterAll(() => at.stop());

async function run(
  query: string,
  parameters: Record<string, JSONValue> = {},
  partitionKey?: string,
): Promise<unknown[]> {
  const named = Object.entries(parameters).map(([name, value]) => ({ name: `@${name}`, value }));
  const options = partitionKey === undefined ? {} : { partitionKey };
  return (await at.plain.items.query({ query, parameters: named }, options).fetchAll()).resources;
}

const ids = (where: string, parameters?: Record<string, JSONValue>) =>
  run(`SELECT VALUE c.id FROM c WHERE ${where}`, parameters);

describe("WHERE", () => {
  test.each<[string, string[], Record<string, JSONValue>?]>([
    ["c.n = 2", ["bob"]],
    ["c.n = '2'", ["dan"]],
    ["c.n > 1", ["bob", "eve"]],
    ["c.n >= @least AND c.n < @most", ["ann", "bob"], { least: 1, most: 3 }],
    ["1 < c.n", ["bob", "eve"]],
    ["c.n = null", ["cid"]],
    ["IS_NULL(c.n)", ["cid"]],
    ["c.n != 2", ["ann", "cid", "dan", "eve"]],
    ["c.flag = true", ["cid"]],
    ["c.flag", ["cid"]],
    ["NOT c.flag", ["dan"]],
    ["c.nothing = 1", []],
    ["c.nothing != 1", []],
    ["NOT (c.nothing = 1)", []],
    ["c.nothing = 1 OR c.n = 1", ["ann"]],
    ["c.nothing = undefined", []],
    ["IS_DEFINED(c.flag)", ["cid", "dan"]],
    ["NOT IS_DEFINED(c.name)", ["dan"]],
    ["c.address.city = 'Ulm'", ["bob"]],
    [`c["address"]['city'] = "Bonn"`, ["ann"]],
    ["c.address = @a", ["ann"], { a: { city: "Bonn" } }],
    ["c.items[1].k = 2", ["ann"]],
    ["c.id IN ('ann', @other)", ["ann", "eve"], { other: "eve" }],
    ["c.id NOT IN ('ann', 'bob', 'cid')", ["dan", "eve"]],
    ["c.n BETWEEN 2 AND 3.5", ["bob", "eve"]],
    ["STARTSWITH(c.name, 'B', true)", ["bob"]],
    ["STARTSWITH(c.name, 'B')", []],
    ["CONTAINS(c.name, '100')", ["cid"]],
    ["ENDSWITH(c.name, 'n')", ["ann"]],
    ["LOWER(c.name) = 'ann' OR UPPER(c.name) = 'BOB'", ["ann", "bob"]],
    ["LENGTH(c.name) > 3", ["cid"]],
    ["ARRAY_CONTAINS(c.tags, 'x')", ["ann"]],
    ["ARRAY_CONTAINS(@wanted, c.id)", ["ann", "cid"], { wanted: ["cid", "ann"] }],
    ["ARRAY_CONTAINS(c.tags, {a: 1})", []],
    ["ARRAY_CONTAINS(c.tags, {a: 1}, true)", ["dan"]],
    ["ARRAY_LENGTH(c.tags) = 0", ["bob"]],
    ["(c.flag ?? false) = true", ["cid"]],
    ["(c.n = 1 ? c.id : 'x') = 'ann'", ["ann"]],
    ["c.n * 2 + 1 = 3", ["ann"]],
    ["-c.n = -3.5", ["eve"]],
    ["c.name || '!' = 'Ann!'", ["ann"]],
    ["c.pk = 'a' AND (c.n = 1 OR c.n = 2)", ["ann", "bob"]],
  ])("%s", async (where, expected, parameters) => {
    expect(await ids(where, parameters)).toEqual(expected);
  });
});

describe("SELECT", () => {
  test.each<[string, unknown[]]>([
    ["SELECT c.id, c.address.city FROM c WHERE c.n = 1", [{ id: "ann", city: "Bonn" }]],
    ["SELECT c.id AS who, c.nothing FROM c WHERE c.n = 1", [{ who: "ann" }]],
    ["SELECT c.n + 1, LOWER(c.name) lower FROM c WHERE c.n = 1", [{ $1: 2, lower: "ann" }]],
    ['SELECT c["order"], c["value"] FROM c WHERE c.pk = "a"', [{ order: 3 }, { value: "v" }]],
    ["SELECT VALUE c.flag FROM c", [true, false]],
    ["SELECT VALUE {id: c.id, all: [c.n, c.nothing]} FROM c WHERE c.n = 1", [{ id: "ann", all: [1] }]],
    ["SELECT VALUE i.k FROM c JOIN i IN c.items WHERE i.k > 1", [2, 3]],
    ["SELECT c.id, i.k FROM c JOIN i IN c.items WHERE c.pk = 'a' AND i.k = 3", [{ id: "bob", k: 3 }]],
    ["SELECT VALUE i.k FROM i IN c.items", [1, 2, 3]],
    ["SELECT TOP 2 VALUE c.id FROM c", ["ann", "bob"]],
    ["SELECT VALUE c.id FROM c OFFSET 1 LIMIT 2", ["bob", "cid"]],
    ["SELECT VALUE root.id FROM root WHERE root.n = 1", ["ann"]],
    ["SELECT VALUE p.id FROM people p WHERE p.n = 1 -- the rest is a comment", ["ann"]],
  ])("%s", async (query, expected) => {
    expect(await run(query)).toEqual(expected);
  });

  test("* hands back the whole document", async () => {
    expect(await run("SELECT * FROM c WHERE c.id = 'ann'")).toMatchObject([PEOPLE[0]]);
  });
});

describe("ORDER BY", () => {
  test.each<[string, unknown[]]>([
    ["SELECT VALUE c.n FROM c ORDER BY c.n", [null, 1, 2, 3.5, "2"]],
    ["SELECT VALUE c.n FROM c ORDER BY c.n DESC", ["2", 3.5, 2, 1, null]],
    ["SELECT VALUE c.id FROM c ORDER BY c.address.city DESC", ["bob", "ann"]],
    ["SELECT TOP 1 VALUE c.name FROM c ORDER BY c.name ASC", ["Ann"]],
    ["SELECT VALUE c.id FROM c ORDER BY c.id DESC OFFSET 1 LIMIT 2", ["dan", "cid"]],
  ])("%s", async (query, expected) => {
    expect(await run(query)).toEqual(expected);
  });
});

describe("aggregates", () => {
  test.each<[string, unknown[]]>([
    ["SELECT VALUE COUNT(1) FROM c", [5]],
    ["SELECT VALUE COUNT(c.name) FROM c", [4]],
    ["SELECT VALUE COUNT(1) FROM c WHERE c.pk = 'nobody'", [0]],
    ["SELECT VALUE SUM(c.n) FROM c WHERE IS_NUMBER(c.n)", [6.5]],
    ["SELECT VALUE SUM(c.n) FROM c", []],
    ["SELECT VALUE AVG(c.n) FROM c WHERE c.pk = 'a'", [1.5]],
    ["SELECT MIN(c.n) AS least, MAX(c.n) AS most FROM c WHERE IS_NUMBER(c.n)", [{ least: 1, most: 3.5 }]],
    ["SELECT VALUE MAX(c.name) FROM c", ["bob"]],
    [
      "SELECT c.pk, COUNT(1) AS count FROM c GROUP BY c.pk",
      [
        { pk: "a", count: 2 },
        { pk: "b", count: 3 },
      ],
    ],
    ["SELECT COUNT(1) AS n, c.flag FROM c GROUP BY c.flag", [{ n: 3 }, { n: 1, flag: true }, { n: 1, flag: false }]],
    ["SELECT VALUE COUNT(1) / 5 FROM c", [1]],
    ["SELECT VALUE MAX(c.n) FROM c WHERE IS_NUMBER(c.n) ORDER BY c.n", [3.5]],
  ])("%s", async (query, expected) => {
    expect(await run(query)).toEqual(expected);
  });
});

describe("faults", () => {
  test.each([
    ["SELECT * FORM c", "FORM"],
    ["SELECT c.value FROM c", "value"],
    ["SELECT * FROM c WHERE c.n = ", "end of query"],
    ["SELECT * FROM c WHERE d.n = 1", "'d'"],
    ["SELECT * FROM c WHERE NOSUCH(c.n)", "NOSUCH"],
    ["SELECT * FROM c WHERE ST_DISTANCE(c.a, c.b) < 1", "ST_DISTANCE"],
    ["SELECT * FROM c WHERE udf.mine(c.n)", "User defined functions"],
    ["SELECT * FROM c WHERE c.name LIKE 'A%'", "LIKE is not supported"],
    ["SELECT * FROM c WHERE c.name NOT LIKE 'A%'", "LIKE is not supported"],
    ["SELECT DISTINCT VALUE c.pk FROM c", "DISTINCT is not supported"],
    ["SELECT c.pk, MAKELIST(c.n) FROM c GROUP BY c.pk", "MAKELIST"],
    ["SELECT TOP 1 * FROM c ORDER BY RANK FullTextScore(c.name, ['x'])", "Full text search"],
    ["SELECT * FROM c WHERE c.n = 'unended", "'unended"],
    ["SELECT * FROM c WHERE COUNT(1) = 1", "COUNT"],
    ["SELECT * FROM c ORDER BY LOWER(c.name)", "ORDER BY"],
    ["SELECT c.n FROM c GROUP BY c.n ORDER BY c.n", "ORDER BY"],
  ])("%s is a 400 that names %s", async (query, named) => {
    const failing = at.plain.items.query(query).fetchAll();
    await expect(failing).rejects.toMatchObject({ code: 400, message: expect.stringContaining(named) });
  });

  test.each([
    [REJECTIONS.topOffset.what, "SELECT TOP 1 * FROM c OFFSET 0 LIMIT 1", "TOP and OFFSET LIMIT"],
    [REJECTIONS.missingComposite.what, "SELECT * FROM c ORDER BY c.n, c.id", "needs a composite index of them"],
  ])("%s: %s", async (_, query, named) => {
    const failing = at.plain.items.query(query).fetchAll();
    await expect(failing).rejects.toMatchObject({ code: 400, message: expect.stringContaining(named) });
  });

  test(REJECTIONS.orderPath.what, async () => {
    expect(await codeOf(at.orders.items.query("SELECT * FROM c ORDER BY c.note").fetchAll())).toBe(400);
  });
});

test("a partition key given in the options narrows the query to it", async () => {
  expect(await run("SELECT VALUE c.id FROM c", {}, "a")).toEqual(["ann", "bob"]);
  expect(await run("SELECT VALUE COUNT(1) FROM c", {}, "b")).toEqual([3]);
  expect(await run("SELECT * FROM c WHERE c.pk = 'b'", {}, "a")).toEqual([]);
});

describe("paging", () => {
  const PAGED = [
    "SELECT VALUE c.n FROM c WHERE c.orderId = 'pages'",
    "SELECT VALUE c.n FROM c WHERE c.dueAt > '' ORDER BY c.dueAt",
    "SELECT VALUE c.n FROM c ORDER BY c.dueAt DESC",
    "SELECT VALUE c.n FROM c WHERE c.processState = 'Open'",
    "SELECT VALUE c.n FROM c WHERE c.processState IN ('Open', 'Shut')",
    "SELECT VALUE c.n FROM c WHERE c.processState = 'Open' ORDER BY c.createdAt",
    "SELECT VALUE c.n FROM c ORDER BY c.createdAt",
    "SELECT VALUE c.n FROM c ORDER BY c.createdAt DESC",
    "SELECT VALUE c.n FROM c ORDER BY c.id",
    "SELECT TOP 11 VALUE c.n FROM c ORDER BY c.dueAt",
    "SELECT VALUE c.n FROM c ORDER BY c.dueAt OFFSET 3 LIMIT 11",
    "SELECT VALUE c.n FROM c ORDER BY c.id DESC OFFSET 3 LIMIT 11",
  ];

  beforeAll(async () => {
    const write = (n: number) =>
      at.orders.items.create({
        id: `${n}`.padStart(2, "0"),
        orderId: "pages",
        n,
        processState: n % 3 === 0 ? "Shut" : "Open",
        // Many share a place in the order, and every fifth has none.
        ...(n % 5 === 0 ? {} : { createdAt: `${n % 4}` }),
        dueAt: `${(n * 7) % 10}`,
      });
    for (let n = 0; n < 25; n += 1) await write(n);
  });

  test.each(PAGED)("%s in pages of 4 is what it is in one", async (query) => {
    const whole = (await at.orders.items.query(query, { maxItemCount: 100 }).fetchAll()).resources;
    const paged: unknown[] = [];
    const sizes: number[] = [];
    const pages = at.orders.items.query(query, { maxItemCount: 4 });
    while (pages.hasMoreResults()) {
      const { resources } = await pages.fetchNext();
      sizes.push(resources?.length ?? 0);
      paged.push(...(resources ?? []));
    }
    expect(whole.length).toBeGreaterThan(4);
    expect(paged).toEqual(whole);
    expect(Math.max(...sizes)).toBe(4);
  });

  test("a page goes on where it ended although documents before it came and went", async () => {
    const query = "SELECT VALUE c.n FROM c WHERE c.dueAt >= 'p' ORDER BY c.dueAt";
    const put = (n: number) => at.orders.items.upsert({ id: `moving-${n}`, orderId: "moving", n, dueAt: `p${n}` });
    for (const n of [1, 2, 3, 4]) await put(n);
    const first = await at.orders.items.query(query, { maxItemCount: 2 }).fetchNext();
    await put(0);
    await at.orders.item("moving-1", "moving").delete();
    const rest = at.orders.items.query(query, { maxItemCount: 2, continuationToken: first.continuationToken });
    expect([...first.resources, ...(await rest.fetchNext()).resources]).toEqual([1, 2, 3, 4]);
  });

  test("a list keeps to its way although its state has meanwhile become a frequent one", async () => {
    const query = "SELECT VALUE c.n FROM c WHERE c.processState = 'Rare' ORDER BY c.createdAt";
    const put = (n: number) =>
      at.orders.items.create({ id: `${n}`, orderId: "rare", n, processState: "Rare", createdAt: `r${n}` });
    for (const n of [0, 1, 2, 3]) await put(n);
    const first = await at.orders.items.query(query, { maxItemCount: 2 }).fetchNext();
    const many = Array.from({ length: 1000 }, (_, n) => ({
      id: `m${n}`,
      orderId: "many",
      processState: "Rare",
      createdAt: "s",
      n: -1,
    }));
    for (let from = 0; from < many.length; from += 100) {
      const operations = many
        .slice(from, from + 100)
        .map((resourceBody) => ({ operationType: "Create" as const, resourceBody }));
      await at.orders.items.batch(operations, "many");
    }
    const rest = at.orders.items.query(query, { maxItemCount: 2, continuationToken: first.continuationToken });
    expect([...first.resources, ...(await rest.fetchNext()).resources]).toEqual([0, 1, 2, 3]);
  });

  test("the results that joins make of one document come in pages too", async () => {
    const query = "SELECT VALUE i.k FROM c JOIN i IN c.items ORDER BY c.pk";
    expect((await at.plain.items.query(query, { maxItemCount: 1 }).fetchAll()).resources).toEqual([1, 2, 3]);
  });

  test("a continuation that is none is a 400", async () => {
    const failing = at.orders.items.query("SELECT * FROM c", { continuationToken: "nonsense" }).fetchNext();
    const message = expect.stringContaining("Invalid Continuation Token");
    await expect(failing).rejects.toMatchObject({ code: 400, message });
  });

  // With query control the SDK pages by itself, and asks forever where a page has more results than it asked for.
  test.each([
    ["SELECT c.pk, COUNT(1) AS n FROM c GROUP BY c.pk", 2],
    ["SELECT VALUE i.k FROM c JOIN i IN c.items", 3],
  ])("the SDK's query control ends with %s", async (query, count) => {
    const options = { maxItemCount: 1, enableQueryControl: true, forceQueryPlan: true };
    expect((await at.plain.items.query(query, options).fetchAll()).resources.length).toBe(count);
  });
});
