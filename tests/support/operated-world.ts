// An operator's hand in the tests' world.
import type { WantedVersion } from "@scheduler-agent-supervisor/core/messaging/entity-tag";
import type { OperatorRequest } from "@scheduler-agent-supervisor/core/messaging/operator-request";
import { operateJob } from "@scheduler-agent-supervisor/core/operations/operate-job";
import type { JobStore } from "@scheduler-agent-supervisor/core/store/job-store";
import type { World } from "./world.ts";

export const resubmit = {
  kind: "resubmit",
  reason: "card renewed",
  job: null,
  compensatedManually: false,
} as const satisfies OperatorRequest;
export const compensate = { kind: "compensate", reason: "shop asked" } as const satisfies OperatorRequest;

/** What Ada asks of the order `order-1`. */
export function operateIn(
  world: World,
  request: OperatorRequest,
  store: JobStore = world.store,
  ifMatch: WantedVersion = "any",
) {
  return operateJob("order-1", request, { by: "ada", ifMatch }, { ...world, store });
}

/** Runs the attempt that was asked for last. */
export async function runNextIn(world: World) {
  const startAttempt = world.startAttempts.at(-1);
  if (!startAttempt) throw new Error("the scheduler was not notified");
  return world.runAttempt(startAttempt);
}
