// The lock of a timer's listener: who has it, for how long after a kill, and when the next host has it.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Database } from "../../database/database.ts";
import { ListenerLock } from "./listener-lock.ts";

const USUAL = { periodMs: 60_000, recoveryPollingIntervalMs: 60_000 };

let database: Database;
beforeEach(() => {
  vi.useFakeTimers({ toNotFake: ["setImmediate"] });
  database = new Database(":memory:");
});
afterEach(() => {
  database.close();
  vi.useRealTimers();
});

/** A host that wants the lock; killed, it renews it no more and gives nothing back. */
function host(settings = USUAL) {
  const lock = new ListenerLock("supervisor", database, settings);
  const seen = { listensAfterMs: -1, waits: 0 };
  const began = Date.now();
  void lock.acquire(
    () => {
      seen.listensAfterMs = Date.now() - began;
    },
    () => {
      seen.waits += 1;
    },
  );
  return { lock, seen };
}

/** Steps of a second, with room for the commits between them. */
async function pass(seconds: number) {
  for (let second = 0; second <= seconds; second += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    if (second < seconds) await vi.advanceTimersByTimeAsync(1000);
  }
}

test("one host has it, and keeps it by renewing", async () => {
  const first = host();
  await pass(1);
  const second = host();
  await pass(300);
  expect(first.seen.listensAfterMs).toBe(0);
  expect(second.seen).toEqual({ listensAfterMs: -1, waits: 5 + 1 });
});

test("a host that stops in order gives it up: the next one has it at its next try", async () => {
  const first = host();
  await pass(10);
  const second = host();
  await pass(5);
  const released = first.lock.release();
  await pass(60);
  await released;
  expect(second.seen.listensAfterMs).toBe(60_000);
  const third = host();
  await pass(1);
  expect(third.seen.waits).toBe(1);
});

test("released at once, it can be had at once", async () => {
  const first = host();
  await pass(1);
  const released = first.lock.release();
  await pass(0);
  await released;
  const second = host();
  await pass(1);
  expect(second.seen.listensAfterMs).toBe(0);
});

test.each([
  { settings: USUAL, restartAfterS: 3, listensAfterMs: 60_000 },
  { settings: { periodMs: 15_000, recoveryPollingIntervalMs: 15_000 }, restartAfterS: 3, listensAfterMs: 15_000 },
  { settings: { periodMs: 15_000, recoveryPollingIntervalMs: 15_000 }, restartAfterS: 20, listensAfterMs: 0 },
])(
  "killed, and back after $restartAfterS s with $settings.periodMs ms: it listens after $listensAfterMs ms",
  async ({ settings, restartAfterS, listensAfterMs }) => {
    host(settings);
    await pass(1);
    vi.clearAllTimers();
    await pass(restartAfterS);
    const second = host(settings);
    await pass(120);
    expect(second.seen.listensAfterMs).toBe(listensAfterMs);
  },
);
