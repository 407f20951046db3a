// A disk without a single byte free, which another process has filled: a write that has begun fails, nothing of it is kept, and what
// is in memory is what is on the disk.
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { codeOf, temporaryServer } from "./cosmos/tests/temporary-server.ts";
import { DiskRoom } from "./database/disk-room.ts";
import { NO_SMALL_DISK, type SmallDisk, smallDisk } from "./database/small-disk.ts";
import { openBench } from "./host/durable/harness.ts";
import { FAULT_KEY } from "./remotes/fault-key.ts";
import { startRemotes } from "./remotes/start.ts";
import { openLogFile } from "./stack/log-file.ts";
import { startTraces } from "./traces/start.ts";

afterEach(() => vi.restoreAllMocks());

/** The reserve of the servers is larger than these disks. */
function onSmallDisk(name: string, run: (disk: SmallDisk) => Promise<void>): void {
  test(name, async ({ skip }) => {
    skip(NO_SMALL_DISK !== undefined, NO_SMALL_DISK);
    vi.spyOn(DiskRoom.prototype, "fault").mockReturnValue(undefined);
    await run(smallDisk(8));
  });
}

onSmallDisk(
  "Cosmos DB answers 507, and has the containers, documents and settings that are on the disk",
  async (disk) => {
    const data = join(disk.folder, "cosmos");
    const at = await temporaryServer({ data });
    const { client, plain } = at;
    const database = client.database("test");
    await plain.items.create({ id: "a", pk: "p", n: 0 });
    await database.containers.create({ id: "more", partitionKey: "/pk" });
    const shown = async () => {
      const { resources } = await database.containers.readAll().fetchAll();
      const names = (await client.databases.readAll().fetchAll()).resources.map(({ id }) => id);
      return { containers: resources.map(({ id, defaultTtl }) => [id, defaultTtl]), names };
    };
    const before = await shown();
    disk.fill();
    const more = database.container("more");
    const item = plain.item("a", "p");
    const writes: Readonly<Record<string, () => Promise<unknown>>> = {
      "create a document": () => plain.items.create({ id: "b", pk: "p" }),
      upsert: () => plain.items.upsert({ id: "a", pk: "p", n: 1 }),
      replace: () => item.replace({ id: "a", pk: "p", n: 1 }),
      patch: () => item.patch([{ op: "set", path: "/n", value: 1 }]),
      delete: () => item.delete(),
      "create a container": () =>
        database.containers.create({ id: "another", partitionKey: "/pk", throughput: 20_000 }),
      "replace a container": () => more.replace({ id: "more", partitionKey: { paths: ["/pk"] }, defaultTtl: 5 }),
      "delete a container": () => more.delete(),
      "create a database": () => client.databases.create({ id: "other" }),
      "delete a database": () => database.delete(),
    };
    for (const [name, write] of Object.entries(writes)) expect([name, await codeOf(write())]).toEqual([name, 507]);
    // Of a batch the client hands on no more than the text.
    const batch = plain.items.batch([{ operationType: "Create", resourceBody: { id: "c", pk: "p" } }], "p");
    await expect(batch).rejects.toThrow(/disk/);
    expect(await shown()).toEqual(before);
    expect((await item.read()).resource).toMatchObject({ n: 0 });
    expect((await more.items.query("SELECT * FROM c").fetchAll()).resources).toEqual([]);
    disk.makeRoom();
    await more.items.create({ id: "in more", pk: "p" });
    for (const write of Object.values(writes).slice(5, 7)) await write();
    await at.server.close();
    const again = await temporaryServer({ data });
    expect((await again.plain.items.readAll().fetchAll()).resources.map(({ id }) => id)).toEqual(["a"]);
    expect((await again.client.database("test").container("another").read()).statusCode).toBe(200);
    await again.stop();
  },
);

onSmallDisk("a simulated service answers 507: no effect, no fault spent, none switched on", async (disk) => {
  const services = [{ name: "inventory", resources: [{ path: "/reservations", idPrefix: "res", actions: [] }] }];
  const remotes = await startRemotes({ services, data: disk.folder, durability: "normal" });
  const url = remotes.services[0]?.url ?? "";
  const faults = { authorization: FAULT_KEY };
  const post = async (path: string, body: object, key: string) => {
    const headers = { "Idempotency-Key": key, ...faults };
    return (await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) })).status;
  };
  const shown = async () => {
    const list = await (await fetch(`${url}/$faults`)).json();
    const effects = await (await fetch(`${url}/$effects`)).json();
    const counts = (await (await fetch(`${url}/$counts`)).json()) as { effects: number; rejected: number };
    return { list, effects, made: counts.effects, rejected: counts.rejected };
  };
  expect(await post("/$faults", { kind: "reject", calls: 1 }, "")).toBe(201);
  const before = await shown();
  disk.fill();
  expect(await post("/reservations", {}, "k")).toBe(507);
  expect(await post("/$faults", { kind: "down" }, "")).toBe(507);
  expect((await fetch(`${url}/$faults`, { method: "DELETE", headers: faults })).status).toBe(507);
  expect(await shown()).toEqual(before);
  disk.makeRoom();
  expect(await post("/reservations", {}, "k")).toBe(422);
  expect(await post("/reservations", {}, "k2")).toBe(201);
  await remotes.close();
});

onSmallDisk("the collector of traces answers 507", async (disk) => {
  const traces = await startTraces({ port: 0, data: disk.folder });
  const logRecords = [{ timeUnixNano: "1", eventName: "e", severityText: "INFO", attributes: [] }];
  const body = JSON.stringify({ resourceLogs: [{ resource: {}, scopeLogs: [{ logRecords }] }] });
  const post = async () => {
    const headers = { "content-type": "application/json" };
    return (await fetch(`${traces.endpoint}/v1/logs`, { method: "POST", headers, body })).status;
  };
  disk.fill();
  expect(await post()).toBe(507);
  disk.makeRoom();
  expect(await post()).toBe(200);
  await traces.close();
});

const FIXTURE = join(import.meta.dirname, "host/durable/fixtures/orders");

onSmallDisk(
  "the durable engine answers 507, and its orchestrations are as they were: they go on when there is room",
  async (disk) => {
    const bench = await openBench(FIXTURE, { data: disk.folder });
    const { client } = bench;
    const id = await client.startNew("waitsTwice");
    await expect.poll(async () => (await client.getStatus(id)).runtimeStatus).toBe("Running");
    disk.fill();
    const refused = /507/;
    await expect(client.suspend(id, "so")).rejects.toThrow(refused);
    await expect(client.terminate(id, "so")).rejects.toThrow(refused);
    await expect(client.raiseEvent(id, "go", 0)).rejects.toThrow(refused);
    await expect(client.startNew("returnsNothing")).rejects.toThrow(refused);
    await expect(client.purgeInstanceHistory(id)).rejects.toThrow(refused);
    expect((await client.getStatus(id)).runtimeStatus).toBe("Running");
    disk.makeRoom();
    for (const n of [1, 2]) await client.raiseEvent(id, "go", n);
    expect(await bench.ended(id)).toMatchObject({ runtimeStatus: "Completed", output: expect.arrayContaining([1, 2]) });
    await bench.close();
  },
);

test("a log on a full disk loses lines, and goes on when there is room", async ({ skip }) => {
  skip(NO_SMALL_DISK !== undefined, NO_SMALL_DISK);
  const disk = smallDisk(1);
  const log = openLogFile(join(disk.folder, "log"));
  disk.fill();
  for (let n = 0; n < 100; n += 1) log.write("x".repeat(100));
  disk.makeRoom();
  log.write("after");
  log.close();
  log.write("late");
});
