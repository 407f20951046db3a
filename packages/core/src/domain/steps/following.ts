// What follows in a job from the ends of its steps (P5, P13, P14): the steps that can begin, or its own end. A claim depends on it, and each step's end.

import type { LoadedWorkflow } from "../definition/workflow.ts";
import { directionOf, isWholeDone, planOf, readySteps } from "../record/plan.ts";
import type { EndState, StateRecord } from "../record/state-record.ts";
import { toSchedule } from "./attempt.ts";
import { endingOf } from "./ending.ts";
import { forwardAgain } from "./forward-again.ts";
import { settledSteps } from "./skip.ts";
import { type NextStep, type Scheduling, scheduled } from "./step-run.ts";
import { concluded, transitions } from "./transitions.ts";
import { heldBack } from "./unsettled.ts";

/** The other inputs of the new record. */
export interface Circumstances {
  readonly workflow: LoadedWorkflow;
  readonly now: string;
  readonly scheduling: Scheduling;
  readonly claimWithinMs: number;
}

/** The steps that begin; or there is nothing left to do. */
export type Following = readonly NextStep[] | "over";

/** The record with the runs of lists that are known by now, without the steps that are skipped, and with what holds compensations back. */
export function settled(record: StateRecord, { workflow, now }: Circumstances): StateRecord {
  const { direction } = record;
  const known = direction === "forward" ? settledSteps(workflow, record.steps, now) : record.steps;
  const steps = heldBack(workflow, known, direction, now);
  return steps === record.steps ? record : { ...record, steps };
}

export function followingIn({ steps, direction, attempt }: StateRecord, within: Circumstances): Following {
  const { workflow, now, scheduling } = within;
  const plan = planOf(workflow, steps, direction);
  if (isWholeDone(plan, steps, direction)) return "over";
  return readySteps(plan, steps, direction, now).map((step) =>
    scheduled(toSchedule(step, steps), attempt, directionOf(step, direction), now, scheduling),
  );
}

/** For each end of a job, and for its turn forward after a compensation, the transition of whoever finds nothing left to do. */
type Ends = { readonly [end in EndState | "thenForward"]: keyof typeof transitions };

/** The record of a job with nothing left to do: it ends, or goes forward in its next attempt. */
export function jobEnded(record: StateRecord, by: string, ends: Ends, within: Circumstances): StateRecord {
  const { workflow, now, claimWithinMs } = within;
  const { direction, steps, error: cause } = record;
  const forward = forwardAgain(record, { now, claimWithinMs, by, workflow });
  if (forward) return { ...forward, processState: transitions[ends.thenForward].to };
  const ending = endingOf(workflow, direction === "compensate" ? { steps, cause } : null, now);
  return concluded(record, transitions[ends[ending.processState]].to, ending, now);
}
