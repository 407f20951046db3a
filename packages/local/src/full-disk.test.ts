// A disk without room: every server takes nothing more, and says why; what is stored is read, settled and deleted as before.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import { BusUnderTest, receiveOne } from "./bus/tests/bus-under-test.ts";
import { codeOf, temporaryServer } from "./cosmos/tests/temporary-server.ts";
import { DiskRoom, RESERVED_BYTES } from "./database/disk-room.ts";
import { openBench } from "./host/durable/harness.ts";
import { startRemotes } from "./remotes/start.ts";
import { startTraces } from "./traces/start.ts";

const folder = mkdtempSync(join(tmpdir(), "full-disk-"));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.restoreAllMocks());

const FULL = "The disk is full: so says the test.";
const fill = () => vi.spyOn(DiskRoom.prototype, "fault").mockReturnValue(FULL);

test("the room is looked at once a second, and some of it is kept back", () => {
  let free = RESERVED_BYTES;
  let looks = 0;
  const room = new DiskRoom("/data", () => {
    looks += 1;
    return free;
  });
  expect(room.fault(0)).toBeUndefined();
  free -= 1;
  expect([room.fault(999), looks]).toEqual([undefined, 1]);
  expect(room.fault(1000)).toContain("The disk of /data is full");
  free += 1;
  expect([room.fault(2000), looks]).toEqual([undefined, 3]);
  expect(new DiskRoom(folder).fault()).toBeUndefined();
});

test("Cosmos DB answers writes with 507; reads, queries and deletions go on", async () => {
  const at = await temporaryServer();
  await at.plain.items.create({ id: "a", pk: "p" });
  const item = at.plain.item("a", "p");
  const full = fill();
  expect(await codeOf(at.plain.items.create({ id: "b", pk: "p" }))).toBe(507);
  expect(await codeOf(at.plain.items.upsert({ id: "a", pk: "p", n: 1 }))).toBe(507);
  expect(await codeOf(item.patch([{ op: "set", path: "/n", value: 1 }]))).toBe(507);
  expect(await codeOf(at.client.databases.create({ id: "more" }))).toBe(507);
  expect((await item.read()).resource).not.toHaveProperty("n");
  expect((await at.plain.items.query("SELECT * FROM c").fetchAll()).resources).toHaveLength(1);
  await item.delete();
  full.mockRestore();
  await at.plain.items.create({ id: "b", pk: "p" });
  await at.stop();
});

test("Service Bus takes no messages and makes no queues; what waits is received and settled", async () => {
  const under = new BusUnderTest();
  await under.start([{ name: "q", properties: {} }]);
  const sender = under.client.createSender("q");
  await sender.sendMessages({ body: "before" });
  const full = fill();
  await expect(sender.sendMessages({ body: "beyond" })).rejects.toMatchObject({ code: "QuotaExceeded" });
  await expect(sender.scheduleMessages({ body: 1 }, new Date(Date.now() + 60_000))).rejects.toThrow(FULL);
  await expect(under.administer().createQueue("more")).rejects.toMatchObject({ statusCode: 403 });
  const receiver = under.client.createReceiver("q");
  const message = await receiveOne(receiver);
  expect(message.body).toBe("before");
  await receiver.completeMessage(message);
  full.mockRestore();
  await sender.sendMessages({ body: "after" });
  expect((await receiveOne(receiver)).body).toBe("after");
  await under.destroy();
});

test("the durable engine starts no orchestration; those that run go on", async () => {
  const bench = await openBench(join(import.meta.dirname, "host/durable/fixtures/orders"));
  const id = await bench.client.startNew("waitsTwice");
  const full = fill();
  await expect(bench.client.startNew("returnsNothing")).rejects.toThrow(FULL);
  for (const n of [1, 2]) await bench.client.raiseEvent(id, "go", n);
  expect((await bench.ended(id)).runtimeStatus).toBe("Completed");
  full.mockRestore();
  await bench.run("returnsNothing");
  await bench.close();
});

test("the collector of traces answers 507", async () => {
  const traces = await startTraces({ port: 0, data: join(folder, "traces") });
  const post = async () => {
    const headers = { "content-type": "application/json" };
    const request = { method: "POST", headers, body: '{"resourceSpans":[]}' };
    return (await fetch(`${traces.endpoint}/v1/traces`, request)).status;
  };
  const full = fill();
  expect(await post()).toBe(507);
  full.mockRestore();
  expect(await post()).toBe(200);
  await traces.close();
});

test("a simulated service answers 507, and shows the effects that it has", async () => {
  const resource = { path: "/reservations", idPrefix: "res", actions: [] };
  const services = [{ name: "inventory", resources: [resource] }];
  const remotes = await startRemotes({ services, data: join(folder, "remotes"), durability: "normal" });
  const url = remotes.services[0]?.url ?? "";
  const headers = { "Idempotency-Key": "k" };
  const post = async () => (await fetch(`${url}/reservations`, { method: "POST", headers, body: "{}" })).status;
  const full = fill();
  expect(await post()).toBe(507);
  expect((await fetch(`${url}/$effects`)).status).toBe(200);
  full.mockRestore();
  expect(await post()).toBe(201);
  await remotes.close();
});
