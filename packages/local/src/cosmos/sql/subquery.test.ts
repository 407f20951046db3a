// Subqueries over one document: what each form stands for, which aliases it sees, and the clauses it may have.
import { expect, test } from "vitest";
import { compileQuery, matches } from "./compiled-query.ts";
import type { Value } from "./values.ts";

const ANN = {
  id: "ann",
  n: 2,
  tags: ["x", "y", "x"],
  items: [
    { k: 1, sizes: ["s", "m"] },
    { k: 2, sizes: ["m"] },
    { k: 3, sizes: [] },
  ],
};

function resultsOf(sql: string): Value[] {
  const query = compileQuery(sql);
  return [...matches(query, ANN, new Map())].map(query.project).filter((output) => output !== undefined);
}

test.each<[string, Value[]]>([
  ["SELECT VALUE c.id FROM c WHERE EXISTS(SELECT VALUE t FROM t IN c.tags WHERE t = 'y')", ["ann"]],
  ["SELECT VALUE c.id FROM c WHERE EXISTS(SELECT VALUE t FROM t IN c.tags WHERE t = 'z')", []],
  ["SELECT VALUE c.id FROM c WHERE NOT EXISTS(SELECT VALUE t FROM t IN c.nothing)", ["ann"]],
  ["SELECT VALUE EXISTS(SELECT VALUE i FROM i IN c.items WHERE i.k = c.n) FROM c", [true]],
  ["SELECT VALUE ARRAY(SELECT VALUE t FROM t IN c.tags) FROM c", [["x", "y", "x"]]],
  ["SELECT VALUE ARRAY(SELECT i.k AS n FROM i IN c.items WHERE i.k > 1) FROM c", [[{ n: 2 }, { n: 3 }]]],
  ["SELECT VALUE ARRAY(SELECT VALUE s FROM i IN c.items JOIN s IN i.sizes WHERE i.k < 3) FROM c", [["s", "m", "m"]]],
  ["SELECT VALUE t FROM c JOIN t IN (SELECT VALUE t FROM t IN c.tags WHERE t != 'x')", ["y"]],
  ["SELECT VALUE big.k FROM c JOIN (SELECT VALUE i FROM i IN c.items WHERE i.k > 1) AS big", [2, 3]],
  ["SELECT VALUE m.double FROM c JOIN m IN (SELECT VALUE {double: c.n * 2})", [4]],
  [
    "SELECT VALUE ARRAY(SELECT VALUE i.k FROM i IN c.items WHERE EXISTS(SELECT VALUE s FROM s IN i.sizes WHERE s = 'm')) FROM c",
    [[1, 2]],
  ],
  ["SELECT VALUE i.k FROM c.items[1] AS i", [2]],
  ["SELECT * FROM c.items[0]", [{ k: 1, sizes: ["s", "m"] }]],
  ["SELECT VALUE t FROM c.nothing t", []],
  [
    "SELECT VALUE ARRAY(SELECT s.k FROM (SELECT VALUE ObjectToArray(c.items[0])) AS all JOIN s IN all) FROM c",
    [[{ k: "k" }, { k: "sizes" }]],
  ],
])("%s", (sql, expected) => {
  expect(resultsOf(sql)).toEqual(expected);
});

test.each([
  ["SELECT VALUE (SELECT VALUE t FROM t IN c.tags) FROM c", "A subquery for one value is not supported"],
  ["SELECT VALUE t FROM (SELECT VALUE c.n FROM c) AS t", "A query over another one in FROM is not supported"],
  ["SELECT VALUE m.double FROM (SELECT VALUE {double: 2}) AS m", "A query over another one in FROM is not supported"],
  ["SELECT VALUE 1 + 1", "A query without FROM is not supported"],
  ["SELECT VALUE ARRAY(SELECT VALUE COUNT(1) FROM t IN c.tags) FROM c", "COUNT is not allowed here"],
  ["SELECT VALUE ARRAY(SELECT VALUE t FROM t) FROM c", "'t'"],
  ["SELECT * FROM c WHERE EXISTS(SELECT VALUE 1", "')' expected"],
  ["SELECT * FROM c JOIN t IN c.tags", "'SELECT *'"],
])("%s is a fault", (sql, message) => {
  expect(() => resultsOf(sql)).toThrow(message);
});

test.each(["TOP 1 VALUE t FROM t IN c.tags", "VALUE t FROM t IN c.tags ORDER BY t"])(
  "(SELECT %s) is refused by name",
  (sql) => expect(() => resultsOf(`SELECT VALUE ARRAY(SELECT ${sql}) FROM c`)).toThrow("in a subquery"),
);
