// Entities through orchestrations and through the unmodified client.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EntityId } from "durable-functions";
import { describe, expect, test } from "vitest";
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
