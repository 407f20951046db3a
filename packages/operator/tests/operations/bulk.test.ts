// Turns of an action on many jobs, over stores in memory: what a death in between leaves, and records that nobody here can read.

import { NewerSchema, type StateRecord } from "@scheduler-agent-supervisor/core/domain";
import { createMemoryJobStore } from "@scheduler-agent-supervisor/testing/memory";
import { beforeEach, expect, test } from "vitest";
import { NOON_MS, sampleJob } from "../../../core/tests/jobs.ts";
import { createWorld, type World } from "../../../core/tests/world.ts";
import { createAttention } from "../../src/operations/attention.ts";
import { keepBulkRunning } from "../../src/operations/keep-bulk-running.ts";
import { changeBulk, watchBulk } from "../../src/operations/operate-bulk.ts";
import { type BulkPorts, previewBulk } from "../../src/operations/preview-bulk.ts";
import { runBulk } from "../../src/operations/run-bulk.ts";
import type { JobQuery } from "../../src/store/job-list.ts";
import { createMemoryBulkStore } from "../memory-bulk-store.ts";
import { createMemoryJobSearch } from "../memory-job-search.ts";

let world: World;
let ports: BulkPorts;
let search: BulkPorts["search"];
beforeEach(begin);

function begin(): void {
  const store = createMemoryJobStore();
  world = createWorld(NOON_MS, store);
  search = createMemoryJobSearch(store);
  const attention = createAttention({
    openJobs: async () => ({ jobs: [], isAll: true, counts: [] }),
    jobGauges: [],
    clockSkewMs: 0,
    now: world.now,
  });
  ports = Object.assign(world, { bulk: createMemoryBulkStore(world.now), attention, search });
}

const IDS = ["job-1", "job-2", "job-3"];

/** Jobs whose payment is rejected. */
async function rejected(jobIds: readonly string[], outcomeUnknown = false): Promise<void> {
  world.answers.set("authorize", () => ({ kind: "rejected", message: "card expired", outcomeUnknown }));
  for (const jobId of jobIds) {
    await world.submit({ ...sampleJob(), jobId });
    await world.runAttempt({ jobId: jobId, attempt: 1, direction: "forward", traceparent: null });
    expect(await world.stateOf(jobId)).toMatchObject({ processState: "Error" });
  }
  world.answers.clear();
  world.clock += 60_000;
}

async function started(jobIds: readonly string[]): Promise<string> {
  const { run } = await previewBulk({ action: "resubmit" }, { jobIds: jobIds }, "ada", ports);
  const job = { kind: "start", reason: "fixed", count: run.total } as const;
  expect(await changeBulk(run.bulkId, job, "ada", { ...ports, telemetry: world.telemetry })).toMatchObject({
    kind: "changed",
  });
  return run.bulkId;
}

const turn = (bulkId: string, over: Partial<BulkPorts> = {}) =>
  runBulk(bulkId, { ...ports, ...over, telemetry: world.telemetry });

async function finish(bulkId: string, over: Partial<BulkPorts> = {}): Promise<void> {
  for (let turns = 0; turns < 20; turns += 1) {
    if ((await turn(bulkId, over)).kind === "over") return;
    for (const startAttempt of world.startAttempts.splice(0)) await world.runAttempt(startAttempt);
  }
  throw new Error("it does not come to an end");
}

test("P16 a death between a job's write and the run's own: the job is known by its mark, and acted on once", async () => {
  await rejected(IDS);
  const bulkId = await started(IDS);
  const dying = { ...ports.bulk, saveWave: () => Promise.reject(new Error("the process died")) };
  await expect(turn(bulkId, { bulk: dying })).rejects.toThrow("the process died");
  expect(await world.stateOf("job-1")).toMatchObject({ attempt: 2, processState: "Pending" });
  await finish(bulkId);
  expect((await watchBulk(bulkId, ports))?.run).toMatchObject({
    state: "done",
    counts: { done: 3, well: 3, skipped: 0 },
  });
  for (const jobId of IDS) expect(await world.stateOf(jobId)).toMatchObject({ attempt: 2, processState: "Processed" });
});

/** Jobs that nobody delivers, and whose charges can't be voided. */
async function incomplete(jobIds: readonly string[]): Promise<void> {
  world.answers.set("arrange", () => ({ kind: "rejected", message: "no such country" }));
  world.answers.set("void", () => ({ kind: "rejected", message: "captured" }));
  for (const jobId of jobIds) {
    await world.submit({ ...sampleJob(), jobId });
    await world.runAttempt({ jobId, attempt: 1, direction: "forward", traceparent: null });
    for (const startAttempt of world.startAttempts.splice(0)) await world.runAttempt(startAttempt);
    expect(await world.stateOf(jobId)).toMatchObject({ error: { kind: "compensationIncomplete" } });
  }
  world.answers.clear();
  world.clock += 60_000;
}

test("a resubmission of many takes each on in its own direction: the preview says how many go where, and their ends are well", async () => {
  await rejected(["job-1"]);
  await incomplete(["job-2", "job-3"]);
  const { run, notPossible } = await previewBulk({ action: "resubmit" }, { jobIds: IDS }, "ada", ports);
  expect([run.goesOn, run.direction, notPossible]).toEqual([{ forward: 1, compensate: 2 }, null, []]);
  const bulkId = await started(IDS);
  await finish(bulkId);
  expect((await watchBulk(bulkId, ports))?.run).toMatchObject({ state: "done", counts: { done: 3, well: 3 } });
  const states = await Promise.all(IDS.map(async (jobId) => (await world.stateOf(jobId))?.processState));
  expect(states).toEqual(["Processed", "Compensated", "Compensated"]);
});

test("a resubmission of many gives what was rejected its next key, and keeps the key of an unknown outcome; the preview says so", async () => {
  await rejected(["job-1", "job-2"]);
  await rejected(["job-3"], true);
  const before = world.calls.length;
  // As a provider that remembers its first answer under each key.
  const refused = new Set(world.calls.map(({ idempotencyKey }) => idempotencyKey));
  world.answers.set("authorize", ({ idempotencyKey }) =>
    refused.has(idempotencyKey) && !idempotencyKey.startsWith("job-3")
      ? { kind: "rejected", message: "as before" }
      : { kind: "done" },
  );
  const { run } = await previewBulk({ action: "resubmit" }, { jobIds: IDS }, "ada", ports);
  expect(run.keys).toEqual({ next: 2, same: 1 });
  const bulkId = await started(IDS);
  await finish(bulkId);
  expect((await watchBulk(bulkId, ports))?.run).toMatchObject({ state: "done", counts: { done: 3, well: 3 } });
  const keys = world.calls.slice(before).filter(({ operation }) => operation === "authorize");
  expect(keys.map(({ idempotencyKey }) => idempotencyKey).sort()).toEqual([
    "job-1:takePayment:forward:2",
    "job-2:takePayment:forward:2",
    "job-3:takePayment:forward",
  ]);
});

test("a resubmission of many forward takes all forward", async () => {
  await incomplete(["job-2", "job-3"]);
  const asked = { action: "resubmit", direction: "forward" } as const;
  const { run } = await previewBulk(asked, { jobIds: ["job-2", "job-3"] }, "ada", ports);
  expect([run.goesOn, run.direction]).toEqual([{ forward: 2, compensate: 0 }, "forward"]);
  const start = { kind: "start", reason: "fixed", count: 2 } as const;
  await changeBulk(run.bulkId, start, "ada", { ...ports, telemetry: world.telemetry });
  await finish(run.bulkId);
  expect((await watchBulk(run.bulkId, ports))?.run).toMatchObject({ state: "done", counts: { done: 2, well: 2 } });
});

test("a newer app's record is left out of a preview, and skipped where it has become one since", async () => {
  await rejected(IDS);
  const newer = (jobId: string) => {
    const read = async (id: string) => {
      if (id === jobId) throw new NewerSchema("The job's record", 99, 1);
      return world.store.state(id);
    };
    return { store: { ...world.store, state: read, latest: read } };
  };
  const { run, notPossible } = await previewBulk({ action: "resubmit" }, { jobIds: IDS }, "ada", {
    ...ports,
    ...newer("job-2"),
  });
  expect(run.total).toBe(2);
  expect(notPossible).toEqual([{ jobId: "job-2", reason: expect.stringContaining("newer version of the app") }]);
  const bulkId = await started(IDS);
  await turn(bulkId, newer("job-1"));
  const progress = await watchBulk(bulkId, ports);
  expect(progress?.results).toMatchObject([{ jobId: "job-1", outcome: "skipped" }]);
  await finish(bulkId);
  expect((await watchBulk(bulkId, ports))?.run).toMatchObject({ state: "done", counts: { done: 2, skipped: 1 } });
});

test("of a search all that match are frozen, with what is not possible; what matches no more when it is read is left out", async () => {
  await rejected(IDS);
  await world.submit({ ...sampleJob(), jobId: "other-1" });
  const filter = { state: "Error", q: "job" } as const;
  const meanwhile = {
    async list(query: JobQuery) {
      const page = await search.list(query);
      await started(["job-2"]).then(finish);
      return page;
    },
  };
  const preview = await previewBulk({ action: "markResolved" }, { filter }, "ada", { ...ports, search: meanwhile });
  expect(preview.notPossible).toEqual([{ jobId: "job-2", reason: expect.stringContaining("does not match") }]);
  expect(preview.run).toMatchObject({ total: 2, filter, cause: null, isAll: true });
  await rejected(["job-4"]);
  expect((await ports.bulk.items(preview.run.bulkId)).map(({ jobId }) => jobId).sort()).toEqual(["job-1", "job-3"]);
});

test("of a search that finds more than a run takes, the preview says so", async () => {
  await rejected(IDS);
  const asked: number[] = [];
  const more = {
    async list(query: JobQuery) {
      asked.push(query.limit);
      return search.list({ ...query, limit: 2 });
    },
  };
  const { run } = await previewBulk({ action: "markResolved" }, { filter: { state: "Error" } }, "ada", {
    ...ports,
    search: more,
  });
  expect(run).toMatchObject({ total: 2, isAll: false });
  expect(asked).toEqual([1000]);
});

test("of a cause of which not all were counted, the others are meant too", async () => {
  await rejected(IDS);
  const of = (records: readonly (StateRecord | undefined)[]) =>
    records.flatMap((record) => (record?.error ? [{ ...record, error: record.error }] : []));
  const counted = of([await world.stateOf("job-1")]);
  const attention = createAttention({
    openJobs: async () => ({ jobs: counted, isAll: false, counts: [] }),
    jobGauges: [],
    clockSkewMs: 0,
    now: world.now,
  });
  const [group] = (await attention.groups()).groups;
  const pages: number[] = [];
  const inPages = {
    async list(query: JobQuery) {
      const page = await search.list({ ...query, limit: 2 });
      pages.push(page.jobs.length);
      return page.next ? { ...page, looked: { jobs: 2, downTo: page.next.createdAt } } : page;
    },
  };
  const { run } = await previewBulk({ action: "markResolved" }, { group: group?.id ?? "" }, "ada", {
    ...ports,
    attention,
    search: inPages,
  });
  expect(run).toMatchObject({ total: 3, isAll: true, cause: "card expired" });
  expect(pages).toEqual([2, 1]);
});

test("many jobs get more time: by how much is said at the start, and no job's end is waited for", async () => {
  for (const jobId of IDS) await world.submit({ ...sampleJob(), jobId });
  const due = async () => (await Promise.all(IDS.map(world.stateOf))).map((record) => Date.parse(record?.dueAt ?? ""));
  const before = await due();
  const { run } = await previewBulk({ action: "extend" }, { jobIds: [...IDS, "nowhere"] }, "ada", ports);
  expect(run).toMatchObject({ total: 3, extendBy: null });
  const start = { kind: "start", reason: "the bank is slow", count: 3 } as const;
  const asked = (job: typeof start & { by?: string }, bulkId = run.bulkId) =>
    changeBulk(bulkId, job, "ada", { ...ports, telemetry: world.telemetry });
  expect(await asked(start)).toMatchObject({ kind: "rejected", reason: expect.stringContaining("PT30M") });
  const other = await previewBulk({ action: "cancel" }, { jobIds: IDS }, "ada", ports);
  expect(await asked({ ...start, by: "PT1H" }, other.run.bulkId)).toMatchObject({ kind: "rejected" });
  expect(await asked({ ...start, by: "PT1H" })).toMatchObject({ kind: "changed", run: { extendBy: "PT1H" } });
  for (let turns = 0; turns < 10 && (await turn(run.bulkId)).kind === "again"; turns += 1);
  expect((await watchBulk(run.bulkId, ports))?.run).toMatchObject({ state: "done", counts: { done: 3, well: 3 } });
  expect((await due()).map((at, place) => at - (before[place] ?? 0))).toEqual([3_600_000, 3_600_000, 3_600_000]);
});

test("an operator who pauses while a turn is under way is not overruled by it", async () => {
  await rejected(IDS);
  const bulkId = await started(IDS);
  await turn(bulkId);
  for (const startAttempt of world.startAttempts.splice(0)) await world.runAttempt(startAttempt);
  const late = {
    ...ports.bulk,
    wave: async (id: string, wave: number) => {
      await changeBulk(bulkId, { kind: "pause" }, "bob", { ...ports, telemetry: world.telemetry });
      return ports.bulk.wave(id, wave);
    },
  };
  await turn(bulkId, { bulk: late });
  expect((await watchBulk(bulkId, ports))?.run).toMatchObject({ state: "paused", wave: 0 });
  expect(await turn(bulkId)).toEqual({ kind: "again", inMs: 5000 });
  await changeBulk(bulkId, { kind: "resume" }, "bob", { ...ports, telemetry: world.telemetry });
  await finish(bulkId);
  expect((await watchBulk(bulkId, ports))?.run).toMatchObject({ state: "done", counts: { done: 3 } });
});

test("a run without progress gets its turns again after a minute, once for each look, and again if that does not help", async () => {
  await rejected(IDS);
  const bulkId = await started(IDS);
  const starts: string[] = [];
  const lookAfter = async () => {
    starts.length = 0;
    await keepBulkRunning(async (instanceId) => void starts.push(instanceId), { ...ports, telemetry: world.telemetry });
    return [...starts];
  };
  await turn(bulkId);
  world.clock += 59_000;
  expect(await lookAfter(), "its last turn is young").toEqual([]);
  world.clock += 2000;
  const first = await lookAfter();
  expect(first).toEqual([expect.stringContaining(`bulk.${bulkId}.`)]);
  expect(await lookAfter(), "the engine knows that id already").toEqual(first);
  world.clock += 60_000;
  const second = await lookAfter();
  expect([second.length, second[0] === first[0]]).toEqual([1, false]);
  await turn(bulkId);
  expect(await lookAfter()).toEqual([]);
  await finish(bulkId);
  world.clock += 3_600_000;
  expect(await lookAfter(), "it has ended").toEqual([]);
});

test("two orchestrations of one run do nothing twice", async () => {
  await rejected(IDS);
  const bulkId = await started(IDS);
  for (let turns = 0; turns < 20; turns += 1) {
    const kinds = (await Promise.all([turn(bulkId), turn(bulkId)])).map(({ kind }) => kind);
    for (const startAttempt of world.startAttempts.splice(0)) await world.runAttempt(startAttempt);
    if (kinds.every((kind) => kind === "over")) break;
  }
  expect((await watchBulk(bulkId, ports))?.run).toMatchObject({ state: "done", counts: { done: 3, well: 3 } });
  for (const jobId of IDS) {
    const { history } = (await world.stateOf(jobId)) ?? { history: [] };
    expect(
      history.filter(({ what }) => what.includes(`(bulk ${bulkId})`)),
      jobId,
    ).toHaveLength(1);
  }
});

const DEATH = new Error("the process died");

/** A process that dies at that call of the runs' store: before the call, or when it has taken effect. */
function dyingAt(at: number, isAfter: boolean): Partial<BulkPorts> {
  let calls = 0;
  const get =
    (store: BulkPorts["bulk"], name: string | symbol) =>
    async (...given: unknown[]) => {
      calls += 1;
      const isLast = calls === at;
      if (isLast && !isAfter) throw DEATH;
      const answer: unknown = await Reflect.get(store, name)(...given);
      if (isLast) throw DEATH;
      return answer;
    };
  return { bulk: new Proxy(ports.bulk, { get }) };
}

test.each([
  ["before", false],
  ["after", true],
])(
  "P9 P16 a process dies %s any call of the runs' store: the timer has the run go on, and each job is acted on once",
  async (_, isAfter) => {
    let deaths = 0;
    for (let hasDied = true; hasDied; deaths += 1) {
      begin();
      await rejected(IDS);
      const bulkId = await started(IDS);
      hasDied = await finish(bulkId, dyingAt(deaths + 1, isAfter)).then(
        () => false,
        (cause: unknown) => cause === DEATH || Promise.reject(cause),
      );
      world.clock += 61_000;
      const starts: string[] = [];
      const start = async (_instanceId: string, run: string) => void starts.push(run);
      await keepBulkRunning(start, { ...ports, telemetry: world.telemetry });
      for (const run of starts) await finish(run);
      const { run } = (await watchBulk(bulkId, ports)) ?? {};
      expect(run, `call ${deaths + 1}`).toMatchObject({ state: "done", counts: { done: 3, well: 3, skipped: 0 } });
      for (const jobId of IDS) {
        const { history } = (await world.stateOf(jobId)) ?? { history: [] };
        expect(history.filter(({ what }) => what.includes(`(bulk ${bulkId})`))).toHaveLength(1);
      }
    }
    expect(deaths).toBeGreaterThan(10);
  },
);
