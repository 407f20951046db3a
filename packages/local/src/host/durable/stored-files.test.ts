// The engine's file: how little a turn writes, how an ended history is packed, and how it shrinks.
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Database } from "../../database/database.ts";
import { openBench } from "./harness.ts";
import {
  eventRaised,
  executionStarted,
  orchestratorStarted,
  taskCompleted,
  taskFailed,
  taskScheduled,
  timerCreated,
} from "./history.ts";
import { InstanceStore } from "./instance-store.ts";
import { readEvents, writeEvents } from "./stored-events.ts";

const APP = join(import.meta.dirname, "fixtures/orders");
const HUB = "durable-testhub.sqlite";
let data: string;
let file: string;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), "durable-files-"));
  file = join(data, HUB);
});
afterEach(() => rmSync(data, { recursive: true }));

const at = new Date("2026-11-23T01:02:03.004Z");

test("a turn is read as it was written, and its texts are not quoted a second time", () => {
  const input = JSON.stringify({ text: 'a "quoted" line\nand é, \u{1F600}', list: [1, null] });
  const events = [
    orchestratorStarted(at),
    executionStarted(at, "orders", input),
    eventRaised(at, "empty", null),
    eventRaised(at, "given", input),
    taskScheduled(at, 0, "charge", input),
    taskCompleted(at, 0, '"done"'),
    taskFailed(at, 1, "no\nluck", '{"stack":"…"}'),
    timerCreated(at, 2, 0),
  ];
  const text = writeEvents(events);
  expect(readEvents(text, input)).toEqual(JSON.parse(JSON.stringify(events)));
  // Once for the event and once for the task: the orchestration's own stands in its row.
  expect(text.split(input)).toHaveLength(3);
});

test("turns of more than 1 KB take no pages of their own", async () => {
  const db = new Database(file);
  const store = new InstanceStore(db);
  const input = JSON.stringify({ text: "x".repeat(1150) });
  const pages = () => Number(db.prepare("PRAGMA page_count").get()?.["page_count"]);
  const before = pages();
  await db.write(() => {
    for (let n = 0; n < 100; n += 1) {
      const creation = store.create({ id: `order-${n}`, name: "orders", input, at: n });
      if (creation.kind !== "created") throw new Error("it exists");
      store.appendHistory(creation.int, 0, [executionStarted(at, "orders", input), taskScheduled(at, 0, "a", input)]);
      store.appendHistory(creation.int, 1, [taskCompleted(at, 0, input), taskScheduled(at, 1, "b", '"b"')]);
    }
  });
  // Three rows of 1.2 to 1.4 KB each in pages of 4 KB, and the indexes.
  expect(pages() - before).toBeLessThan(150);
  db.close();
});

test("a change of an instance's state does not write its input anew", async () => {
  const db = new Database(file);
  const store = new InstanceStore(db);
  const input = JSON.stringify({ text: "x".repeat(2500) });
  await db.write(() => {
    for (let n = 0; n < 200; n += 1) store.create({ id: `order-${n}`, name: "orders", input, at: n });
  });
  const walBytes = () => statSync(`${file}-wal`).size;
  db.checkpoint();
  const before = walBytes();
  // The log begins anew after a checkpoint: what it holds is what was written since.
  expect(db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()).toMatchObject({ busy: 0 });
  expect(walBytes()).toBeLessThan(before);
  await db.write(() => {
    for (let int = 1; int <= 200; int += 1) store.setProgress(int, "Running", null, 1);
  });
  expect(walBytes()).toBeLessThan(200 * 2500 * 0.2);
  expect(store.find("order-7")?.input).toBe(input);
  db.close();
});

test("the history of an ended orchestration is packed into one row, and is shown as before", async () => {
  const bench = await openBench(APP, { data });
  const order = { n: 1, lines: Array.from({ length: 60 }, (_, n) => ({ sku: `tea-${n}`, quantity: 1 })) };
  await bench.run("chain", order, "ended");
  await bench.client.startNew("waits", { instanceId: "waiting", input: { before: 0, names: ["x"] } });
  const shown = await historyOf(bench.baseUrl, "ended");
  await expect.poll(() => bench.engine.counts["historiesPacked"]).toBe(1);
  expect(await historyOf(bench.baseUrl, "ended")).toEqual(shown);
  await bench.client.raiseEvent("waiting", "x", 1);
  expect((await bench.ended("waiting")).output).toEqual([1]);
  await bench.close();

  const db = new Database(file);
  const rows = "SELECT seq, typeof(events) AS type, length(events) AS bytes FROM turns";
  const packed = db.prepare(`${rows} WHERE int = (SELECT int FROM instances WHERE id = 'ended')`).all();
  expect(packed).toMatchObject([{ seq: 0, type: "blob" }]);
  expect(Number(packed[0]?.["bytes"])).toBeLessThan(JSON.stringify(shown).length / 4);
  db.close();
});

test("a purge removes 500 at a time, with turns for others in between, and shrinks the file afterwards", async () => {
  const planted = new Database(file, "normal", { shrinks: true });
  const store = new InstanceStore(planted);
  await planted.write(() => {
    for (let n = 0; n < 1700; n += 1) plant(store, `ended-${n}`, n);
    store.create({ id: "unfinished", name: "waits", input: '{"before":0,"names":["x"]}', at: 800 });
  });
  planted.close();
  const full = statSync(file).size;

  const bench = await openBench(APP, { data });
  const remove = vi.spyOn(InstanceStore.prototype, "remove");
  const removed: number[] = [];
  let isOver = false;
  const look = () => {
    removed.push(remove.mock.calls.length);
    if (!isOver) setImmediate(look);
  };
  look();
  const within = { createdTimeFrom: new Date(100), createdTimeTo: new Date(1599) };
  expect((await bench.client.purgeInstanceHistoryBy(within)).instancesDeleted).toBe(1500);
  isOver = true;
  const steps = removed.map((calls, at) => calls - (removed[at - 1] ?? 0));
  expect(Math.max(...steps)).toBeLessThanOrEqual(500);
  expect(steps.filter((step) => step > 0).length).toBeGreaterThanOrEqual(3);
  remove.mockRestore();

  expect((await bench.client.getStatus("ended-99")).runtimeStatus).toBe("Completed");
  await expect(bench.client.getStatus("ended-100")).rejects.toThrow("404");
  expect((await bench.client.getStatus("unfinished")).runtimeStatus).toBe("Running");
  // The engine holds its file alone, and closing brings it up to date.
  await expect.poll(() => bench.engine.counts["freePages"]).toBeLessThanOrEqual(250);
  await bench.close();
  expect(statSync(file).size).toBeLessThan(full / 2);
});

/** An ended instance with a history of 4 KB. */
function plant(store: InstanceStore, id: string, createdAt: number): void {
  const creation = store.create({ id, name: "gone", input: `"${"x".repeat(1000)}"`, at: createdAt });
  if (creation.kind !== "created") throw new Error("it exists");
  for (const seq of [0, 1, 2]) store.appendHistory(creation.int, seq, [taskCompleted(at, seq, "x".repeat(1000))]);
  store.end(creation.int, "Completed", "null", null, createdAt);
}

async function historyOf(baseUrl: string, id: string): Promise<object[]> {
  const url = `${baseUrl}/runtime/webhooks/durabletask/instances/${id}?showHistory=true&showHistoryOutput=true`;
  return ((await (await fetch(url)).json()) as { historyEvents: object[] }).historyEvents;
}
