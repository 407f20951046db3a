// How a job goes forward again that an operator resubmitted forward during its compensation (P9, P13).

import type { Workflow } from "../definition/workflow.ts";
import { after } from "../duration.ts";
import { deadlineOf } from "../record/deadline.ts";
import { announced } from "../record/outbox.ts";
import { isCompensationUnknown } from "../record/plan.ts";
import type { StateRecord } from "../record/state-record.ts";
import { listedAgain } from "./listed-runs.ts";
import { forgiven, mapSteps, takenForward } from "./operator-steps.ts";

/** When, and by whom. */
interface Turning {
  readonly now: string;
  readonly claimWithinMs: number;
  readonly by: string;
  readonly workflow: Workflow;
}

/**
 * The job in its next attempt, forward. Undefined if it is not to go forward, or if a compensation failed and may still have taken effect, or what it
 * would have reversed was done for an item of a list that will be recorded anew: then it is for an operator again.
 */
export function forwardAgain(
  record: StateRecord,
  { now, claimWithinMs, by, workflow }: Turning,
): StateRecord | undefined {
  const { thenForward, ...rest } = record;
  if (!thenForward || Object.values(record.steps).some(isCompensationUnknown)) return undefined;
  const { steps, kept } = listedAgain(
    workflow,
    mapSteps(mapSteps(record.steps, forgiven), (step) => takenForward(step, now)),
  );
  if (kept.length > 0) return undefined;
  const attempt = record.attempt + 1;
  const claimBy = after(now, claimWithinMs);
  return {
    ...rest,
    processState: "Pending",
    lockedBy: null,
    completeBy: claimBy,
    dueAt: claimBy,
    ...deadlineOf(workflow, now),
    direction: "forward",
    attempt,
    steps,
    error: null,
    ...announced(record, attempt, now),
    history: [...record.history, { at: now, what: `compensation finished, forward again, attempt ${attempt}`, by }],
    updatedAt: now,
  };
}
