// How many jobs are in flight (P26): several processes over one count, and who is admitted first.

import { beforeEach, expect, test } from "vitest";
import {
  type Admission,
  type AdmissionLane,
  createAdmission,
  NO_BACKLOG,
  NotAdmitted,
} from "../../src/operations/admission.ts";

const LIMIT = 100;

let clock = 0;
let held = 0;
let waiting = 0;
let counts = 0;
beforeEach(() => {
  clock = 0;
  held = 0;
  waiting = 0;
  counts = 0;
});

function admission(limit = LIMIT): Admission {
  return createAdmission({
    count: async () => {
      counts += 1;
      return { held, waiting };
    },
    limit,
    now: () => clock,
    pause: async (ms) => {
      clock += ms;
    },
  });
}

/** Whoever is admitted holds a job from then on. */
async function admitted(door: Admission, lane: AdmissionLane = "normal"): Promise<boolean> {
  try {
    await door.admit(lane);
    held += 1;
    return true;
  } catch (cause) {
    if (cause instanceof NotAdmitted) return false;
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

test("where many wait for their agents nothing new is admitted, and what has begun is", async () => {
  const door = admission(10 * LIMIT);
  held = 300;
  waiting = 101;
  expect(await admitted(door, "normal")).toBe(false);
  expect(await admitted(door, "high")).toBe(false);
  expect(await admitted(door, "begun")).toBe(true);
  waiting = 100;
  clock += 1000;
  expect(await admitted(door, "normal")).toBe(true);
});

test("what one instance leaves when it crashes stops no new job, whatever the limit", async () => {
  const door = admission();
  held = NO_BACKLOG;
  waiting = NO_BACKLOG;
  expect(await admitted(door, "normal")).toBe(true);
  waiting = NO_BACKLOG + 1;
  clock += 1000;
  expect(await admitted(door, "normal")).toBe(false);
});

test("a limit of one admits one", async () => {
  const door = admission(1);
  expect(await admitted(door)).toBe(true);
  expect(await admitted(door)).toBe(false);
});

test("while the store is away nobody is admitted, and the fault is the caller's to hold", async () => {
  const door = createAdmission({
    count: () => Promise.reject(new Error("the store is away")),
    limit: LIMIT,
    now: () => clock,
    pause: async () => undefined,
  });
  await expect(door.admit("normal")).rejects.toThrow("the store is away");
});
