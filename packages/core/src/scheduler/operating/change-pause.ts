// An operator pauses a workflow or an agent, or resumes it; the audit log says who did.
import { instant } from "../../domain/duration.ts";
import type { Pause, Paused } from "../../store/pause-store.ts";
import type { Pauses } from "../admission/pauses.ts";
import type { Context, Ports } from "../ports.ts";
import { writeAuditLog } from "../write-audit-log.ts";

export interface PauseChange extends Paused {
  readonly change: "pause" | "resume";
  readonly reason: string;
}

/** Order of writes: the pause, then the audit log. A second request changes nothing and writes no entry. */
export async function changePause(
  { kind, name, change, reason }: PauseChange,
  operator: string,
  pauses: Pauses,
  context: Context<Pick<Ports, "supervision" | "now">>,
): Promise<readonly Pause[]> {
  const isChanged =
    change === "pause" ? await pauses.pause({ kind, name, by: operator, reason }) : await pauses.resume({ kind, name });
  if (isChanged) {
    const about = { action: `${change} ${kind} ${name}`, jobId: null, reason, outcome: "done" };
    const entry = { at: instant(context.now()), operator, ...about, before: null, after: null };
    await writeAuditLog(entry, null, context);
  }
  return pauses.current();
}
