// How many jobs are in flight (P26): several processes over one count, and who is admitted first.

import { beforeEach, expect, test } from "vitest";
import {
  type Admission,
  type AdmissionLane,
  AgentHeldUp,
  createAdmission,
  FIRST,
  MOST_HELD_BACK,
  NO_BACKLOG,
  NotAdmitted,
} from "../../src/scheduler/admission/admission.ts";
import { flightViewOf, type Waiting } from "../../src/scheduler/admission/waits-by-agent.ts";
import { GRAPH, NOON, NOON_MS, sampleRecord } from "../jobs.ts";
import { claimed } from "../records.ts";

const LIMIT = 100;

let clock = 0;
let held = 0;
let waiting: Waiting[] = [];
/** The runs of each job, and how many of all are in the engine's queues. */
let runsEach = 1;
let untaken = 0;
let ended = 0;
let begun = 0;
let counts = 0;
beforeEach(() => {
  clock = 0;
  held = 0;
  waiting = [];
  runsEach = 1;
  untaken = 0;
  ended = 0;
  begun = 0;
  counts = 0;
});

const AGENTS: { readonly [workflow: string]: readonly string[] } = {
  jobs: ["inventory", "fraud"],
  trips: ["inventory"],
  smoke: [],
};

const waitFor = (
  agent: string,
  count: number,
  priority: Waiting["priority"] = "normal",
  isLate: Waiting["isLate"] = false,
): Waiting[] => Array.from({ length: count }, () => ({ agent, priority, isLate, runs: runsEach }));

function admission(limit = LIMIT): Admission {
  return createAdmission({
    count: async () => {
      counts += 1;
      return held;
    },
    view: async (most) => {
      const looked = Math.min(most, held);
      return { looked, runs: looked * runsEach, untaken, waiting: waiting.slice(0, most), ended };
    },
    engineBegan: () => begun,
    agentsOf: (workflow) => AGENTS[workflow] ?? [],
    limit,
    now: () => clock,
    pause: async (ms) => {
      clock += ms;
    },
  });
}

/** Whoever is admitted holds a job from then on. */
async function admitted(door: Admission, lane: AdmissionLane = "normal", workflow = "jobs"): Promise<boolean> {
  try {
    await door.admit(lane, workflow);
    held += 1;
    return true;
  } catch (cause) {
    if (cause instanceof NotAdmitted || cause instanceof AgentHeldUp) return false;
    throw cause;
  }
}

async function until(door: Admission, lane: AdmissionLane): Promise<number> {
  while (await admitted(door, lane)) if (held > 10 * LIMIT) throw new Error("it never ends");
  return held;
}

test("one process admits to the limit, and then nobody until a job ends", async () => {
  const door = admission();
  expect(await until(door, "normal")).toBe(LIMIT);
  held -= 1;
  clock += 1000;
  expect(await admitted(door)).toBe(true);
  expect(await admitted(door)).toBe(false);
});

test("a count serves many: the room is given out in parts", async () => {
  await until(admission(), "normal");
  expect(counts).toBeLessThan(LIMIT / 2 + 70);
});

test("four processes that begin at once exceed the limit by less than half", async () => {
  const doors = Array.from({ length: 4 }, () => admission());
  for (let round = 0; round < LIMIT; round += 1) await Promise.all(doors.map((door) => admitted(door)));
  expect(held).toBeGreaterThanOrEqual(LIMIT);
  expect(held).toBeLessThan(LIMIT * 1.5);
});

test("urgent jobs are admitted for longer than others, and what has begun longer than those", async () => {
  const door = admission();
  await until(door, "normal");
  expect(await until(door, "high")).toBe(LIMIT * 1.25);
  expect(await admitted(door, "normal")).toBe(false);
  expect(await until(door, "begun")).toBe(LIMIT * 1.5);
});

test("P26 where many wait for one agent, only new jobs that need it are held back; nothing else slows down", async () => {
  const door = admission();
  held = 200;
  waiting = waitFor("fraud", 200);
  expect(await admitted(door, "normal", "jobs")).toBe(false);
  expect(await admitted(door, "normal", "trips")).toBe(true);
  expect(await admitted(door, "normal", "smoke")).toBe(true);
  expect(await admitted(door, "high", "jobs")).toBe(true);
  expect(await admitted(door, "begun")).toBe(true);
  // All the places are theirs.
  held = 200;
  clock += 5000;
  while (await admitted(door, "normal", "trips")) if (held > 10 * LIMIT) throw new Error("it never ends");
  expect(held).toBe(200 + LIMIT);
  waiting = waitFor("fraud", NO_BACKLOG);
  held = 50;
  clock += 5000;
  expect(await admitted(door, "normal", "jobs")).toBe(true);
});

test("P26 urgent jobs that wait for the agent hold back urgent ones", async () => {
  const door = admission();
  held = 200;
  waiting = waitFor("fraud", 200, "high");
  expect(await admitted(door, "high", "jobs")).toBe(false);
  expect(await admitted(door, "high", "trips")).toBe(true);
});

test("P26 a job that is held back for its agent goes back to its queue at once, where a few wait already", async () => {
  const door = createAdmission({
    count: async () => 200,
    view: async () => ({ looked: 200, runs: 200, untaken: 0, waiting: waitFor("fraud", 200), ended: 0 }),
    engineBegan: () => 0,
    agentsOf: (workflow) => AGENTS[workflow] ?? [],
    limit: LIMIT,
    now: () => clock,
    pause: async (ms) => {
      if (ms === 1000) clock += 1;
      await new Promise((resolve) => setImmediate(resolve));
    },
  });
  const outcomes = { held: 0, back: 0 };
  const all = Array.from({ length: 40 }, () =>
    door.admit("normal", "jobs").then(
      () => {
        throw new Error("admitted");
      },
      (cause: unknown) => {
        expect(cause).toBeInstanceOf(AgentHeldUp);
        expect(String(cause)).toContain("200 jobs wait for the agent fraud");
        outcomes.back += 1;
      },
    ),
  );
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(outcomes.back).toBe(40 - MOST_HELD_BACK);
  clock += 61_000;
  await Promise.all(all);
  expect(outcomes.back).toBe(40);
});

test("P26 where many wait for several agents that take work, the engine has the backlog: nothing new is admitted, and what has begun is", async () => {
  const door = admission(10 * LIMIT);
  held = 300;
  waiting = [...waitFor("fraud", 60, "normal", true), ...waitFor("inventory", 60, "normal", true)];
  untaken = 300;
  expect(await admitted(door, "normal", "smoke")).toBe(false);
  expect(await admitted(door, "high", "smoke")).toBe(false);
  expect(await admitted(door, "begun")).toBe(true);
  [waiting, untaken] = [waitFor("fraud", 60), 0];
  clock += 5000;
  expect(await admitted(door, "normal")).toBe(true);
});

test("P26 a job weighs as many as it has runs in flight: of wide ones fewer are admitted", async () => {
  const door = admission();
  [held, runsEach] = [20, 5];
  expect(await admitted(door)).toBe(false);
  held = 19;
  clock += 5000;
  expect(await admitted(door)).toBe(true);
});

test("P26 wide jobs that wait for an agent that is away take no place of others, however many runs each has", async () => {
  const door = admission();
  [held, runsEach] = [60, 10];
  waiting = waitFor("away", 60);
  expect(await admitted(door, "normal", "trips")).toBe(true);
  expect(clock).toBe(0);
});

test.each([
  ["nothing is known of it", 0, 0, FIRST],
  ["as many steps have ended lately", 80, 0, 80],
  ["as many have begun here", 0, 90, 90],
])("P26 an engine gets no more than it does in time: %s", async (_, endedLately, begunHere, most) => {
  const door = admission();
  [ended, begun] = [endedLately, begunHere];
  for (let asked = 0; asked < LIMIT && (await admitted(door)); asked += 1) untaken = held;
  expect(held).toBeGreaterThanOrEqual(most);
  expect(held).toBeLessThanOrEqual(most + 2);
});

test("P26 what its agent has taken up does not wait for the engine: others are admitted, to the limit", async () => {
  const door = admission();
  [held, untaken] = [70, 70];
  expect(await admitted(door)).toBe(false);
  untaken = 0;
  clock += 5000;
  expect(await until(door, "normal")).toBe(LIMIT);
});

test.each([
  [2, 17],
  [2, 32],
  [2, 40],
  [8, 32],
])(
  "P26 with %i agents away and %i jobs that wait for each, 600 that need none of them are admitted at once",
  async (agents, each) => {
    const door = admission(2 * LIMIT);
    waiting = Array.from({ length: agents }, (_, index) => waitFor(`away-${index}`, each)).flat();
    held = waiting.length;
    let done = 0;
    for (; done < 600 && (await admitted(door)); done += 1) held -= 1;
    expect([done, clock]).toEqual([600, 0]);
  },
);

test("P26 what a job in flight waits for is load, unless its agent is known to be away", async () => {
  const job = claimed(sampleRecord("job-1", GRAPH), GRAPH);
  const isAway = (name: string) => async (agent: string) => agent === name;
  const seen = (away: string) => flightViewOf([job, job], NOON_MS + 6000, 5000, isAway(away));
  const wait = { agent: "inventory", priority: "normal", runs: 1 };
  const late = Array(2).fill({ ...wait, isLate: true });
  expect(await seen("fraud")).toEqual({ looked: 2, runs: 2, untaken: 2, waiting: late, ended: 0 });
  expect(await seen("inventory")).toMatchObject({ untaken: 0, waiting: Array(2).fill({ ...wait, isLate: false }) });
  expect((await flightViewOf([job], NOON_MS, 5000, isAway("fraud"))).waiting).toEqual([]);
  const done = { ...job, steps: { reserveStock: { ...job.steps["reserveStock"], endedAt: NOON } } } as typeof job;
  expect(await flightViewOf([done], NOON_MS, 5000, isAway("fraud"))).toMatchObject({ ended: 1 });
});

test("P26 while more is scheduled again than ends, nothing new is admitted, however few wait; what one sweep does stops nothing", async () => {
  const door = admission(10 * LIMIT);
  held = 300;
  waiting = waitFor("inventory", 20, "normal", "again");
  ended = 19;
  expect(await admitted(door)).toBe(false);
  expect(await admitted(door, "high", "smoke")).toBe(false);
  expect(await admitted(door, "begun")).toBe(true);
  ended = 20;
  clock += 5000;
  expect(await admitted(door)).toBe(true);
  [waiting, ended] = [waitFor("inventory", 10, "normal", "again"), 0];
  clock += 5000;
  expect(await admitted(door)).toBe(true);
});

test("what one instance leaves when it crashes stops no new job, whatever the limit", async () => {
  const door = admission();
  held = NO_BACKLOG + 1;
  waiting = waitFor("inventory", NO_BACKLOG);
  expect(await admitted(door, "normal")).toBe(true);
  waiting = waitFor("inventory", NO_BACKLOG + 1);
  clock += 5000;
  expect(await admitted(door, "normal")).toBe(false);
});

test("P26 when the agent is back, what is held back is admitted at once", async () => {
  const door = admission();
  held = 60;
  waiting = waitFor("fraud", 60);
  expect(await admitted(door)).toBe(false);
  held = 0;
  waiting = [];
  const before = clock;
  while (held < FIRST) await admitted(door);
  expect(clock - before).toBeLessThan(5000);
  expect(await until(door, "normal")).toBe(LIMIT);
});

test("a limit of one admits one", async () => {
  const door = admission(1);
  expect(await admitted(door)).toBe(true);
  expect(await admitted(door)).toBe(false);
});

test("while the store is away nobody is admitted, and the fault is the caller's to hold", async () => {
  const door = createAdmission({
    count: () => Promise.reject(new Error("the store is away")),
    view: async () => ({ looked: 0, runs: 0, untaken: 0, waiting: [], ended: 0 }),
    engineBegan: () => 0,
    agentsOf: () => [],
    limit: LIMIT,
    now: () => clock,
    pause: async () => undefined,
  });
  await expect(door.admit("normal")).rejects.toThrow("the store is away");
});

/** An engine that takes up so many steps a second, one after the other. @returns the longest time that a step waited, in ms */
async function burst(
  perSecond: number,
  seconds: number,
): Promise<{ readonly longestMs: number; readonly most: number }> {
  const engine: number[] = [];
  const seen = { longestMs: 0, most: 0 };
  const begunAt: number[] = [];
  let taken = 0;
  const advance = (ms: number) => {
    clock += ms;
    for (; taken < (clock / 1000) * perSecond; taken += 1) {
      const since = engine.shift();
      if (since === undefined) continue;
      seen.longestMs = Math.max(seen.longestMs, clock - since);
      begunAt.push(clock);
    }
    seen.most = Math.max(seen.most, engine.length);
  };
  const door = createAdmission({
    count: async () => engine.length,
    engineBegan: () => begunAt.filter((at) => at > clock - 15_000).length,
    view: async (most) => {
      const late = engine
        .filter((since) => clock - since > 5000)
        .flatMap(() => ({ agent: "inventory", priority: "normal" as const, isLate: true, runs: 1 }));
      const looked = Math.min(most, engine.length);
      return { looked, runs: looked, untaken: looked, waiting: late.slice(0, most), ended: 0 };
    },
    agentsOf: () => ["inventory"],
    limit: 200,
    now: () => clock,
    pause: async (ms) => advance(ms),
  });
  while (clock < seconds * 1000) {
    try {
      await door.admit("normal", "jobs");
      engine.push(clock);
      advance(1);
    } catch {
      advance(1000);
    }
  }
  return seen;
}

test.each([3, 4, 10, 20])(
  "P26 a burst on an engine that takes up %i steps a second: none waits as long as its start-by",
  async (perSecond) => {
    const { longestMs } = await burst(perSecond, 300);
    expect(longestMs).toBeLessThan(30_000);
  },
);

test("P26 an engine that keeps up gets all the jobs that it may have within seconds", async () => {
  const { most, longestMs } = await burst(150, 20);
  expect(most).toBeGreaterThan(150);
  expect(longestMs).toBeLessThan(3000);
});
