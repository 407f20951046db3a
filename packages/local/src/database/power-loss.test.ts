// Simulates the loss of power: what was acknowledged by then is on what the last flush is known to have left on the disk.
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test, vi } from "vitest";
import { randomFrom } from "../random.ts";
import { Database } from "./database.ts";
import { WriteAheadLog } from "./write-ahead-log.ts";

const folder = mkdtempSync(join(tmpdir(), "power-loss-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Two salts after the magic number, the version, the page size and the number of the checkpoint (SQLite, "The WAL File Format"). */
const SALTS = [16, 24] as const;
const SECTOR_BYTES = 512;
const ROUNDS = 6;
const WRITES = 150;

interface Disk {
  readonly database: Buffer;
  readonly log: Buffer;
}

interface Loss {
  readonly disk: Disk;
  /** The log as the system had it in memory: any part of what was added after the flush can have been written. */
  readonly log: Buffer;
  readonly acknowledged: readonly number[];
  readonly read: number;
}

test.each(Array.from({ length: ROUNDS }, (_, n) => n + 1))(
  "what was acknowledged is there after a loss of power (seed %i)",
  async (seed) => {
    const random = randomFrom(seed);
    const path = join(folder, `${seed}.sqlite`);
    const files = (): Disk => ({ database: readFileSync(path), log: readFileSync(`${path}-wal`) });
    let disk: Disk | undefined;
    const flush = vi.spyOn(WriteAheadLog.prototype, "flush").mockImplementation((done) => {
      const written = files();
      setTimeout(() => {
        disk = written;
        done(null);
      }, random() * 3);
    });
    const database = new Database(path, "full");
    database.exec("CREATE TABLE item (n INTEGER PRIMARY KEY, body TEXT); PRAGMA wal_autocheckpoint = 30");
    const acknowledged: number[] = [];
    let read = 0;
    const losses: Loss[] = [];
    const lose = () => {
      if (disk) losses.push({ disk, log: files().log, acknowledged: [...acknowledged], read });
    };
    const write = async (n: number) => {
      const body = "x".repeat(random() * 4000);
      await database.write(() => database.prepare("INSERT INTO item VALUES (?, ?)").run(n, body));
      acknowledged.push(n);
      if (random() < 0.1) lose();
    };
    const look = async () => {
      const found = Number(database.prepare("SELECT max(n) AS n FROM item").get()?.["n"] ?? 0);
      await database.flushed();
      read = Math.max(read, found);
      if (random() < 0.3) lose();
    };
    const all: Promise<void>[] = [];
    for (let n = 1; n <= WRITES; n += 1) {
      all.push(write(n));
      if (random() < 0.3) all.push(look());
      if (random() < 0.5) await sleep(random() * 3);
    }
    await Promise.all(all);
    lose();
    database.close();
    flush.mockRestore();
    expect(losses.length).toBeGreaterThan(10);

    for (const [index, loss] of losses.entries()) {
      const lost = join(folder, `${seed}-${index}.sqlite`);
      writeFileSync(lost, loss.disk.database);
      writeFileSync(`${lost}-wal`, tornLog(loss, random));
      const found = new Database(lost);
      const there = new Set(
        found
          .prepare("SELECT n FROM item")
          .all()
          .map(({ n }) => Number(n)),
      );
      expect(loss.acknowledged.filter((n) => !there.has(n))).toEqual([]);
      expect(there.size).toBeGreaterThanOrEqual(loss.read);
      expect(found.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
      found.close();
    }
  },
);

/** What was flushed, and of what came after it in the same log any sectors, in any order. */
function tornLog({ disk, log }: Loss, random: () => number): Buffer {
  if (!disk.log.subarray(...SALTS).equals(log.subarray(...SALTS))) return disk.log;
  const torn = Buffer.alloc(log.length);
  disk.log.copy(torn);
  for (let at = 0; at < log.length; at += SECTOR_BYTES) {
    if (random() < 0.5) log.copy(torn, at, at, at + SECTOR_BYTES);
  }
  return torn;
}

test("the simulation shows what is lost where nothing is flushed", async () => {
  const path = join(folder, "unflushed.sqlite");
  const database = new Database(path, "normal");
  database.exec("CREATE TABLE item (n INTEGER PRIMARY KEY)");
  database.checkpoint();
  const lost = join(folder, "lost.sqlite");
  copyFileSync(path, lost);
  await database.write(() => database.prepare("INSERT INTO item VALUES (1)").run());
  const found = new Database(lost);
  expect(found.prepare("SELECT count(*) AS n FROM item").get()).toEqual({ n: 0 });
  found.close();
  database.close();
});
