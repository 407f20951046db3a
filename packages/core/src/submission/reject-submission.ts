// Rejects an invalid submission (P1): stores it in the quarantine with every fault, and notifies its sender of them (P15).

import { createHash } from "node:crypto";
import { instant } from "../domain/duration.ts";
import { Outage } from "../domain/outage.ts";
import { inWords } from "../domain/thrown.ts";
import { MissingWorkflow } from "../domain/workflows/workflows.ts";
import { isNestedTooDeep, jsonText } from "../messaging/deep-json.ts";
import type { Rejection } from "../messaging/messenger.ts";
import { quarantined } from "../messaging/shown-message.ts";
import type { Submitting } from "../scheduler/ports.ts";
import { describeSpan } from "../telemetry/spans.ts";
import { type Sender, type SubmittedMessage, senderOf } from "./submission-message.ts";

/** Within the rest of the lock after `hold-message.ts`. The message is safe by then, so it need not be held for this. */
const PUBLISH_WITHIN_MS = 30_000;
const PAUSE_MS = 1000;
const DIGEST_LENGTH = 16;

/** Longer than any rollback lasts. A removed workflow looks the same, if none was added since. */
const WAITS_FOR_NEWER_MS = 7 * 86_400_000;

interface Rejected {
  readonly faults: readonly string[];
  /** The only fault is that the app has no such workflow. */
  readonly unknownWorkflow?: string;
}

/**
 * Order of writes: the quarantine, then the status. After a crash in between the message is delivered again, and both are done again: the status
 * under the same message id. The faults describe only this message, never a job with the same id.
 * @throws MissingWorkflow if it has no other fault than a workflow of a newer version of the app
 */
export async function rejectSubmission(
  message: SubmittedMessage,
  { faults, unknownWorkflow }: Rejected,
  context: Submitting,
): Promise<undefined> {
  if (unknownWorkflow !== undefined) await waitForNewer(unknownWorkflow, message, context);
  const { body, envelope, received } = message;
  const [messageId, correlationId, replyTo, replyToSessionId] = [
    envelope.messageId,
    envelope.correlationId,
    envelope.replyTo,
    envelope.replyToSessionId,
  ].map((value) => (typeof value === "string" ? value : undefined));
  const address = { messageId, correlationId, replyTo, replyToSessionId, queue: envelope.queue };
  const kept = quarantined(
    { subject: "InvalidSubmission", body, received, faults, ...address },
    context.rules.contracts,
  );
  await context.messenger.quarantine(kept);
  const { jobId, messageId: shownId, faults: shownFaults } = kept.shown;
  if (jobId !== null) describeSpan({ jobId });
  const [firstFault = ""] = shownFaults;
  context.telemetry.event("JobQuarantined", { messageId: shownId, faultCount: faults.length, firstFault });
  await notifySender(senderOf(body, envelope, context.rules), message, faults, jobId, context);
}

async function waitForNewer(name: string, { enqueuedAt }: SubmittedMessage, ports: Submitting): Promise<void> {
  if (enqueuedAt !== undefined && ports.now() - Date.parse(enqueuedAt) > WAITS_FOR_NEWER_MS) return;
  if (await ports.isNewerWorkflow(name)) throw new MissingWorkflow({ name });
}

async function notifySender(
  { reply, jobId, submissionId }: Sender,
  { body, received }: SubmittedMessage,
  faults: readonly string[],
  shownJobId: string | null,
  { messenger, now, pause, telemetry }: Submitting,
): Promise<void> {
  // A body that is no text has its bytes.
  const id = rejectionId(jobId, submissionId, body ?? received?.bytes?.toString("base64"));
  const rejection: Rejection = { id, jobId, submissionId, status: "Rejected", at: instant(now()), faults };
  const endAt = now() + PUBLISH_WITHIN_MS;
  const undeliverable = { jobId: shownJobId, status: "Rejected", queue: reply.replyTo };
  for (;;) {
    try {
      const published = await messenger.reject(reply, rejection);
      if (published === "no-such-queue") telemetry.event("StatusUndeliverable", undeliverable);
      return;
    } catch (cause) {
      if (!(cause instanceof Outage)) throw cause;
      // If it were held longer, the message would be written to the quarantine again and again.
      if (now() > endAt) return telemetry.event("StatusUndeliverable", { ...undeliverable, cause: inWords(cause) });
    }
    await pause(PAUSE_MS);
  }
}

/** Several submissions under one job id each have their own id. At most 109 characters; Service Bus allows 128. */
function rejectionId(jobId: string | null, submissionId: string | null, body: unknown): string {
  const submission = submissionId ?? (isNestedTooDeep(body) ? jsonText(body) : body);
  const digest = createHash("sha256")
    .update(JSON.stringify(submission) ?? "")
    .digest("hex")
    .slice(0, DIGEST_LENGTH);
  return `${jobId ?? ""}:0:Rejected:${digest}`;
}
