// A reply for which no step waits any more (P8).
import { type Context, instant } from "./ports.ts";

/** It is counted and kept in the audit log, and changes nothing. */
export async function rejectLate(
  task: { readonly jobId: string; readonly attempt: number; readonly step: string },
  reason: string,
  context: Context,
): Promise<void> {
  const { jobId, attempt, step } = task;
  context.telemetry.event("LateReplyRejected", { jobId, attempt, step, reason });
  try {
    await context.supervision.lateReply({ at: instant(context.now()), jobId, attempt, step, reason });
  } catch (cause) {
    // The audit log is for people: where it can't be written, the step's silence is worth more than the entry.
    context.telemetry.event("AuditLogUnwritten", { jobId, cause: String(cause) });
  }
}
