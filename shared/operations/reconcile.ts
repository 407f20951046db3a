// The reconciler (P14, P16): puts right what engine and state store do not agree on, long before complete-by would show it.
import { wakeOf } from "../domain/recovery.ts";
import { attemptId, attemptOfId, holderId, type StateRecord } from "../domain/state-record.ts";
import type { Orchestrations } from "./orchestrations.ts";
import { instant, type Ports, type Telemetry } from "./ports.ts";

export interface ReconcileReport {
  /** Records whose orchestration was gone or had ended: it was started again, and goes on where the record stands. */
  readonly startedAgain: number;
  /** Orchestrations whose record had moved on: terminated. */
  readonly terminated: number;
  readonly broken: number;
  /** False where time ran out: the next tick goes on. */
  readonly finished: boolean;
}

type Found = "orchestration gone" | "orchestration ended" | "record moved on";

/**
 * Looks at what nobody has touched for a while, in this host's task hub only: other hubs have hosts of their own. The same
 * attempt starts again under the same fence and the same complete-by, so nothing overlaps and no failure is counted; that
 * which still runs of it is recognised by its keys. Order of effects: the engine, then the ledger. Killed in between, the
 * ledger lacks the entry.
 */
export async function reconcile(
  orchestrations: Orchestrations,
  ports: Ports,
  telemetry: Telemetry,
): Promise<ReconcileReport> {
  const { now, timing, store } = ports;
  const endAt = now() + timing.sweepWithinMs;
  const before = instant(now() - timing.reconcileAfterMs);
  const counts = { startedAgain: 0, terminated: 0, broken: 0 };

  /** Never throws: one that can't be dealt with never keeps the others. */
  async function visit(orderId: string, work: () => Promise<keyof typeof counts | undefined>): Promise<void> {
    try {
      const count = await work();
      if (count) counts[count] += 1;
    } catch (cause) {
      counts.broken += 1;
      telemetry.event("ReconciliationFailed", { orderId, cause: String(cause) });
    }
  }

  for await (const { record } of store.untouched(before)) {
    if (now() > endAt) return { ...counts, finished: false };
    await visit(record.orderId, () => startAgain(record, orchestrations, ports, telemetry));
  }
  for (const id of await orchestrations.runningSince(before)) {
    if (now() > endAt) return { ...counts, finished: false };
    await visit(id, () => terminate(id, orchestrations, ports, telemetry));
  }
  return { ...counts, finished: true };
}

/** A Processing record that this host's engine should be at work on, and is not. */
async function startAgain(
  record: StateRecord,
  orchestrations: Orchestrations,
  ports: Ports,
  telemetry: Telemetry,
): Promise<"startedAgain" | undefined> {
  const { orderId, attempt, lockedBy, completeBy } = record;
  if (lockedBy !== holderId(orderId, attempt, ports.taskHub)) return undefined;
  // Past complete-by it is the sweep's.
  if (completeBy === null || Date.parse(completeBy) <= ports.now()) return undefined;
  const id = attemptId(orderId, attempt);
  const status = await orchestrations.statusOf(id);
  if (status === "running") return undefined;
  // Its last write may have come between the two looks.
  const fresh = (await ports.store.state(orderId))?.record;
  if (!fresh || fresh.lockedBy !== lockedBy || fresh.updatedAt !== record.updatedAt) return undefined;
  await orchestrations.start(wakeOf(fresh));
  await report(fresh, status === "ended" ? "orchestration ended" : "orchestration gone", ports, telemetry);
  return "startedAgain";
}

/** An orchestration that runs for an attempt which can't write any more. */
async function terminate(
  id: string,
  orchestrations: Orchestrations,
  ports: Ports,
  telemetry: Telemetry,
): Promise<"terminated" | undefined> {
  const own = attemptOfId(id);
  if (!own) return undefined;
  const record = (await ports.store.state(own.orderId))?.record;
  if (record && mayWrite(record, own.attempt, ports.taskHub)) return undefined;
  // What ended just now may still be telling of it.
  if (record && Date.parse(record.updatedAt) > ports.now() - ports.timing.reconcileAfterMs) return undefined;
  await orchestrations.terminate(id, "its order has moved on");
  if (record) await report(record, "record moved on", ports, telemetry);
  return "terminated";
}

function mayWrite(record: StateRecord, attempt: number, taskHub: string): boolean {
  const { orderId, processState, lockedBy } = record;
  if (processState === "Pending") return record.attempt === attempt;
  return lockedBy === holderId(orderId, attempt, taskHub);
}

async function report(record: StateRecord, found: Found, ports: Ports, telemetry: Telemetry): Promise<void> {
  const { orderId, attempt } = record;
  telemetry.event("OrchestrationReconciled", { orderId, attempt, found });
  try {
    await ports.supervision.reconciliation({ at: instant(ports.now()), orderId, attempt, found });
  } catch (cause) {
    telemetry.event("LedgerUnwritten", { orderId, cause: String(cause) });
  }
}
