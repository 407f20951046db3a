// The contract of a message that cancels its sender's job: sent to the queue that the job was sent to.
import { z } from "zod";
import type { ReplyAddress } from "../domain/content/job.ts";
import { check } from "../messaging/checked.ts";
import { entryOf } from "./owned-queue.ts";
import { type Envelope, type SubmissionRules, senderOf } from "./submission-message.ts";

const cancellation = z.strictObject({
  kind: z.literal("Cancel"),
  jobId: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,79}$/, "must be an id of at most 80 letters, digits, - or _"),
  reason: z.string().trim().min(1).max(200).default("no reason given"),
  /** The digest of the submitted content. On a queue that several senders share it shows that the job is the sender's. */
  contentDigest: z
    .string()
    .regex(/^[0-9a-f]{64}$/, "must be a SHA-256 in hex")
    .optional(),
});

export interface Cancellation {
  readonly jobId: string;
  readonly reason: string;
  readonly contentDigest: string | undefined;
  readonly reply: ReplyAddress;
  readonly submissionId: string | null;
  /** The owner of the jobs on this queue; undefined if several senders share it. */
  readonly owner: string | undefined;
}

export function isCancellation(body: unknown): boolean {
  return body !== null && typeof body === "object" && "kind" in body && body.kind === "Cancel";
}

/** Checks the whole body: the answer names every fault. */
export function parseCancellation(
  body: unknown,
  envelope: Envelope,
  rules: SubmissionRules,
): ({ readonly kind: "valid" } & Cancellation) | { readonly kind: "invalid"; readonly faults: readonly string[] } {
  const { queue = "" } = envelope;
  const owner = entryOf(queue, rules.ownedQueues ?? [])?.owner;
  const parsed = check(cancellation, body, "the message");
  const { faults: unread = [] } = envelope;
  if (parsed.kind === "invalid" || unread.length > 0) {
    const faults = parsed.kind === "invalid" ? parsed.faults : [];
    return { kind: "invalid", faults: [...unread, ...faults] };
  }
  const { jobId, reason, contentDigest } = parsed.value;
  if (owner === undefined && contentDigest === undefined) {
    return { kind: "invalid", faults: ["contentDigest: is needed where several senders share a queue"] };
  }
  const { reply, submissionId } = senderOf(body, envelope, rules);
  return { kind: "valid", jobId, reason, contentDigest, reply, submissionId, owner };
}
