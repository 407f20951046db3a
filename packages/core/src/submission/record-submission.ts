// A submission is read and recorded (P1): checked whole, admitted in its turn, written with its state record in one batch, and claimed.

import { type Job, sameAsStored } from "../domain/content/job.ts";
import { secretValuesOf } from "../domain/content/redactor.ts";
import { CodeThrew } from "../domain/outage.ts";
import type { StateRecord } from "../domain/record/state-record.ts";
import { startAttemptOf } from "../domain/recovery/recovery.ts";
import type { ClaimOutcome } from "../domain/steps/attempt.ts";
import { isThrown } from "../domain/thrown.ts";
import { allSecrets, idNameOf, nounOf } from "../messaging/contract.ts";
import { shownMessage } from "../messaging/shown-message.ts";
import type { Leave } from "../scheduler/admission/admission.ts";
import { WorkflowPaused } from "../scheduler/admission/pauses.ts";
import { claimJob } from "../scheduler/claim-job.ts";
import { throwingWithout } from "../scheduler/code-fault.ts";
import type { Submitting } from "../scheduler/ports.ts";
import { publish } from "../scheduler/publishing/publish.ts";
import { type Created, NotStorable } from "../store/job-store.ts";
import { describeSpan } from "../telemetry/spans.ts";
import { draftRecord, fairnessKeyOf } from "./draft-record.ts";
import { rejectSubmission } from "./reject-submission.ts";
import {
  type ParsedSubmission,
  parseSubmission,
  type SubmittedMessage,
  type ValidSubmission,
} from "./submission-message.ts";

/** Nothing of it is recorded. `taken`: another job has its id. */
export type NotTaken =
  | Exclude<ParsedSubmission, ValidSubmission>
  | { readonly kind: "taken"; readonly faults: readonly string[] };

export interface RecordedJob {
  readonly kind: "recorded";
  readonly record: StateRecord;
  /** Its turn ends when it is claimed: see admission.ts. */
  readonly endTurn: Leave;
}

export function readSubmission(message: SubmittedMessage, context: Submitting): Promise<ParsedSubmission> {
  const { body, envelope } = message;
  return withoutSecrets(message, context, () => parseSubmission(body, envelope, context.rules));
}

/**
 * Order of writes: job and record in one batch, the Received message, then (by the caller) the claim, the Started message and the start of the
 * orchestration. After a crash in between the message is delivered again, or its sender who waits for an answer sends it again, and the duplicate
 * does the rest; if nothing comes again, the supervisor finds the recorded job.
 * @throws Outage if the message should wait
 */
export function recordSubmission(
  parsed: ParsedSubmission,
  message: SubmittedMessage,
  context: Submitting,
): Promise<NotTaken | RecordedJob> {
  return withoutSecrets(message, context, async () => {
    if (parsed.kind === "invalid") return parsed;
    describeSpan({ jobId: parsed.jobId });
    const endTurn = (await admitted(parsed, context)) ?? (() => {});
    let isRecorded = false;
    try {
      const created = await create(parsed, message, context);
      if (created.kind !== "recorded") return created;
      await publish(created.record, [{ status: "Received", attempt: 1, at: created.record.createdAt }], context);
      isRecorded = true;
      return { ...created, endTurn };
    } finally {
      if (!isRecorded) endTurn();
    }
  });
}

/** Undefined if nothing is to be started: an operator or the supervisor acted before the message came again. */
export async function claimFirst(
  { record, endTurn }: RecordedJob,
  context: Submitting,
): Promise<ClaimOutcome | undefined> {
  try {
    const mayBeStarted = record.attempt === 1 && ["Pending", "Processing"].includes(record.processState);
    return mayBeStarted ? await claimJob(startAttemptOf(record), context, record) : undefined;
  } finally {
    endTurn();
  }
}

/** Keeps what is not taken in the quarantine, and tells its sender: see reject-submission.ts. */
export function quarantineSubmission(
  message: SubmittedMessage,
  unread: NotTaken,
  context: Submitting,
): Promise<undefined> {
  return withoutSecrets(message, context, () => rejectSubmission(message, unread, context));
}

/** Waits for the job's turn (P26, P31): none while its workflow is paused; then by its lane and its fairness key. @returns what ends it */
async function admitted(parsed: ValidSubmission, context: Submitting): Promise<Leave | undefined> {
  const { job, owner } = parsed;
  if (await context.pauses?.isPaused({ kind: "workflow", name: job.workflow })) {
    throw new WorkflowPaused(`an operator has paused the workflow ${job.workflow}`);
  }
  const fair = { key: fairnessKeyOf(parsed), isAlone: owner !== undefined };
  return context.admission.admit(job.priority, job.workflow, fair);
}

async function create(
  parsed: ValidSubmission,
  message: SubmittedMessage,
  context: Submitting,
): Promise<NotTaken | Omit<RecordedJob, "endTurn">> {
  const draft = draftRecord(parsed, message, context);
  const created = await createOrSay(parsed.job, draft, context);
  if (typeof created === "string") return { kind: "invalid", faults: [created] };
  if (created.kind === "duplicate" && !isSubmittedAgain(parsed, created)) {
    const { contracts } = context.rules;
    const fault = `${idNameOf(contracts)}: "${parsed.jobId}" is the id of another ${nounOf(contracts)}`;
    return { kind: "taken", faults: [fault] };
  }
  const record = created.kind === "created" ? draft : created.record;
  const { jobId, processState, workflow } = record;
  const submitted = created.kind === "created" ? "JobSubmitted" : "DuplicateSubmission";
  context.telemetry.event(submitted, { jobId, processState, workflow: workflow.name });
  return { kind: "recorded", record };
}

/** The reason, if the store will never take a job of that size or content. */
async function createOrSay(job: Job, draft: StateRecord, { store }: Submitting): Promise<Created | string> {
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

/** What the code of contract and lists throws has none of the job's secrets. The message waits for a version of the app whose code does not throw. */
async function withoutSecrets<T>(
  { body }: SubmittedMessage,
  { rules, workflows, telemetry }: Submitting,
  work: () => T | Promise<T>,
): Promise<T> {
  try {
    return await throwingWithout(() => secretValuesOf(Object(body) as object, allSecrets(rules.contracts)), work);
  } catch (cause) {
    if (!isThrown(CodeThrew, cause)) throw cause;
    const { workflow: named = rules.contracts.usualWorkflow } = (body ?? {}) as { readonly workflow?: unknown };
    const workflow = workflows.newest(String(named));
    const ofStep = { jobId: null, attempt: null, step: null, agent: null };
    const { name = null, version = null } = workflow ?? {};
    // What is no secret by its name may be one in another spelling.
    const message = shownMessage(body, rules.contracts).text(cause.words);
    telemetry.event("CodeFailed", { ...ofStep, workflow: name, version, place: cause.place, message });
    throw new CodeThrew(cause.place, message);
  }
}
