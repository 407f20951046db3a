// An operator reports a step that is done later (P6, P8): an approval by telephone, or a service that can't report. It is taken as the service's own report is.
import { runOf } from "../domain/plan.ts";
import type { StateRecord } from "../domain/state-record.ts";
import type { Report } from "../messaging/completion.ts";
import { isWanted } from "../messaging/entity-tag.ts";
import type { StepReport } from "../messaging/operator-request.ts";
import type { Versioned } from "../store/order-store.ts";
import { snapshotOf } from "../supervision/rule.ts";
import { awaitedDirection } from "./awaiting.ts";
import type { Caller, Operated } from "./operate-order.ts";
import { instant, type Ports, type Telemetry } from "./ports.ts";
import { type Received, takeReport } from "./take-reply.ts";

export type Reported =
  /** `received`: for the attempt that waits for it. */
  | ({ readonly kind: "reported"; readonly received: Received } & Versioned)
  | Extract<Operated, { kind: "rejected" | "changed" | "not-found" }>;

/**
 * Order of writes: as a service's report (take-reply.ts), then the audit log. The step's own record says who reported it and why. Of two reports at once
 * one is taken, and the other is rejected.
 */
export async function reportStep(
  orderId: string,
  step: string,
  report: StepReport,
  { by: operator, ifMatch }: Caller,
  ports: Ports,
  telemetry: Telemetry,
): Promise<Reported> {
  const read = await ports.store.state(orderId);
  if (!read) return { kind: "not-found" };
  const { record } = read;
  const enter = (outcome: string, after: StateRecord | null) =>
    writeAuditLog({ before: record, after, outcome, reason: report.reason, operator }, ports, telemetry);
  const reject = async (reason: string): Promise<Reported> => {
    await enter(`rejected: ${reason}`, null);
    return { kind: "rejected", state: record.processState, reason };
  };
  if (!isWanted(read.etag, ifMatch)) {
    await enter("rejected: the order is not at the version that was looked at", null);
    return { kind: "changed", ...read };
  }
  const own = ownReport(record, step, report, operator);
  if (!own) return reject(`${step} waits for no report`);
  const taken = await takeReport(own, ports, telemetry);
  if (taken.kind === "not yet") return reject(`the time of ${step} is over, and it is asked for again: report it then`);
  if (taken.kind !== "recorded") return reject(`${step} waits for no report any more`);
  const current = (await ports.store.state(orderId)) ?? read;
  await enter(`done: ${step} was reported as ${report.kind}`, current.record);
  return { kind: "reported", received: taken.received, ...current };
}

/** What whoever does it would have sent: the record has what the address is made of. */
function ownReport(record: StateRecord, step: string, report: StepReport, operator: string): Report | undefined {
  const direction = awaitedDirection(record, step);
  if (!direction) return undefined;
  const { orderId, steps } = record;
  const address = { orderId, step, direction, nonce: runOf(steps[step], direction)?.nonce };
  const because = `reported by ${operator}: ${report.reason}`;
  return report.kind === "done"
    ? { kind: "done", address, because, result: report.result }
    : { kind: "rejected", address, because, message: `${report.reason} (${operator})` };
}

interface Entry {
  readonly before: StateRecord;
  readonly after: StateRecord | null;
  readonly outcome: string;
  readonly reason: string;
  readonly operator: string;
}

/** The audit log never stops an operator: the record itself says the same. */
async function writeAuditLog(
  { before, after, outcome, reason, operator }: Entry,
  { supervision, now }: Ports,
  telemetry: Telemetry,
): Promise<void> {
  const { orderId, attempt } = before;
  telemetry.event("OperatorActed", { orderId, attempt, action: "report", operator, outcome });
  const snapshots = { before: snapshotOf(before), after: after && snapshotOf(after) };
  try {
    const at = instant(now());
    await supervision.operatorAction({ at, operator, action: "report", orderId, reason, outcome, ...snapshots });
  } catch (cause) {
    telemetry.event("AuditLogUnwritten", { orderId, cause: String(cause) });
  }
}
