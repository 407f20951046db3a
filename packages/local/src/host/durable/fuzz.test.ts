// Clients that do everything at once to a few instances, over several lives of the engine: all ends, and nothing is left over.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OrchestrationRuntimeStatus as Status } from "durable-functions";
import { expect, test } from "vitest";
import { Database } from "../../database/database.ts";
import { randomFrom } from "../../random.ts";
import { type Bench, type BenchOptions, openBench } from "./harness.ts";

const APP = join(import.meta.dirname, "fixtures/orders");
const SEED = Number(process.env["DURABLE_SEED"] ?? 7);
/** Options of each life of the engine, one after the other on one folder. */
const FAST: readonly BenchOptions[] = [{ maxSessions: 3 }, { replay: true, maxTurns: 2 }, { maxActivities: 2 }];
const STORAGE = {
  maxQueuePollingIntervalMs: 100,
  controlQueueVisibilityTimeoutMs: 1000,
  workItemQueueVisibilityTimeoutMs: 1000,
};
const AZURE_STORAGE: readonly BenchOptions[] = [{ maxTurns: 2 }, { maxActivities: 2 }].map((limits) => ({
  engine: "azure-storage",
  storage: STORAGE,
  ...limits,
}));
const ROUNDS = 25;
const AT_ONCE = 12;
const PARENTS_MAY_TAKE = 30;

const IDS = Array.from({ length: 15 }, (_, n) => `fuzz-${n}`);
const EVENTS = ["x", "y", "item", "next"];
const STARTS: readonly (readonly [name: string, input: unknown])[] = [
  ["chain", { n: 1 }],
  ["fanOut", 10],
  ["race", { key: "fuzz", workMs: 3, limitMs: 5 }],
  ["waits", { names: ["x", "y"] }],
  ["listener", { heard: [], until: 4 }],
  ["countdown", { n: 6, total: 0 }],
  ["parent", { childId: "fuzz-3" }],
  ["retry", { key: "fuzz-retry", call: 2, attempts: 3 }],
  ["level", "fuzz"],
  ["status", null],
];

test.each([
  { engine: "fast", lives: FAST, hub: "durable-testhub.sqlite" },
  { engine: "azure-storage", lives: AZURE_STORAGE, hub: "durable-testhub.azure-storage.sqlite" },
])(`whatever clients do, every instance ends: $engine (seed ${SEED})`, async ({ lives, hub }) => {
  const data = mkdtempSync(join(tmpdir(), "durable-fuzz-"));
  const random = randomFrom(SEED);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const acts: readonly ((client: Bench["client"], id: string) => Promise<unknown>)[] = [
    async (client, instanceId) => {
      const [name, input] = pick(STARTS);
      await client.startNew(name, { instanceId, input });
    },
    (client, id) => client.raiseEvent(id, pick(EVENTS), 1),
    (client, id) => client.terminate(id, "fuzz"),
    (client, id) => client.suspend(id, "fuzz"),
    (client, id) => client.resume(id, "fuzz"),
    (client, id) => client.purgeInstanceHistory(id),
    (client, childId) => client.startNew("parent", { input: { childId } }),
  ];
  const weighted = [0, 0, 0, 1, 1, 1, 1, 2, 3, 4, 4, 5, 6];
  const complaints: string[] = [];
  for (const [life, options] of lives.entries()) {
    const bench = await openBench(APP, { data, ...options });
    for (let round = 0; round < ROUNDS; round += 1) {
      const calls = Array.from({ length: AT_ONCE }, () => acts[pick(weighted)]?.(bench.client, pick(IDS)));
      // Refusals are part of the game: ids that run already, ids that are not there.
      await Promise.allSettled(calls);
    }
    if (life === lives.length - 1) await untilAllEnded(bench);
    complaints.push(...bench.warnings.filter((line) => /Non-deterministic|could not be committed/.test(line)));
    await bench.close();
  }
  expect(complaints).toEqual([]);
  const db = new Database(join(data, hub));
  const left = (table: string) => db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.["n"];
  expect(left("inbox")).toBe(0);
  for (const table of ["turns", "inputs"])
    expect(left(`${table} WHERE int NOT IN (SELECT int FROM instances)`), table).toBe(0);
  db.close();
  rmSync(data, { recursive: true });
});

async function untilAllEnded({ client, engine }: Bench): Promise<void> {
  const unfinished = { runtimeStatus: [Status.Pending, Status.Running, Status.Suspended] };
  for (let tries = 0; tries < 2000 && engine.counts["orchestrationsUnfinished"] !== 0; tries += 1) {
    for (const { instanceId, name } of await client.getStatusBy(unfinished)) {
      const nudges = [
        client.resume(instanceId, "end"),
        // Its child may have been purged, and then nobody answers it.
        ...(/parent/i.test(name) && tries > PARENTS_MAY_TAKE ? [client.terminate(instanceId, "end")] : []),
        ...EVENTS.map((name) => client.raiseEvent(instanceId, name, 1)),
      ];
      await Promise.allSettled(nudges);
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  expect(engine.counts["orchestrationsUnfinished"]).toBe(0);
}
