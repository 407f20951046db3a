// The report of a step whose agent has begun something elsewhere (P22): a message names the step by its key, and the app reads what has come of it.

import type { Job } from "../../domain/content/job.ts";
import { idempotencyKey } from "../../domain/record/idempotency-key.ts";
import { isInHand, runOf } from "../../domain/record/plan.ts";
import type { Direction, StepResult } from "../../domain/record/state-record.ts";
import type { JobStore } from "../../store/job-store.ts";
import type { Replying } from "../ports.ts";
import { type Received, takeReport } from "./take-reply.ts";

/** The step that a message names. */
export interface NamedStep {
  /** Its idempotency key; of a compensation that of the step that is compensated. */
  readonly idempotencyKey: string;
  readonly direction: Direction;
  readonly job: Job;
}

/** What has come of it. */
export type StepEnded =
  | { readonly kind: "done"; readonly result: StepResult }
  | { readonly kind: "rejected"; readonly message: string; readonly outcomeUnknown?: boolean };

/** @returns undefined while nothing has come of it */
export type ReadEnd = (step: NamedStep, store: JobStore) => Promise<StepEnded | undefined>;

/**
 * Order of writes: as for a service's report (take-reply.ts). Of the message only the key is used: it may come twice, late, before an earlier one, or from
 * anybody. If it comes before the step is recorded as accepted, the step ends with it. If it comes while no attempt has the step in hand, nothing is
 * written.
 */
export async function reportByKey(key: string, readEnd: ReadEnd, context: Replying): Promise<Received | undefined> {
  const [jobId = "", step = ""] = key.split(":");
  const record = (await context.store.latest(jobId))?.record;
  const own = record && Object.hasOwn(record.steps, step) ? record.steps[step] : undefined;
  if (!record || !own || idempotencyKey(jobId, step, "forward", own) !== key) return undefined;
  const direction = (["compensate", "forward"] as const).find((each) => {
    const run = runOf(own, each);
    return run !== null && isInHand(run);
  });
  if (!direction) return undefined;
  const job = await context.store.job(jobId, record.jobRevision);
  const ended = job && (await readEnd({ idempotencyKey: key, direction, job }, context.store));
  if (!ended) return undefined;
  const address = { jobId, step, direction, nonce: runOf(own, direction)?.nonce } as const;
  const taken = await takeReport({ ...ended, address }, context);
  return taken.kind === "recorded" ? taken.received : undefined;
}
