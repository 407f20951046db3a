// What bounds the engine: activities at one time, its closing, its custom status and its ids.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { HOST_LIMITS as LIMITS } from "../limits.ts";
import { gateFor, openBench } from "./harness.ts";

const APP = join(import.meta.dirname, "fixtures/orders");
test("activities run up to the limit, the rest wait their turn", async () => {
  const bench = await openBench(APP, { maxActivities: 3 });
  const open = gateFor("limited");
  const ids = await Promise.all(
    Array.from({ length: 8 }, () => bench.client.startNew("waitsAtGate", { input: "limited" })),
  );
  await expect.poll(() => bench.engine.counts["activitiesWaiting"]).toBe(5);
  expect(bench.engine.counts["activitiesRunning"]).toBe(3);
  open();
  for (const id of ids) expect((await bench.ended(id)).output).toBe("limited");
  await bench.close();
});

test("closing lets activities under way end and records what they returned", async () => {
  const data = mkdtempSync(join(tmpdir(), "durable-close-"));
  const first = await openBench(APP, { data });
  const open = gateFor("closing");
  const id = await first.client.startNew("waitsAtGate", { input: "closing" });
  await expect.poll(() => first.engine.counts["activitiesRunning"]).toBe(1);
  setTimeout(open, 30);
  await first.close();
  expect(first.engine.counts["orchestrationsCompleted"]).toBe(1);
  const second = await openBench(APP, { data });
  expect((await second.client.getStatus(id)).output).toBe("closing");
  expect(second.engine.counts["activities"]).toBe(0);
  await second.close();
  rmSync(data, { recursive: true });
});

test(LIMITS.customStatusBytes.what, async () => {
  const bench = await openBench(APP);
  // In quotes, two bytes a character.
  const most = LIMITS.customStatusBytes.value / 2 - 2;
  expect(await bench.run("setsStatus", most)).toMatchObject({ runtimeStatus: "Completed", output: "set" });
  const failed = await bench.run("setsStatus", most + 1);
  expect(failed.runtimeStatus).toBe("Failed");
  expect(JSON.stringify(failed.output)).toContain("16 KB");
  await bench.close();
});

test(LIMITS.instanceId.what, async () => {
  const bench = await openBench(APP);
  const start = (length: number) => bench.client.startNew("returnsNothing", { instanceId: "i".repeat(length) });
  await start(LIMITS.instanceId.value);
  await expect(start(LIMITS.instanceId.value + 1)).rejects.toThrow("256 characters at most");
  await bench.close();
});

test("the id of a sub-orchestration does not begin with @, as those of entities do", async () => {
  const bench = await openBench(APP);
  const failed = await bench.run("parent", { childId: "@child" });
  expect(failed.runtimeStatus).toBe("Failed");
  expect(String(failed.output)).toContain("no sub-orchestration can have it: @child");
  await bench.close();
});
