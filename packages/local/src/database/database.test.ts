import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { Database } from "./database.ts";
import { KeptMap } from "./kept-map.ts";

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
  expect(database.counts).toEqual({ commits: 1, flushes: 0, writes: 3 });
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

test("a file gives free pages back, some in a commit, and one that was made without this does so once most of it is free", async () => {
  const path = join(folder, "data", "shrinking.sqlite");
  const before = new Database(path);
  before.exec("CREATE TABLE item (id INTEGER PRIMARY KEY, body TEXT)");
  const fill = (database: Database) => {
    for (let n = 0; n < 100; n += 1) database.prepare("INSERT INTO item (body) VALUES (?)").run("x".repeat(3000));
  };
  await before.write(() => fill(before));
  await before.write(() => before.exec("DELETE FROM item"));
  expect(before.freePages).toBeGreaterThan(90);
  before.close();

  const shrinking = new Database(path, "normal", { shrinks: true });
  expect(shrinking.freePages).toBe(0);
  await shrinking.write(() => fill(shrinking));
  await shrinking.write(() => shrinking.exec("DELETE FROM item"));
  const free = shrinking.freePages;
  expect(await shrinking.write(() => shrinking.shrink(10))).toBe(free - 10);
  shrinking.close();
});

test("what a write changed in memory is put back where it is not kept, the last change first; by a savepoint, its own changes alone", async () => {
  const database = open();
  const list: string[] = [];
  const add = (name: string) => {
    list.push(name);
    database.onRollback(() => expect(list.pop()).toBe(name));
  };
  await database.write(() => add("kept"));
  const failing = () =>
    database.write(() => {
      add("a");
      add("b");
      throw new Error("a bug");
    });
  await expect(failing()).rejects.toThrow("a bug");
  expect(list).toEqual(["kept"]);
  await database.write(() => {
    add("before");
    database.savepoint(
      () => add("taken back"),
      () => false,
    );
    add("after");
  });
  expect(list).toEqual(["kept", "before", "after"]);
  database.close();
});

test("a map of what is kept is put back with its order", async () => {
  const database = open();
  const map = new KeptMap<string, number>(database);
  for (const [index, name] of ["a", "b", "c"].entries()) map.set(name, index);
  const failing = () =>
    database.write(() => {
      map.delete("a");
      map.set("b", 7).set("d", 8);
      throw new Error("a bug");
    });
  await expect(failing()).rejects.toThrow("a bug");
  expect([...map]).toEqual([
    ["a", 0],
    ["b", 1],
    ["c", 2],
  ]);
  database.close();
});
