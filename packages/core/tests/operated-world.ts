// An operator's hand in the tests' world.

import type { OperatorRequest } from "../src/messaging/operator-request.ts";
import { operateJob } from "../src/scheduler/operating/operate-job.ts";
import type { JobStore, WantedVersion } from "../src/store/job-store.ts";
import { sweep } from "../src/supervisor/sweep.ts";
import type { World } from "./world.ts";

export const resubmit = {
  kind: "resubmit",
  reason: "card renewed",
  job: null,
  compensatedManually: false,
} as const satisfies OperatorRequest;
export const compensate = { kind: "compensate", reason: "shop asked" } as const satisfies OperatorRequest;

/** What Ada asks of the job `job-1`. */
export function operateIn(
  world: World,
  request: OperatorRequest,
  store: JobStore = world.store,
  ifMatch: WantedVersion = "any",
) {
  return operateJob("job-1", request, { by: "ada", ifMatch }, { ...world, store });
}

/** Runs the attempt that was asked for last. */
export async function runNextIn(world: World) {
  const startAttempt = world.startAttempts.at(-1);
  if (!startAttempt) throw new Error("the scheduler was not notified");
  return world.runAttempt(startAttempt);
}

/** Runs attempts, and sweeps when the job is overdue, until it is in Error. */
export async function runUntilErrorIn(world: World): Promise<void> {
  for (let tries = 0; tries < 10; tries += 1) {
    await runNextIn(world);
    const { processState, dueAt } = (await world.stateOf()) ?? {};
    if (processState === "Error") return;
    world.clock = Date.parse(dueAt ?? "") + 5000;
    await sweep(world);
  }
}
