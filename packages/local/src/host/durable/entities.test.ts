// Entities through orchestrations and through the unmodified client.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EntityId } from "durable-functions";
import { describe, expect, test } from "vitest";
import { Database } from "../../database/database.ts";
import { openBench } from "./harness.ts";

const APP = join(import.meta.dirname, "fixtures/orders");

describe.each([
  { mode: "cached", replay: false },
  { mode: "replay", replay: true },
])("$mode", ({ replay }) => {
  test("orchestrations signal and call, and errors come back", async () => {
    const bench = await openBench(APP, { replay });
    const { output } = await bench.run("counts", "one");
    expect(output).toMatchObject({ first: 5, echoed: "between", last: 5 });
    expect((output as { failure: string }).failure).toContain("told to");
    await bench.close();
  });
});

test("clients signal and read; operations on one entity come one after the other", async () => {
  const bench = await openBench(APP);
  const { client } = bench;
  const counter = new EntityId("Counter", "shared");
  expect((await client.readEntityState(counter)).entityExists).toBe(false);
  await Promise.all(Array.from({ length: 30 }, () => client.signalEntity(counter, "add", 1)));
  await expect.poll(async () => (await client.readEntityState(counter)).entityState).toBe(30);
  await client.signalEntity(counter, "pass", "other");
  const other = new EntityId("counter", "other");
  await expect.poll(async () => (await client.readEntityState(other)).entityState).toBe(30);
  await client.signalEntity(counter, "remove");
  await expect.poll(async () => (await client.readEntityState(counter)).entityExists).toBe(false);
  await expect(client.signalEntity(new EntityId("Nobody", "x"), "add")).rejects.toThrow(
    /Registered as entity: Counter/,
  );
  await bench.close();
});

test("states outlive the process", async () => {
  const data = mkdtempSync(join(tmpdir(), "durable-entities-"));
  const counter = new EntityId("Counter", "kept");
  const first = await openBench(APP, { data });
  await first.client.signalEntity(counter, "add", 4);
  await first.close();
  const second = await openBench(APP, { data });
  await expect.poll(async () => (await second.client.readEntityState(counter)).entityState).toBe(4);
  await second.close();
  rmSync(data, { recursive: true });
});

test("an entity that only answers has no state, and starts from its initial one when it is asked again", async () => {
  const bench = await openBench(APP);
  const { client } = bench;
  const guest = new EntityId("Guest", "one");
  await client.signalEntity(guest, "who");
  expect((await bench.run("asks", { name: "Guest", key: "one", operation: "who" })).output).toBe("nothing yet");
  expect((await client.readEntityState(guest)).entityExists).toBe(false);
  expect((await bench.run("asks", { name: "Guest", key: "one", operation: "who" })).output).toBe("nothing yet");
  await client.signalEntity(guest, "arrive");
  await expect.poll(async () => (await client.readEntityState(guest)).entityState).toEqual({ arrived: true });
  await bench.close();
});

test.each([
  ["application/json", 1],
  ["text/plain", "01"],
])("a signal's body of the type %s gives 0 + %j", async (type, state) => {
  const bench = await openBench(APP);
  const url = `${bench.baseUrl}/runtime/webhooks/durabletask/entities/Counter/typed?op=add`;
  const { status } = await fetch(url, { method: "POST", headers: { "content-type": type }, body: "1" });
  expect(status).toBe(202);
  const counter = new EntityId("Counter", "typed");
  await expect.poll(async () => (await bench.client.readEntityState(counter)).entityState).toBe(state);
  await bench.close();
});

test("entities are listed by name, in pages, and with their states where that is asked for", async () => {
  const bench = await openBench(APP);
  const { client, baseUrl } = bench;
  for (const key of ["b", "a", "c"]) await client.signalEntity(new EntityId("Counter", key), "add", 1);
  await client.signalEntity(new EntityId("Guest", "a"), "who");
  const list = async (query: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${baseUrl}/runtime/webhooks/durabletask/entities${query}`, { headers });
    const next = response.headers.get("x-ms-continuation-token") ?? "";
    return { next, found: (await response.json()) as { entityId: { name: string; key: string }; state: unknown }[] };
  };
  await expect.poll(async () => (await list("")).found.length).toBe(4);
  const first = await list("/Counter?fetchState=true&top=2");
  expect(first.found).toMatchObject([
    { entityId: { name: "counter", key: "a" }, state: 1 },
    { entityId: { name: "counter", key: "b" }, state: 1 },
  ]);
  const second = await list("/Counter?top=2", { "x-ms-continuation-token": first.next });
  expect(second.found).toMatchObject([{ entityId: { name: "counter", key: "c" }, state: null }]);
  expect(second.next).toBe("");
  expect((await list("?lastOperationTimeTo=2020-01-01")).found).toEqual([]);
  await bench.close();
});

describe("locks", () => {
  const input = { from: "from", to: "to" };

  test.each([false, true])("transfers at once do not see each other's halves (replay: %s)", async (replay) => {
    const bench = await openBench(APP, { replay });
    const transfers = Array.from({ length: 5 }, (_, index) =>
      bench.run("transfer", index % 2 === 0 ? input : { from: "to", to: "from" }),
    );
    for (const { runtimeStatus, output } of await Promise.all(transfers)) {
      expect(runtimeStatus).toBe("Completed");
      const { before, after, isLocked } = output as { before: number; after: number; isLocked: boolean };
      expect(after).toBe(before - 1);
      expect(isLocked).toBe(false);
    }
    const states = ["from", "to"].map((key) => bench.client.readEntityState(new EntityId("Counter", key)));
    expect((await Promise.all(states)).map(({ entityState }) => entityState)).toEqual([-1, 1]);
    await bench.close();
  });

  test.each([{ release: false }, { fails: true }])("end with the orchestration that holds them: %o", async (how) => {
    const bench = await openBench(APP);
    await bench.run("transfer", { ...input, ...how });
    expect((await bench.run("transfer", input)).runtimeStatus).toBe("Completed");
    await bench.close();
  });

  test("hold back signals of others, also over a restart", async () => {
    const data = mkdtempSync(join(tmpdir(), "durable-locks-"));
    const counter = new EntityId("Counter", "held");
    const first = await openBench(APP, { data });
    const id = await first.client.startNew("holds", { input: "held" });
    await expect.poll(async () => (await first.client.getStatus(id)).customStatus).toBe("locked");
    await first.client.signalEntity(counter, "add", 10);
    await first.close();
    const second = await openBench(APP, { data });
    expect((await second.client.readEntityState(counter)).entityState).toBe(1);
    await second.client.raiseEvent(id, "go", {});
    expect((await second.ended(id)).output).toBe(2);
    await expect.poll(async () => (await second.client.readEntityState(counter)).entityState).toBe(12);
    await second.close();
    rmSync(data, { recursive: true });
  });

  test("are left behind by nobody: not by an orchestration that is terminated, nor by one that waits for its turn", async () => {
    const bench = await openBench(APP);
    const holder = await bench.client.startNew("holds", { input: "x" });
    await expect.poll(async () => (await bench.client.getStatus(holder)).customStatus).toBe("locked");
    const waiting = await bench.client.startNew("holds", { input: "x" });
    const last = await bench.client.startNew("holds", { input: "x" });
    await expect.poll(async () => (await bench.client.getStatus(last)).runtimeStatus).toBe("Running");
    await bench.client.terminate(waiting, "enough");
    await bench.client.terminate(holder, "enough");
    await expect.poll(async () => (await bench.client.getStatus(last)).customStatus).toBe("locked");
    await bench.close();
  });
});

test("a hub of an earlier version, which kept no time of creation, is taken up", async () => {
  const data = mkdtempSync(join(tmpdir(), "durable-entities-old-"));
  const old = new Database(join(data, "durable-testhub.sqlite"));
  old.exec(
    "CREATE TABLE entities (id TEXT PRIMARY KEY, state TEXT NOT NULL, updatedAt INTEGER NOT NULL) WITHOUT ROWID",
  );
  await old.write(() => old.prepare("INSERT INTO entities VALUES ('@counter@old', '7', ?)").run(Date.UTC(2026, 0)));
  old.close();
  const bench = await openBench(APP, { data });
  const counter = new EntityId("Counter", "old");
  expect((await bench.client.getStatus("@counter@old")).createdTime).toEqual(new Date(Date.UTC(2026, 0)));
  await bench.client.signalEntity(counter, "add", 1);
  await expect.poll(async () => (await bench.client.readEntityState(counter)).entityState).toBe(8);
  await bench.close();
  rmSync(data, { recursive: true });
});
