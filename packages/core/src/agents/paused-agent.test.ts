// A paused agent begins no call; how its endpoints do can be seen at any time.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { bounds } from "../../tests/bounds.ts";
import { sampleJob } from "../../tests/jobs.ts";
import type { AgentReply } from "./agent.ts";
import type { EndpointHealth } from "./endpoint-pool.ts";
import { routeAgent } from "./route-agent.ts";

const NOW = Date.parse("2026-01-01T12:00:00.000Z");
const REQUEST = {
  job: sampleJob("job-1"),
  results: {},
  idempotencyKey: "job-1:work:forward",
  compensates: null,
};

beforeEach(() => void vi.useFakeTimers({ now: NOW }));
afterEach(() => void vi.useRealTimers());

function routed(answer: () => Promise<AgentReply>) {
  const state = { isPaused: false, calls: 0 };
  let health: () => EndpointHealth[] = () => [];
  const work = () => {
    state.calls += 1;
    return answer();
  };
  const agent = routeAgent({ name: "payment", operations: { work } }, [{ url: "https://pay.example/", capacity: 4 }], {
    now: Date.now,
    breaker: { failures: 1 },
    mayBegin: async (name) => !(name === "payment" && state.isPaused),
    onRouted: (_, read) => {
      health = read;
    },
  });
  const call = () => agent.call("work", REQUEST, bounds(new Date(Date.now() + 10_000).toISOString()));
  return { state, call, health: () => health() };
}

test("P26 while it is paused its service is not called, and the step counts as not taken up", async () => {
  const { state, call } = routed(async () => ({ kind: "done", result: {} }));
  state.isPaused = true;
  expect(await call()).toEqual({ kind: "notTakenUp" });
  expect(state.calls).toBe(0);
  state.isPaused = false;
  expect(await call()).toMatchObject({ kind: "done" });
});

test("a call that is under way when it is paused ends", async () => {
  let end = (_: AgentReply) => {};
  const { state, call, health } = routed(() => new Promise((resolve) => (end = resolve)));
  const called = call();
  await vi.waitFor(() => expect(state.calls).toBe(1));
  state.isPaused = true;
  expect(health()).toMatchObject([{ inFlight: 1, capacity: 4, health: "healthy", lastError: null }]);
  end({ kind: "done", result: {} });
  expect(await called).toMatchObject({ kind: "done" });
  expect(health()).toMatchObject([{ inFlight: 0 }]);
});

test("an endpoint whose breaker is open says why", async () => {
  const { call, health } = routed(async () => ({ kind: "unavailable", message: "503: a text", inShort: "503" }));
  const called = call();
  await vi.advanceTimersByTimeAsync(11_000);
  await called;
  expect(health()).toMatchObject([{ endpoint: "https://pay.example/", isSlow: false, lastError: "503" }]);
  expect(["broken", "probeDue"]).toContain(health()[0]?.health);
});
