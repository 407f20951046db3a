// The parts of the engine that behaves like Azure Storage, on a clock that the test moves.
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Activities } from "../activities.ts";
import { AZURE_STORAGE, azureStorageProfile } from "../engine-profile.ts";
import { taskCompleted } from "../history.ts";
import { Instance } from "../instance.ts";
import { Timers } from "../timers.ts";
import { type ControlMessage, ControlQueue } from "./control-queue.ts";
import { MessageQueue } from "./message-queue.ts";
import { partitionOf } from "./partition.ts";
import { nextInterval } from "./polling.ts";
import { StorageAccount } from "./storage-account.ts";
import { timerVisibilityMs } from "./timer-visibility.ts";
import { WorkItemQueue } from "./work-item-queue.ts";

const START = Date.parse("2026-01-01T00:00:00Z");
const profile = azureStorageProfile({ maxQueuePollingIntervalMs: 5000 });
const elapsedMs = () => Date.now() - START;

let timers: Timers;
let account: StorageAccount;
beforeEach(() => {
  vi.useFakeTimers({ now: START });
  vi.spyOn(Math, "random").mockReturnValue(0.5);
  timers = new Timers();
  account = new StorageAccount(profile, timers);
});
afterEach(() => {
  timers.close();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe("the storage account", () => {
  const { requestMs } = AZURE_STORAGE;
  const endsAt = async (work: Promise<void>) => {
    let endedAt = -1;
    void work.then(() => {
      endedAt = elapsedMs();
    });
    await vi.advanceTimersByTimeAsync(1000);
    return endedAt;
  };

  test("requests one after the other take their time each, without the rounding of timers", async () => {
    expect(await endsAt(account.sequence(40))).toBe(Math.ceil(40 * requestMs));
  });

  test("two at a time, the others wait: 740 a second in all", async () => {
    expect(await endsAt(account.parallel(400))).toBe(Math.ceil(200 * requestMs));
    expect(account.requests).toBe(400);
  });

  test("who comes later waits for all before", async () => {
    void account.parallel(80);
    expect(await endsAt(account.sequence(1))).toBe(Math.ceil(41 * requestMs));
  });
});

test("polling doubles up to the longest interval, give or take a fifth", () => {
  const intervals = (random: number) =>
    [0, 1, 2, 3, 4, 5, 6, 7, 8].map((exponent) => Math.round(nextInterval(exponent, profile, () => random)));
  expect(intervals(0.5)).toEqual([50, 100, 150, 250, 450, 850, 1650, 3250, 5000]);
  expect(intervals(0)).toEqual([50, 90, 130, 210, 370, 690, 1330, 2610, 5000]);
});

test("messages come in the order in which they become visible, and not before", () => {
  const queue = new MessageQueue();
  const add = (key: string, visibleAt: number) => queue.add({ key, visibleAt, dequeued: 0 });
  add("later", 30);
  add("first", 10);
  add("second", 10);
  add("third", 20);
  const take = (limit: number, now: number) => queue.take(limit, now).map(({ key }) => key);
  expect(take(2, 25)).toEqual(["first", "second"]);
  expect(take(9, 25)).toEqual(["third"]);
  expect(take(9, 30)).toEqual(["later"]);
  expect(queue.size).toBe(0);
});

test.each([
  [30_000, 40, 29_000],
  [1900, 0, 1000],
  [900, 0, 0],
  [-5000, 0, 0],
])("a timer of %i ms that is added %i ms later is visible after %i ms", (dueMs, addedMs, visibleMs) => {
  expect(timerVisibilityMs(START + dueMs, START + addedMs, AZURE_STORAGE.timerGranularityMs)).toBe(visibleMs);
});

// The values are those of DurableTask.AzureStorage's own hash, FNV-1a with 32 bits.
test.each([
  ["", 0x811c9dc5],
  ["a", 0xe40c292c],
  ["foobar", 0xbf9cf968],
])("instance id '%s' has its partition by its hash", (id, hash) => {
  expect(partitionOf(id, 16)).toBe(hash % 16);
});

describe("a control queue", () => {
  const instance = (n: number) => Instance.started(n, { id: `order-${n}`, name: "order", input: null, at: START });
  const message = (n: number, isStart: boolean, wakes = true): ControlMessage => ({
    key: `message:${n}`,
    visibleAt: Date.now(),
    dequeued: 0,
    instance: instance(n),
    generation: 0,
    arrival: isStart ? undefined : { event: taskCompleted(new Date(), 0, "null") },
    wakes,
  });

  function open(settings = {}) {
    const received: { readonly key: string; readonly at: number }[] = [];
    const leases: { readonly keys: readonly string[]; readonly visibleAt: number }[] = [];
    const inHand = new Set<string>();
    const queue = new ControlQueue({
      profile: { ...profile, ...settings },
      account,
      timers,
      inHand,
      lease: async (messages, visibleAt) => {
        leases.push({ keys: messages.map(({ key }) => key), visibleAt });
      },
      receive: ({ key }) => received.push({ key, at: elapsedMs() }),
    });
    queue.open();
    return { queue, received, leases, inHand };
  }

  test("a busy queue hands a start on at once", async () => {
    const { queue, received } = open();
    await vi.advanceTimersByTimeAsync(200);
    queue.add(message(1, true));
    await vi.advanceTimersByTimeAsync(20);
    expect(received).toHaveLength(1);
  });

  test("after a pause a start is put back for 2 s, and found by the poll at 3.5 s", async () => {
    const { queue, received } = open();
    await vi.advanceTimersByTimeAsync(60_000);
    queue.add(message(1, true));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(received).toHaveLength(1);
    const late = (received[0]?.at ?? 0) - 60_000;
    expect(late).toBeGreaterThan(3450);
    expect(late).toBeLessThan(3600);
  });

  test("after a pause an answer comes at once", async () => {
    const { queue, received } = open();
    await vi.advanceTimersByTimeAsync(60_000);
    queue.add(message(1, false));
    await vi.advanceTimersByTimeAsync(20);
    expect(received).toHaveLength(1);
  });

  test("what another process sends waits for the next poll", async () => {
    const { queue, received } = open();
    await vi.advanceTimersByTimeAsync(60_000);
    queue.add(message(1, true, false));
    await vi.advanceTimersByTimeAsync(100);
    expect(received).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(5000);
    expect(received).toHaveLength(1);
  });

  test("what is dequeued is leased for the visibility timeout, a batch at a time", async () => {
    const { queue, leases } = open();
    for (let n = 0; n < 40; n += 1) queue.add(message(n, false));
    await vi.advanceTimersByTimeAsync(100);
    expect(leases.map(({ keys }) => keys.length)).toEqual([32, 8]);
    expect((leases[0]?.visibleAt ?? 0) - START).toBeGreaterThanOrEqual(300_000);
  });

  test("it dequeues no more while too many messages are in hand", async () => {
    const { queue, received, inHand } = open({ controlQueueBufferThreshold: 32 });
    for (let n = 0; n < 64; n += 1) queue.add(message(n, false));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(received).toHaveLength(32);
    inHand.clear();
    await vi.advanceTimersByTimeAsync(2000);
    expect(received).toHaveLength(64);
  });
});

describe("the work-item queue", () => {
  function open(maxActivities: number, runMs: number) {
    const started: string[] = [];
    const answered: string[] = [];
    const leases: number[] = [];
    const app = {
      functions: new Map([["work", { name: "work", triggerName: "in", trigger: { type: "activityTrigger" } }]]),
      invoke: async (_name: string, { inputs }: { inputs: Record<string, { json: string }> }) => {
        started.push(inputs["in"]?.json ?? "");
        await new Promise((resolve) => setTimeout(resolve, runMs));
        return { returnValue: undefined, outputs: {} };
      },
    };
    const activities = new Activities(app as unknown as ConstructorParameters<typeof Activities>[0], maxActivities);
    const lease = async (messages: readonly unknown[], visibleAt: number) => {
      leases.push(...messages.map(() => visibleAt - START));
    };
    const queue = new WorkItemQueue({ profile, account, timers, activities, maxActivities, lease });
    const add = (key: string) =>
      queue.add({
        key,
        visibleAt: Date.now(),
        dequeued: 0,
        work: { name: "work", input: key, instanceId: key },
        answer: async () => {
          answered.push(key);
        },
      });
    queue.open();
    return { queue, add, started, answered, leases };
  }

  test("first in, first out, no more at a time than may run", async () => {
    const { add, started, answered } = open(2, 1000);
    for (const key of ["a", "b", "c", "d"]) add(key);
    await vi.advanceTimersByTimeAsync(500);
    expect(started).toEqual(["a", "b"]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(started).toEqual(["a", "b", "c", "d"]);
    expect(answered).toEqual(["a", "b"]);
  });

  test("the message of an activity that runs for long is renewed", async () => {
    const { add, leases } = open(1, 100_000);
    add("long");
    await vi.advanceTimersByTimeAsync(100_000);
    expect(leases).toHaveLength(4);
    expect(leases.at(-1)).toBeGreaterThanOrEqual(390_000);
  });
});
