// What the overview says of how jobs flow: from bounded samples, read seldom.

import { expect, test } from "vitest";
import { NOON_MS } from "../../../core/tests/jobs.ts";
import type { QueueAge } from "../../src/messaging/queue-ages.ts";
import { createTraffic } from "../../src/operations/traffic.ts";
import { createWaitingMessages } from "../../src/operations/waiting-messages.ts";
import type { RecentJobs } from "../../src/store/recent-jobs.ts";

const QUEUES: readonly QueueAge[] = [
  { queue: "jobs", read: async () => [2000, 5000].map((ageMs, index) => ({ cause: `cause-${index}`, ageMs })) },
  { queue: "scheduler", read: () => Promise.reject(new Error("the bus is away")) },
  { queue: "replies", read: async () => [{ cause: "notTaken", ageMs: 0 }] },
];

const at = (secondsAgo: number) => new Date(NOON_MS - secondsAgo * 1000).toISOString();

function view(recent: Partial<RecentJobs>) {
  const clock = { now: NOON_MS };
  const asked: unknown[] = [];
  const read = createTraffic({
    recent: {
      received: async (...given) => {
        asked.push(given);
        return [];
      },
      completed: async () => [],
      inFlight: async () => ({ workflows: [], isAll: true }),
      ...recent,
    },
    waitingMessages: createWaitingMessages({ queueAges: QUEUES, now: () => clock.now }),
    windowMs: 3_600_000,
    now: () => clock.now,
  });
  return { read, clock, asked };
}

test("rates, times from sent to processed, versions in flight and ages of queues", async () => {
  const { read } = view({
    // The third came before the last minute: a rate is not averaged over a stoppage.
    received: async () => [at(1), at(60), at(61)],
    completed: async () => [1, 2, 3, 10].map((took) => ({ sentAt: at(20 + took), endedAt: at(20) })),
    inFlight: async () => ({
      workflows: [
        { name: "returns", version: 1 },
        { name: "job-fulfilment", version: 3 },
        { name: "job-fulfilment", version: 3 },
      ],
      isAll: false,
    }),
  });
  expect(await read()).toEqual({
    asOf: at(0),
    received: { count: 2, overMs: 60_000 },
    processed: { count: 4, overMs: 60_000 },
    times: { p50Ms: 2000, p95Ms: 10_000, p99Ms: 10_000 },
    inFlight: {
      count: 3,
      isAll: false,
      versions: [
        { name: "job-fulfilment", version: 3, count: 2 },
        { name: "returns", version: 1, count: 1 },
      ],
    },
    queues: [
      { queue: "jobs", oldestMs: 5000 },
      { queue: "scheduler", oldestMs: null },
      { queue: "replies", oldestMs: 0 },
    ],
  });
});

test("nothing of late; at most one look in half a minute, of at most 200 documents of each kind", async () => {
  const { read, clock, asked } = view({});
  expect(await read()).toMatchObject({ received: { count: 0 }, times: null, inFlight: { count: 0, isAll: true } });
  clock.now += 29_000;
  await read();
  expect(asked).toEqual([[at(3600), 200]]);
  clock.now += 1000;
  await read();
  expect(asked).toHaveLength(2);
});

test("since when messages wait, by cause; a queue that could not be read says why", async () => {
  const read = createWaitingMessages({ queueAges: QUEUES, now: () => NOON_MS });
  expect(await read()).toEqual({
    asOf: at(0),
    queues: [
      {
        queue: "jobs",
        waits: [
          { cause: "cause-0", since: at(2) },
          { cause: "cause-1", since: at(5) },
        ],
      },
      { queue: "scheduler", error: "Error: the bus is away" },
      { queue: "replies", waits: [] },
    ],
  });
});
