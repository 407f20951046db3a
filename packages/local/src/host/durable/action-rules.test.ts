// What the Durable extension rejects of an orchestrator's actions: the orchestration fails, and cannot catch it.
import { join } from "node:path";
import * as df from "durable-functions";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HOST_LIMITS as LIMITS } from "../limits.ts";
import { HOST_REJECTIONS as REJECTIONS } from "../rejections.ts";
import { type Bench, openBench } from "./harness.ts";

const APP = join(import.meta.dirname, "fixtures/actions");
const DAY_MS = 86_400_000;
let bench: Bench;
beforeAll(async () => {
  bench = await openBench(APP, { settings: { maxActions: 3 } });
});
afterAll(() => bench.close());

async function failureOf(orchestrator: string, input: unknown, id?: string): Promise<string> {
  const { runtimeStatus, output } = await bench.run(orchestrator, input, id);
  expect(runtimeStatus).toBe("Failed");
  return String(output);
}

const returns = async (orchestrator: string, input: unknown) =>
  expect((await bench.run(orchestrator, input)).output).toHaveProperty("returned");

describe(REJECTIONS.childId.what, () => {
  test("its own", async () => {
    expect(await failureOf("child", { id: "MINE" }, "mine")).toContain("cannot have the id of its parent");
  });

  test("its parent's", async () => {
    const { output } = await bench.run("grandchild", { id: "ANCESTOR" }, "ancestor");
    expect(output).toMatchObject({ caught: expect.stringContaining("cannot have the id of its parent") });
  });

  test("with @", async () => {
    expect(await failureOf("child", { id: "@other" })).toContain("begins with @");
  });

  test("another one, or none, is taken", async () => {
    await returns("child", { id: "another" });
    await returns("child", {});
  });
});

test(REJECTIONS.takenId.what, async () => {
  await bench.client.startNew("waits", { instanceId: "taken" });
  expect(await failureOf("child", { id: "taken" })).toContain("an instance with its id runs: taken");
  await bench.client.terminate("taken", "");
  await returns("child", { id: "taken" });
});

describe(REJECTIONS.unknownFunction.what, () => {
  test.each([
    ["activity", { name: "nowhere" }],
    ["activity", { name: "returns" }],
    ["activity", { name: "nowhere", retry: {} }],
    ["child", { name: "echo" }],
  ])("%s %j", async (orchestrator, input) => {
    expect(await failureOf(orchestrator, input)).toContain("The app runs no ");
  });

  test("another case is the same name", async () => {
    await returns("ACTIVITY", { name: "Echo" });
    await returns("activity", { name: "ECHO", retry: {} });
    await returns("child", { name: "RETURNS" });
  });
});

describe("a durable entity is refused by name", () => {
  test.each([undefined, "signal", "lock"])("in an orchestration: %s", async (how) => {
    expect(await failureOf("entity", { name: "Counter", how })).toContain("A durable entity is not supported");
  });

  test("of a client", async () => {
    const entity = new df.EntityId("Counter", "key");
    await expect(bench.client.readEntityState(entity)).rejects.toThrow("Durable entities are not supported");
    await expect(bench.client.signalEntity(entity, "add")).rejects.toThrow("Durable entities are not supported");
  });
});

test("callHttp is refused by name, with polling and without", async () => {
  for (const enablePolling of [true, false])
    expect(await failureOf("http", { enablePolling })).toBe(
      "Orchestrator function 'http' failed: callHttp is not supported by the local durable engine.",
    );
});

describe(REJECTIONS.timerYear.what, () => {
  test.each(["+010000-01-01T00:00:00Z", "0000-12-31T23:59:59Z", "-000001-01-01T00:00:00Z"])("%s", async (at) => {
    expect(await failureOf("timer", { at })).toContain("years 1 to 9999");
  });

  test("no date at all", async () => {
    expect(await failureOf("timer", { at: "soon" })).toContain("invalid date");
  });

  test("what is past, and what is years away, is taken", async () => {
    await returns("timer", { at: "2001-01-01T00:00:00Z" });
    await returns("timer", { inDays: 400 });
  });
});

describe(REJECTIONS.retryOptions.what, () => {
  test.each([
    { maxNumberOfAttempts: 0 },
    { maxNumberOfAttempts: 2 ** 31 },
    { firstRetryIntervalInMilliseconds: 2 ** 31 },
    { maxRetryIntervalInMilliseconds: 2 ** 31 },
    { retryTimeoutInMilliseconds: 2 ** 31 },
  ])("%j", async (retry) => {
    expect(await failureOf("activity", { name: "echo", retry })).toContain("at least one attempt");
  });
});

describe(REJECTIONS.retryTimeout.what, () => {
  test.each([
    [{ maxNumberOfAttempts: 3, retryTimeoutInMilliseconds: 0 }, "retryTimeoutInMilliseconds of 0 is over"],
    [{ maxNumberOfAttempts: 3, maxRetryIntervalInMilliseconds: 0 }, "pause is 0"],
  ])("%j", async (retry, why) => {
    expect(await failureOf("activity", { name: "fails", retry })).toContain(`ends after attempt 1, for its ${why}`);
  });

  test("after the last attempt the failure is the activity's", async () => {
    const retry = { maxNumberOfAttempts: 1, retryTimeoutInMilliseconds: 0 };
    const { output } = await bench.run("activity", { name: "fails", retry });
    expect(output).toMatchObject({ caught: expect.stringContaining("told to") });
  });
});

test(LIMITS.retryPauseMs.what, async () => {
  const most = { firstRetryIntervalInMilliseconds: 6 * DAY_MS, maxRetryIntervalInMilliseconds: 6 * DAY_MS };
  await returns("activity", { name: "echo", retry: most });
  for (const name of Object.keys(most)) {
    expect(await failureOf("activity", { name: "echo", retry: { ...most, [name]: 6 * DAY_MS + 1 } })).toContain(
      "6 days at most",
    );
  }
  const other = await openBench(APP, { settings: { storageType: "mssql" } });
  const retry = { firstRetryIntervalInMilliseconds: 7 * DAY_MS };
  expect((await other.run("activity", { name: "echo", retry })).output).toEqual({ returned: "x" });
  await other.close();
});

test(LIMITS.actions.what, async () => {
  await returns("activities", 3);
  expect(await failureOf("activities", 4)).toContain("has 3 actions at most");
  // Those of each generation are counted apart.
  expect((await bench.run("renews", 5)).output).toBe("renewed");
});

describe("continueAsNew", () => {
  test.each(["bigint", "circle", "throws"])("with %s, which is no JSON, fails the orchestration", async (what) => {
    expect(await failureOf("renewsWith", what)).toMatch(/BigInt|circular|told to/);
  });

  test.each(["function", "symbol"])("with %s, of which JSON has nothing, goes on with null", async (what) => {
    expect((await bench.run("renewsWith", what)).output).toEqual({ renewed: null });
  });

  test("nothing that is called after it happens", async () => {
    const activities = bench.engine.counts["activities"];
    expect((await bench.run("callsAfterRenewal", { left: 2 })).output).toBe("renewed");
    expect(bench.engine.counts["activities"]).toBe(activities);
  });
});

test.each(["function", "symbol"])("an activity that returns %s returns null", async (what) => {
  expect((await bench.run("activity", { name: "odd", input: what })).output).toEqual({ returned: null });
});

test("a retry with all its attempts is one action", async () => {
  const { output } = await bench.run("activity", { name: "fails", retry: { maxNumberOfAttempts: 6 } });
  expect(output).toMatchObject({ caught: expect.stringContaining("told to") });
});
