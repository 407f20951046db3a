// The supervisor's sweep (P10): finds what is due and not done, and has it retried or put before an operator.
import { decideRecovery, recover, told, type Verdict, wakeOf } from "../domain/recovery.ts";
import type { StateRecord } from "../domain/state-record.ts";
import type { Versioned } from "../store/order-store.ts";
import { tellEnd } from "./conclude-order.ts";
import { instant, type Ports, type Telemetry } from "./ports.ts";

export interface SweepReport {
  readonly found: number;
  readonly retried: number;
  readonly failed: number;
  readonly woken: number;
  readonly told: number;
  /** Another supervisor, or the attempt itself, had written the record first. */
  readonly lost: number;
  /** Records that could not be dealt with; the next sweep finds them again. */
  readonly broken: number;
  /** False where the sweep's time ran out before all was seen. */
  readonly finished: boolean;
}

const COUNTED_AS = { retry: "retried", fail: "failed", wake: "woken", tell: "told" } as const satisfies Record<
  Verdict["kind"],
  keyof SweepReport
>;

export async function sweep(ports: Ports, telemetry: Telemetry): Promise<SweepReport> {
  const begunAt = ports.now();
  const report = { found: 0, retried: 0, failed: 0, woken: 0, told: 0, lost: 0, broken: 0, finished: true };
  for await (const due of ports.store.due(instant(begunAt - ports.timing.clockSkewMs))) {
    if (ports.now() - begunAt > ports.timing.sweepWithinMs) {
      report.finished = false;
      break;
    }
    report.found += 1;
    try {
      report[await recoverOne(due, ports, telemetry)] += 1;
    } catch (cause) {
      // One bad record never stops a sweep.
      report.broken += 1;
      telemetry.event("RecoveryFailed", { orderId: due.record.orderId, cause: String(cause) });
    }
  }
  telemetry.event("SupervisorSweep", { ...report, ms: ports.now() - begunAt });
  return report;
}

/**
 * Order of writes: the record, at the version that was read, then what has to be told of it. After a death in between
 * the record is due again, and the next sweep tells it.
 */
async function recoverOne(
  due: Versioned,
  ports: Ports,
  telemetry: Telemetry,
): Promise<(typeof COUNTED_AS)[Verdict["kind"]] | "lost"> {
  const { record } = due;
  const now = ports.now();
  const verdict = decideRecovery(record, ports.workflows.of(record.workflow).policy);
  if (verdict.kind === "tell") await tellEnd(record, ports, telemetry);
  const next = recover(record, verdict, instant(now), instant(now + ports.timing.claimWithinMs));
  const written = await ports.store.replace(due, next);
  if (written.kind === "refused") return "lost";
  await follow(verdict, record, written, ports, telemetry);
  return COUNTED_AS[verdict.kind];
}

async function follow(
  verdict: Verdict,
  before: StateRecord,
  written: Versioned,
  ports: Ports,
  telemetry: Telemetry,
): Promise<void> {
  const { orderId, attempt, failureCount } = written.record;
  switch (verdict.kind) {
    case "retry":
      telemetry.event("OrderExpired", { orderId, attempt: before.attempt, completeBy: before.completeBy });
      telemetry.event("OrderRetried", { orderId, attempt, failureCount });
      return ports.messenger.wake(wakeOf(written.record));
    case "wake":
      telemetry.event("OrderWokenAgain", { orderId, attempt });
      return ports.messenger.wake(wakeOf(written.record));
    case "fail": {
      telemetry.event("OrderExpired", { orderId, attempt, completeBy: before.completeBy });
      const message = written.record.error?.message ?? null;
      telemetry.event("OrderErrored", { orderId, attempt, kind: "expired", message });
      await tellEnd(written.record, ports, telemetry);
      await ports.store.replace(written, told(written.record, instant(ports.now())));
      return;
    }
    case "tell":
      return;
    default:
      return verdict satisfies never;
  }
}
