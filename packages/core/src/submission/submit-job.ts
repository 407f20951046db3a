// Submission (P1): records the job, publishes Received, and claims it for its first attempt.

import { CodeThrew } from "../domain/outage.ts";
import type { StateRecord } from "../domain/record/state-record.ts";
import { startAttemptOf } from "../domain/recovery/recovery.ts";
import type { ClaimOutcome } from "../domain/steps/attempt.ts";
import { isThrown } from "../domain/thrown.ts";
import { memberRedactorOf } from "../messaging/hidden-members.ts";
import type { Leave } from "../scheduler/admission/admission.ts";
import { claimJob } from "../scheduler/claim-job.ts";
import { throwingWithout } from "../scheduler/code-fault.ts";
import type { Context } from "../scheduler/ports.ts";
import { type NotTaken, readAndRecord } from "./record-submission.ts";
import { rejectSubmission } from "./reject-submission.ts";
import type { SubmittedMessage } from "./submission-message.ts";

/** What became of a submission whose sender waits for the answer. `taken`: another job has its id. */
export type Submitted =
  | NotTaken
  /** Without a claim nothing is to be started. */
  | { readonly kind: "submitted"; readonly record: StateRecord; readonly claim: ClaimOutcome | undefined };

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
async function inItsTurn<T>(work: (onAdmitted: (leave: Leave) => void) => Promise<T>): Promise<T> {
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

/** What the code of contract and lists throws has none of the job's secrets. The message waits for a version of the app whose code does not throw. */
async function withoutSecrets<T>({ body }: SubmittedMessage, context: Context, work: () => Promise<T>): Promise<T> {
  const { rules, workflows, telemetry } = context;
  try {
    return await throwingWithout(() => [...memberRedactorOf(rules.contracts).read(body).found.values], work);
  } catch (cause) {
    if (!isThrown(CodeThrew, cause)) throw cause;
    const { workflow: named = rules.contracts.usualWorkflow } = (body ?? {}) as { readonly workflow?: unknown };
    const workflow = workflows.newest(String(named));
    const ofStep = { jobId: null, attempt: null, step: null, agent: null };
    const { name = null, version = null } = workflow ?? {};
    const { place, words: message } = cause;
    telemetry.event("CodeFailed", { ...ofStep, workflow: name, version, place, message });
    throw cause;
  }
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
    return read.kind === "recorded" ? read.record : rejectSubmission(message, read, context);
  });
}
