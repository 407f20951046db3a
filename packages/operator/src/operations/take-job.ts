// An operator takes a job, so that the others see who handles it, or releases it. It prevents nothing but another's taking.
import { instant } from "@scheduler-agent-supervisor/core/domain";
import { type Context, type Ports, writeAuditLog } from "@scheduler-agent-supervisor/core/scheduling";
import type { TakenJobStore } from "../store/taken-jobs.ts";

export interface TakeRequest {
  readonly jobId: string;
  /** False to release it: any operator may, because the one who has it may have left. */
  readonly taken: boolean;
}

/** Order of writes: who has it, then the audit log. @returns who has it now, another operator if they were first; null if nobody */
export async function takeJob(
  { jobId, taken }: TakeRequest,
  operator: string,
  jobs: Pick<TakenJobStore, "take" | "release">,
  context: Context<Pick<Ports, "supervision" | "now">>,
): Promise<string | null> {
  const at = instant(context.now());
  const takenBy = taken ? (await jobs.take({ jobId, takenBy: operator, at })).takenBy : null;
  if (!taken) await jobs.release(jobId);
  const outcome = takenBy === null || takenBy === operator ? "done" : `rejected: ${takenBy} has taken it`;
  const entry = { at, operator, action: taken ? "take" : "release", jobId, reason: null, outcome };
  await writeAuditLog({ ...entry, before: null, after: null }, null, context);
  return takenBy;
}
