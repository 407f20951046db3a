// A reply for which no step waits any more (P8).

import { instant } from "../../domain/duration.ts";
import { outageIn } from "../../domain/outage.ts";
import { inWords } from "../../domain/thrown.ts";
import type { Context } from "../ports.ts";

/** The reply is counted and written to the audit log, and changes nothing else. */
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
    // The audit log is for people: if it can't be written, it must not change the outcome of the step.
    context.telemetry.event("AuditLogUnwritten", { jobId, cause: inWords(cause), outage: outageIn(cause) });
  }
}
