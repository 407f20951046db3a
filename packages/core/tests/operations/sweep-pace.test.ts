// How fast a sweep is, by a virtual clock: a store that takes 8 ms an answer, and a bus that takes 12.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { StateRecord } from "../../src/domain/record/state-record.ts";
import type { Ports } from "../../src/scheduler/ports.ts";
import { StoreUnavailable, type Versioned } from "../../src/store/job-store.ts";
import { type SweepOutcome, sweep } from "../../src/supervisor/sweep.ts";
import { CHAIN, NOON_MS, sampleJob, sampleRecord } from "../jobs.ts";
import { createWorld, type World } from "../world.ts";

const STORE_MS = 8;
const BUS_MS = 12;
const PAGE = 100;
const A_MINUTE_AGO = new Date(NOON_MS - 60_000).toISOString();

let world: World;
let slow: SlowPorts;
beforeEach(() => {
  vi.useFakeTimers({ now: NOON_MS, toFake: ["setTimeout", "clearTimeout", "Date"], loopLimit: 1e6 });
  world = createWorld(NOON_MS);
  slow = slowPorts(world);
});
afterEach(() => {
  vi.useRealTimers();
});

interface SlowPorts {
  readonly ports: Ports;
  /** The jobs of which a call is under way, and the most at any time. */
  readonly busy: Set<string>;
  most: number;
  /** Calls for a job of which another was under way: it was visited twice at once. */
  readonly overlaps: string[];
  /** How many calls the store takes at once; it answers more with 429. */
  storeTakes: number;
  rejected: number;
  auditMs: number;
  /** A write of a record. */
  writeMs: number;
  /** Searches that are rejected after their first page. */
  brokenSearches: number;
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const throttled = () => new StoreUnavailable("do it", Object.assign(new Error("too many requests"), { code: 429 }));

function slowPorts({ store, messenger, supervision, ...rest }: World): SlowPorts {
  const seen: SlowPorts = {
    ports: {} as Ports,
    busy: new Set(),
    most: 0,
    overlaps: [],
    storeTakes: Number.POSITIVE_INFINITY,
    rejected: 0,
    auditMs: STORE_MS,
    writeMs: STORE_MS,
    brokenSearches: 0,
  };
  let stored = 0;

  async function call<T>(jobId: string, ms: number, work: () => Promise<T>): Promise<T> {
    if (seen.busy.has(jobId)) seen.overlaps.push(jobId);
    seen.busy.add(jobId);
    seen.most = Math.max(seen.most, seen.busy.size);
    try {
      await pause(ms);
      return await work();
    } finally {
      seen.busy.delete(jobId);
    }
  }

  async function toStore<T>(jobId: string, work: () => Promise<T>): Promise<T> {
    stored += 1;
    const isTooMuch = stored > seen.storeTakes;
    try {
      return await call(jobId, seen.writeMs, async () => {
        if (!isTooMuch) return work();
        seen.rejected += 1;
        throw throttled();
      });
    } finally {
      stored -= 1;
    }
  }

  const ports: Ports = {
    ...rest,
    now: Date.now,
    pause,
    timing: { ...rest.timing, sweepWithinMs: 60_000 },
    store: {
      ...store,
      replace: (read, record) => toStore(record.jobId, () => store.replace(read, record)),
      async *due(instant) {
        const found: Versioned[] = [];
        for await (const due of store.due(instant)) found.push(due);
        for (let from = 0; from < found.length; from += PAGE) {
          await pause(STORE_MS);
          if (from > 0 && seen.brokenSearches > 0) {
            seen.brokenSearches -= 1;
            throw throttled();
          }
          yield* found.slice(from, from + PAGE);
        }
      },
    },
    messenger: {
      ...messenger,
      publish: (reply, messages) => call(String(messages[0]?.jobId), BUS_MS, () => messenger.publish(reply, messages)),
      startAttempt: (startAttempt) => call(startAttempt.jobId, BUS_MS, () => messenger.startAttempt(startAttempt)),
    },
    supervision: {
      ...supervision,
      async decisions(entries) {
        await pause(seen.auditMs);
        await supervision.decisions(entries);
      },
    },
  };
  return Object.assign(seen, { ports });
}

/** Jobs that ran out of time behind two completed steps, both of which are published again. */
async function overdue(count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const jobId = `job-${index}`;
    const record = sampleRecord(jobId);
    await world.store.create(sampleJob(jobId), record);
    const read = await world.store.state(jobId);
    if (!read) throw new Error("no record");
    const dueAt = new Date(NOON_MS - 60_000 + index).toISOString();
    const steps = Object.entries(record.steps).map(([name, step], place) => [
      name,
      place < 2 ? { ...step, state: "Completed", completedIn: 1 } : step,
    ]);
    await world.store.replace(read, {
      ...read.record,
      ...{ processState: "Processing", lockedBy: `${jobId}-1`, completeBy: dueAt, dueAt },
      steps: Object.fromEntries(steps),
    });
  }
}

/** As after a rollback: the app does not have its workflow. */
async function forget(jobId: string, changes: Partial<StateRecord> = {}): Promise<void> {
  const read = await world.store.state(jobId);
  if (!read) throw new Error("no record");
  await world.store.replace(read, { ...read.record, ...changes, workflow: { name: "forgotten", version: 9 } });
}

async function swept(): Promise<Extract<SweepOutcome, { kind: "swept" }> & { readonly ms: number }> {
  const begunAt = Date.now();
  const sweeping = sweep({ ...slow.ports, telemetry: world.telemetry }).then((outcome) => ({
    outcome,
    ms: Date.now() - begunAt,
  }));
  await vi.runAllTimersAsync();
  const { outcome, ms } = await sweeping;
  if (outcome.kind !== "swept") throw new Error("it leads alone");
  return { ...outcome, ms };
}

test("P10 recovers at least 300 jobs a second, from the first of them on", async () => {
  await overdue(1500);
  const { retried, ms } = await swept();
  expect(retried).toBe(1500);
  expect(retried / (ms / 1000)).toBeGreaterThanOrEqual(300);
  expect(slow.overlaps).toEqual([]);
});

test("a slow audit log does not slow the recovery, and has every decision in the end", async () => {
  await overdue(1000);
  slow.auditMs = 1000;
  const { retried } = await swept();
  expect(retried).toBe(1000);
  const day = new Date(NOON_MS).toISOString().slice(0, 10);
  const decisions: string[] = [];
  for await (const entry of world.supervision.entries(day)) if (entry.kind === "decision") decisions.push(entry.at);
  expect(decisions).toHaveLength(1000);
  expect(Date.parse(decisions.at(-1) ?? "") - NOON_MS).toBeLessThan(5000);
});

test("records that can't be recovered keep no sweep from the others, however many there are", async () => {
  await overdue(3001);
  for (let index = 0; index < 3000; index += 1) await forget(`job-${index}`);
  const { ports } = slow;
  slow = { ...slow, ports: { ...ports, timing: { ...ports.timing, sweepWithinMs: 500 } } };
  const found: number[] = [];
  for (let sweeps = 0; sweeps < 6 && world.startAttempts.length === 0; sweeps += 1) {
    found.push((await swept()).found);
    vi.setSystemTime(Date.now() + 30_000);
  }
  expect(found[0]).toBeLessThan(3000);
  expect(world.startAttempts.map(({ jobId }) => jobId)).toEqual(["job-3000"]);
});

test("records that could not be recovered before come after the others, though they are due for longer", async () => {
  await overdue(3001);
  const unrecovered = { since: A_MINUTE_AGO, lookAgainAt: A_MINUTE_AGO, fault: "No workflow forgotten v9" };
  for (let index = 0; index < 3000; index += 1) await forget(`job-${index}`, { unrecovered });
  const { ports } = slow;
  slow = { ...slow, ports: { ...ports, timing: { ...ports.timing, sweepWithinMs: 500 } } };
  expect((await swept()).found).toBeLessThan(3000);
  expect(world.startAttempts.map(({ jobId }) => jobId)).toEqual(["job-3000"]);
});

test("a record that can't be recovered steps back, the longer it stays so, and is recovered when it can be", async () => {
  await overdue(1);
  await forget("job-0");
  const lookedAt: number[] = [];
  for (let second = 0; second < 3600; second += 10) {
    if ((await swept()).found > 0) lookedAt.push(second);
    vi.setSystemTime(Date.now() + 10_000);
  }
  const waits = lookedAt.slice(1).map((at, index) => at - (lookedAt[index] ?? 0));
  expect(waits.slice(0, 4)).toEqual([20, 30, 60, 120]);
  expect(Math.max(...waits)).toBeLessThanOrEqual(5 * 60 + 20);
  expect(lookedAt.length).toBeLessThan(18);
  const read = await world.store.state("job-0");
  expect(read?.record.unrecovered).toMatchObject({ fault: expect.stringContaining("No workflow forgotten v9") });
  expect(read?.record.dueAt).toBe(new Date(NOON_MS - 60_000).toISOString());
  if (!read) throw new Error("no record");
  await world.store.replace(read, { ...read.record, workflow: { name: CHAIN.name, version: CHAIN.version } });
  vi.setSystemTime(Date.now() + 6 * 60_000);
  expect(await swept()).toMatchObject({ found: 1, retried: 1 });
  expect((await world.store.state("job-0"))?.record.unrecovered).toBeUndefined();
});

test("however many are due, it has a bounded number of them under way", async () => {
  await overdue(1000);
  await swept();
  expect(slow.most).toBeLessThanOrEqual(64);
  expect(world.startAttempts).toHaveLength(1000);
});

test("a store that takes ten calls at once is asked little more than it takes, and what it rejected is the next one's", async () => {
  await overdue(1000);
  slow.storeTakes = 10;
  const first = await swept();
  expect(first).toMatchObject({ found: 1000, finished: true });
  expect(first.throttled).toBe(slow.rejected);
  expect(first.throttled).toBeGreaterThan(0);
  // At most one call in twenty is one too many.
  expect(first.throttled).toBeLessThan(50);
  slow.storeTakes = Number.POSITIVE_INFINITY;
  vi.setSystemTime(Date.now() + world.timing.claimWithinMs + 5000);
  await swept();
  expect(new Set(world.startAttempts.map(({ jobId }) => jobId)).size).toBe(1000);
});

test("a search that is begun anew visits no record twice, also none that is under way", async () => {
  await overdue(300);
  slow.brokenSearches = 3;
  // A write is longer than the pause before the search begins anew: it finds records again that are under way.
  slow.writeMs = 300;
  expect(await swept()).toMatchObject({ found: 300, retried: 300, lost: 0, finished: true });
  expect(slow.overlaps).toEqual([]);
});

test("bad records among the good stop none of them", async () => {
  await overdue(200);
  for (let index = 0; index < 200; index += 10) {
    await forget(`job-${index}`);
  }
  expect(await swept()).toMatchObject({ found: 200, retried: 180, broken: 20, finished: true });
});

test("P12 a lead that is lost ends it: what is under way ends, and nothing more begins", async () => {
  await overdue(1000);
  const stillLeads = async () => Date.now() < NOON_MS + 500;
  slow = { ...slow, ports: { ...slow.ports, leadership: { ...slow.ports.leadership, stillLeads } } };
  const report = await swept();
  expect(report).toMatchObject({ finished: false, endedBy: "lead lost", broken: 0 });
  expect(report.found).toBe(report.retried);
  expect(report.found).toBeLessThan(1000);
  expect(report.ms).toBeLessThan(700);
});
