// What an agent declares of an operation (P6): its try's time, tries, pauses, at most once, and the question before a repeat.

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { bounds as boundsOf } from "../../tests/bounds.ts";
import { NOON_MS, sampleJob } from "../../tests/jobs.ts";
import type { Agent, AgentCall, AgentReply, AgentRequest, Finding, OperationPolicy, Poll } from "./agent.ts";
import { routeAgent } from "./route-agent.ts";

const REQUEST = {
  job: sampleJob("job-1"),
  results: {},
  idempotencyKey: "job-1:work:forward",
  compensates: null,
};
const URL = "http://a/";

const done: AgentReply = { kind: "done", result: { id: "r-1" } };
const no: AgentReply = { kind: "rejected", message: "sold out" };
const down: AgentReply = { kind: "unavailable", message: "HTTP 503" };
const failed: AgentReply = { kind: "unavailable", message: "HTTP 502", mayHaveHappened: true };
const absent: Finding = { kind: "absent" };
const hangs = () => new Promise<never>(() => undefined);

/** What was called, and how many milliseconds after noon. */
let seen: string[];
let seenCalls: AgentCall[];

beforeEach(() => {
  vi.useFakeTimers({ now: NOON_MS });
  vi.spyOn(Math, "random").mockReturnValue(0.5);
  [seen, seenCalls] = [[], []];
});

afterEach(() => {
  expect(vi.getTimerCount(), "timers left behind").toBe(0);
  vi.restoreAllMocks();
  vi.useRealTimers();
});

type Script<Answer> = readonly (Answer | (() => Promise<never>))[];

/** Answers by a script, the last one for all that follow. */
function scripted<Answer>(name: string, script: Script<Answer>) {
  let count = 0;
  return async (call: AgentCall): Promise<Answer> => {
    seen.push(`${name} ${Date.now() - NOON_MS}`);
    seenCalls.push(call);
    const answer = script[Math.min(count++, script.length - 1)] as Answer | (() => Promise<never>);
    return typeof answer === "function" ? (answer as () => Promise<never>)() : answer;
  };
}

const find = (settlesWithinMs: number, ...script: Script<Finding>): OperationPolicy => ({
  find: { ask: scripted("find", script), settlesWithinMs },
});

async function call(
  script: Script<AgentReply>,
  policy: OperationPolicy,
  { withinMs = 60_000, ...more }: Partial<AgentRequest> & { readonly withinMs?: number } = {},
) {
  const agent: Agent = { name: "flights", operations: { work: scripted("work", script) }, policies: { work: policy } };
  const routed = routeAgent(agent, [{ url: URL, capacity: 4 }], { now: Date.now, breaker: { failures: 100 } });
  const completeBy = new Date(NOON_MS + withinMs).toISOString();
  const reply = routed.call("work", { ...REQUEST, ...more }, boundsOf(completeBy));
  await vi.runAllTimersAsync();
  return reply;
}

const DONE = { ...done, endpoint: URL, because: "only one" };

describe("tries", () => {
  test("a try's time is the operation's own", async () => {
    expect(await call([hangs, done], { tryTimeoutMs: 8000 })).toEqual(DONE);
    expect(seen).toEqual(["work 0", "work 8050"]);
  });

  test("pauses are the operation's own", async () => {
    await call([down, down, down, done], { backoff: { firstMs: 1000, longestMs: 2000 } });
    expect(seen).toEqual(["work 0", "work 500", "work 1500", "work 2500"]);
  });

  test("after the most tries it is silent at once, and says what the last one met", async () => {
    const lastError = { endpoint: URL, message: "HTTP 502" };
    expect(await call([down, failed], { tries: 2 })).toEqual({
      kind: "expired",
      tries: 2,
      lastError,
      outcomeUnknown: true,
    });
    expect(seen).toEqual(["work 0", "work 50"]);
  });

  test("an operation sees by when it has to be done", async () => {
    await call([failed, done], find(0, absent), { withinMs: 4000 });
    expect(seen.map((what) => what.split(" ")[0])).toEqual(["work", "find", "work"]);
    for (const { completeBy } of seenCalls) expect(completeBy).toBe("2026-01-01T12:00:04.000Z");
  });

  test("a policy for what is no operation is a bug", () => {
    const agent: Agent = { name: "flights", operations: {}, policies: { book: { tries: 1 } } };
    expect(() => routeAgent(agent, [{ url: URL, capacity: 1 }], { now: Date.now })).toThrow("a policy for book");
  });
});

describe("at most once", () => {
  const once = { atMostOnce: true };

  test.each<[string, Script<AgentReply>, string]>([
    ["no answer in its time", [hangs, done], "no answer within 5000 ms"],
    ["a connection that broke", [failed, done], "HTTP 502"],
    ["a pause first, and then a failure", [down, failed, done], "HTTP 502"],
  ])("%s: not again", async (_, script, cause) => {
    expect(await call(script, once)).toEqual({
      kind: "rejected",
      message: `not tried again, for it may have been done (at most once): ${cause}`,
      endpoint: URL,
      because: "at most once",
      outcomeUnknown: true,
    });
    expect(seen).toHaveLength(script.length - 1);
  });

  test("what was not taken is tried again", async () => {
    expect(await call([down, down, done], once)).toEqual(DONE);
  });

  test("what an earlier call may have done is not tried", async () => {
    expect(await call([done], once, { mayHaveHappened: true })).toMatchObject({
      kind: "rejected",
      message: expect.stringContaining("an earlier attempt was not answered"),
      outcomeUnknown: true,
    });
    expect(seen).toEqual([]);
  });
});

describe("find", () => {
  test("found after a try without an answer: that is the answer", async () => {
    expect(await call([hangs], find(0, done))).toEqual(DONE);
    expect(seen).toEqual(["work 0", "find 5050"]);
  });

  test("nothing is asked after a try that was not taken", async () => {
    expect(await call([down, done], find(0, absent))).toEqual(DONE);
    expect(seen).toEqual(["work 0", "work 50"]);
  });

  test("nothing there counts once the try can't take effect any more; then it is tried again", async () => {
    expect(await call([hangs, done], find(1000, absent))).toEqual(DONE);
    const asked = seen.slice(1, -1).map((what) => Number(what.split(" ")[1]));
    expect(asked.length).toBeGreaterThan(2);
    expect(asked.at(-2), "no conclusion before").toBeLessThan(6000);
    expect(asked.at(-1)).toBeGreaterThanOrEqual(6000);
    expect(seen.at(-1)).toBe(`work ${asked.at(-1)}`);
  });

  test("a question that was asked before that instant concludes nothing, however late its answer", async () => {
    const late = async () => {
      await new Promise((resolve) => setTimeout(resolve, 2000));
      return absent as never;
    };
    await call([failed, done], find(1000, late, absent));
    expect(seen.map((what) => what.split(" ")[0])).toEqual(["work", "find", "find", "work"]);
  });

  test("it took effect between two questions: found, and not tried again", async () => {
    expect(await call([hangs, no], find(60_000, absent, absent, absent, done))).toEqual(DONE);
    expect(seen.filter((what) => what.startsWith("work"))).toHaveLength(1);
  });

  test("the question fails: it is asked again, and nothing else is tried", async () => {
    expect(await call([failed, no], find(0, down, failed, hangs, done))).toEqual(DONE);
    expect(seen.map((what) => what.split(" ")[0])).toEqual(["work", "find", "find", "find", "find"]);
  });

  test("the service says that it rejected: that is the answer, and nothing is of unknown outcome", async () => {
    expect(await call([failed], find(0, no))).toEqual({ ...no, endpoint: URL, because: "only one" });
  });

  test("rejected in a try after nothing was there: nothing is of unknown outcome", async () => {
    expect(await call([failed, no], find(0, absent))).not.toHaveProperty("outcomeUnknown");
  });

  test("is asked first where an earlier call may have done it", async () => {
    expect(await call([no], find(1000, done), { mayHaveHappened: true })).toEqual(DONE);
    expect(seen).toEqual(["find 0"]);
  });

  test.each([
    ["unknown when: as if until now", undefined, 1000],
    ["an instant that is none: likewise", "yesterday", 1000],
    ["a while ago: only the rest of the time is awaited", new Date(NOON_MS - 600).toISOString(), 400],
    ["long ago: nothing is awaited", "2026-01-01T11:00:00.000Z", 0],
  ])("an earlier call tried until %s", async (_, triedUntil, settledMs) => {
    await call([done], find(1000, absent), { mayHaveHappened: true, triedUntil });
    const at = Number(seen.at(-1)?.replace("work ", ""));
    expect(at).toBeGreaterThanOrEqual(settledMs);
    expect(at).toBeLessThan(settledMs === 0 ? 1 : settledMs * 3);
  });

  test("is asked after the last try too, before that is given up", async () => {
    expect(await call([failed], { ...find(0, done), tries: 1 })).toEqual(DONE);
    seen = [];
    const gaveUp = await call([failed], { ...find(0, absent), tries: 1 });
    expect(gaveUp).toEqual({ kind: "expired", tries: 1, lastError: { endpoint: URL, message: "HTTP 502" } });
  });

  test("not answered before complete-by: it times out, and its outcome stays unknown", async () => {
    const reply = await call([failed], find(60_000, absent), { withinMs: 2000 });
    expect(reply).toEqual({
      kind: "expired",
      tries: 1,
      lastError: { endpoint: URL, message: "HTTP 502" },
      outcomeUnknown: true,
    });
    expect(await call([done], find(0, absent), { withinMs: 0, mayHaveHappened: true })).toMatchObject({
      outcomeUnknown: true,
    });
  });
});

describe("later", () => {
  const pending: AgentReply = { kind: "pending", retryAfterMs: 60_000, reference: "b-7" };
  const poll = (...script: Script<AgentReply>): OperationPolicy => ({ poll: scripted("poll", script) as Poll });
  const awaited = { reference: "b-7" };

  test("a service that wants to be asked later is asked no more for now", async () => {
    expect(await call([pending], poll())).toEqual({ ...pending, endpoint: URL, because: "only one" });
    expect(seen).toEqual(["work 0"]);
  });

  test("asked later, the poll is called in the operation's place, with the service's reference", async () => {
    const given: unknown[] = [];
    const policy: OperationPolicy = {
      poll: async (_, reference) => {
        given.push(reference);
        return { kind: "done", result: { id: "r-1" } };
      },
    };
    expect(await call([no], policy, { awaited })).toEqual(DONE);
    expect([given, seen]).toEqual([["b-7"], []]);
  });

  test("a poll is made once: whoever asks later holds nothing meanwhile", async () => {
    const lastError = { endpoint: URL, message: "HTTP 503" };
    expect(await call([], poll(down, done), { awaited })).toEqual({ kind: "expired", tries: 1, lastError });
    expect(seen).toEqual(["poll 0"]);
  });

  test("an operation without a poll that wants to be asked later is rejected for good, in words, and may be compensated", async () => {
    expect(await call([pending], {})).toMatchObject({
      kind: "rejected",
      message: expect.stringContaining("its policy has no poll"),
      outcomeUnknown: true,
    });
  });
});

test("without a policy all is as the settings say", async () => {
  expect(await call([hangs, failed, down, done], {})).toEqual(DONE);
  expect(seen).toEqual(["work 0", "work 5050", "work 5150", "work 5350"]);
  expect(await call([no], {}, { mayHaveHappened: true })).toMatchObject({ kind: "rejected", outcomeUnknown: true });
});
