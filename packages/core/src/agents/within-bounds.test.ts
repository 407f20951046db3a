// What a call says of itself before its complete-by: once, and nothing after it.
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { bounds } from "../../tests/bounds.ts";
import type { AgentReply } from "./agent.ts";
import { routeAgent } from "./route-agent.ts";

const NOW = "2026-01-01T12:00:00.000Z";
const NO_ANSWER = "no answer before complete-by";
const after = (ms: number) => new Date(Date.parse(NOW) + ms).toISOString();

const done: AgentReply = { kind: "done", result: { id: "r-1" } };
const down: AgentReply = { kind: "unavailable", message: "HTTP 503" };
/** A service that never answers, and does not even notice the abort. */
const hangs = () => new Promise<AgentReply>(() => undefined);

const REQUEST = {
  job: { jobId: "job-1", workflow: "job-fulfilment", priority: "normal" },
  results: {},
  idempotencyKey: "job-1:reserveStock:forward",
  compensates: null,
} as const;

beforeEach(() => void vi.useFakeTimers({ now: Date.parse(NOW) }));
afterEach(() => {
  expect(vi.getTimerCount(), "timers left behind").toBe(0);
  vi.useRealTimers();
});

test.each<[string, () => AgentReply | Promise<AgentReply>, string]>([
  ["a try has no answer", hangs, NO_ANSWER],
  ["its tries fail", () => down, "HTTP 503"],
])("what is known is said once before it, and nothing after it: %s", async (_, answer, message) => {
  const said: [number, string, object?][] = [];
  const at = () => Date.now() - Date.parse(NOW);
  const agent = routeAgent(
    { name: "inventory", operations: { work: async () => answer() } },
    [{ url: "http://a/", capacity: 1 }],
    {
      now: Date.now,
    },
  );
  const reply = agent.call("work", REQUEST, {
    ...bounds(after(10_000)),
    stillAtWork: async () => void said.push([at(), "at work"]),
    noteFault: async (fault) => void said.push([at(), "fault", fault]),
  });
  await vi.runAllTimersAsync();
  expect(await reply).toMatchObject({ kind: "expired" });
  expect(at()).toBeGreaterThanOrEqual(10_000);
  expect(said).toEqual([
    [2000, "at work"],
    [
      9000,
      "fault",
      { tries: expect.any(Number), lastError: { endpoint: "http://a/", message: expect.stringContaining(message) } },
    ],
  ]);
});

test("what is done in time has no fault", async () => {
  const noteFault = vi.fn(async () => undefined);
  const agent = routeAgent(
    { name: "inventory", operations: { work: async () => done } },
    [{ url: "http://a/", capacity: 1 }],
    { now: Date.now },
  );
  expect(await agent.call("work", REQUEST, { ...bounds(after(10_000)), noteFault })).toMatchObject({ kind: "done" });
  await vi.runAllTimersAsync();
  expect(noteFault).not.toHaveBeenCalled();
});

describe("a machine that was suspended: its timers stood still, and its clock did not", () => {
  const called: string[] = [];
  beforeEach(() => void called.splice(0));

  function begun(answer: () => AgentReply, onCredential: () => void = () => undefined) {
    const work = async () => {
      called.push(new Date().toISOString());
      return answer();
    };
    const authentication = { kind: "header", header: "x-key", setting: "Key" } as const;
    const settingOf = () => {
      onCredential();
      return "secret";
    };
    const agent = routeAgent(
      { name: "inventory", operations: { work } },
      [{ url: "http://a/", capacity: 1, authentication }],
      { now: Date.now, authenticators: { settingOf, identity: { getToken: async () => null } } },
    );
    const said: string[] = [];
    const reply = agent.call("work", REQUEST, {
      ...bounds(after(10_000)),
      stillAtWork: async () => void said.push("at work"),
      noteFault: async () => void said.push("fault"),
    });
    return { reply, said };
  }

  test("no try begins after complete-by, and nothing is said", async () => {
    const { reply, said } = begun(() => down);
    await vi.advanceTimersByTimeAsync(1);
    const before = called.length;
    vi.setSystemTime(after(60_000));
    await vi.runAllTimersAsync();
    expect(await reply).toMatchObject({ kind: "expired" });
    expect(called).toHaveLength(before);
    expect(said).toEqual([]);
  });

  test("nor does one whose credential came too late", async () => {
    const { reply } = begun(
      () => done,
      () => void vi.setSystemTime(after(60_000)),
    );
    await vi.runAllTimersAsync();
    expect(await reply).toMatchObject({ kind: "expired" });
    expect(called).toEqual([]);
  });
});
