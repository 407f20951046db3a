// A long query can be left for other requests in its middle: told by how often it offers that, not by a clock.
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { Database } from "../../database/database.ts";
import type { JsonObject } from "../../json.ts";
import { runQuery } from "../queries/run-query.ts";
import { Catalog } from "../resources/catalog.ts";
import type { Container } from "../resources/container.ts";
import { inSlices, type Sliced, slicing } from "../slices.ts";
import { compileQuery } from "../sql/compiled-query.ts";
import { ORDERS } from "./temporary-server.ts";

const HELD = 20_000;
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
    for (let n = 0; n < HELD; n += 1) {
      const orderId = n % 2 === 0 ? "many" : `order-${n}`;
      const document = { id: `${n}`, orderId, processState: "Processed", createdAt: `${n % 100}`, list: [1, 2] };
      container.items.insert(JSON.stringify([orderId]), `${n}`, document, n);
    }
  });
});
afterAll(() => database.close());

const start = (sql: string, pk?: string) => {
  const scope = pk === undefined ? {} : { pk };
  const query = compileQuery(sql);
  return runQuery({ container, query, parameters: new Map(), scope, pageSize: 10, continuation: undefined });
};

test.each<[string, string, string?]>([
  ["a scan that finds nothing", "SELECT * FROM c WHERE CONTAINS(c.orderId, 'nothing')"],
  ["a scan that SQLite filters", "SELECT * FROM c WHERE c.id = 'nothing'"],
  ["an index of which all is filtered", "SELECT * FROM c WHERE c.processState = 'Processed' AND c.id = 'nothing'"],
  ["a sort", "SELECT * FROM c ORDER BY c.id"],
  ["a sort of what joins make", "SELECT VALUE l FROM c JOIN l IN c.list WHERE l = 1 ORDER BY c.createdAt"],
  ["a group by columns", "SELECT c.createdAt, COUNT(1) AS n FROM c GROUP BY c.createdAt"],
  ["a count by a filter", "SELECT VALUE COUNT(1) FROM c WHERE c.id = 'nothing'"],
  ["one large partition key", "SELECT * FROM c WHERE c.n = 1", '["many"]'],
])("%s can be left in its middle", (_, sql, pk) => {
  const work = start(sql, pk);
  let times = 0;
  while (!work.next().done) times += 1;
  expect(times).toBeGreaterThanOrEqual(2);
});

test("documents that are written meanwhile neither break a scan nor are met twice", async () => {
  const seen: string[] = [];
  const work = start(
    "SELECT VALUE c.id FROM c WHERE c.processState = 'Processed' ORDER BY c.createdAt OFFSET 9000 LIMIT 5",
  );
  const writes: Promise<unknown>[] = [];
  for (let step = work.next(), n = 0; ; step = work.next(), n += 1) {
    if (step.done) {
      seen.push(...step.value.results);
      break;
    }
    if (n % 500 === 0) {
      const pk = '["meanwhile"]';
      const document = { id: `m${n}`, orderId: "meanwhile", processState: "Processed", createdAt: "zzz" };
      writes.push(database.write(() => container.items.insert(pk, document.id, document, 0)));
      await Promise.all(writes);
    }
  }
  expect(new Set(seen).size).toBe(5);
});

test("two long queries take turns with each other and with everyone else", async () => {
  const finished: string[] = [];
  const run = async (name: string) => {
    await inSlices(start("SELECT * FROM c WHERE CONTAINS(c.orderId, 'nothing')"));
    finished.push(name);
  };
  const queries = [run("first"), run("second")];
  await new Promise((resolve) => setImmediate(resolve));
  finished.push("someone else");
  await Promise.all(queries);
  expect(finished[0]).toBe("someone else");
});

/** How often the query can be left, and what it asks of SQLite. */
function piecesOf(sql: string): { readonly pieces: number; readonly statements: readonly string[] } {
  const rows = vi.spyOn(container.items, "rows");
  try {
    const work = start(sql);
    let pieces = 0;
    while (!work.next().done) pieces += 1;
    return { pieces, statements: rows.mock.calls.map(([text]) => text) };
  } finally {
    rows.mockRestore();
  }
}

test("a count whose whole filter SQLite answers makes no groups, and reads no row for each document", () => {
  const { pieces, statements } = piecesOf(
    "SELECT VALUE COUNT(1) FROM c WHERE IS_DEFINED(c.processState) AND c.createdAt >= '0' AND c.createdAt < 'x'",
  );
  expect(statements.filter((text) => text.includes("GROUP BY"))).toEqual([]);
  expect(pieces).toBeLessThan(HELD / 100);
});

test("groups are finished and sorted in pieces", () => {
  const grouped = "SELECT c.id, COUNT(1) AS n FROM c GROUP BY c.id";
  // Each row is read and counted, and each group is finished.
  expect(piecesOf(grouped).pieces).toBeGreaterThanOrEqual(3 * HELD);
});

test("the first slices of many queries share one turn of the event loop", async () => {
  let nowMs = 0;
  let done = 0;
  const run = slicing(() => nowMs);
  function* work(): Sliced<void> {
    for (let piece = 0; piece < 30; piece += 1) {
      nowMs += 1;
      done += 1;
      yield;
    }
  }
  const queries = Array.from({ length: 20 }, () => run(work()));
  // One slice of ten pieces, and one piece of each other query.
  expect(done).toBeLessThanOrEqual(10 + 19);
  await Promise.all(queries);
  expect(done).toBe(20 * 30);
});
