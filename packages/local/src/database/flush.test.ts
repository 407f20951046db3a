import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test, vi } from "vitest";
import { Database, type Durability, FlushFault } from "./database.ts";
import { holdFlushes } from "./held-flushes.ts";

const folder = mkdtempSync(join(tmpdir(), "flush-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function open(durability: Durability = "full", path = join(folder, `${randomUUID()}.sqlite`)) {
  const database = new Database(path, durability);
  database.exec("CREATE TABLE IF NOT EXISTS item (name TEXT PRIMARY KEY)");
  const add = (name: string) => database.write(() => database.prepare("INSERT INTO item VALUES (?)").run(name));
  return { path, database, add, names: () => namesIn(database) };
}

function namesIn(database: Database): unknown[] {
  return database
    .prepare("SELECT name FROM item ORDER BY rowid")
    .all()
    .map(({ name }) => name);
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("a write resolves after the flush that follows its commit; reads see it before, and `flushed` says when it is kept", async () => {
  const { database, add, names } = open();
  const held = holdFlushes();
  const order: string[] = [];
  void add("a").then(() => order.push("write"));
  await held.next();
  expect(names()).toEqual(["a"]);
  void database.flushed().then(() => order.push("flushed"));
  await turn();
  expect(order).toEqual([]);
  expect(database.counts).toEqual({ commits: 1, flushes: 0, writes: 1 });
  held.end();
  await turn();
  expect(order).toEqual(["write", "flushed"]);
  expect(database.counts).toEqual({ commits: 1, flushes: 1, writes: 1 });
  await database.flushed();
  database.close();
});

test("writes that come during a flush wait, share the next commit and flush, and resolve in their order", async () => {
  const { database, add, names } = open();
  const held = holdFlushes();
  const order: string[] = [];
  const say = (name: string) => add(name).then(() => order.push(name));
  const all = [say("a"), say("b")];
  await held.next();
  all.push(say("c"));
  await turn();
  all.push(say("d"));
  await turn();
  // Nothing is committed between a commit and what its writers do when they are resumed.
  expect([names(), order, held.begun]).toEqual([["a", "b"], [], 1]);
  held.end();
  await held.next();
  expect([names(), order, held.begun]).toEqual([["a", "b", "c", "d"], ["a", "b"], 2]);
  held.end();
  await Promise.all(all);
  expect(order).toEqual(["a", "b", "c", "d"]);
  expect(database.counts).toEqual({ commits: 2, flushes: 2, writes: 4 });
  database.close();
});

test("what waits is taken in before the next commit: a writer that goes on is in the next group", async () => {
  const { database, add, names } = open();
  const held = holdFlushes();
  const seen: unknown[] = [];
  const first = add("a").then(() => add("a again"));
  await held.next();
  const second = database.write(() => seen.push(names()));
  held.end();
  await held.next();
  held.end();
  await Promise.all([first, second]);
  expect([seen, names(), database.counts.commits]).toEqual([[["a"]], ["a", "a again"], 2]);
  database.close();
});

test("a write that the work of another asks for waits for the flush too", async () => {
  const { database, add, names } = open();
  const held = holdFlushes();
  let inner: Promise<unknown> | undefined;
  const outer = database.write(() => {
    inner = add("inner");
  });
  await held.next();
  await turn();
  expect([names(), held.begun]).toEqual([[], 1]);
  held.end();
  await outer;
  await held.next();
  held.end();
  await inner;
  expect([names(), database.counts.flushes]).toEqual([["inner"], 2]);
  database.close();
});

test("a group that fails rejects at once, without a flush, and the next one is flushed", async () => {
  const { database, add, names } = open();
  const held = holdFlushes();
  const failing = database.write(() => {
    throw new Error("disk full");
  });
  await expect(Promise.allSettled([add("a"), failing])).resolves.toMatchObject([
    { status: "rejected" },
    { status: "rejected" },
  ]);
  expect([held.begun, names()]).toEqual([0, []]);
  const next = add("b");
  await held.next();
  held.end();
  await next;
  database.close();
});

test("a close during a flush flushes and resolves that group and the one that waits", async () => {
  const { path, database, add } = open();
  const held = holdFlushes();
  const first = add("a");
  await held.next();
  const second = add("b");
  database.close();
  await Promise.all([first, second]);
  expect(database.counts).toEqual({ commits: 2, flushes: 2, writes: 2 });
  held.end();
  expect(database.counts.flushes).toBe(2);
  const again = open("normal", path);
  expect(again.names()).toEqual(["a", "b"]);
  again.database.close();
});

test("a close during a real flush leaves the file to it", async () => {
  const { path, database, add } = open();
  const first = add("a");
  await vi.waitUntil(() => database.counts.commits === 1, { interval: 0 });
  database.close();
  await first;
  const again = open("full", path);
  expect(again.names()).toEqual(["a"]);
  await again.add("b");
  again.database.close();
});

test("`normal` durability and a database in memory flush nothing", async () => {
  const held = holdFlushes();
  for (const { database, add } of [open("normal"), open("full", ":memory:")]) {
    await add("a");
    await database.flushed();
    expect(database.counts).toEqual({ commits: 1, flushes: 0, writes: 1 });
    database.close();
  }
  expect(held.begun).toBe(0);
});

test("after a flush that failed nothing is promised any more, not even by the close", async () => {
  const { database, add } = open();
  const held = holdFlushes();
  const settled = vi.fn();
  void add("a").finally(settled);
  await held.next();
  void add("b").finally(settled);
  void database.flushed().finally(settled);
  // Thrown out of the callback, where Node ends the process.
  expect(() => held.end(new Error("EIO: i/o error, fdatasync"))).toThrow(FlushFault);
  await turn();
  expect(() => database.close()).toThrow(/\.sqlite may not be on the disk: Error: EIO/);
  await turn();
  expect(settled).not.toHaveBeenCalled();
});

test("a flush that fails ends the process, and the next one finds all that was acknowledged", async () => {
  const path = join(folder, "fails.sqlite");
  const child = promisify(execFile)(process.execPath, [join(import.meta.dirname, "fixtures/failing-flush.ts"), path]);
  const end = await child.then(
    () => undefined,
    (cause: { code: number; stdout: string; stderr: string }) => cause,
  );
  expect(end).toMatchObject({ code: 1, stdout: "kept\n", stderr: expect.stringContaining("may not be on the disk") });
  const { database, names } = open("full", path);
  expect(names()).toContain("kept");
  database.close();
});

test("what a killed process left in the log is brought into the file before anybody reads it", async () => {
  const { path, database, add } = open();
  await add("a");
  const left = join(folder, "left.sqlite");
  for (const part of ["", "-wal"]) copyFileSync(path + part, left + part);
  database.close();
  const next = new Database(left, "full");
  const alone = join(folder, "alone.sqlite");
  copyFileSync(left, alone);
  const file = new Database(alone);
  expect([namesIn(next), namesIn(file)]).toEqual([["a"], ["a"]]);
  next.close();
  file.close();
});
