// The contract of a message on the scheduler's own queue.
import { z } from "zod";
import type { StartAttempt } from "../domain/steps/attempt.ts";
import { ofKnownVersion } from "../messaging/message-version.ts";

/** Unknown members are ignored. */
const startAttemptSchema = z.object({
  jobId: z.string(),
  attempt: z.int().min(1),
  direction: z.enum(["forward", "compensate"]),
  traceparent: z.string().nullable().optional(),
}) satisfies z.ZodType<StartAttempt>;

/** Throws if the message is not a start message: only this app sends to that queue, so that is a bug, and the dead-letter queue keeps it. */
export function parseStartAttempt(body: unknown): StartAttempt {
  return startAttemptSchema.parse(ofKnownVersion(body, "This start message"));
}
