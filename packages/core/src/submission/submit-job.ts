// Submission (P1): records the job, publishes Received, and claims it for its first attempt.

import type { ClaimOutcome } from "../domain/attempt.ts";
import type { ParentStep } from "../domain/child-job.ts";
import { type Job, sameAsStored } from "../domain/job.ts";
import { startAttemptOf } from "../domain/recovery.ts";
import type { StateRecord } from "../domain/state-record.ts";
import { MissingWorkflow } from "../domain/workflows.ts";
import { memberRedactorOf } from "../messaging/hidden-members.ts";
import { idNameOf, nounOf } from "../messaging/job-id.ts";
import type { Leave } from "../scheduler/admission.ts";
import { claimJob } from "../scheduler/claim-job.ts";
import { throwingWithout } from "../scheduler/code-fault.ts";
import { WorkflowPaused } from "../scheduler/pauses.ts";
import type { Context, Ports } from "../scheduler/ports.ts";
import { publish } from "../scheduler/publish.ts";
import { type Created, NotStorable } from "../store/job-store.ts";
import { describeSpan } from "../telemetry/spans.ts";
import { draftRecord, fairnessKeyOf } from "./draft-record.ts";
import { rejectSubmission } from "./reject-submission.ts";
import { readSubmission, type SubmittedMessage, type ValidSubmission } from "./submission-message.ts";

/** What became of a submission whose sender waits for the answer. `taken`: another job has its id. */
export type Submitted =
  | NotTaken
  /** Without a claim nothing is to be started. */
  | { readonly kind: "submitted"; readonly record: StateRecord; readonly claim: ClaimOutcome | undefined };

/** Nothing of it is recorded. */
type NotTaken = {
  readonly kind: "invalid" | "taken";
  readonly faults: readonly string[];
  readonly unknownWorkflow?: string;
};

/**
 * Order of writes: job and record in one batch, the Received message, the claim, the Started message, then (by the caller) the start of the
 * orchestration. After a crash in between the message is delivered again, and the duplicate does the rest.
 * @returns undefined if nothing is to be started
 * @throws Outage if the message should wait
 */
export function submitJob(message: SubmittedMessage, context: Context): Promise<ClaimOutcome | undefined> {
  return inItsTurn(async (onAdmitted) => {
    const record = await recordJob(message, context, onAdmitted);
    return record && claimFirst(record, context);
  });
}

/**
 * The same for a sender who waits for the answer, and gets the faults in the place of a quarantine. After a crash in between it sends the same again;
 * if it does not, the supervisor finds the recorded job.
 * @throws Outage if it should be sent again later
 */
export function submitForCaller(message: SubmittedMessage, context: Context): Promise<Submitted> {
  return inItsTurn(async (onAdmitted) => {
    const read = await withoutSecrets(message, context, () => readAndRecord(message, context, onAdmitted));
    if (read.kind !== "recorded") return read;
    const { record } = read;
    return { kind: "submitted", record, claim: await claimFirst(record, context) };
  });
}

/** The turn ends when the job is recorded and claimed, or could not be. */
export async function inItsTurn<T>(work: (onAdmitted: (leave: Leave) => void) => Promise<T>): Promise<T> {
  let leave: Leave = () => {};
  try {
    return await work((end) => {
      leave = end;
    });
  } finally {
    leave();
  }
}

async function claimFirst(record: StateRecord, context: Context): Promise<ClaimOutcome | undefined> {
  const mayBeStarted = record.attempt === 1 && ["Pending", "Processing"].includes(record.processState);
  return mayBeStarted ? claimJob(startAttemptOf(record), context, record) : undefined;
}

/** What the contract's code throws has none of the job's secrets. */
export function withoutSecrets<T>({ body }: SubmittedMessage, { rules }: Context, work: () => Promise<T>): Promise<T> {
  return throwingWithout(() => [...memberRedactorOf(rules.contracts).read(body).found.values], work);
}

/**
 * The first half of a message's submission: returns the record, or undefined if the message is rejected.
 * @param onAdmitted gets what ends the job's turn: see admission.ts
 */
export function recordJob(
  message: SubmittedMessage,
  context: Context,
  onAdmitted: (leave: Leave) => void = (leave) => leave(),
): Promise<StateRecord | undefined> {
  return withoutSecrets(message, context, async () => {
    const read = await readAndRecord(message, context, onAdmitted);
    if (read.kind === "recorded") return read.record;
    if (read.unknownWorkflow !== undefined) await waitForNewer(read.unknownWorkflow, message, context);
    return rejectSubmission(message, read.faults, context);
  });
}

/** Without the claim. @param onAdmitted gets what ends the job's turn: see admission.ts */
export async function readAndRecord(
  message: SubmittedMessage,
  context: Context,
  onAdmitted: (leave: Leave) => void,
): Promise<NotTaken | { readonly kind: "recorded"; readonly record: StateRecord }> {
  const parsed = readSubmission(message, context.rules);
  if (parsed.kind === "invalid") return parsed;
  const { job } = parsed;
  describeSpan({ jobId: parsed.jobId });
  if (await context.pauses?.isPaused({ kind: "workflow", name: job.workflow })) {
    throw new WorkflowPaused(`an operator has paused the workflow ${job.workflow}`);
  }
  const fair = { key: fairnessKeyOf(parsed), isAlone: parsed.owner !== undefined };
  // A child is a part of a job in progress: with the places of new jobs, parents and children could wait for each other.
  const lane = message.parent ? "begun" : job.priority;
  const leave = await context.admission.admit(lane, job.workflow, fair);
  if (leave) onAdmitted(leave);
  const draft = draftRecord(parsed, message, context);
  const created = await createOrSay(job, draft, context);
  if (typeof created === "string") return { kind: "invalid", faults: [created] };
  if (created.kind === "duplicate" && !isSubmittedAgain(parsed, draft, created)) {
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

/** The reason, if the store will never take a job of that size or content. */
async function createOrSay(job: Job, draft: StateRecord, { store }: Ports): Promise<Created | string> {
  try {
    return await store.create(job, draft);
  } catch (cause) {
    if (cause instanceof NotStorable) return `job: ${cause.message}`;
    throw cause;
  }
}

/** Longer than any rollback lasts. A removed workflow looks the same, if none was added since. */
const WAITS_FOR_NEWER_MS = 7 * 86_400_000;

/** @throws MissingWorkflow if the workflow belongs to a newer version of the app */
async function waitForNewer(name: string, { enqueuedAt }: SubmittedMessage, ports: Ports): Promise<void> {
  if (enqueuedAt !== undefined && ports.now() - Date.parse(enqueuedAt) > WAITS_FOR_NEWER_MS) return;
  if (await ports.isNewerWorkflow(name)) throw new MissingWorkflow({ name });
}

/** Another sender's job is another job, whatever its content. */
function isSubmittedAgain(
  { job, owner, contract }: ValidSubmission,
  { parent }: StateRecord,
  stored: { readonly job: Job; readonly record: StateRecord },
) {
  if (!isSameStep(stored.record.parent, parent)) return false;
  return stored.record.owner === owner && sameAsStored(stored.job, job, contract.secrets);
}

const isSameStep = (one: ParentStep | undefined, other: ParentStep | undefined) =>
  one?.jobId === other?.jobId && one?.step === other?.step;
