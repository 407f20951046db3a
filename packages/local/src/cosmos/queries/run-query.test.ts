// Whatever way a query takes, with indexes or without, in one page or in many: it finds what a plain scan finds.
import { afterAll, beforeAll, expect, test } from "vitest";
import { Database } from "../../database/database.ts";
import type { Json, JsonObject } from "../../json.ts";
import { wholeFrom } from "../../random.ts";
import { Catalog } from "../resources/catalog.ts";
import type { Container } from "../resources/container.ts";
import { atOnce } from "../slices.ts";
import { compileQuery, matches } from "../sql/compiled-query.ts";
import { compareValues, type Value } from "../sql/values.ts";
import { runQuery } from "./run-query.ts";

const DOCUMENTS = 300;
const QUERIES = 400;
const VALUES: Value[] = [
  undefined,
  null,
  false,
  true,
  -1,
  0,
  0.5,
  2,
  10,
  "",
  "a",
  "ab",
  "b",
  "é",
  "\u{1F600}",
  [1],
  { x: 1 },
];
const LITERALS = VALUES.filter((value) => value !== undefined).map((value) => JSON.stringify(value));
/** `a`, `b` and `d.e` are indexed by name, `f` is not. */
const PATHS = ["c.a", "c.b", "c.d.e", "c.f", "c.id", "c.pk"];
const SORTED = ["c.a", "c.b", "c.d.e", "c.id"];

let database: Database;
let container: Container;
const SEED = Number(process.env["SEED"] ?? Date.now() % 1_000_000);
const random = wholeFrom(SEED);

const oneOf = <T>(list: readonly T[]): T => list[random(list.length)] as T;

beforeAll(async () => {
  database = new Database(":memory:");
  const catalog = new Catalog(database);
  const parent = await catalog.createDatabase("test");
  const includedPaths = ["/a/?", "/b/?", "/d/e/?"].map((path) => ({ path }));
  const indexingPolicy = { includedPaths, excludedPaths: [{ path: "/*" }] };
  const created =
    parent &&
    (await catalog.createContainer(parent, {
      id: "c",
      partitionKey: { paths: ["/pk"] },
      defaultTtl: -1,
      indexingPolicy,
    }));
  if (!created) throw new Error("The container was not created.");
  container = created;
  await database.write(() => {
    for (let n = 0; n < DOCUMENTS; n += 1) {
      const pk = oneOf(["x", "y", "z"]);
      const given = {
        id: `${oneOf(["a", "b"])}${n}`,
        pk,
        a: oneOf(VALUES),
        b: oneOf(VALUES),
        d: { e: oneOf(VALUES) },
        f: oneOf(VALUES),
      };
      // Some have expired and wait to be swept.
      const expired = random(10) === 0 ? { ttl: 1 } : {};
      const document = JSON.parse(JSON.stringify({ ...given, ...expired })) as JsonObject;
      container.items.insert(JSON.stringify([pk]), given.id, document, expired.ttl ? 0 : Date.now());
    }
  });
});
afterAll(() => database.close());

function condition(depth: number): string {
  const path = oneOf(PATHS);
  switch (random(depth > 0 ? 11 : 8)) {
    case 0:
      return `IS_DEFINED(${path})`;
    case 1:
      return `${path} IN (${oneOf(LITERALS)}, ${oneOf(LITERALS)}, "x")`;
    case 2:
      return `${path} BETWEEN ${oneOf(LITERALS)} AND ${oneOf(LITERALS)}`;
    case 3:
      return `STARTSWITH(${path}, ${oneOf(LITERALS)})`;
    case 4:
      return `${oneOf(LITERALS)} ${oneOf(["<", "<=", ">", ">=", "="])} ${path}`;
    case 8:
      return `(${condition(depth - 1)} OR ${condition(depth - 1)})`;
    case 9:
      return `NOT (${condition(depth - 1)})`;
    case 10:
      return `(${condition(depth - 1)} AND ${condition(depth - 1)})`;
    default:
      return `${path} ${oneOf(["=", "=", "!=", "<", "<=", ">", ">="])} ${oneOf(LITERALS)}`;
  }
}

function pages(sql: string, pageSize: number): Json[] {
  const results: Json[] = [];
  let continuation: string | undefined;
  do {
    const query = compileQuery(sql);
    const request = { container, query, parameters: new Map(), scope: {}, pageSize, continuation };
    const page = atOnce(
      runQuery({ ...request, window: oneOf([undefined, 1]), until: oneOf([0, Number.POSITIVE_INFINITY]) }),
    );
    // SDKs that merge pages go round forever where one has more.
    expect(page.results.length, sql).toBeLessThanOrEqual(pageSize);
    results.push(...page.results.map((text) => JSON.parse(text) as Json));
    continuation = page.continuation;
  } while (continuation !== undefined);
  return results;
}

/** Every document that is not expired and passes the filter, in the order of creation. */
function scan(where: string): JsonObject[] {
  const query = compileQuery(`SELECT * FROM c WHERE ${where}`);
  const rows = [
    ...container.items.rows(`SELECT seq, body FROM ${container.items.name} WHERE expires IS NULL ORDER BY seq`, []),
  ];
  const documents = rows.map(({ body }) => JSON.parse(body) as JsonObject);
  return documents.filter((document) => [...matches(query, document, new Map())].length > 0);
}

const idsOf = (documents: readonly Json[]) => documents.map((document) => (document as JsonObject)["id"]);

/** What the query finds, in pages, sorted and counted, against what a scan finds. */
function check(where: string, ordering: string | undefined, descending: boolean): void {
  const order = ordering === undefined ? "" : ` ORDER BY ${ordering}${descending ? " DESC" : ""}`;
  const sql = `SELECT * FROM c WHERE ${where}${order}`;
  const message = `SEED=${SEED}: ${sql}`;
  const expected = scan(where);
  const found = pages(sql, oneOf([3, 7, 1000]));
  expect(idsOf(found).sort(), message).toEqual(idsOf(expected).sort());
  if (ordering !== undefined) {
    const place = (document: Json) => {
      const at = document as JsonObject;
      return ordering === "c.d.e" ? (at["d"] as JsonObject)["e"] : at[ordering.slice(2)];
    };
    const sorted = [...found].sort((a, b) => compareValues(place(a), place(b)) * (descending ? -1 : 1));
    expect(idsOf(found), message).toEqual(idsOf(sorted));
  }
  expect(pages(`SELECT VALUE COUNT(1) FROM c WHERE ${where}`, 10), message).toEqual([expected.length]);
  const grouped = `SELECT c.b, COUNT(1) AS n, MAX(c.a) AS most FROM c WHERE ${where} GROUP BY c.b`;
  const groups = pages(grouped, 10) as JsonObject[];
  expect(
    groups.reduce((sum, { n }) => sum + Number(n), 0),
    message,
  ).toBe(expected.length);
}

test.each(["=", "!=", "<", "<=", ">", ">="])("%s with every value", (operator) => {
  for (const literal of LITERALS) {
    check(`c.a ${operator} ${literal}`, "c.a", random(2) === 1);
    check(`${literal} ${operator} c.b`, oneOf([undefined, "c.a"]), random(2) === 1);
  }
});

test.each([
  "SELECT c.pk, COUNT(1) AS n FROM c GROUP BY c.pk",
  "SELECT c.pk, COUNT(1) AS n FROM c GROUP BY c.pk OFFSET 0 LIMIT 3",
  "SELECT VALUE n FROM c JOIN n IN [1, 2, 3, 4, 5] WHERE c.pk = 'x'",
  "SELECT TOP 7 VALUE n FROM c JOIN n IN [1, 2, 3, 4, 5]",
  "SELECT VALUE n FROM c JOIN n IN [1, 2, 3, 4, 5] OFFSET 3 LIMIT 9",
  "SELECT c.id, n FROM c JOIN n IN [1, 2, 3] WHERE c.a = 2 ORDER BY c.b OFFSET 2 LIMIT 11",
  "SELECT c.id, n FROM c JOIN n IN [1, 2, 3] ORDER BY c.a",
])("%s is the same in pages of two", (sql) => {
  const whole = pages(sql, 10_000);
  expect(whole).not.toEqual([]);
  const inOrder = (results: Json[]) =>
    sql.includes("GROUP BY") ? results.map((each) => JSON.stringify(each)).sort() : results;
  expect(inOrder(pages(sql, 2))).toEqual(inOrder(whole));
});

test("random conditions", () => {
  for (let round = 0; round < QUERIES; round += 1) {
    const where = Array.from({ length: 1 + random(2) }, () => condition(2)).join(" AND ");
    check(where, oneOf([undefined, ...SORTED]), random(2) === 1);
  }
});
