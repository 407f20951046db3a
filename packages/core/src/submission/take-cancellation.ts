// A requester cancels its job (P13, P15): it ends at once if no step was done, and is compensated otherwise. Its sender is notified of the result.

import { instant } from "../domain/duration.ts";
import { SentBack } from "../domain/outage.ts";
import type { StateRecord } from "../domain/record/state-record.ts";
import { nounOf } from "../messaging/contract.ts";
import { operateJob } from "../scheduler/operating/operate-job.ts";
import type { Submitting } from "../scheduler/ports.ts";
import { describeSpan } from "../telemetry/spans.ts";
import { type Cancellation, parseCancellation } from "./cancellation-message.ts";
import { rejectSubmission } from "./reject-submission.ts";
import type { SubmittedMessage } from "./submission-message.ts";

/** A cancellation may arrive before its job. */
const LOOKS = [0, 250, 1000] as const;
const JOB_COMES_WITHIN_MS = 600_000;

class JobNotRecorded extends SentBack {
  override readonly name = "JobNotRecorded";
}

const unknown = ({ rules }: Submitting) => `there is no such ${nounOf(rules.contracts)} of yours`;

/**
 * Order of writes: the record, as for an operator's cancellation, then the answer. After a crash in between the message is delivered again, finds
 * the job cancelled, and is answered again under the same id.
 * @throws Outage if the message should wait
 */
export async function takeCancellation(message: SubmittedMessage, context: Submitting): Promise<void> {
  const parsed = parseCancellation(message.body, message.envelope, context.rules);
  if (parsed.kind === "invalid") return rejectSubmission(message, parsed, context);
  const { jobId, reply, submissionId } = parsed;
  describeSpan({ jobId });
  const reason = await obstacleTo(parsed, message, context);
  const status = reason === undefined ? "CancelAccepted" : "CancelRejected";
  const faults = reason === undefined ? [] : [reason];
  const id = `${jobId}:0:${status}:${submissionId ?? message.envelope.messageId ?? ""}`.slice(0, MESSAGE_ID_LIMIT);
  context.telemetry.event(status, { jobId, reason: reason ?? parsed.reason });
  const published = await context.messenger.reject(reply, {
    id,
    jobId,
    submissionId,
    status,
    at: instant(context.now()),
    faults,
  });
  if (published === "no-such-queue")
    context.telemetry.event("StatusUndeliverable", { jobId, status, queue: reply.replyTo });
}

/** The limit of Service Bus for a message's id. */
const MESSAGE_ID_LIMIT = 128;

/** The reason why it is not cancelled; undefined once it is. */
async function obstacleTo(
  asked: Cancellation,
  { enqueuedAt }: SubmittedMessage,
  context: Submitting,
): Promise<string | undefined> {
  const record = await recordOf(asked.jobId, context);
  if (!record) {
    const ageMs = context.now() - Date.parse(enqueuedAt ?? "");
    if (ageMs < JOB_COMES_WITHIN_MS) throw new JobNotRecorded(`job ${asked.jobId} is not recorded yet`);
    return unknown(context);
  }
  // The answer about another sender's job is the same as about an unknown job.
  if (!isOwn(record, asked)) return unknown(context);
  if (isCancelled(record) && isCancelled((await context.store.latest(asked.jobId))?.record)) return undefined;
  const request = { kind: "cancel", reason: asked.reason, byRequester: true } as const;
  const caller = { by: asked.owner ?? "its requester", ifMatch: "any" } as const;
  const operated = await operateJob(asked.jobId, request, caller, context);
  if (operated.kind === "done") return undefined;
  return operated.kind === "rejected" ? operated.reason : unknown(context);
}

/** Unless an operator has resubmitted it since: then it goes forward, at the latest when its compensation is finished. */
function isCancelled(record: StateRecord | undefined): boolean {
  return record?.error?.kind === "cancelled" && !record.thenForward;
}

async function recordOf(jobId: string, { store, pause }: Submitting): Promise<StateRecord | undefined> {
  for (const ms of LOOKS) {
    if (ms > 0) await pause(ms);
    const read = await store.state(jobId);
    if (read) return read.record;
  }
  return (await store.latest(jobId))?.record;
}

/** On a sender's own queue, the owner of the job may cancel it; on a shared queue, a sender who knows its content. */
function isOwn(record: StateRecord, { owner, contentDigest }: Cancellation): boolean {
  if (record.owner !== owner) return false;
  if (contentDigest === undefined) return owner !== undefined;
  return record.contentDigest === contentDigest;
}
