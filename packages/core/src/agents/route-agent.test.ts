// Retry, breaker, lanes and complete-by of a routed agent, with scripted operations.
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { bounds } from "../../tests/bounds.ts";
import type { AgentCall, AgentReply, Endpoint } from "./agent.ts";
import { type RouteOptions, routeAgent } from "./route-agent.ts";
import type { Health } from "./routing.ts";

const NOW = "2026-01-01T12:00:00.000Z";
const after = (ms: number) => new Date(Date.parse(NOW) + ms).toISOString();

const done: AgentReply = { kind: "done", result: { id: "r-1" } };
const down: AgentReply = { kind: "unavailable", message: "HTTP 503", inShort: "HTTP 503" };
/** A service that never answers, and does not even notice the abort. */
const hangs = () => new Promise<AgentReply>(() => undefined);

const REQUEST = {
  job: {
    jobId: "job-1",
    workflow: "job-fulfilment",
    priority: "normal",
    customer: { id: "customer-7" },
    lines: [{ sku: "TEA-1", quantity: 2, unitPrice: 450 }],
    currency: "EUR",
    paymentToken: "tok_visa",
    shipTo: { name: "Ada", street: "1 Analytical Way", city: "London", postalCode: "N1 1AA", country: "GB" },
  },
  results: {},
  idempotencyKey: "job-1:reserveStock:forward",
  compensates: null,
} as const;

interface Seen extends AgentCall {
  readonly at: number;
}

let seen: Seen[];
let health: { url: string; state: Health; why: string }[];

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse(NOW) });
  seen = [];
  health = [];
});

afterEach(() => {
  expect(vi.getTimerCount(), "timers left behind").toBe(0);
  vi.useRealTimers();
});

/** An agent with one operation, `work`, at endpoints named by their capacities. */
function route(
  answer: (request: AgentCall) => Promise<AgentReply> | AgentReply,
  capacities: { readonly [url: string]: number } = { "http://a/": 64 },
  options: Partial<RouteOptions> = {},
) {
  const endpoints = Object.entries(capacities).map(([url, capacity]): Endpoint => ({ url, capacity }));
  const work = async (request: AgentCall) => {
    seen.push({ ...request, at: Date.now() });
    return answer(request);
  };
  const agent = routeAgent({ name: "inventory", operations: { work } }, endpoints, {
    now: Date.now,
    onHealth: (_agent, url, state, why) => health.push({ url, state, why }),
    ...options,
  });
  return (completeInMs = 10_000, priority: "normal" | "high" = "normal") =>
    agent.call("work", REQUEST, bounds(new Date(Date.now() + completeInMs).toISOString(), priority));
}

const states = () => health.map(({ state }) => state);

describe("P9 P13 a rejection after other tries", () => {
  const no: AgentReply = { kind: "rejected", message: "sold out" };

  test.each<[string, () => AgentReply | Promise<AgentReply>, boolean]>([
    ["that never ended", hangs, true],
    ["whose connection broke", () => ({ ...down, mayHaveHappened: true }), true],
    ["that were answered", () => down, false],
  ])("%s is of unknown outcome only where one may yet take effect", async (_, first, outcomeUnknown) => {
    const reply = route(() => (seen.length < 3 ? first() : no))(60_000);
    await vi.runAllTimersAsync();
    expect(seen).toHaveLength(3);
    const bounded = { ...no, endpoint: "http://a/", because: expect.any(String) };
    expect(await reply).toEqual(outcomeUnknown ? { ...bounded, outcomeUnknown } : bounded);
  });
});

describe("P6 retry", () => {
  test("tries again with growing pauses, all under one key, until it is done", async () => {
    const call = route(() => (seen.length < 5 ? down : done));
    const reply = call();
    await vi.runAllTimersAsync();
    expect(await reply).toEqual({ kind: "done", result: { id: "r-1" }, endpoint: "http://a/", because: "only one" });
    expect(new Set(seen.map(({ idempotencyKey }) => idempotencyKey))).toEqual(new Set([REQUEST.idempotencyKey]));
    expect(seen).toHaveLength(5);
  });

  test("full jitter: a pause may be anything from nothing to the growing limit", async () => {
    for (const [random, pauses] of [
      [0, [0, 0, 0]],
      [0.5, [50, 100, 200]],
      [0.999, [99, 199, 399]],
    ] as const) {
      seen = [];
      const fixed = vi.spyOn(Math, "random").mockReturnValue(random);
      const reply = route(() => (seen.length < 4 ? down : done))();
      await vi.runAllTimersAsync();
      await reply;
      expect(seen.slice(1).map(({ at }, index) => at - (seen[index]?.at ?? 0))).toEqual(pauses);
      fixed.mockRestore();
    }
  });

  test("P9 what is rejected for good is not tried again, and does not make the endpoint look ill", async () => {
    const call = route(() => ({ kind: "rejected", message: "out of stock" }));
    for (let n = 0; n < 20; n++) expect(await call()).toMatchObject({ kind: "rejected", message: "out of stock" });
    expect(health).toEqual([]);
  });

  test("a try without an answer is given up and made again", async () => {
    const call = route((request) =>
      seen.length === 1 ? hangs() : { kind: "done", result: { url: request.endpoint } },
    );
    const reply = call(10_000);
    await vi.advanceTimersByTimeAsync(4999);
    expect(seen).toHaveLength(1);
    await vi.runAllTimersAsync();
    expect(await reply).toMatchObject({ kind: "done" });
    expect(seen[0]?.signal.aborted).toBe(true);
  });

  test("a bug in an operation is thrown, and the place is given back", async () => {
    const call = route(
      () => {
        if (seen.length === 1) throw new Error("no such member");
        return done;
      },
      { "http://a/": 1 },
    );
    await expect(call()).rejects.toThrow("no such member");
    expect(await call()).toMatchObject({ kind: "done" });
  });

  test("an operation that is not there, and an instant that is none, are bugs", async () => {
    const agent = routeAgent({ name: "inventory", operations: {} }, [{ url: "http://a/", capacity: 1 }], {
      now: Date.now,
    });
    await expect(agent.call("toString", REQUEST, bounds(after(9)))).rejects.toThrow("no operation toString");
    expect(() => routeAgent({ name: "inventory", operations: {} }, [], { now: Date.now })).toThrow("no endpoint");
  });
});

describe("P8 complete-by", () => {
  const NO_ANSWER = "no answer before complete-by";
  const lastError = (message: string) => ({ endpoint: "http://a/", message });

  test("has passed: nothing is called", async () => {
    expect(await route(() => done)(0)).toEqual({ kind: "expired", tries: 0 });
    expect(seen).toEqual([]);
  });

  test("in the middle of a call: it is aborted and the answer is there at once", async () => {
    const reply = route(hangs)(700);
    await vi.advanceTimersByTimeAsync(700);
    expect(await reply).toEqual({ kind: "expired", tries: 1, lastError: lastError(NO_ANSWER), outcomeUnknown: true });
    expect(seen[0]?.signal.aborted).toBe(true);
  });

  test("in the middle of a pause", async () => {
    vi.spyOn(Math, "random").mockReturnValueOnce(0.9);
    const reply = route(() => down)(60);
    await vi.advanceTimersByTimeAsync(60);
    expect(await reply).toEqual({ kind: "expired", tries: 1, lastError: lastError("HTTP 503") });
  });

  test("P26 while waiting for capacity it was not taken up, and the place goes to nobody", async () => {
    const call = route(() => hangs(), { "http://a/": 1 });
    const [first, second] = [call(900), call(300)];
    await vi.advanceTimersByTimeAsync(300);
    expect(await second).toEqual({ kind: "notTakenUp" });
    await vi.advanceTimersByTimeAsync(600);
    expect(await first).toEqual({ kind: "expired", tries: 1, lastError: lastError(NO_ANSWER), outcomeUnknown: true });
    expect(seen).toHaveLength(1);
  });

  test("while all endpoints are broken", async () => {
    const call = route(
      () => down,
      { "http://a/": 64 },
      { breaker: { failures: 1, openMs: 60_000, longestOpenMs: 60_000 } },
    );
    const reply = call(500);
    // One after the other: two advances at once would race, and the second call might begin after both.
    await vi.advanceTimersByTimeAsync(1);
    const other = call(400);
    await vi.advanceTimersByTimeAsync(500);
    expect(await reply).toEqual({ kind: "expired", tries: 1, lastError: lastError("HTTP 503") });
    const untried = lastError("gets no calls: HTTP 503");
    expect(await other).toEqual({ kind: "expired", tries: 0, lastError: untried });
  });

  test("a far one is no near one", async () => {
    const reply = route(() => (seen.length < 2 ? down : done))(90 * 86_400_000);
    await vi.advanceTimersByTimeAsync(200);
    expect(await reply).toMatchObject({ kind: "done" });
  });
});

describe("P18 the circuit breaker", () => {
  test("an endpoint down: the other one takes over, and the circuit opens", async () => {
    const call = route(({ endpoint }) => (endpoint === "http://a/" ? down : done), { "http://a/": 9, "http://b/": 9 });
    for (let n = 0; n < 30; n++) {
      const reply = call();
      await vi.advanceTimersByTimeAsync(100);
      expect(await reply).toMatchObject({ kind: "done", endpoint: "http://b/" });
      if (states().includes("broken")) break;
    }
    expect(health).toEqual([{ url: "http://a/", state: "broken", why: "HTTP 503" }]);
    expect(seen.filter(({ endpoint }) => endpoint === "http://a/")).toHaveLength(5);
    expect(await call()).toMatchObject({ endpoint: "http://b/", because: "only healthy one" });
  });

  test("after the outage one probe at a time, then back to work", async () => {
    let answer: () => Promise<AgentReply> | AgentReply = () => down;
    const call = route(() => answer(), { "http://a/": 64 }, { breaker: { failures: 1 }, tryTimeoutMs: 2000 });
    const replies = [call(60_000)];
    await vi.advanceTimersByTimeAsync(100);
    expect(seen).toHaveLength(1);
    answer = hangs;
    for (let n = 0; n < 10; n++) replies.push(call(60_000));
    await vi.advanceTimersByTimeAsync(1000);
    expect(seen, "one probe of eleven calls").toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1900);
    expect(seen, "still only that one while it is under way").toHaveLength(2);
    answer = () => done;
    await vi.runAllTimersAsync();
    const kinds = (await Promise.all(replies)).map(({ kind }) => kind);
    expect(kinds).toEqual(Array(11).fill("done"));
    expect(states()).toEqual(["broken", "probing", "broken", "probing", "healthy"]);
    expect(seen.length).toBe(2 + 11);
  });

  test("failures of a part of the calls open it as well", async () => {
    const call = route(() => (seen.length % 3 === 0 ? done : down));
    const replies = Array.from({ length: 20 }, () => call(300));
    await vi.advanceTimersByTimeAsync(300);
    await Promise.all(replies);
    expect(states()).toContain("broken");
  });

  test("what complete-by cuts off early reveals nothing of the endpoint", async () => {
    const call = route(hangs);
    const replies = Array.from({ length: 20 }, () => call(200));
    await vi.advanceTimersByTimeAsync(200);
    await Promise.all(replies);
    expect(health).toEqual([]);
  });

  test("a call from before the outage does not end it, nor the probe", async () => {
    const answers = [down, done, down, done];
    const call = route(
      async () => {
        const nth = seen.length;
        await new Promise((resolve) => setTimeout(resolve, [10, 1100, 2500, 10][nth - 1]));
        return answers[nth - 1] ?? done;
      },
      { "http://a/": 64 },
      { breaker: { failures: 1 } },
    );
    const replies = [call(60_000), call(60_000)];
    await vi.advanceTimersByTimeAsync(1090);
    expect(states(), "the probe is under way").toEqual(["broken", "probing"]);
    await vi.advanceTimersByTimeAsync(100);
    expect(await replies[1], "the late one is done").toMatchObject({ kind: "done" });
    expect(states()).toEqual(["broken", "probing"]);
    await vi.runAllTimersAsync();
    expect(await replies[0]).toMatchObject({ kind: "done" });
    expect(states()).toEqual(["broken", "probing", "broken", "probing", "healthy"]);
  });

  test("a probe that complete-by cuts off leaves the next call to be the probe", async () => {
    let answer: () => Promise<AgentReply> | AgentReply = () => down;
    const call = route(() => answer(), { "http://a/": 64 }, { breaker: { failures: 1 } });
    const first = call(50);
    await vi.advanceTimersByTimeAsync(1000);
    expect(await first).toMatchObject({ kind: "expired" });
    answer = hangs;
    const probe = call(100);
    await vi.advanceTimersByTimeAsync(100);
    expect(await probe).toMatchObject({ kind: "expired", tries: 1 });
    answer = () => done;
    expect(await call()).toMatchObject({ kind: "done", because: "probe after an outage" });
    expect(states()).toEqual(["broken", "probing", "probeDue", "probing", "healthy"]);
  });
});

describe("P18 Retry-After", () => {
  const busy: AgentReply = { kind: "unavailable", message: "HTTP 429", inShort: "HTTP 429", retryAfterMs: 3000 };

  test("the only endpoint is left alone for so long, by other calls too", async () => {
    const call = route(() => (Date.now() < Date.parse(after(3000)) ? busy : done));
    const replies = [call()];
    await vi.advanceTimersByTimeAsync(100);
    replies.push(call(), call(10_000, "high"));
    await vi.advanceTimersByTimeAsync(2899);
    expect(seen).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect((await Promise.all(replies)).map(({ kind }) => kind)).toEqual(["done", "done", "done"]);
    expect(health).toEqual([{ url: "http://a/", state: "resting", why: "HTTP 429" }]);
  });

  test("another endpoint goes on meanwhile", async () => {
    const call = route(({ endpoint }) => (endpoint === "http://a/" ? busy : done), { "http://a/": 9, "http://b/": 9 });
    const reply = call();
    await vi.advanceTimersByTimeAsync(100);
    expect(await reply).toMatchObject({ endpoint: "http://b/", because: "only healthy one" });
  });

  test("a mistaken one of days is cut", async () => {
    const call = route(
      () => (seen.length === 1 ? { ...busy, retryAfterMs: 9e9 } : done),
      { "http://a/": 9 },
      { breaker: { longestRestMs: 1000 } },
    );
    const reply = call();
    await vi.advanceTimersByTimeAsync(1000);
    expect(await reply).toMatchObject({ kind: "done" });
  });
});

describe("P19 capacity and lanes", () => {
  const takes100Ms = () => new Promise<AgentReply>((resolve) => setTimeout(() => resolve(done), 100));

  test("no endpoint has more under way than its capacity, and load follows capacity", async () => {
    const underWay = { "http://a/": 0, "http://b/": 0 };
    const most = { ...underWay };
    const call = route(
      async ({ endpoint }) => {
        const url = endpoint as keyof typeof underWay;
        underWay[url] += 1;
        most[url] = Math.max(most[url], underWay[url]);
        const reply = await takes100Ms();
        underWay[url] -= 1;
        return reply;
      },
      { "http://a/": 2, "http://b/": 6 },
    );
    const replies = Array.from({ length: 40 }, () => call());
    await vi.runAllTimersAsync();
    expect((await Promise.all(replies)).every(({ kind }) => kind === "done")).toBe(true);
    expect(most).toEqual({ "http://a/": 2, "http://b/": 6 });
    expect(Date.now() - Date.parse(NOW)).toBe(500);
  });

  test("high ones go first, and one place in four is a normal one's", async () => {
    const job: string[] = [];
    const call = route(takes100Ms, { "http://a/": 1 });
    const note = (name: string) => () => void job.push(name);
    const replies = [call().then(note("first"))];
    for (let n = 0; n < 4; n++) replies.push(call(60_000).then(note("normal")));
    for (let n = 0; n < 8; n++) replies.push(call(60_000, "high").then(note("high")));
    await vi.runAllTimersAsync();
    await Promise.all(replies);
    expect(job.join(" ")).toBe("first high high high normal high high high normal high high normal normal");
  });

  test("the waiting room is bounded: who finds it full asks again later", async () => {
    const fixed = vi.spyOn(Math, "random").mockReturnValue(0.999);
    const call = route(takes100Ms, { "http://a/": 1 }, { waitingRoom: 2 });
    const replies = Array.from({ length: 6 }, () => call(60_000));
    await vi.runAllTimersAsync();
    fixed.mockRestore();
    expect((await Promise.all(replies)).map(({ kind }) => kind)).toEqual(Array(6).fill("done"));
    expect(Date.now() - Date.parse(NOW), "more than six calls in a row take").toBeGreaterThan(600);
  });

  test("who waited for a pause to end and got another place leaves no timer", async () => {
    const busy: AgentReply = { kind: "unavailable", message: "HTTP 429", inShort: "HTTP 429", retryAfterMs: 3000 };
    const call = route(({ endpoint }) => (endpoint === "http://a/" ? busy : takes100Ms()), {
      "http://a/": 1,
      "http://b/": 1,
    });
    const replies = [call(), call(), call()];
    await vi.advanceTimersByTimeAsync(500);
    expect((await Promise.all(replies)).map(({ kind }) => kind)).toEqual(["done", "done", "done"]);
  });
});
