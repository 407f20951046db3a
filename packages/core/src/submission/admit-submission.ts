// The turn of a submission (P26, P31): none while its workflow is paused; then by its lane and its fairness key.

import type { Leave } from "../scheduler/admission/admission.ts";
import { WorkflowPaused } from "../scheduler/admission/pauses.ts";
import type { Context } from "../scheduler/ports.ts";
import { fairnessKeyOf } from "./fairness-key.ts";
import type { SubmittedMessage, ValidSubmission } from "./submission-message.ts";

/** Waits for the job's turn. @returns what ends it */
export async function admitSubmission(
  parsed: ValidSubmission,
  message: SubmittedMessage,
  context: Context,
): Promise<Leave | undefined> {
  const { job, owner } = parsed;
  if (await context.pauses?.isPaused({ kind: "workflow", name: job.workflow })) {
    throw new WorkflowPaused(`an operator has paused the workflow ${job.workflow}`);
  }
  // A child is a part of a job in progress: with the places of new jobs, parents and children could wait for each other.
  const lane = message.parent ? "begun" : job.priority;
  return context.admission.admit(lane, job.workflow, { key: fairnessKeyOf(parsed), isAlone: owner !== undefined });
}
