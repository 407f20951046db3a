// P26 P31 a long list takes no more places of the engine than it has runs at once: the others begin as those end.

import { createMemoryJobStore } from "@scheduler-agent-supervisor/testing/memory";
import { expect, test } from "vitest";
import { MOST_RUNS_AT_ONCE, stepOfRun } from "../../src/domain/definition/items.ts";
import type { Workflow, WorkflowStep } from "../../src/domain/definition/workflow.ts";
import { runsInHand } from "../../src/domain/record/plan.ts";
import type { StateRecord } from "../../src/domain/record/state-record.ts";
import { startAttemptOf } from "../../src/domain/recovery/recovery.ts";
import { sweep } from "../../src/supervisor/sweep.ts";
import { NOON_MS } from "../jobs.ts";
import { createWorld, type World } from "../world.ts";

const step = (name: string, operation: string, after: string[], compensation: string): WorkflowStep => ({
  name,
  agent: "inventory",
  operation,
  after,
  completeWithin: "PT10S",
  compensation: { operation: compensation, completeWithin: "PT10S" },
});

const flow = (pack: Partial<WorkflowStep> = {}): Workflow => ({
  name: "job-fulfilment",
  version: 1,
  policy: { failureThreshold: 2, waits: [], onExhausted: "compensate", onRejected: "compensate" },
  steps: [
    { ...step("find", "authorize", [], "void"), agent: "payment" },
    { ...step("pack", "reserve", ["find"], "release"), forEach: "find.parcels", ...pack },
    step("ship", "restock", ["pack"], "withdraw"),
  ],
});

const PARCELS = Array.from({ length: 95 }, (_, index) => ({ id: `parcel-${index + 1}` }));

/** The most runs of the list that were in flight at once, in each direction. */
interface Seen {
  forward: number;
  compensate: number;
}

function worldOf(workflow: Workflow): { world: World; seen: Seen } {
  const store = createMemoryJobStore();
  const seen: Seen = { forward: 0, compensate: 0 };
  const look = ({ steps }: StateRecord) => {
    const runs = runsInHand(steps).filter((run) => stepOfRun(run.step) === "pack");
    for (const direction of ["forward", "compensate"] as const)
      seen[direction] = Math.max(seen[direction], runs.filter((run) => run.direction === direction).length);
  };
  for (const name of ["change", "replace"] as const) {
    const write = store[name].bind(store) as (...args: unknown[]) => Promise<{ record?: StateRecord }>;
    Object.assign(store, {
      [name]: async (...args: unknown[]) => {
        const written = await write(...args);
        if (written.record) look(written.record);
        return written;
      },
    });
  }
  const world = createWorld(NOON_MS, store, { workflows: [workflow] });
  world.answers.set("authorize", () => ({ kind: "done", result: { parcels: PARCELS } }));
  return { world, seen };
}

const recordOf = async (world: World) => (await world.stateOf()) as StateRecord;
const runAttempt = async (world: World) => world.runAttempt(startAttemptOf(await recordOf(world)));
const times = ({ calls }: World, wanted: string) => calls.filter(({ operation }) => operation === wanted).length;

test.each(["activity", "queue"] as const)(
  "P26 95 runs by %s are done in one attempt, ten at a time at most, and what follows once",
  async (transport) => {
    const { world, seen } = worldOf(flow({ transport }));
    await world.submitted();
    await runAttempt(world);
    expect(await recordOf(world)).toMatchObject({ processState: "Processed", attempt: 1, failureCount: 0 });
    expect(seen).toEqual({ forward: MOST_RUNS_AT_ONCE, compensate: 0 });
    expect([times(world, "reserve"), times(world, "restock")]).toEqual([95, 1]);
  },
);

test("their compensations are done ten at a time too", async () => {
  const { world, seen } = worldOf(flow());
  world.answers.set("restock", () => ({ kind: "rejected", message: "no lorry" }));
  await world.submitted();
  await runAttempt(world);
  await runAttempt(world);
  expect(await recordOf(world)).toMatchObject({ processState: "Compensated", failureCount: 0 });
  expect(seen).toEqual({ forward: MOST_RUNS_AT_ONCE, compensate: MOST_RUNS_AT_ONCE });
  expect(times(world, "release")).toBe(95);
});

test("what its services do later is begun at once: a person who has not reported keeps nobody else waiting", async () => {
  const { world, seen } = worldOf(flow({ awaitWithin: "P14D" }));
  world.answers.set("reserve", () => ({ kind: "accepted" }));
  await world.submitted();
  await runAttempt(world);
  expect(seen.forward).toBe(95);
});

test("runs that no agent took up are begun again ten at a time, and those that never began with them", async () => {
  const { world, seen } = worldOf(flow());
  await world.submitted();
  world.answers.set("reserve", () => ({ kind: "expired" }));
  await runAttempt(world);
  world.clock += 60_000;
  world.answers.delete("reserve");
  await sweep(world);
  for (let rounds = 0; rounds < 3 && (await recordOf(world)).processState === "Pending"; rounds += 1)
    await runAttempt(world);
  expect(await recordOf(world)).toMatchObject({ processState: "Processed", attempt: 2 });
  expect(seen.forward).toBe(MOST_RUNS_AT_ONCE);
});
