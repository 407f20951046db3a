// What the engine says and does while a commit is on its way to the disk.
import { join } from "node:path";
import { expect, test } from "vitest";
import { holdFlushes, isSettled } from "../../database/held-flushes.ts";
import { openBench } from "./harness.ts";

const APP = join(import.meta.dirname, "fixtures/orders");

test("an instance is neither acknowledged nor shown before it is on the disk", async () => {
  const bench = await openBench(APP, { durability: "full" });
  const held = holdFlushes();
  const started = bench.client.startNew("waits", { instanceId: "a", input: { names: ["x"] } });
  await held.next();
  const shown = bench.client.getStatus("a");
  expect(await isSettled(Promise.race([started, shown]))).toBe(false);
  expect(bench.engine.counts["turns"]).toBe(0);
  held.end();
  expect([await started, (await shown).instanceId]).toEqual(["a", "a"]);
  held.release();
  await bench.client.raiseEvent("a", "x", 1);
  expect((await bench.ended("a")).output).toEqual([1]);
  await bench.close();
});

test("no turn begins of an instance whose purge is committed", async () => {
  const bench = await openBench(APP, { durability: "full", maxTurns: 1, maxSessions: 0 });
  const { client, engine } = bench;
  for (const instanceId of ["first", "purged"]) {
    await client.startNew("waits", { instanceId, input: { names: ["x", "y"] } });
  }
  await expect.poll(() => engine.counts).toMatchObject({ turns: 2, orchestrationsStarted: 2 });
  const held = holdFlushes();
  // A group of its own, during whose flush the events gather.
  const alone = client.startNew("waits", { instanceId: "other", input: { names: ["x"] } });
  await held.next();
  const raised = ["first", "purged"].map((id) => client.raiseEvent(id, "x", 1));
  await isSettled(Promise.all(raised));
  held.end();
  await alone;
  await held.next();
  // Waits for the flush, and is then committed with the turn of the first: that of the second has to wait.
  const purge = client.purgeInstanceHistory("purged");
  await isSettled(purge);
  held.release();
  await Promise.all(raised);
  expect((await purge).instancesDeleted).toBe(1);
  await client.raiseEvent("first", "y", 2);
  expect((await bench.ended("first")).output).toEqual([1, 2]);
  expect([bench.warnings, engine.counts["turns"]]).toEqual([[], 5]);
  await bench.close();
});
