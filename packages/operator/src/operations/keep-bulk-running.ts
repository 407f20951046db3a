// Looks after actions on many jobs as the supervisor looks after jobs: a run whose turns have stopped gets another orchestration.
import { instant } from "@scheduler-agent-supervisor/core/domain";
import type { Context } from "@scheduler-agent-supervisor/core/scheduling";
import { QUIET_MS } from "../domain/bulk-troubles.ts";
import type { BulkStore, StoredBulkRun } from "../store/bulk-store.ts";

export interface KeepBulkPorts {
  readonly bulk: Pick<BulkStore, "running" | "turnedAt">;
  readonly now: () => number;
}

/** @param start starts the run's turns under that id, once however often it is asked */
type StartTurns = (instanceId: string, bulkId: string) => Promise<void>;

/** When a run was last written, or one of its turns saved what it found. */
export async function progressOf(run: StoredBulkRun, bulk: Pick<BulkStore, "turnedAt">): Promise<string> {
  const turnedAt = await bulk.turnedAt(run.bulkId, run.wave);
  return turnedAt !== undefined && turnedAt > run.updatedAt ? turnedAt : run.updatedAt;
}

/**
 * The engine may know the first orchestration as running, and not go on with it for minutes after a host's crash: so it starts one more under another
 * id, after one minute without progress, after two, four and so on. If both go on, nothing is done twice: each job is written at the version of the
 * preview and carries the run's mark, and the run itself is written at the version that a turn has read.
 */
export async function keepBulkRunning(
  start: StartTurns,
  { bulk, now, telemetry }: Context<KeepBulkPorts>,
): Promise<void> {
  for (const run of await bulk.running()) {
    const progressAt = await progressOf(run, bulk);
    const quietMs = now() - Date.parse(progressAt);
    if (quietMs < QUIET_MS) continue;
    const again = Math.floor(Math.log2(quietMs / QUIET_MS)) + 1;
    // The same for each look within that time, and another one for each stop of the run.
    const instanceId = `bulk.${run.bulkId}.${Date.parse(progressAt)}.${again}`;
    await start(instanceId, run.bulkId);
    telemetry.event("BulkRunContinued", { bulkId: run.bulkId, progressAt, at: instant(now()) });
  }
}
