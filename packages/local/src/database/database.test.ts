import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { Database } from "./database.ts";

const folder = mkdtempSync(join(tmpdir(), "database-"));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function open(): Database {
  const database = new Database(join(folder, "data", "test.sqlite"));
  database.exec("CREATE TABLE IF NOT EXISTS item (name TEXT PRIMARY KEY)");
  return database;
}

test("one commit carries all writes of a turn, and they are there after a reopen", async () => {
  const database = open();
  const insert = database.prepare("INSERT INTO item VALUES (?)");
  await Promise.all(["a", "b", "c"].map((name) => database.write(() => insert.run(name))));
  expect(database.counts).toEqual({ commits: 1, writes: 3 });
  database.close();

  const reopened = open();
  expect(reopened.prepare("SELECT count(*) AS n FROM item").get()).toEqual({ n: 3 });
  reopened.close();
});

test("a throw rolls the whole group back and every waiter hears of it", async () => {
  const database = open();
  const insert = database.prepare("INSERT INTO item VALUES (?)");
  const outcomes = await Promise.allSettled([
    database.write(() => insert.run("kept?")),
    database.write(() => {
      throw new Error("disk full");
    }),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(database.prepare("SELECT count(*) AS n FROM item").get()).toEqual({ n: 0 });
  await database.write(() => insert.run("next"));
  expect(database.prepare("SELECT count(*) AS n FROM item").get()).toEqual({ n: 1 });
  database.close();
});

test("a savepoint takes back one work's changes and leaves its neighbours'", async () => {
  const database = open();
  const insert = database.prepare("INSERT INTO item VALUES (?)");
  await Promise.all([
    database.write(() => insert.run("neighbour")),
    database.write(() =>
      database.savepoint(
        () => insert.run("refused"),
        () => false,
      ),
    ),
  ]);
  expect(database.prepare("SELECT name FROM item").all()).toEqual([{ name: "neighbour" }]);
  database.close();
});

test("a savepoint takes back the changes of work that throws, where the throw is caught", async () => {
  const database = open();
  database.exec("DELETE FROM item");
  const insert = database.prepare("INSERT INTO item VALUES (?)");
  await database.write(() => {
    insert.run("before");
    const failing = () =>
      database.savepoint(
        () => {
          insert.run("thrown");
          throw new Error("a bug");
        },
        () => true,
      );
    expect(failing).toThrow("a bug");
  });
  expect(database.prepare("SELECT name FROM item").all()).toEqual([{ name: "before" }]);
  database.close();
});

test("what comes after the close is refused, to whoever asks for it", async () => {
  const db = new Database(":memory:");
  db.close();
  await expect(db.write(() => 1)).rejects.toThrow("the database is closed");
});
