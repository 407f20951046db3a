// The disk's floor: what the disk and SQLite alone allow, measured in the same run and the same folder.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { Database, type Durability } from "@scheduler-agent-supervisor/local/storage";

/** The durable steps that an order can't do without: its message, its batch, its claim, its three steps, its reply. */
const COMMITS_PER_ORDER = 7;
const FLOOR_MS = 2000;

export interface DiskFloor {
  /** Orders a second of a loop that does nothing but the commits of one order after the other. */
  readonly ordersPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export async function measureDiskFloor(folder: string, durability: Durability): Promise<DiskFloor> {
  const path = join(folder, "floor.sqlite");
  const database = new Database(path, durability);
  database.exec("CREATE TABLE step (id INTEGER PRIMARY KEY, body TEXT)");
  const insert = database.prepare("INSERT INTO step (body) VALUES (?)");
  const body = "x".repeat(1000);
  const times: number[] = [];
  const begun = performance.now();
  for (let at = begun; at - begun < FLOOR_MS; ) {
    for (let step = 0; step < COMMITS_PER_ORDER; step += 1) await database.write(() => insert.run(body));
    const now = performance.now();
    times.push(now - at);
    at = now;
  }
  const seconds = (performance.now() - begun) / 1000;
  database.close();
  for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
  times.sort((one, other) => one - other);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN;
  return { ordersPerSecond: times.length / seconds, p50Ms: at(0.5), p99Ms: at(0.99) };
}
