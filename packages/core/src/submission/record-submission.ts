// A submission is recorded (P1): checked whole, admitted in its turn, and written with its state record in one batch.

import { type Job, sameAsStored } from "../domain/content/job.ts";
import type { StateRecord } from "../domain/record/state-record.ts";
import { idNameOf, nounOf } from "../messaging/job-id.ts";
import type { Leave } from "../scheduler/admission/admission.ts";
import { WorkflowPaused } from "../scheduler/admission/pauses.ts";
import type { Context, Ports } from "../scheduler/ports.ts";
import { publish } from "../scheduler/publishing/publish.ts";
import { type Created, NotStorable } from "../store/job-store.ts";
import { describeSpan } from "../telemetry/spans.ts";
import { draftRecord } from "./draft-record.ts";
import { fairnessKeyOf } from "./fairness-key.ts";
import { parseSubmission, type SubmittedMessage, type ValidSubmission } from "./submission-message.ts";

/** Nothing of it is recorded. */
export type NotTaken = {
  readonly kind: "invalid" | "taken";
  readonly faults: readonly string[];
  readonly unknownWorkflow?: string;
};

/** Without the claim. @param onAdmitted gets what ends the job's turn: see admission.ts */
export async function readAndRecord(
  message: SubmittedMessage,
  context: Context,
  onAdmitted: (leave: Leave) => void,
): Promise<NotTaken | { readonly kind: "recorded"; readonly record: StateRecord }> {
  const parsed = parseSubmission(message.body, message.envelope, context.rules);
  if (parsed.kind === "invalid") return parsed;
  describeSpan({ jobId: parsed.jobId });
  const leave = await admitted(parsed, context);
  if (leave) onAdmitted(leave);
  const draft = draftRecord(parsed, message, context);
  const created = await createOrSay(parsed.job, draft, context);
  if (typeof created === "string") return { kind: "invalid", faults: [created] };
  if (created.kind === "duplicate" && !isSubmittedAgain(parsed, created)) {
    return {
      kind: "taken",
      faults: [
        `${idNameOf(context.rules.contracts)}: "${parsed.jobId}" is the id of another ${nounOf(context.rules.contracts)}`,
      ],
    };
  }
  const record = created.kind === "created" ? draft : created.record;
  const { jobId, processState, workflow } = record;
  const submitted = created.kind === "created" ? "JobSubmitted" : "DuplicateSubmission";
  context.telemetry.event(submitted, { jobId, processState, workflow: workflow.name });
  await publish(record, [{ status: "Received", attempt: 1, at: record.createdAt }], context);
  return { kind: "recorded", record };
}

/** Waits for the job's turn (P26, P31): none while its workflow is paused; then by its lane and its fairness key. @returns what ends it */
async function admitted(parsed: ValidSubmission, context: Context): Promise<Leave | undefined> {
  const { job, owner } = parsed;
  if (await context.pauses?.isPaused({ kind: "workflow", name: job.workflow })) {
    throw new WorkflowPaused(`an operator has paused the workflow ${job.workflow}`);
  }
  const fair = { key: fairnessKeyOf(parsed), isAlone: owner !== undefined };
  return context.admission.admit(job.priority, job.workflow, fair);
}

/** The reason, if the store will never take a job of that size or content. */
async function createOrSay(job: Job, draft: StateRecord, { store }: Ports): Promise<Created | string> {
  try {
    return await store.create(job, draft);
  } catch (cause) {
    if (cause instanceof NotStorable) return `job: ${cause.message}`;
    throw cause;
  }
}

/** Another sender's job is another job, whatever its content. */
function isSubmittedAgain(
  { job, owner, contract }: ValidSubmission,
  stored: { readonly job: Job; readonly record: StateRecord },
) {
  return stored.record.owner === owner && sameAsStored(stored.job, job, contract.secrets);
}
