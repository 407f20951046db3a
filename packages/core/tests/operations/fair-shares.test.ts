// Fairness between the keys of jobs (P31): a burst of one key leaves room for others, over several processes, and costs nothing while it is alone.
import { beforeEach, expect, test } from "vitest";
import {
  type Admission,
  type AdmissionLane,
  AgentHeldUp,
  createAdmission,
  type FairKey,
  FIRST,
  MOST_ASIDE,
  MOST_HELD_BACK,
  MOST_OVER_SHARE,
  NotAdmitted,
  ShareTaken,
} from "../../src/scheduler/admission/admission.ts";

const LIMIT = 100;

let clock = 0;
let held: Map<string, number>;
let counts = 0;
let begun = LIMIT;
beforeEach(() => {
  begun = LIMIT;
  clock = 0;
  held = new Map();
  counts = 0;
});

function admission(share = 0.5): Admission {
  return createAdmission({
    count: () => Promise.reject(new Error("counted twice")),
    fairness: {
      countByKey: async () => {
        counts += 1;
        return new Map(held);
      },
      share,
    },
    view: async () => ({ looked: 0, runs: 0, untaken: 0, waiting: [], ended: 0 }),
    engineBegan: () => begun,
    agentsOf: () => [],
    limit: LIMIT,
    now: () => clock,
    pause: async (ms) => {
      clock += ms;
    },
  });
}

/** Whoever is admitted holds a job from then on. */
async function admitted(door: Admission, key: string, lane: AdmissionLane = "normal", isAlone = true) {
  try {
    (await door.admit(lane, "jobs", { key, isAlone }))?.();
    held.set(key, (held.get(key) ?? 0) + 1);
    return true;
  } catch (cause) {
    if (cause instanceof NotAdmitted) return false;
    throw cause;
  }
}

async function fill(door: Admission, key: string, lane: AdmissionLane = "normal"): Promise<number> {
  while (await admitted(door, key, lane)) if ((held.get(key) ?? 0) > 10 * LIMIT) throw new Error("it never ends");
  return held.get(key) ?? 0;
}

test("P31 a key that is alone takes all places, with no count more than without keys", async () => {
  expect(await fill(admission(), "tea")).toBe(LIMIT);
  expect(counts).toBeLessThan(LIMIT / 2 + 320);
});

test.each<AdmissionLane>(["normal", "high"])(
  "P31 while others are active, a key's %s jobs take its share alone, in whatever process they ask",
  async (lane) => {
    const [one, other] = [admission(), admission()];
    held.set("mug", 1);
    clock += 1000;
    await Promise.all([fill(one, "tea", lane), fill(other, "tea", lane)]);
    expect(held.get("tea")).toBeGreaterThanOrEqual(LIMIT / 2);
    expect(held.get("tea")).toBeLessThan(LIMIT * 0.6);
  },
);

test("P31 processes that ask at once take little more than a key's small share together", async () => {
  held.set("mug", 1);
  const doors = Array.from({ length: 4 }, () => admission(0.2));
  await Promise.all(doors.map((door) => fill(door, "tea")));
  expect(held.get("tea")).toBeGreaterThanOrEqual(LIMIT * 0.2);
  expect(held.get("tea")).toBeLessThan(LIMIT * 0.3);
});

test("P31 where one key has all places, another waits for none of them", async () => {
  const door = admission();
  await fill(door, "tea", "high");
  const before = clock;
  for (let job = 0; job < 10; job += 1) expect(await admitted(door, "mug")).toBe(true);
  expect(clock).toBe(before);
  // And the first has to leave places, until it holds its share again.
  held.set("tea", LIMIT / 2 + 1);
  expect(await admitted(door, "tea", "high")).toBe(false);
  held.set("tea", LIMIT / 2 - 1);
  expect(await admitted(door, "tea", "high")).toBe(true);
});

test("P31 what all keys hold is bounded by twice the limit, however many ask at once", async () => {
  const door = admission();
  await fill(door, "tea");
  for (let round = 0; round < 5; round += 1) {
    for (let key = 0; key < LIMIT; key += 1) await admitted(door, `key-${key}`);
  }
  expect([...held.values()].reduce((sum, jobs) => sum + jobs)).toBeLessThanOrEqual(2 * LIMIT);
});

test("P31 a key is held to its share for a minute after the last job of another, and not longer", async () => {
  const door = admission();
  expect(await admitted(door, "mug")).toBe(true);
  held.delete("mug");
  held.set("tea", LIMIT / 2);
  clock += 30_000;
  expect(await admitted(door, "tea")).toBe(true);
  expect(clock).toBeGreaterThan(60_000);
  expect(clock).toBeLessThan(61_000);
});

test("P31 what has begun is held to no share", async () => {
  const door = admission();
  held.set("mug", 1);
  held.set("tea", LIMIT);
  await expect(door.admit("begun")).resolves.toBeUndefined();
});

test("P31 on a shared queue a few jobs of a key wait for its share, and the others go behind, one after the other", async () => {
  held.set("mug", 1).set("tea", LIMIT / 2);
  let isOver = false;
  const fairness = { countByKey: async () => new Map(held), share: 0.5 };
  const door = createAdmission({
    ...{
      count: async () => 0,
      fairness,
      view: async () => ({ looked: 0, runs: 0, untaken: 0, waiting: [], ended: 0 }),
      engineBegan: () => LIMIT,
      agentsOf: () => [],
      limit: LIMIT,
      now: () => clock,
    },
    pause: async () => {
      if (isOver) clock += 61_000;
      await new Promise((resolve) => setImmediate(resolve));
    },
  });
  const back: number[] = [];
  const ask = (fair: FairKey) =>
    door.admit("normal", "jobs", fair).then(
      () => "admitted",
      (cause: unknown) => {
        if (cause instanceof ShareTaken) back.push(cause.afterMs);
        return cause instanceof ShareTaken ? "back" : "waited";
      },
    );
  const asked = Array.from({ length: 30 }, () => ask({ key: "tea", isAlone: false }));
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(back).toHaveLength(30 - MOST_OVER_SHARE);
  expect(back).toEqual([...back].sort((a, b) => a - b));
  expect(new Set(back).size).toBe(back.length);
  // Behind them stands another's, which waits for nothing.
  expect(await ask({ key: "mug", isAlone: false })).toBe("admitted");
  // On its own queue nobody is behind them: all wait there.
  const own = Array.from({ length: 30 }, () => ask({ key: "tea", isAlone: true }));
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(back).toHaveLength(30 - MOST_OVER_SHARE);
  isOver = true;
  const ends = await Promise.all([...asked, ...own]);
  expect(ends.filter((end) => end === "waited")).toHaveLength(MOST_OVER_SHARE + 30);
});

test("P26 P31 an agent is held up under a burst of several keys that wait for their shares: a process still looks at further messages", async () => {
  held.set("mug", LIMIT / 2).set("tea", LIMIT / 2);
  let isHeldUp = false;
  let isOver = false;
  const door = createAdmission({
    ...{ count: async () => 0, limit: LIMIT, now: () => clock },
    fairness: { countByKey: async () => new Map(held), share: 0.5 },
    engineBegan: () => LIMIT,
    view: async () => ({
      ...{ looked: LIMIT, runs: LIMIT, untaken: isHeldUp ? LIMIT : 0 },
      waiting: Array.from({ length: isHeldUp ? LIMIT : 0 }, () => ({
        ...{ agent: "fraud", priority: "normal" as const, isLate: true, runs: 1 },
      })),
      ended: 0,
    }),
    agentsOf: (workflow) => (workflow === "jobs" ? ["fraud"] : []),
    pause: async () => {
      clock += isOver ? 61_000 : 1;
      await new Promise((resolve) => setImmediate(resolve));
    },
  });
  const turns = async (times: number) => {
    for (let turn = 0; turn < times; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  let inHand = 0;
  const ask = async (key: string, workflow: string) => {
    inHand += 1;
    try {
      return await door.admit("normal", workflow, { key, isAlone: false });
    } catch (cause) {
      return cause instanceof AgentHeldUp || cause instanceof ShareTaken || cause instanceof NotAdmitted;
    } finally {
      inHand -= 1;
    }
  };
  const all = Array.from({ length: 40 }, (_each, place) => ask(place % 2 === 0 ? "mug" : "tea", "jobs"));
  await turns(400);
  isHeldUp = true;
  await turns(400);
  all.push(...Array.from({ length: 40 }, () => ask("mug", "jobs")));
  await turns(400);
  expect(inHand).toBeLessThanOrEqual(MOST_HELD_BACK);
  // Of the same keys, and they do not need the agent.
  all.push(...Array.from({ length: 40 }, () => ask("tea", "smoke")));
  await turns(400);
  expect(inHand).toBeLessThanOrEqual(MOST_ASIDE);
  isOver = true;
  expect(await Promise.all(all)).not.toContain(false);
});

test("P31 of a key's jobs a process takes in few at once while others are active, and the next as soon as one is done", async () => {
  const door = createAdmission({
    ...{
      count: async () => 0,
      view: async () => ({ looked: 0, runs: 0, untaken: 0, waiting: [], ended: 0 }),
      engineBegan: () => LIMIT,
      agentsOf: () => [],
      limit: LIMIT,
      now: () => clock,
    },
    fairness: { countByKey: async () => new Map(held), share: 0.5 },
    pause: () => new Promise(() => {}),
  });
  const turns = async (times: number) => {
    for (let turn = 0; turn < times; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  const ends: (() => void)[] = [];
  const ask = async (key: string) => {
    const end = await door.admit("normal", "jobs", { key, isAlone: false });
    if (end) ends.push(end);
  };
  // Alone, all at once.
  for (let job = 0; job < 10; job += 1) void ask("tea");
  await turns(5);
  expect(ends).toHaveLength(10);
  for (const end of ends.splice(0)) end();
  held.set("mug", 1);
  clock += 1000;
  for (let job = 0; job < 9; job += 1) void ask("tea");
  await turns(5);
  expect(ends).toHaveLength(4);
  ends.shift()?.();
  await turns(5);
  expect(ends).toHaveLength(4);
  // A turn that is ended twice ends once, and another key has its own turns.
  for (let job = 0; job < 9; job += 1) void ask("mug");
  await turns(5);
  expect(ends).toHaveLength(8);
});

test("P26 several customers who send at once get no more together than an engine may get that nobody knows yet", async () => {
  const door = admission();
  const keys = ["tea", "mug", "pot", "cup", "jug"];
  begun = 0;
  for (let jobs = 0; jobs < LIMIT && clock < 1000; jobs += 1) await admitted(door, keys[jobs % keys.length] ?? "tea");
  const inFlight = [...held.values()].reduce((sum, jobs) => sum + jobs, 0);
  expect(inFlight).toBeGreaterThan(FIRST / 2);
  expect(inFlight).toBeLessThanOrEqual(FIRST + keys.length);
});
