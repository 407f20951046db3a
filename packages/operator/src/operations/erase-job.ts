// Erasure: removes all data of a job that is over from the store, on an operator's request.

import { instant, isOver, snapshotOf, type Versioned } from "@scheduler-agent-supervisor/core/domain";
import type { Caller, Context } from "@scheduler-agent-supervisor/core/scheduling";
import { type ClosingStore, isWantedVersion } from "@scheduler-agent-supervisor/core/store";
import type { DiscardedStore } from "../store/discarded-store.ts";

export type Erased =
  | { readonly kind: "erased" }
  | { readonly kind: "rejected"; readonly reason: string }
  /** The job is not at a version that the operator has seen: this is its current state. */
  | ({ readonly kind: "changed" } & Versioned)
  | { readonly kind: "not-found" };

/**
 * Order of writes: the audit log, the copies of discarded messages about it, then all of the job's documents in one batch. After a crash in
 * between the job is still there, and the operator requests the erasure again. The archive's data of it stays.
 */
export async function eraseJob(
  jobId: string,
  reason: string,
  { by: operator, ifMatch }: Caller,
  {
    closing: store,
    discarded,
  }: { readonly closing: ClosingStore; readonly discarded: Pick<DiscardedStore, "eraseOf"> },
  context: Context,
): Promise<Erased> {
  const read = await context.store.latest(jobId);
  if (!read) return { kind: "not-found" };
  if (!isWantedVersion(read.etag, ifMatch)) return { kind: "changed", ...read };
  const { record } = read;
  const mayBe = isOver(record);
  const rejection = "it is not over: mark it resolved, compensate it or let it end first, and let its messages be sent";
  const outcome = mayBe ? "to be erased" : `rejected: ${rejection}`;
  context.telemetry.event("OperatorActed", { jobId, attempt: record.attempt, action: "erase", operator, outcome });
  const snapshots = { before: snapshotOf(record), after: null };
  // Only the audit log records who erased it: if the audit log can't be written, nothing is erased.
  const at = instant(context.now());
  await context.supervision.operatorAction({ at, operator, action: "erase", jobId, reason, outcome, ...snapshots });
  if (!mayBe) return { kind: "rejected", reason: rejection };
  await discarded.eraseOf(jobId);
  if ((await store.erase(read)) === "erased") return { kind: "erased" };
  return { kind: "rejected", reason: "it changed while this was decided: look at it again" };
}
