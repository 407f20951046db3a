// What an operator did: for the alerts as an event, and for people in the audit log.
import type { OperatorAction } from "../supervision/audit-log.ts";
import type { Context, Ports } from "./ports.ts";

/**
 * Where the log can't be written it never stops an operator: an event says so, and a job's own record says the same.
 * @param attempt of the job, where it is about one
 * @returns whether the log has it
 */
export async function writeAuditLog(
  entry: Omit<OperatorAction, "kind">,
  attempt: number | null,
  { supervision, telemetry }: Context<Pick<Ports, "supervision">>,
): Promise<boolean> {
  const { jobId, action, operator, outcome } = entry;
  telemetry.event("OperatorActed", { jobId, attempt, action, operator, outcome });
  try {
    await supervision.operatorAction(entry);
    return true;
  } catch (cause) {
    telemetry.event("AuditLogUnwritten", { jobId, cause: String(cause) });
    return false;
  }
}
