// Several supervisors over one store in memory: who sweeps, what holds when two do, what they write down.

import { createMemoryLease } from "@scheduler-agent-supervisor/testing/memory";
import { beforeEach, expect, test, vi } from "vitest";
import type { Context } from "../../src/scheduler/ports.ts";
import type { DecisionEntry, SupervisionEntry } from "../../src/store/audit-log.ts";
import { StoreUnavailable, type Versioned } from "../../src/store/job-store.ts";
import type { Leadership } from "../../src/supervisor/leadership.ts";
import { sweep, sweepFor } from "../../src/supervisor/sweep.ts";
import { NOON, NOON_MS, sampleJob, sampleRecord } from "../jobs.ts";
import { createWorld, type World } from "../world.ts";

let world: World;
beforeEach(() => {
  world = createWorld(NOON_MS);
});

/** Jobs whose attempt ran out of time, the first one the longest ago. */
async function overdue(count: number): Promise<string[]> {
  const jobIds = Array.from({ length: count }, (_, index) => `job-${index}`);
  for (const [index, jobId] of jobIds.entries()) {
    await world.store.create(sampleJob(jobId), sampleRecord(jobId));
    const read = await world.store.state(jobId);
    if (!read) throw new Error("no record");
    const dueAt = new Date(NOON_MS - 60_000 + index * 10).toISOString();
    const lockedBy = `${jobId}-1`;
    await world.store.replace(read, { ...read.record, processState: "Processing", lockedBy, completeBy: dueAt, dueAt });
  }
  return jobIds;
}

async function states(jobIds: readonly string[]) {
  return Promise.all(jobIds.map(async (jobId) => (await world.store.state(jobId))?.record));
}

async function auditLog(): Promise<SupervisionEntry[]> {
  const found: SupervisionEntry[] = [];
  for await (const entry of world.supervision.entries(NOON.slice(0, 10))) found.push(entry);
  return found;
}

async function decisions(): Promise<DecisionEntry[]> {
  return (await auditLog()).flatMap((entry) => (entry.kind === "decision" ? [entry] : []));
}

/** One that believes that it leads, whatever others believe. */
function believer(leader: string, epoch: number): Leadership {
  return {
    lead: async () => ({ kind: "leading", epoch, leader }),
    stillLeads: async () => true,
    report: async () => undefined,
    release: async () => undefined,
  };
}

function throttled(): StoreUnavailable {
  return new StoreUnavailable("replace a state record", Object.assign(new Error("too many requests"), { code: 429 }));
}

test("P12 of two supervisors the one that follows changes nothing, and says who leads", async () => {
  const jobIds = await overdue(3);
  const lease = createMemoryLease(15_000, world.now);
  await lease.heldBy("eu").lead();
  const us: Context = { ...world, leadership: lease.heldBy("us") };
  expect(await sweep(us)).toEqual({ kind: "following", leader: "eu" });
  expect(await states(jobIds)).toMatchObject(jobIds.map(() => ({ processState: "Processing", failureCount: 0 })));
  expect(world.eventNames()).toEqual(["SupervisorFollows"]);
  world.clock += 15_000;
  expect(await sweep(us)).toMatchObject({ kind: "swept", epoch: 2, leader: "us", retried: 3 });
});

test("P12 two that both believe they lead, side by side: no failure is counted twice, and none is lost", async () => {
  const jobIds = await overdue(40);
  const reports = await Promise.all(
    ["eu", "us"].map((name, index) => sweep({ ...world, leadership: believer(name, index + 1) })),
  );
  const sum = (name: "retried" | "lost") =>
    reports.reduce((total, report) => total + (report.kind === "swept" ? report[name] : 0), 0);
  expect(sum("retried")).toBe(40);
  expect(await states(jobIds)).toMatchObject(jobIds.map(() => ({ failureCount: 1, attempt: 2 })));
  const applied = (await decisions()).filter(({ outcome }) => outcome === "applied");
  expect(new Set(applied.map(({ jobId, before }) => `${jobId}:${before.attempt}`)).size).toBe(40);
  expect(applied).toHaveLength(40);
  expect((await decisions()).filter(({ outcome }) => outcome === "lost")).toHaveLength(sum("lost"));
});

test("P12 one that stood still over what it had read, and still believes it leads, loses every record", async () => {
  const jobIds = await overdue(5);
  let goOn: () => void = () => undefined;
  const stalled = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const frozen: Context = {
    ...world,
    leadership: believer("eu", 1),
    store: {
      ...world.store,
      async *due(instant) {
        const page: Versioned[] = [];
        for await (const due of world.store.due(instant)) page.push(due);
        await stalled;
        yield* page;
      },
    },
  };
  const late = sweep(frozen);
  expect(await sweep({ ...world, leadership: believer("us", 2) })).toMatchObject({ retried: 5 });
  goOn();
  expect(await late).toMatchObject({ kind: "swept", found: 5, retried: 0, lost: 5 });
  expect(await states(jobIds)).toMatchObject(jobIds.map(() => ({ failureCount: 1, attempt: 2 })));
  expect(world.startAttempts).toHaveLength(5);
});

test("P12 a lead that is lost ends the sweep between two records; the next leader goes on", async () => {
  await overdue(5);
  let records = 0;
  const losing: Leadership = {
    ...believer("eu", 1),
    async stillLeads() {
      records += 1;
      return records <= 2;
    },
  };
  const report = await sweep({ ...world, leadership: losing });
  expect(report).toMatchObject({ kind: "swept", found: 2, retried: 2, finished: false, endedBy: "lead lost" });
  expect(await sweep(world)).toMatchObject({ found: 3, retried: 3, finished: true });
});

test("P10 a sweep is bounded in time and goes on at the next tick", async () => {
  await overdue(5);
  const slow: Context = {
    ...world,
    store: {
      ...world.store,
      replace(read, record) {
        world.clock += 2000;
        return world.store.replace(read, record);
      },
    },
  };
  const report = await sweep(slow);
  expect(report).toMatchObject({ kind: "swept", found: 3, finished: false, endedBy: "time" });
  expect(await sweep(world)).toMatchObject({ found: 2, finished: true });
});

test("a store that asks for less slows the sweep, which goes on, bounded; what was rejected is the next one's", async () => {
  await overdue(6);
  const pauses: number[] = [];
  let rejections = 3;
  const busy: Context = {
    ...world,
    pause: (ms) => {
      pauses.push(ms);
      return world.pause(ms);
    },
    store: {
      ...world.store,
      async replace(read, record) {
        rejections -= 1;
        if (rejections >= 0) throw throttled();
        return world.store.replace(read, record);
      },
    },
  };
  expect(await sweep(busy)).toMatchObject({ found: 6, retried: 3, broken: 3, throttled: 3 });
  expect(pauses).toEqual([100, 200, 400]);
  expect(await sweep(world)).toMatchObject({ found: 3, retried: 3 });
});

test("a search that is rejected for a while is begun anew, and passes over what was seen", async () => {
  await overdue(4);
  let searches = 0;
  const busy: Context = {
    ...world,
    store: {
      ...world.store,
      async *due(instant) {
        searches += 1;
        let given = 0;
        for await (const due of world.store.due(instant)) {
          if (searches < 3 && given === 1) throw throttled();
          given += 1;
          yield due;
        }
      },
    },
  };
  expect(await sweep(busy)).toMatchObject({ found: 4, retried: 4, finished: true });
  const hopeless: Context = {
    ...world,
    store: {
      ...world.store,
      // biome-ignore lint/correctness/useYield: it fails before it finds anything.
      async *due() {
        throw throttled();
      },
    },
  };
  const begunAt = world.clock;
  expect(await sweep(hopeless)).toMatchObject({ found: 0, finished: false, endedBy: "time" });
  expect(world.clock - begunAt).toBeLessThanOrEqual(world.timing.sweepWithinMs);
});

test("a store that can't be searched fails the tick for all to see, and the heartbeat says so", async () => {
  const broken: Context = {
    ...world,
    store: {
      ...world.store,
      // biome-ignore lint/correctness/useYield: it fails before it finds anything.
      async *due() {
        throw new StoreUnavailable("find what is due", new Error("away"));
      },
    },
  };
  const reports: (string | null)[] = [];
  const leadership: Leadership = { ...believer("eu", 1), report: async (fault) => void reports.push(fault) };
  await expect(sweep({ ...broken, leadership })).rejects.toThrow(StoreUnavailable);
  expect(world.events).toMatchObject([{ name: "SupervisorSweep", attributes: { endedBy: "fault", finished: false } }]);
  await sweep({ ...world, leadership });
  expect(reports).toEqual([expect.stringContaining("find what is due"), null]);
});

test("the audit log says of each sweep what it was, and of each decision on what it stood and what came of it", async () => {
  const [jobId = ""] = await overdue(1);
  const outcome = await sweep(world);
  if (outcome.kind !== "swept") throw new Error("it leads alone");
  const { sweepId, epoch, leader } = outcome;
  const entries = await auditLog();
  expect(entries.find(({ kind }) => kind === "sweep")).toMatchObject({
    sweepId,
    epoch,
    leader,
    at: NOON,
    endedAt: NOON,
    thresholds: { ...world.timing, "failureThreshold of job-fulfilment": 3 },
    report: { found: 1, retried: 1, finished: true },
  });
  expect(await decisions()).toMatchObject([
    {
      sweepId,
      jobId: jobId,
      verdict: "retry",
      rule: expect.stringContaining("failure 1, below the threshold of 3"),
      before: { processState: "Processing", attempt: 1, failureCount: 0 },
      after: { processState: "Pending", attempt: 2, failureCount: 1 },
      outcome: "applied",
    },
  ]);
});

test("an audit log that can't be written stops no sweep, and is asked once in it", async () => {
  await overdue(3);
  let asked = 0;
  const reject = async () => {
    asked += 1;
    throw new Error("no such container");
  };
  const mute: Context = { ...world, supervision: { ...world.supervision, sweep: reject, decisions: reject } };
  expect(await sweep(mute)).toMatchObject({ retried: 3, broken: 0, finished: true });
  expect(asked).toBe(1);
  expect(world.eventNames().filter((name) => name === "AuditLogUnwritten")).toHaveLength(1);
  expect(world.eventNames()).toContain("SupervisorSweep");
});

test("a sweep that an operator asks for is in the audit log with the operator, also where another leads or it fails", async () => {
  await overdue(1);
  await sweepFor("ada@example.org", world);
  const following: Leadership = { ...world.leadership, lead: async () => ({ kind: "following", leader: "other/1" }) };
  await sweepFor("ada@example.org", { ...world, leadership: following });
  const store: typeof world.store = {
    ...world.store,
    due: () => {
      throw new Error("store down");
    },
  };
  await expect(sweepFor("ada@example.org", { ...world, store })).rejects.toThrow("store down");
  expect((await auditLog()).filter(({ kind }) => kind === "operatorAction")).toMatchObject([
    { operator: "ada@example.org", action: "sweep", outcome: expect.stringMatching(/^sweep .*: 1 overdue, ended by/) },
    { operator: "ada@example.org", action: "sweep", outcome: "rejected: other/1 is the leader" },
    { operator: "ada@example.org", action: "sweep", outcome: "failed: Error: store down" },
  ]);
});

test("a record that can't be judged, and one of which the scheduler can't be notified, are in the audit log with their fault", async () => {
  const [unjudged = "", unpublished = ""] = await overdue(2);
  const read = await world.store.state(unjudged);
  if (!read) throw new Error("no record");
  await world.store.replace(read, { ...read.record, workflow: { name: "forgotten", version: 9 } });
  const busAway: Context = {
    ...world,
    messenger: {
      ...world.messenger,
      async startAttempt() {
        throw new Error("bus down");
      },
    },
  };
  expect(await sweep(busAway)).toMatchObject({ found: 2, broken: 2, retried: 0 });
  const found = new Map((await decisions()).map((decision) => [decision.jobId, decision]));
  expect(found.get(unjudged)).toMatchObject({ verdict: "none", outcome: "broken", after: null });
  expect(found.get(unjudged)?.fault).toContain("forgotten");
  // The failure is counted, and the job Pending: it is due again, and then only started.
  expect(found.get(unpublished)).toMatchObject({ verdict: "retry", outcome: "applied", after: { failureCount: 1 } });
  expect(found.get(unpublished)?.fault).toContain("bus down");
  world.clock += world.timing.claimWithinMs + 5000;
  expect(await sweep(world)).toMatchObject({ found: 2, broken: 1, startsRepeated: 1 });
  expect(await world.store.state(unpublished)).toMatchObject({ record: { failureCount: 1, attempt: 2 } });
});

test("P15 a retry is published to the client, once, before the scheduler is notified, and the record is written once", async () => {
  const jobIds = await overdue(1);
  const writes = [vi.spyOn(world.store, "replace"), vi.spyOn(world.store, "change")];
  await sweep(world);
  expect(writes.map((write) => write.mock.calls.length)).toEqual([1, 0]);
  expect(world.statuses).toMatchObject([{ status: "RetryScheduled", attempt: 2 }]);
  expect(await states(jobIds)).toMatchObject([{ outbox: [], processState: "Pending", dueAt: expect.any(String) }]);
  expect(world.startAttempts).toMatchObject([{ attempt: 2 }]);
});
