// Who takes which agent's work, over two processes with one store between them: the answers of the store are some seconds old.

import { setImmediate } from "node:timers/promises";
import { createMemoryPauses } from "@scheduler-agent-supervisor/testing/memory";
import { beforeEach, expect, test } from "vitest";
import { type AgentPresence, createAgentPresence } from "../../src/scheduler/admission/agent-presence.ts";
import type { Watch } from "../../src/store/pause-store.ts";
import { NOON, NOON_MS } from "../jobs.ts";

const WINDOW_MS = 40_000;
const KEPT_MS = 5000;

let clock: number;
let stored: Map<string, Watch>;
let writes: number;
let isAway: boolean;
let isPaused: boolean;
beforeEach(() => {
  clock = NOON_MS;
  stored = new Map();
  writes = 0;
  isAway = false;
  isPaused = false;
});

/** One process: it keeps what it has read. */
function inProcess(): AgentPresence {
  let read: { readonly at: number; readonly watches: Map<string, Watch> } | undefined;
  return createAgentPresence({
    now: () => clock,
    pauses: {
      isPaused: async () => isPaused,
      pausesOf: async () => [],
      async watchOf(agent) {
        if (isAway) throw new Error("the store is away");
        if (!read || clock - read.at >= KEPT_MS) read = { at: clock, watches: new Map(stored) };
        return read.watches.get(agent);
      },
    },
    store: {
      async watch(watch) {
        if (isAway) throw new Error("the store is away");
        writes += 1;
        stored.set(watch.name, watch);
      },
    },
  });
}

const seen = async (presence: AgentPresence) => {
  presence.seen("fraud");
  await setImmediate();
};

test("while nobody waits for an agent, nothing is written", async () => {
  const worker = inProcess();
  for (let times = 0; times < 100; times += 1) {
    await seen(worker);
    clock += 1000;
  }
  expect(writes).toBe(0);
});

test("P26 two hundred steps that wait for one agent begin one watch; seen nowhere for the whole window, it is absent", async () => {
  const supervisor = inProcess();
  const all = () => Promise.all(Array.from({ length: 200 }, () => supervisor.availability("fraud", WINDOW_MS)));
  expect(new Set(await all())).toEqual(new Set(["unknown"]));
  expect(writes).toBe(1);
  clock += 2000;
  expect(new Set(await all())).toEqual(new Set(["unknown"]));
  expect(writes).toBe(1);
  clock += WINDOW_MS;
  expect(new Set(await all())).toEqual(new Set(["absent"]));
  expect(writes).toBe(2);
  clock += 2000;
  await all();
  expect(writes).toBe(2);
});

test("P26 what one process sees, another knows: the agent works, and works again after it was absent", async () => {
  const [supervisor, worker] = [inProcess(), inProcess()];
  expect(await supervisor.availability("fraud", WINDOW_MS)).toBe("unknown");
  clock += 10_000;
  await seen(worker);
  clock += WINDOW_MS - 5000;
  expect(await supervisor.availability("fraud", WINDOW_MS)).toBe("working");
  clock += WINDOW_MS;
  expect(await supervisor.availability("fraud", WINDOW_MS)).toBe("absent");
  expect(await supervisor.isAway("fraud")).toBe(true);
  clock += 15_000;
  await seen(worker);
  clock += 15_000;
  expect(await supervisor.availability("fraud", WINDOW_MS)).toBe("working");
  expect(await supervisor.isAway("fraud")).toBe(false);
  clock += 150_000;
  expect(await supervisor.availability("fraud", WINDOW_MS)).toBe("absent");
});

test("a process notes at most once in five seconds what it sees", async () => {
  const [supervisor, worker] = [inProcess(), inProcess()];
  await supervisor.availability("fraud", WINDOW_MS);
  for (let times = 0; times < 20; times += 1) {
    await seen(worker);
    clock += 1000;
  }
  expect(writes).toBe(1 + 4);
});

test("paused is paused, whatever was seen; while the store is away seeing an agent never fails, and the next one is noted", async () => {
  const [supervisor, worker] = [inProcess(), inProcess()];
  await supervisor.availability("fraud", WINDOW_MS);
  isPaused = true;
  expect(await supervisor.availability("fraud", WINDOW_MS)).toBe("paused");
  isAway = true;
  await seen(worker);
  isAway = false;
  clock += 1;
  await seen(worker);
  expect(stored.get("fraud")?.seenAt).toBe(new Date(clock).toISOString());
});

test("P26 what waited for an absent agent that an operator had paused goes on once it is resumed: nobody was to take its work", async () => {
  const { store, pauses, presence } = createMemoryPauses(() => clock);
  const agent = { kind: "agent", name: "shipping" } as const;
  await store.watch({ kind: "watch", name: "shipping", at: NOON, seenAt: null, absentAt: NOON }, clock);
  await pauses.pause({ ...agent, by: "ada", reason: "they move house" });
  clock += 600_000;
  expect(await presence.availability("shipping", 60_000)).toBe("paused");
  await pauses.resume(agent);
  expect(await presence.availability("shipping", 60_000)).toBe("unknown");
  clock += 125_000;
  expect(await presence.availability("shipping", 150_000)).toBe("unknown");
});

test("P26 what the engine began in this process is counted for ten seconds at least, and for twenty at most", () => {
  const worker = inProcess();
  const begin = (times: number) => {
    for (let time = 0; time < times; time += 1) worker.began(new Date(clock - 3000).toISOString());
  };
  begin(5);
  expect([worker.engineBegan, worker.engineLateMs]).toEqual([5, 3000]);
  clock += 9000;
  begin(2);
  expect(worker.engineBegan).toBe(7);
  clock += 9000;
  expect(worker.engineBegan).toBe(7);
  clock += 12_000;
  expect([worker.engineBegan, worker.engineLateMs]).toEqual([0, 3000]);
});
