// What operators did, and replies that came too late, for people: an event for the alerts, and an entry in the audit log.

import { instant } from "../domain/duration.ts";
import { outageIn } from "../domain/outage.ts";
import { inWords } from "../domain/thrown.ts";
import type { ActionEntry } from "../store/audit-log.ts";
import type { Telemetry } from "../telemetry/events.ts";
import type { Context, Ports } from "./ports.ts";

/**
 * If the log can't be written, the operator is not stopped: an event reports it, and a job's own record contains the same.
 * @param attempt the job's attempt, if the action is about a job
 * @returns whether the log contains it
 */
export async function writeAuditLog(
  entry: Omit<ActionEntry, "kind">,
  attempt: number | null,
  { supervision, telemetry }: Context<Pick<Ports, "supervision">>,
): Promise<boolean> {
  const { jobId, action, operator, outcome } = entry;
  telemetry.event("OperatorActed", { jobId, attempt, action, operator, outcome });
  return isWritten(jobId, () => supervision.operatorAction(entry), telemetry);
}

/** A reply for which no step waits any more (P8). The reply is counted and written to the audit log, and changes nothing else. */
export async function rejectLate(
  task: { readonly jobId: string; readonly attempt: number; readonly step: string },
  reason: string,
  { supervision, telemetry, now }: Context<Pick<Ports, "supervision" | "now">>,
): Promise<void> {
  const { jobId, attempt, step } = task;
  telemetry.event("LateReplyRejected", { jobId, attempt, step, reason });
  await isWritten(jobId, () => supervision.lateReply({ at: instant(now()), jobId, attempt, step, reason }), telemetry);
}

/** The audit log is for people: if it can't be written, it must not change what it tells of. */
async function isWritten(jobId: string | null, write: () => Promise<void>, telemetry: Telemetry): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (cause) {
    telemetry.event("AuditLogUnwritten", { jobId, cause: inWords(cause), outage: outageIn(cause) });
    return false;
  }
}
