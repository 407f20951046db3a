// Slow is not broken (P18, P19): slowness opens no circuit, and steers calls only where another endpoint has room.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { bounds as boundsOf } from "../../tests/bounds.ts";
import { sampleJob } from "../../tests/jobs.ts";
import type { AgentReply, RoutedAgent } from "./agent.ts";
import { routeAgent } from "./route-agent.ts";

const done: AgentReply = { kind: "done", result: {} };
const REQUEST = {
  job: sampleJob("job-1"),
  results: {},
  idempotencyKey: "job-1:work:forward",
  compensates: null,
};

let health: string[];
/** How long each endpoint takes now. */
let takesMs: { [url: string]: number };
let served: string[];

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse("2026-01-01T12:00:00.000Z") });
  [health, served, takesMs] = [[], [], {}];
});

afterEach(() => {
  expect(vi.getTimerCount(), "timers left behind").toBe(0);
  vi.useRealTimers();
});

function route(capacities: { readonly [url: string]: number }): RoutedAgent {
  const work = async ({ endpoint }: { readonly endpoint: string }) => {
    served.push(endpoint);
    await new Promise((resolve) => setTimeout(resolve, takesMs[endpoint]));
    return done;
  };
  const endpoints = Object.entries(capacities).map(([url, capacity]) => ({ url, capacity }));
  const onHealth = (_: string, url: string, state: string, why: string) => health.push(`${url} ${state}: ${why}`);
  return routeAgent({ name: "inventory", operations: { work } }, endpoints, { now: Date.now, onHealth });
}

const call = (agent: RoutedAgent) => agent.call("work", REQUEST, boundsOf(new Date(Date.now() + 10_000).toISOString()));

/** So many calls, 100 ms from one to the next; then all that they came to. */
async function callOften(agent: RoutedAgent, count: number) {
  const replies = [];
  for (let n = 0; n < count; n++) {
    replies.push(call(agent));
    await vi.advanceTimersByTimeAsync(100);
  }
  await vi.runAllTimersAsync();
  return Promise.all(replies);
}

test("P18 200 calls at 10 a second to the only endpoint, each answered after 3.2 s: all are done", async () => {
  takesMs = { "http://a/": 3200 };
  const replies = await callOften(route({ "http://a/": 64 }), 200);
  expect(replies.filter(({ kind }) => kind === "done")).toHaveLength(200);
  expect(health).toEqual([]);
});

test("P18 what complete-by cuts off after a slow service's time opens no circuit either", async () => {
  takesMs = { "http://a/": 4500 };
  const agent = route({ "http://a/": 64 });
  const completeBy = new Date(Date.now() + 4000).toISOString();
  const replies = Array.from({ length: 20 }, () => agent.call("work", REQUEST, boundsOf(completeBy)));
  await vi.runAllTimersAsync();
  expect((await Promise.all(replies)).every(({ kind }) => kind === "expired")).toBe(true);
  expect(health).toEqual([]);
});

test("P19 a slow endpoint gets one call at each interval while another has room, and its share when it is quick again", async () => {
  takesMs = { "http://a/": 3200, "http://b/": 50 };
  const agent = route({ "http://a/": 64, "http://b/": 64 });
  await callOften(agent, 1);
  expect(served).toEqual(["http://a/"]);
  served = [];
  await callOften(agent, 100);
  expect(served.filter((url) => url === "http://a/").length, "in 10 s").toBeLessThanOrEqual(2);
  takesMs["http://a/"] = 50;
  await callOften(agent, 60);
  served = [];
  await callOften(agent, 20);
  expect(served.filter((url) => url === "http://a/").length, "of 20, being the one that served less").toBeGreaterThan(
    9,
  );
  expect(health).toEqual([]);
});

test("P19 a slow endpoint takes what the others have no room for, and the record says why one was chosen", async () => {
  takesMs = { "http://a/": 3200, "http://b/": 3000 };
  const agent = route({ "http://a/": 64, "http://b/": 1 });
  await callOften(agent, 1);
  takesMs["http://b/"] = 2000;
  const replies = [call(agent), call(agent), call(agent)];
  await vi.runAllTimersAsync();
  expect(await Promise.all(replies)).toMatchObject([
    { kind: "done", endpoint: "http://b/", because: "least loaded of those that are not slow" },
    { kind: "done", endpoint: "http://a/" },
    { kind: "done", endpoint: "http://a/" },
  ]);
});

test("P19 a call that failed at the quick endpoint goes to the slow one", async () => {
  takesMs = { "http://a/": 3200, "http://b/": 0 };
  const work = async ({ endpoint }: { readonly endpoint: string }): Promise<AgentReply> => {
    await new Promise((resolve) => setTimeout(resolve, takesMs[endpoint]));
    return endpoint === "http://a/" ? done : { kind: "unavailable", message: "HTTP 503" };
  };
  const endpoints = ["http://a/", "http://b/"].map((url) => ({ url, capacity: 64 }));
  const agent = routeAgent({ name: "inventory", operations: { work } }, endpoints, { now: Date.now });
  for (let n = 0; n < 2; n++) {
    const reply = call(agent);
    await vi.runAllTimersAsync();
    expect(await reply).toMatchObject({ kind: "done", endpoint: "http://a/" });
  }
});
