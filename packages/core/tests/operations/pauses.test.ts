// A paused workflow takes no new job and counts no failure; work in hand ends.

import { beforeEach, expect, test } from "vitest";
import { SentBack } from "../../src/domain/outage.ts";
import { createPauses, type Pauses } from "../../src/scheduler/admission/pauses.ts";
import { changePause } from "../../src/scheduler/operating/change-pause.ts";
import type { Pause, PauseStore } from "../../src/store/pause-store.ts";
import { NOON, NOON_MS, sampleJob } from "../jobs.ts";
import { createWorld, type World } from "../world.ts";

let world: World;
let pauses: Pauses;
let stored: Pause[];
let reads: number;
let isAway: boolean;
let isQuiet: boolean;

beforeEach(() => {
  world = createWorld(NOON_MS);
  stored = [];
  reads = 0;
  isAway = false;
  isQuiet = false;
  const isSame = (one: { kind: string; name: string }) => (other: { kind: string; name: string }) =>
    one.kind === other.kind && one.name === other.name;
  const store: PauseStore = {
    async all() {
      reads += 1;
      if (isQuiet) return new Promise(() => {});
      if (isAway) throw new Error("the store is away");
      return [...stored];
    },
    async add(pause) {
      if (stored.some(isSame(pause))) return false;
      stored.push(pause);
      return true;
    },
    async remove(paused) {
      const before = stored.length;
      stored = stored.filter((one) => !isSame(paused)(one));
      return stored.length < before;
    },
    async watch() {},
    async rested() {},
  };
  pauses = createPauses(store, world.now);
  Object.assign(world, { pauses });
});

const change = (what: "pause" | "resume", operator = "ada") =>
  changePause(
    { kind: "workflow", name: "job-fulfilment", change: what, reason: "the price list is wrong" },
    operator,
    pauses,
    world,
  );

test("P26 new jobs of a paused workflow are sent back to wait; those that have begun go on; resumed, all go on", async () => {
  await world.submit({ ...sampleJob("begun-1") });
  expect(await change("pause")).toEqual([
    { kind: "workflow", name: "job-fulfilment", by: "ada", at: NOON, reason: "the price list is wrong" },
  ]);
  await expect(world.submit({ ...sampleJob("new-1") })).rejects.toBeInstanceOf(SentBack);
  expect(await world.store.state("new-1")).toBeUndefined();
  await world.runAttempt({ jobId: "begun-1", attempt: 1, direction: "forward", traceparent: null });
  expect(await world.stateOf("begun-1")).toMatchObject({ processState: "Processed" });
  expect(await change("resume")).toEqual([]);
  await world.submit({ ...sampleJob("new-1") });
  expect(await world.stateOf("new-1")).toMatchObject({ failureCount: 0 });
});

test("asked for again, nothing changes and the audit log has it once; what another process does is seen within 5 s", async () => {
  await change("pause");
  expect(await change("pause", "bob")).toMatchObject([{ by: "ada" }]);
  const acted = world.events.filter(({ name }) => name === "OperatorActed");
  expect(acted).toHaveLength(1);
  expect(acted[0]).toMatchObject({ attributes: { action: "pause workflow job-fulfilment", operator: "ada" } });
  const paused = { kind: "workflow", name: "job-fulfilment" } as const;
  stored = [];
  expect(await pauses.isPaused(paused)).toBe(true);
  world.clock += 5000;
  expect(await pauses.isPaused(paused)).toBe(false);
});

test("it is read once in 5 s, however many jobs come; where the store is away, what was last known holds", async () => {
  await change("pause");
  const before = reads;
  const paused = { kind: "workflow", name: "job-fulfilment" } as const;
  for (let jobs = 0; jobs < 10; jobs += 1) await pauses.isPaused(paused);
  expect(reads).toBe(before);
  world.clock += 5000;
  isAway = true;
  expect(await pauses.isPaused(paused)).toBe(true);
  await expect(pauses.current()).rejects.toThrow("the store is away");
  isQuiet = true;
  expect(await pauses.isPaused(paused)).toBe(true);
});
