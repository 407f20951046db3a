// Every pattern of orchestration, run twice: with orchestrators kept in memory and with the whole history replayed each turn.
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Bench, openBench } from "./harness.ts";

const APP = join(import.meta.dirname, "fixtures/orders");
const SETTLE_MS = 150;

const shared = globalThis as unknown as { durableFixtureCalls: Map<string, number> };
const callsOf = (key: string) => shared.durableFixtureCalls.get(key) ?? 0;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe.each([
  { mode: "cached", replay: false },
  { mode: "replay", replay: true },
])("$mode", ({ mode, replay }) => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await openBench(APP, { replay });
  });
  afterAll(() => bench.close());
  const key = (name: string) => `${mode}-${name}`;
  /** It has run up to what it waits for. */
  const isWaiting = (id: string) =>
    expect.poll(async () => (await bench.client.getStatus(id)).runtimeStatus, { interval: 5 }).toBe("Running");

  test("a chain hands results on", async () => {
    const status = await bench.run("chain", { n: 3 });
    expect(status).toMatchObject({
      name: "chain",
      runtimeStatus: "Completed",
      input: { n: 3 },
      output: { a: { n: 3 }, b: 4, c: "text 4" },
    });
    expect(bench.engine.counts["sessions"]).toBe(0);
  });

  test("no input and no result", async () => {
    expect((await bench.run("returnsNothing")).output).toEqual({ result: null, input: "" });
  });

  test("fan-out and fan-in", async () => {
    expect((await bench.run("fanOut", 100)).output).toBe(9900);
  });

  test("an activity wins its race, and its timer is cancelled", async () => {
    const status = await bench.run("race", { key: key("wins"), workMs: 1, limitMs: 60_000 });
    expect(status.output).toBe(`done ${key("wins")}`);
  });

  test("a timer wins the race, and the late result is ignored", async () => {
    const status = await bench.run("race", { key: key("late"), workMs: 80, limitMs: 10 });
    expect(status.output).toBe("late");
    await pause(SETTLE_MS);
    expect(callsOf(key("late"))).toBe(1);
  });

  test("a retried activity succeeds, and ids go on rightly after it", async () => {
    const status = await bench.run("retry", { key: key("retry"), call: 3, attempts: 5 });
    expect(status.output).toEqual({ count: 3, after: "after" });
  });

  test("a retried activity fails when its attempts are used up", async () => {
    const status = await bench.run("retry", { key: key("exhausted"), call: 9, attempts: 3 });
    expect(status.runtimeStatus).toBe("Failed");
    expect(status.output).toContain("call 3 fails");
    expect(callsOf(key("exhausted"))).toBe(3);
  });

  test("retries in parallel do not mix up", async () => {
    expect((await bench.run("parallelRetries", key("parallel"))).output).toEqual({ counts: [2, 3, 7], last: "last" });
  });

  test("events that come before they are waited for are kept", async () => {
    const id = await bench.client.startNew("waits", { input: { before: 60, names: ["x", "y"] } });
    await bench.client.raiseEvent(id, "y", 2);
    await bench.client.raiseEvent(id, "x", { one: 1 });
    expect((await bench.ended(id)).output).toEqual([{ one: 1 }, 2]);
  });

  test("events that come late resume the orchestration", async () => {
    const id = await bench.client.startNew("waits", { input: { names: ["x", "x"] } });
    await isWaiting(id);
    await bench.client.raiseEvent(id, "x", "first");
    await bench.client.raiseEvent(id, "x", "second");
    expect((await bench.ended(id)).output).toEqual(["first", "second"]);
  });

  test("two waits for one name are answered last in, first out", async () => {
    const id = await bench.client.startNew("waitsTwice");
    await isWaiting(id);
    await bench.client.raiseEvent(id, "go", 1);
    await bench.client.raiseEvent(id, "go", 2);
    expect((await bench.ended(id)).output).toEqual([2, 1]);
  });

  test("sub-orchestrations run in parallel and know their parent", async () => {
    const status = await bench.run("parent", { childId: key("kid") }, key("parent"));
    expect(status.output).toEqual([2, 3, { id: key("kid"), seen: key("kid"), parent: key("parent") }]);
  });

  test("a failed sub-orchestration is an error to its parent", async () => {
    const status = await bench.run("parent", { childId: key("bad kid"), failing: true });
    expect(status.output).toMatch(/^caught: Orchestrator function 'throws' failed: told to fail: inner/);
  });

  test("a retried sub-orchestration", async () => {
    expect((await bench.run("parentRetry", { key: key("child"), call: 3 })).output).toBe(3);
  });

  test("continue-as-new keeps the id and drops the history", async () => {
    const id = await bench.client.startNew("countdown", { input: { n: 10, total: 0 } });
    expect((await bench.ended(id)).output).toBe(55);
    const history = await bench.client.getStatus(id, { showHistory: true });
    expect((history as unknown as { historyEvents?: unknown[] }).historyEvents).toBeUndefined();
  });

  test("events raised between generations reach the next one", async () => {
    const id = await bench.client.startNew("listener", { input: { heard: [], until: 5 } });
    for (let n = 1; n <= 5; n += 1) {
      await bench.client.raiseEvent(id, "item", n);
      await pause(20);
    }
    expect((await bench.ended(id)).output).toEqual([1, 2, 3, 4, 5]);
  });

  test("all of any of step and timer runs each step once", async () => {
    const status = await bench.run("level", key("level"));
    expect(status.output).toEqual(["a", "b", "c", "after"].map((step) => `noted ${key("level")}-${step}`));
    for (const step of ["a", "b", "c", "after"]) expect(callsOf(`${key("level")}-${step}`)).toBe(1);
  });

  test("a pending task in further composites is scheduled again, never ends, and is warned of", async () => {
    const id = await bench.client.startNew("reuses", { input: key("reuses") });
    await expect.poll(() => callsOf(`${key("reuses")}-b`)).toBe(3);
    await pause(300);
    expect(callsOf(`${key("reuses")}-b`)).toBe(3);
    expect((await bench.client.getStatus(id)).runtimeStatus).toBe("Running");
    expect(bench.warnings.filter((line) => line.includes(id) && line.includes("scheduled AGAIN"))).not.toHaveLength(0);
    await bench.client.terminate(id, "enough");
  });

  test("a pending task that is merely yielded again runs once", async () => {
    expect((await bench.run("yieldsAgain", key("again"))).output).toEqual([`${key("again")}-b`, "last"]);
    expect(callsOf(`${key("again")}-b`)).toBe(1);
  });

  test("a failure surfaces to the client", async () => {
    const thrown = await bench.run("throws", "x");
    expect(thrown).toMatchObject({
      runtimeStatus: "Failed",
      output: "Orchestrator function 'throws' failed: told to fail: x",
    });
    expect((await bench.run("uncaught", key("u"))).output).toContain(`no ${key("u")} today`);
    expect((await bench.run("catches", key("c"))).output).toContain(
      `Activity function 'fails' failed:  no ${key("c")} today`,
    );
  });

  test.each([
    ["no prototype", "something that cannot be shown as text was thrown"],
    ["a symbol", "Symbol(s)"],
  ])("an activity that throws what is no error fails with words: %s", async (key, words) => {
    expect((await bench.run("catches", key)).output).toContain(`Activity function 'fails' failed:  ${words}`);
  });

  test("unknown names fail with what is registered", async () => {
    expect((await bench.run("unknownActivity")).output).toMatch(/runs no activity 'nowhere'.*Registered.*echo, fails/);
    expect((await bench.run("unknownChild")).output).toMatch(
      /runs no orchestrator 'nowhere'.*Registered.*chain, countdown/,
    );
    await expect(bench.client.startNew("nowhere")).rejects.toThrow(/Registered as orchestrator: .*chain/);
  });

  test("a yield of no task fails the orchestration", async () => {
    expect((await bench.run("yieldsNothing")).output).toContain("programming constraint violation");
  });

  test("time and guids are the same in every turn", async () => {
    const { output } = await bench.run("facts");
    expect(output).toMatchObject({ waitedEnough: true });
    expect(new Set((output as { ids: string[] }).ids).size).toBe(2);
  });

  test("what is logged outside replays is logged once, in every turn", async () => {
    await bench.run("logs", key("log"));
    expect(bench.logged.filter((line) => line.includes(key("log")))).toEqual(
      [1, 2, 3].map((n) => `${key("log")} ${n}`),
    );
    expect(bench.logged.filter((line) => line.includes("Unexpected call"))).toEqual([]);
  });

  test("a task that has ended and stands in a composite again is run again and never heard of", async () => {
    const id = await bench.client.startNew("revisits", { input: key("revisits") });
    await expect.poll(() => callsOf(`${key("revisits")}-a`)).toBe(2);
    await pause(30);
    expect((await bench.client.getStatus(id)).runtimeStatus).toBe("Running");
    await bench.client.terminate(id, "enough");
  });

  test("custom status", async () => {
    const id = await bench.client.startNew("status");
    await expect.poll(async () => (await bench.client.getStatus(id)).customStatus).toEqual({ step: 1 });
    await bench.client.raiseEvent(id, "next", null);
    await expect.poll(async () => (await bench.client.getStatus(id)).customStatus).toEqual({ step: 2 });
    await bench.client.raiseEvent(id, "next", null);
    expect(await bench.ended(id)).toMatchObject({ output: "end", customStatus: { step: 2 } });
  });
});

test("what is not deterministic fails when it is replayed", async () => {
  const bench = await openBench(APP, { replay: true });
  const status = await bench.run("fickle");
  expect(status.runtimeStatus).toBe("Failed");
  expect(status.output).toMatch(
    /Non-deterministic orchestrator "fickle".*task 0 was activity "(echo|nothing)" and is now/,
  );
  await bench.close();
});

test("orchestrators beyond the cache are replayed", async () => {
  const bench = await openBench(APP, { maxSessions: 2 });
  const ids = await Promise.all(
    Array.from({ length: 6 }, () => bench.client.startNew("waits", { input: { names: ["x"] } })),
  );
  await expect.poll(() => bench.engine.counts["turns"]).toBe(6);
  expect(bench.engine.counts["sessions"]).toBe(2);
  for (const id of ids) await bench.client.raiseEvent(id, "x", id);
  for (const id of ids) expect((await bench.ended(id)).output).toEqual([id]);
  expect(bench.engine.counts["replays"]).toBe(4);
  await bench.close();
});
