// Whom starting a claimed attempt notifies, and in which job (P4, P16).

import { createMemoryPauses } from "@scheduler-agent-supervisor/testing/memory";
import { beforeEach, expect, test } from "vitest";
import { claimJob } from "../../src/scheduler/claim-job.ts";
import { EngineUnavailable, type OrchestrationClient, startClaimed } from "../../src/scheduler/scheduler-client.ts";
import { sweep } from "../../src/supervisor/sweep.ts";
import { NOON_MS } from "../jobs.ts";
import { createWorld, type World } from "../world.ts";

let world: World;
let did: unknown[][];
let client: OrchestrationClient;
beforeEach(() => {
  world = createWorld(NOON_MS);
  did = [];
  client = {
    startNew: async (_name, { instanceId }) => {
      did.push(["start", instanceId]);
      return instanceId;
    },
    getStatus: async () => ({ runtimeStatus: "Running" }),
    raiseEvent: async (instanceId, _event, outcome) => void did.push(["publish", instanceId, outcome]),
  };
});

async function claimed(attempt = 1) {
  const startAttempt = { jobId: "job-1", attempt, direction: "forward" } as const;
  const claim = await claimJob(startAttempt, world);
  if (claim.kind !== "claimed") throw new Error(claim.kind);
  return claim;
}

test("a first claim is started, and nothing more: nobody can have written meanwhile", async () => {
  await world.submitted();
  await startClaimed(client, await claimed(), world);
  expect(did).toEqual([["start", "job-1-1"]]);
});

test("found again, the attempt is notified how the record stands, for it may have gone on", async () => {
  await world.submitted();
  await claimed();
  const again = await claimed();
  await startClaimed(client, again, world);
  const steps = (await world.stateOf())?.steps;
  expect(did).toEqual([
    ["start", "job-1-1"],
    ["publish", "job-1-1", { kind: "completed", steps, hasEnded: false }],
  ]);
});

test("P26 while the engine can't be reached nobody is known to be absent: what waits, waits for the engine", async () => {
  const { presence } = createMemoryPauses(() => world.clock);
  Object.assign(world, { presence });
  await world.submitted();
  const claim = await claimed();
  expect(await presence.availability("inventory", 40_000)).toBe("unknown");
  world.clock += 60_000;
  const away = { ...client, startNew: () => Promise.reject(new Error("away")), getStatus: client.startNew };
  await expect(startClaimed(away as never, claim, world)).rejects.toThrow(EngineUnavailable);
  world.clock += 10_000;
  expect(await presence.availability("inventory", 40_000)).toBe("unknown");
});

test("a job that went on to another attempt meanwhile: this one is notified that it is over", async () => {
  await world.submitted();
  await claimed();
  const again = await claimed();
  const read = await world.store.state("job-1");
  if (!read) throw new Error("no job");
  await world.store.replace(read, { ...read.record, processState: "Pending", lockedBy: null, attempt: 2 });
  await startClaimed(client, again, world);
  expect(did.at(-1)).toEqual(["publish", "job-1-1", { kind: "superseded" }]);
});

test("P14 the attempt before is notified that it is over, for it may wait for steps that go on", async () => {
  await world.submitted();
  await claimed();
  world.clock += 86_400_000;
  await sweep(world);
  await startClaimed(client, await claimed(2), world);
  expect(did).toEqual([
    ["start", "job-1-2"],
    ["publish", "job-1-1", { kind: "superseded", by: 2 }],
  ]);
});

test.each([
  ["Running", true],
  ["Pending", true],
  ["Suspended", true],
  ["Completed", false],
  ["Failed", false],
])("P14 P16 an engine that rejects the start has it under way, if it is %s: %s", async (runtimeStatus, isUnderWay) => {
  await world.submitted();
  client.startNew = async () => Promise.reject(new Error("there is one"));
  client.getStatus = async () => ({ runtimeStatus });
  const started = startClaimed(client, await claimed(), world);
  if (isUnderWay) expect(await started).toBe(true);
  else await expect(started).rejects.toThrow(EngineUnavailable);
});
