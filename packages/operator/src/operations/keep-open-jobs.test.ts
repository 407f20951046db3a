// What is kept of the jobs that need a person: the same as all of them read at once, whatever happens between two looks, at the cost of what has changed.
import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import type { OpenJob, OpenJobStore } from "../store/open-jobs.ts";
import { ANEW_MS, FEW, keepOpenJobs, RECENT_MS } from "./keep-open-jobs.ts";

const NOON_MS = Date.parse("2026-01-01T12:00:00.000Z");
const KINDS = ["rejected", "expired"] as const;

let clock = NOON_MS;
let stored = new Map<string, OpenJob>();
/** Rows that were read. */
let rows = 0;
beforeEach(() => {
  clock = NOON_MS;
  stored = new Map();
  rows = 0;
});

function fail(number: number, lateMs = 0): void {
  const jobId = `job-${number}`;
  const kind = KINDS[number % KINDS.length] ?? "rejected";
  const at = new Date(clock - lateMs).toISOString();
  stored.set(jobId, {
    jobId,
    workflow: { name: "w", version: 1 },
    attempt: 1,
    error: { kind, message: "m", step: null, at },
  });
}

const read = (found: readonly OpenJob[], limit: number) => {
  const jobs = found.slice(0, limit);
  rows += jobs.length;
  return Promise.resolve({ jobs, isAll: found.length <= limit });
};
const all = () => [...stored.values()];
const isBefore =
  (instant: string) =>
  ({ error }: OpenJob) =>
    error.at < instant;
const newestFirst = (one: OpenJob, other: OpenJob) => other.error.at.localeCompare(one.error.at);
const store: OpenJobStore = {
  few: (limit) => read(all(), limit),
  someBefore: async (at, kind, limit) => {
    const found = all().filter((job) => isBefore(at)(job) && job.error.kind === kind);
    return (await read(found, limit)).jobs;
  },
  since: (at, limit) =>
    read(
      all()
        .filter((job) => !isBefore(at)(job))
        .sort(newestFirst),
      limit,
    ),
  countBefore: (at) => {
    const counted = Map.groupBy(all().filter(isBefore(at)), ({ error }) => error.kind);
    return Promise.resolve(KINDS.map((kind) => ({ kind, count: counted.get(kind)?.length ?? 0 })));
  },
};

test("of many that wait nothing is read again, of what is new that alone, and all of them if one has left", async () => {
  for (let number = 0; number < 500; number += 1) fail(number);
  const look = keepOpenJobs(store, 1000, () => clock);
  clock += 2 * RECENT_MS;
  const spent = async () => {
    const before = rows;
    const { jobs, isAll, counts } = await look();
    expect([jobs.length, isAll]).toEqual([stored.size, true]);
    expect(counts.reduce((sum, { count }) => sum + count, 0)).toBe(stored.size);
    return rows - before;
  };
  expect(await spent()).toBe(500);
  expect(await spent()).toBe(0);
  fail(500);
  expect(await spent()).toBe(1);
  clock += 3 * RECENT_MS;
  expect(await spent()).toBe(1);
  expect(await spent()).toBe(0);
  stored.delete("job-7");
  expect(await spent()).toBe(499 + 1);
  expect(await spent()).toBe(0);
  // One that has left and one that was stored late hide each other from the count, but not for longer than five minutes.
  stored.delete("job-8");
  fail(8, 2 * RECENT_MS);
  await look();
  clock += ANEW_MS + 1;
  expect(await spent()).toBe(500);
});

test("of more than the limit the newest of each kind are kept, and the answer says that it is not all", async () => {
  for (let number = 0; number < 3000; number += 1) fail(number);
  const look = keepOpenJobs(store, 1000, () => clock);
  clock += 2 * RECENT_MS;
  expect(await look()).toMatchObject({ jobs: { length: 1000 }, isAll: false });
  const before = rows;
  fail(3000);
  const { jobs, isAll, counts } = await look();
  expect([jobs.length, isAll, jobs[0]?.jobId, rows - before]).toEqual([1000, false, "job-3000", 1]);
  expect(counts.map(({ count }) => count)).toEqual([1501, 1500]);
});

test("the first look reads no more than are kept, also where some are new", async () => {
  for (let number = 0; number < 3000; number += 1) fail(number);
  clock += 2 * RECENT_MS;
  for (let number = 3000; number < 3003; number += 1) fail(number);
  const before = rows;
  expect(await keepOpenJobs(store, 1000, () => clock)()).toMatchObject({ jobs: { length: 1000 }, isAll: false });
  expect(rows - before).toBe(1000);
});

test("more than the limit that are new are all counted, and the newest of them are shown", async () => {
  const look = keepOpenJobs(store, 1000, () => clock);
  for (let number = 0; number < 400; number += 1) fail(number);
  await look();
  clock += RECENT_MS + 1000;
  for (let number = 400; number < 2400; number += 1) fail(number);
  const { jobs, isAll, counts } = await look();
  expect([jobs.length, isAll, counts.map(({ count }) => count)]).toEqual([1000, false, [1200, 1200]]);
  expect(jobs.every(({ jobId }) => Number(jobId.slice("job-".length)) >= 400)).toBe(true);
});

const happening = fc.oneof(
  fc.record({ kind: fc.constant("fail" as const), job: fc.nat(5), lateMs: fc.nat(RECENT_MS) }),
  fc.record({ kind: fc.constant("leave" as const), job: fc.nat(5) }),
  fc.record({ kind: fc.constant("pass" as const), ms: fc.nat(3 * RECENT_MS) }),
  fc.record({ kind: fc.constant("look" as const), process: fc.nat(1) }),
);

test("each process says what is so, whatever happened between its looks", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(happening, { minLength: 10, maxLength: 60 }), async (happenings) => {
      clock = NOON_MS;
      stored = new Map();
      // More than few: the others are the ones that come and go.
      for (let number = 0; number <= FEW + 20; number += 1) fail(number + 6, number * 1000);
      const processes = [0, 1].map(() => keepOpenJobs(store, 1000, () => clock));
      for (const happened of happenings) {
        if (happened.kind === "fail") fail(happened.job, happened.lateMs);
        else if (happened.kind === "leave") stored.delete(`job-${happened.job}`);
        else if (happened.kind === "pass") clock += happened.ms;
        else {
          const found = await processes[happened.process]?.();
          expect(found?.isAll).toBe(true);
          const said = found?.jobs.map(({ jobId, error }) => `${jobId} ${error.at}`);
          expect(said?.toSorted()).toEqual(
            all()
              .map(({ jobId, error }) => `${jobId} ${error.at}`)
              .sort(),
          );
        }
      }
    }),
  );
});
