// Kills the process under load: what was acknowledged goes on, and each completion is in the history once.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { Database } from "../../database/database.ts";
import { gateFor, openBench } from "./harness.ts";
import { endedTask } from "./history.ts";
import { InstanceStore } from "./instance-store.ts";
import { runAndKill } from "./killed-child.ts";

const APP = join(import.meta.dirname, "fixtures/orders");
const data = mkdtempSync(join(tmpdir(), "durable-crash-"));
afterAll(() => rmSync(data, { recursive: true }));

test("three kills with 50 orchestrations and their timers, children and events under way lose nothing", async () => {
  const kinds = [
    (id: string) => `start ${id} slowChain {"key":"${id}","ms":30}`,
    (id: string) => `start ${id} race {"key":"${id}","workMs":5,"limitMs":60000}`,
    (id: string) => `start ${id} race {"key":"${id}","workMs":900,"limitMs":400}`,
    // Each process counts its calls anew and fails two of them: four processes need nine attempts at most.
    (id: string) => `start ${id} retry {"key":"${id}","call":3,"attempts":9}`,
    (id: string) => `start ${id} waits {"before":300,"names":["x","y"]}`,
    (id: string) => `start ${id} parent {"childId":"child-of-${id}"}`,
  ];
  const ids = Array.from({ length: 50 }, (_, n) => `crash-${n}`);
  const starts = ids.map((id, n) => kinds[n % kinds.length]?.(id) ?? "");
  const waiting = ids.filter((_, n) => n % kinds.length === 4);
  await runAndKill(data, starts.slice(0, 30), 0);
  await runAndKill(data, starts.slice(30), 20);
  await runAndKill(
    data,
    waiting.flatMap((id) => [`raise ${id} y 2`, `raise ${id} x 1`]),
    10,
  );

  const bench = await openBench(APP, { data });
  for (const [n, id] of ids.entries()) {
    const status = await bench.ended(id, 8000);
    expect(status, id).toMatchObject({ runtimeStatus: "Completed" });
    if (n % kinds.length === 2) expect(status.output).toBe("late");
    if (n % kinds.length === 4) expect(status.output).toEqual([1, 2]);
  }
  await bench.close();

  const db = new Database(join(data, "durable-testhub.sqlite"));
  const store = new InstanceStore(db);
  for (const id of ids) {
    const { events } = store.history(store.find(id)?.int ?? 0);
    const ends = events.map(endedTask).filter((task) => task !== undefined);
    expect(ends.length, id).toBeGreaterThan(0);
    expect(new Set(ends).size, id).toBe(ends.length);
  }
  db.close();
});

test("what was suspended stays so, and a timer that came due while nothing ran fires at the start", async () => {
  const suspended = mkdtempSync(join(tmpdir(), "durable-suspended-"));
  const first = await openBench(APP, { data: suspended });
  await first.client.startNew("waits", { instanceId: "held", input: { before: 2000, names: [] } });
  await first.client.startNew("waits", { instanceId: "due", input: { before: 100, names: [] } });
  await first.client.suspend("held", "hold");
  await first.close();
  // Both timers come due meanwhile.
  await new Promise((resolve) => setTimeout(resolve, 2100));
  const second = await openBench(APP, { data: suspended });
  expect((await second.ended("due")).output).toEqual([]);
  expect((await second.client.getStatus("held")).runtimeStatus).toBe("Suspended");
  await second.client.resume("held", "go");
  expect((await second.ended("held")).output).toEqual([]);
  await second.close();
  rmSync(suspended, { recursive: true });
});

test("an activity that is open keeps its orchestration over a restart; one left behind by a termination is done after it, once", async () => {
  const left = mkdtempSync(join(tmpdir(), "durable-left-"));
  const first = await openBench(APP, { data: left });
  const race = (instanceId: string, workMs: number, limitMs: number) =>
    first.client.startNew("race", { instanceId, input: { key: instanceId, workMs, limitMs } });
  const opened = gateFor("open", "ended");
  await race("open", 1, 20);
  await race("ended", 1, 60_000);
  await race("long", 60_000, 60_000);
  await expect.poll(() => first.engine.counts["activitiesRunning"]).toBe(3);
  await first.client.terminate("ended", "not wanted");
  await first.client.terminate("long", "not wanted");
  await first.close();

  const second = await openBench(APP, { data: left });
  expect(second.engine.counts).toMatchObject({ orchestrationsUnfinished: 1, activities: 3, activitiesRunning: 3 });
  opened();
  expect(await second.ended("open")).toMatchObject({ output: "late" });
  await expect.poll(() => second.engine.counts["activitiesRunning"]).toBe(1);
  await second.close();

  const third = await openBench(APP, { data: left });
  expect(third.engine.counts).toMatchObject({ activities: 1 });
  await third.close();
  rmSync(left, { recursive: true });
});

test("an orchestration goes on as new when what it began has ended, also after a restart", async () => {
  const left = mkdtempSync(join(tmpdir(), "durable-left-"));
  const first = await openBench(APP, { data: left });
  const opened = gateFor("left-by-new");
  const id = await first.client.startNew("movesOn", { input: { key: "left-by-new", workMs: 1 } });
  await expect.poll(() => first.engine.counts["activitiesRunning"]).toBe(1);
  await first.close();

  const second = await openBench(APP, { data: left });
  expect(second.engine.counts).toMatchObject({ orchestrationsUnfinished: 1, activities: 1, activitiesRunning: 1 });
  expect((await second.client.getStatus(id)).input).toMatchObject({ key: "left-by-new" });
  opened();
  expect(await second.ended(id)).toMatchObject({ output: "moved on" });
  expect(second.engine.counts).toMatchObject({ activities: 1, activitiesRunning: 0 });
  await second.close();

  const third = await openBench(APP, { data: left });
  expect(third.engine.counts).toMatchObject({ activities: 0 });
  await third.close();
  rmSync(left, { recursive: true });
});
