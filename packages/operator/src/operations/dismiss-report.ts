// Ends what the app reported of itself, once its cause is dealt with; the audit log has who did it.
import { instant } from "@scheduler-agent-supervisor/core/domain";
import { type Context, type Ports, writeAuditLog } from "@scheduler-agent-supervisor/core/scheduling";
import { jobOf } from "../domain/reported.ts";
import type { KeepReports } from "./keep-reports.ts";

export interface Dismissal {
  readonly id: string;
  readonly reason: string;
}

/** Order of writes: the reports, then the audit log. @returns false if it does not stand, or has happened again since it was seen */
export async function dismissReport(
  { id, reason }: Dismissal,
  operator: string,
  reports: Pick<KeepReports, "dismiss">,
  context: Context<Pick<Ports, "supervision" | "now">>,
): Promise<boolean> {
  const report = await reports.dismiss(id);
  if (!report) return false;
  const jobId = jobOf(report) ?? null;
  const action = ["dismiss report", report.name, jobId === null && report.subject].filter(Boolean).join(" ");
  const about = { action, jobId, reason, outcome: "done" };
  await writeAuditLog({ at: instant(context.now()), operator, ...about, before: null, after: null }, null, context);
  return true;
}
