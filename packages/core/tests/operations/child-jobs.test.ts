// A child job whose parent's step is killed at each of its awaits (P16, P35): submitted once, taken back once, and never submitted after that.

import { expect, test } from "vitest";
import type { StateRecord } from "../../src/domain/record/state-record.ts";
import type { Context } from "../../src/scheduler/ports.ts";
import type { JobStore } from "../../src/store/job-store.ts";
import { childIdOf } from "../../src/submission/child-id.ts";
import { submitChild, type WantedChild } from "../../src/submission/submit-child.ts";
import { takeBackChild } from "../../src/submission/take-back-child.ts";
import { CHAIN, NOON_MS, sampleJob } from "../jobs.ts";
import { createWorld, type World } from "../world.ts";

const PARENT = "job-1";
const id = childIdOf(`${PARENT}:ship:forward`);
const { priority: _ofTheParent, ...content } = sampleJob("any");
const wanted: WantedChild = { id, workflow: CHAIN.name, content: () => content };

class Killed extends Error {}

/** The ports of a process that is killed before, or after, its nth call of the store or the messenger. */
function killed(world: World, at: number, isAfter: boolean): Context {
  let calls = 0;
  const killing = <Port extends object>(port: Port): Port =>
    new Proxy(port, {
      get(target, name) {
        const method = Reflect.get(target, name);
        if (typeof method !== "function") return method;
        return async (...given: unknown[]) => {
          calls += 1;
          const isLast = calls === at;
          if (isLast && !isAfter) throw new Killed();
          const answer = await method.apply(target, given);
          if (isLast) throw new Killed();
          return answer;
        };
      },
    });
  return { ...world, store: killing(world.store), messenger: killing(world.messenger) };
}

/** Nothing in it waits for too long. */
const createPatient = () => Object.assign(createWorld(NOON_MS), { pause: () => new Promise<never>(() => undefined) });

type Begin = (world: World) => Promise<void>;
type Act = (context: Context) => Promise<unknown>;

async function worldAfter(begin: Begin): Promise<World> {
  const world = createPatient();
  await world.submit(sampleJob(PARENT));
  await begin(world);
  return world;
}

/** Kills the act at each of its awaits, and repeats it. @returns at how many */
async function killEach(begin: Begin, act: Act, check: (world: World) => Promise<void>): Promise<number> {
  for (let at = 1; ; at += 1) {
    for (const isAfter of [false, true]) {
      const world = await worldAfter(begin);
      const outcome = await act(killed(world, at, isAfter)).catch((cause: unknown) => cause);
      if (!(outcome instanceof Killed)) return at - 1;
      await act(world);
      await act(world);
      await check(world);
    }
  }
}

const submit: Act = (context) => submitChild(wanted, context);
const takeBack: Act = (context) => takeBackChild(wanted, false, context);
const childOf = async ({ store }: World) => (await store.latest(id.jobId))?.record as StateRecord;

async function change(store: JobStore, make: (record: StateRecord) => StateRecord): Promise<void> {
  const read = await store.latest(id.jobId);
  if (!read) throw new Error("there is no child");
  await store.replace(read, make(read.record));
}

/** As the child's own attempt leaves it. */
const processed: Begin = async (world) => {
  await submit(world);
  await change(world.store, (record) => ({
    ...record,
    processState: "Processed",
    steps: Object.fromEntries(
      Object.entries(record.steps).map(([name, step]) => [name, { ...step, state: "Completed", result: {} }]),
    ),
  }));
};

test("[agents | every await of a step that submits a job of another workflow | its process killed] the step is tried again: one child job, and its first attempt is asked for", async () => {
  const kills = await killEach(
    async () => undefined,
    submit,
    async (world) => {
      const child = await childOf(world);
      expect(child).toMatchObject({ processState: "Pending", attempt: 1, parent: { jobId: PARENT, step: "ship" } });
      expect(world.startAttempts).toContainEqual(expect.objectContaining({ jobId: id.jobId, attempt: 1 }));
    },
  );
  expect(kills).toBeGreaterThan(2);
});

test.each<[string, Begin, Partial<StateRecord>]>([
  ["was never submitted", async () => undefined, { processState: "Cancelled", attempt: 1 }],
  ["has not begun", async (world) => void (await submit(world)), { processState: "Cancelled", attempt: 1 }],
  ["is Processed", processed, { processState: "Pending", direction: "compensate", attempt: 2 }],
])("P13 P16 P35 a killed compensation of a child that %s is repeated, and has one effect", async (_, begin, end) => {
  const kills = await killEach(begin, takeBack, async (world) => {
    const child = await childOf(world);
    expect(child).toMatchObject(end);
    // What was not published before the process died is the supervisor's.
    expect(child.outbox.length === 0 || child.dueAt !== undefined).toBe(true);
  });
  expect(kills).toBeGreaterThan(1);
});

test("[agents | a child job is submitted after its parent is compensated | the submission is late] it finds the child Cancelled, and nothing starts", async () => {
  const world = await worldAfter(async () => undefined);
  await takeBack(world);
  expect(await submit(world)).toMatchObject({ kind: "child", end: { kind: "takenBack" } });
  expect(await childOf(world)).toMatchObject({ processState: "Cancelled" });
  expect(world.startAttempts.filter(({ jobId }) => jobId === id.jobId)).toEqual([]);
});

test("P13 P35 a job that is none of this step's is not touched by its compensation", async () => {
  const world = await worldAfter(async (before) => void (await before.submit(sampleJob(id.jobId))));
  const before = await childOf(world);
  expect(await takeBack(world)).toEqual({ kind: "takenBack", state: "NotSubmitted" });
  expect(await childOf(world)).toEqual(before);
});

test("P13 P35 a child that was removed, or is closed, is left to a person", async () => {
  const world = await worldAfter(async () => undefined);
  expect(await takeBackChild(wanted, true, world)).toMatchObject({ kind: "rejected" });
  await processed(world);
  await change(world.store, (record) => ({ ...record, keptUntil: "2026-12-31T00:00:00.000Z" }));
  expect(await takeBack(world)).toMatchObject({ kind: "rejected", message: expect.stringContaining("it is closed") });
});

test("P26 P35 a child without a place is not submitted now, and that is no failure", async () => {
  const full = { admit: () => new Promise<never>(() => undefined) };
  const world = await worldAfter(async () => undefined);
  expect(await submit({ ...world, admission: full, pause: async () => undefined })).toMatchObject({ kind: "later" });
  expect(await childOf(world)).toBeUndefined();
});

test("P26 P35 a child takes a place of jobs in progress: with those of new jobs, parents and children could wait for each other", async () => {
  const world = await worldAfter(async () => undefined);
  const lanes: string[] = [];
  const admit = async (lane: string) => void lanes.push(lane);
  await submit({ ...world, admission: { admit: (lane) => admit(lane) as Promise<undefined> } });
  expect(lanes).toEqual(["begun"]);
});

test("P35 jobs are nested five deep at most", async () => {
  const world = await worldAfter(async () => undefined);
  let key = `${PARENT}:ship:forward`;
  const outcomes: unknown[] = [];
  for (let depth = 1; depth <= 5; depth += 1) {
    const own = childIdOf(key);
    outcomes.push(await submitChild({ ...wanted, id: own }, world));
    key = `${own.jobId}:ship:forward`;
  }
  expect(outcomes.slice(0, 4)).toMatchObject(Array(4).fill({ kind: "child" }));
  expect(outcomes[4]).toMatchObject({ kind: "rejected", message: expect.stringContaining("nested 6 deep: at most 5") });
});

test("a child's id has its parent's prefix, and at most 80 characters", () => {
  expect(childIdOf("tea-1:ship:forward").jobId).toBe("tea-1-ship");
  expect(childIdOf("tea-1:ship_3:forward:2").jobId).toBe("tea-1-ship_3-2");
  const long = `tea-${"x".repeat(76)}`;
  const ids = [1, 2].map((item) => childIdOf(`${long}:ship_${item}:forward`).jobId);
  expect(ids.every((one) => one.startsWith("tea-x") && one.length === 80)).toBe(true);
  expect(ids[0]).not.toBe(ids[1]);
});

test("P29 P35 a child that is done is not closed at once, and can be compensated with its parent", async () => {
  const world = await worldAfter(async () => undefined);
  const closing = { ...world.store, over: () => [], close: () => undefined, erase: () => undefined };
  const retention = { store: closing, keepMs: 60_000, resubmitWithinMs: 86_400_000, archive: undefined };
  Object.assign(world, { retention });
  await submit(world);
  const first = world.startAttempts.findLast(({ jobId }) => jobId === id.jobId);
  if (!first) throw new Error("nothing asks for its first attempt");
  await world.runAttempt(first);
  const done = await childOf(world);
  expect(done).toMatchObject({ processState: "Processed", overInErrorAt: expect.any(String) });
  expect([done.keptUntil, done.overAt]).toEqual([undefined, undefined]);
  expect(await takeBack(world)).toEqual({ kind: "going" });
  const next = world.startAttempts.findLast(({ jobId }) => jobId === id.jobId);
  if (!next) throw new Error("nothing asks for its compensation");
  await world.runAttempt(next);
  expect(await takeBack(world)).toEqual({ kind: "takenBack", state: "Compensated" });
});
