// The history of a container's documents: what its triggers write, and how it is shortened.
import { afterEach, expect, test } from "vitest";
import { Database } from "../../database/database.ts";
import { forgetHistory, historyBounds, keepHistory, placeBefore, selectHistory } from "./item-history.ts";

const database = new Database(":memory:");
afterEach(() => database.exec("DROP TABLE items"));

function start(): void {
  database.exec(
    "CREATE TABLE items (seq INTEGER PRIMARY KEY, pk TEXT, lsn INTEGER, expires INTEGER, body TEXT, key TEXT)",
  );
  keepHistory(database, "items", 60_000);
}
const kinds = () =>
  database
    .prepare(`${selectHistory("items")} ORDER BY place`)
    .all()
    .map(({ kind, body, previous }) => [kind, body, previous]);

test("each write of a body is in it, and no other change of a row", () => {
  start();
  database.exec("INSERT INTO items VALUES (1, 'p', 10, NULL, 'one', 'k')");
  database.exec("UPDATE items SET key = 'other' WHERE seq = 1");
  database.exec("UPDATE items SET lsn = 11, body = 'two' WHERE seq = 1");
  database.exec("DELETE FROM items WHERE seq = 1");
  expect(kinds()).toEqual([
    ["start", "", null],
    ["create", "one", null],
    ["replace", "two", 10],
    ["delete", "two", 11],
  ]);
  keepHistory(database, "items", undefined);
  database.exec("INSERT INTO items VALUES (2, 'p', 12, NULL, 'unseen', 'k')");
});

test("what is too old is forgotten, and reading begins after it", () => {
  start();
  for (const seq of [1, 2, 3]) database.exec(`INSERT INTO items VALUES (${seq}, 'p', ${seq}, NULL, 'b${seq}', '')`);
  database.exec("UPDATE items_history SET at = place * 100");
  expect(historyBounds(database, "items")).toEqual({ first: 1, last: 4 });
  expect(placeBefore(database, "items", 300)).toBe(2);
  expect(placeBefore(database, "items", 100)).toBeUndefined();
  forgetHistory(database, "items", 301);
  expect(historyBounds(database, "items")).toEqual({ first: 3, last: 4 });
  expect(kinds()).toEqual([
    ["start", "", null],
    ["create", "b3", null],
  ]);
  forgetHistory(database, "items", 0);
  expect(historyBounds(database, "items")).toEqual({ first: 3, last: 4 });
  keepHistory(database, "items", undefined);
});
