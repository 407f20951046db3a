// What an app is held to whose host.json names the Durable Task Scheduler as its backend; another backend takes all of it.
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HOST_LIMITS as LIMITS } from "../limits.ts";
import { HOST_REJECTIONS as REJECTIONS } from "../rejections.ts";
import { type Bench, openBench } from "./harness.ts";

const APP = join(import.meta.dirname, "fixtures/actions");
/** In quotes, as JSON. */
const MOST = LIMITS.payloadBytes.value - 2;
const TOO_LARGE = `may have ${LIMITS.payloadBytes.value} in the Durable Task Scheduler`;
let scheduler: Bench;
let storage: Bench;
beforeAll(async () => {
  scheduler = await openBench(APP, { settings: { storageType: "AzureManaged" } });
  storage = await openBench(APP, { settings: { storageType: "azureStorage" } });
});
afterAll(async () => {
  await scheduler.close();
  await storage.close();
});

const text = (length: number) => "x".repeat(length);

describe(LIMITS.payloadBytes.what, () => {
  test("the input of a client", async () => {
    expect((await scheduler.run("returns", text(MOST))).output).toHaveLength(MOST);
    await expect(scheduler.client.startNew("returns", { input: text(MOST + 1) })).rejects.toThrow(TOO_LARGE);
    expect((await storage.run("returns", text(MOST + 1))).output).toHaveLength(MOST + 1);
  });

  test("the data of an event", async () => {
    const id = await scheduler.client.startNew("waits");
    await expect(scheduler.client.raiseEvent(id, "go", text(MOST + 1))).rejects.toThrow(TOO_LARGE);
    await scheduler.client.raiseEvent(id, "go", text(MOST));
    expect((await scheduler.ended(id)).output).toHaveLength(MOST);
  });

  test.each([
    ["output", "returnsLarge", (length: number) => length],
    ["next input", "renewsLarge", (length: number) => length],
    ["input of an activity", "sendsLarge", (length: number) => ({ kind: "activity", length })],
    ["input of a sub-orchestration", "sendsLarge", (length: number) => ({ kind: "child", length })],
  ])("%s of an orchestration", async (_, name, inputOf) => {
    expect((await scheduler.run(name, inputOf(MOST - 2))).runtimeStatus).toBe("Completed");
    const failed = await scheduler.run(name, inputOf(MOST + 1));
    expect(failed.runtimeStatus).toBe("Failed");
    expect(String(failed.output)).toContain(TOO_LARGE);
    expect((await storage.run(name, inputOf(MOST + 1))).runtimeStatus).toBe("Completed");
  });

  test("the result of an activity, which the orchestrator can catch", async () => {
    const call = (length: number) => ({ name: "large", input: length });
    expect((await scheduler.run("activity", call(MOST + 1))).output).toEqual({
      caught: expect.stringContaining(TOO_LARGE),
    });
    expect((await storage.run("activity", call(MOST + 1))).output).toHaveProperty("returned");
  });
});

test(LIMITS.schedulerId.what, async () => {
  const most = LIMITS.schedulerId.value;
  const start = (bench: Bench, length: number) => bench.client.startNew("returns", { instanceId: text(length) });
  expect(await start(scheduler, most)).toHaveLength(most);
  await expect(start(scheduler, most + 1)).rejects.toThrow("100 characters at most");
  expect(await start(storage, most + 1)).toHaveLength(most + 1);
  const child = await scheduler.run("child", { id: text(most + 1) });
  expect(String(child.output)).toContain("100 characters at most");
});

test(REJECTIONS.schedulerId.what, async () => {
  const start = (bench: Bench) => bench.client.startNew("returns", { instanceId: "Grüße" });
  await expect(start(scheduler)).rejects.toThrow("all of ASCII");
  expect(await start(storage)).toBe("Grüße");
});
