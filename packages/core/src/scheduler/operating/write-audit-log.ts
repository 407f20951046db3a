// An operator's action: an event for the alerts, and an entry in the audit log for people.
import { outageIn } from "../../domain/outage.ts";
import { inWords } from "../../domain/thrown.ts";
import type { ActionEntry } from "../../store/audit-log.ts";
import type { Context, Ports } from "../ports.ts";

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
  try {
    await supervision.operatorAction(entry);
    return true;
  } catch (cause) {
    telemetry.event("AuditLogUnwritten", { jobId, cause: inWords(cause), outage: outageIn(cause) });
    return false;
  }
}
