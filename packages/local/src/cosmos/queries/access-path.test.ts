// Which index each of the app's queries walks, by SQLite's own EXPLAIN QUERY PLAN over a container as the orders have it.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Database } from "../../database/database.ts";
import type { JsonObject } from "../../json.ts";
import { Catalog, type DatabaseRecord } from "../resources/catalog.ts";
import type { Container } from "../resources/container.ts";
import { atOnce } from "../slices.ts";
import { compileQuery } from "../sql/compiled-query.ts";
import { ORDERS } from "../tests/temporary-server.ts";
import { accessPath, type Request } from "./access-path.ts";
import { runQuery } from "./run-query.ts";
import { statementOf } from "./walk.ts";

const ORDERS_HELD = 1500;
const DUE = 5;
let database: Database;
let container: Container;

beforeAll(async () => {
  database = new Database(":memory:");
  const catalog = new Catalog(database);
  const parent = await catalog.createDatabase("test");
  const created = parent && (await catalog.createContainer(parent, { ...ORDERS } as unknown as JsonObject));
  if (!created) throw new Error("The container was not created.");
  container = created;
  await database.write(() => {
    for (let n = 0; n < ORDERS_HELD; n += 1) {
      const orderId = `order-${n}`;
      const at = new Date(n * 1000).toISOString();
      const open = n < DUE ? { processState: "Processing", dueAt: at } : { processState: "Processed" };
      container.items.insert(JSON.stringify([orderId]), "order", { id: "order", orderId }, n);
      container.items.insert(JSON.stringify([orderId]), "state", { id: "state", orderId, createdAt: at, ...open }, n);
    }
  });
});
afterAll(() => database.close());

function request(sql: string, given: Partial<Request> = {}): Request {
  return {
    container,
    query: compileQuery(sql),
    parameters: new Map([["@now", "2030"]]),
    scope: {},
    now: Date.now(),
    count: () => 0,
    anyExpired: false,
    chosen: undefined,
    after: undefined,
    ...given,
  };
}

/** What SQLite says it will do, part by part. */
function plans(sql: string, given: Partial<Request> = {}): string[] {
  const statements = accessPath(request(sql, given)).walks.map((walk) => statementOf(walk));
  return statements.map((each) =>
    database
      .prepare(`EXPLAIN QUERY PLAN ${each.sql}`)
      .all(...each.bindings)
      .map(({ detail }) => String(detail))
      .join("; "),
  );
}

describe("the sweep's query", () => {
  const SWEEP = "SELECT * FROM c WHERE c.dueAt < @now ORDER BY c.dueAt";

  test("walks the index of dueAt in order and sorts nothing", () => {
    expect(plans(SWEEP)).toEqual([
      expect.stringMatching(/^SEARCH items_\d+ USING INDEX items_\d+\/dueAt \(\/dueAt>\? AND \/dueAt<\?\)$/),
    ]);
  });

  test("walks it whatever the query calls the container", () => {
    const named = "SELECT * FROM orders AS o WHERE o.dueAt < @now ORDER BY o.dueAt";
    expect(plans(named)).toEqual(plans(SWEEP));
  });

  test("goes on from its place in the index, and keeps to it while expired documents wait for their sweep", () => {
    const given = { after: { key: "51970", seq: 3 }, anyExpired: true };
    // First what shares the place's value, then what comes after it.
    expect(plans(SWEEP, given)).toEqual([
      expect.stringMatching(/^SEARCH items_\d+ USING INDEX items_\d+\/dueAt \(\/dueAt=\? AND rowid>\?\)$/),
      expect.stringMatching(/^SEARCH items_\d+ USING INDEX items_\d+\/dueAt \(\/dueAt>\? AND \/dueAt<\?\)$/),
    ]);
  });

  test("reads an index that holds the open orders and none of the others", () => {
    const counted = database.prepare(`SELECT count(*) AS n FROM ${container.items.name} WHERE "/dueAt" IS NOT NULL`);
    expect(counted.get()?.["n"]).toBe(DUE);
    const kind = database.prepare("SELECT sql FROM sqlite_master WHERE name = ?").get(`${container.items.name}/dueAt`);
    expect(kind?.["sql"]).toContain("IS NOT NULL");
  });
});

describe("lists", () => {
  const LIST = "SELECT * FROM c WHERE c.processState = 'Error' ORDER BY c.createdAt DESC";

  test("of a state that few orders are in come by that state", () => {
    expect(plans(LIST, { count: () => 5 })).toEqual([expect.stringContaining("/processState (/processState=?)")]);
  });

  test("of a state that many are in walk the wanted order, newest first, those without a date last", () => {
    expect(plans(LIST, { count: () => 1000 })).toEqual([
      expect.stringMatching(/INDEX items_\d+\/createdAt/),
      expect.not.stringContaining("TEMP B-TREE"),
    ]);
  });

  test("keep on later pages to the way of the first, whatever the count is by then", () => {
    expect(plans(LIST, { chosen: "walk", count: () => 5 })[0]).toContain("/createdAt");
    expect(plans(LIST, { chosen: "lookup", count: () => 1000 })[0]).toContain("/processState");
  });

  test("of one order come by its partition key", () => {
    expect(plans("SELECT * FROM c WHERE c.orderId = 'order-7'")).toEqual([expect.stringContaining("(pk=?)")]);
    expect(plans("SELECT * FROM c ORDER BY c.createdAt", { scope: { pk: '["order-7"]' } })).toEqual([
      expect.stringContaining("(pk=?)"),
    ]);
  });
});

test("a path that a new policy names is indexed, with the documents that are there", async () => {
  const catalog = new Catalog(database);
  const parent = catalog.databases.get("test");
  const old = await catalog.createContainer(
    parent as DatabaseRecord,
    { ...ORDERS, id: "other" } as unknown as JsonObject,
  );
  await database.write(() => old?.items.insert('["a"]', "a", { id: "a", orderId: "a", rank: 7 }, 0));
  const indexingPolicy = { includedPaths: [{ path: "/rank/?" }], excludedPaths: [{ path: "/*" }] };
  const changed = { ...ORDERS, id: "other", indexingPolicy } as unknown as JsonObject;
  const other = await catalog.replaceContainer(parent as DatabaseRecord, old as Container, changed);
  const ranked = "SELECT * FROM c WHERE c.rank > 5 ORDER BY c.rank";
  expect(plans(ranked, { container: other })).toEqual([expect.stringContaining("/rank (/rank>? AND /rank<?)")]);
  await database.write(() => other.items.insert('["b"]', "b", { id: "b", orderId: "b", rank: 6 }, 0));
  const keys = database.prepare(`SELECT id FROM ${other.items.name} WHERE "/rank" IS NOT NULL ORDER BY "/rank"`).all();
  expect(keys.map(({ id }) => id)).toEqual(["b", "a"]);
});

describe("counts", () => {
  test.each<[string, unknown[]]>([
    ["SELECT VALUE COUNT(1) FROM c WHERE c.processState = 'Processed'", [ORDERS_HELD - DUE]],
    ["SELECT VALUE COUNT(1) FROM c WHERE c.dueAt < @now AND c.id = 'state'", [DUE]],
    [
      "SELECT c.processState, COUNT(1) AS n FROM c GROUP BY c.processState",
      [{ n: ORDERS_HELD }, { processState: "Processed", n: ORDERS_HELD - DUE }, { processState: "Processing", n: DUE }],
    ],
  ])("%s never parses a document", (sql, expected) => {
    const { parse } = JSON;
    JSON.parse = () => {
      throw new Error("A document was parsed.");
    };
    try {
      const { query, parameters } = request(sql);
      const work = runQuery({ container, query, parameters, scope: {}, pageSize: 10, continuation: undefined });
      const { results } = atOnce(work);
      JSON.parse = parse;
      expect(results.map((text) => JSON.parse(text))).toEqual(expected);
    } finally {
      JSON.parse = parse;
    }
  });
});
