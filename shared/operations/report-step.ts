// An operator reports a step that is done later (P6, P8): an approval by telephone, or a service that can't report. It is taken as the service's own report is.
import { runOf } from "../domain/plan.ts";
import { holderId, type StateRecord } from "../domain/state-record.ts";
import type { AgentReplyMessage } from "../messaging/agent-messages.ts";
import { isWanted } from "../messaging/entity-tag.ts";
import type { StepReport } from "../messaging/operator-request.ts";
import type { Versioned } from "../store/order-store.ts";
import { standpointOf } from "../supervision/rule.ts";
import { awaitedDirection } from "./awaiting.ts";
import type { Caller, Operated } from "./operate-order.ts";
import { instant, type Ports, type Telemetry } from "./ports.ts";
import { type Heard, takeWord } from "./take-reply.ts";

export type Reported =
  /** `heard`: for the attempt that waits for it. */
  | ({ readonly kind: "reported"; readonly heard: Heard } & Versioned)
  | Extract<Operated, { kind: "refused" | "changed" | "not-found" }>;

/**
 * Order of writes: as a service's report (take-reply.ts), then the ledger. The step's own record says who reported it and why. Of two reports at once
 * one is taken, and the other is refused.
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
    enterLedger({ before: record, after, outcome, reason: report.reason, operator }, ports, telemetry);
  const refuse = async (reason: string): Promise<Reported> => {
    await enter(`refused: ${reason}`, null);
    return { kind: "refused", state: record.processState, reason };
  };
  if (!isWanted(read.etag, ifMatch)) {
    await enter("refused: the order is not at the version that was looked at", null);
    return { kind: "changed", ...read };
  }
  const reply = replyOf(record, step, report, operator, ports);
  if (!reply) return refuse(`${step} waits for no report`);
  const taken = await takeWord(reply, ports, telemetry, () => true);
  if (taken.kind !== "recorded") return refuse(`${step} waits for no report any more`);
  const current = (await ports.store.state(orderId)) ?? read;
  await enter(`done: ${step} was reported as ${report.kind}`, current.record);
  return { kind: "reported", heard: taken.heard, ...current };
}

/** What the service would have sent: the record has what its address is made of. */
function replyOf(
  record: StateRecord,
  step: string,
  report: StepReport,
  operator: string,
  { taskHub }: Ports,
): AgentReplyMessage | undefined {
  const direction = awaitedDirection(record, step);
  const run = direction && runOf(record.steps[step], direction);
  if (!direction || !run) return undefined;
  const { orderId, lockedBy, attempt: current } = record;
  const { attempt = current, nonce } = run;
  const holder = lockedBy ?? holderId(orderId, attempt, taskHub);
  const ticket = { orderId, attempt, step, direction, lockedBy: holder, nonce };
  const because = `reported by ${operator}: ${report.reason}`;
  return report.kind === "done"
    ? { kind: "done", ticket, because, result: report.result }
    : { kind: "rejected", ticket, because, message: `${report.reason} (${operator})` };
}

interface Entry {
  readonly before: StateRecord;
  readonly after: StateRecord | null;
  readonly outcome: string;
  readonly reason: string;
  readonly operator: string;
}

/** The ledger never stops an operator: the record itself says the same. */
async function enterLedger(
  { before, after, outcome, reason, operator }: Entry,
  { supervision, now }: Ports,
  telemetry: Telemetry,
): Promise<void> {
  const { orderId, attempt } = before;
  telemetry.event("OperatorActed", { orderId, attempt, action: "report", operator, outcome });
  const standpoints = { before: standpointOf(before), after: after && standpointOf(after) };
  try {
    const at = instant(now());
    await supervision.operatorAction({ at, operator, action: "report", orderId, reason, outcome, ...standpoints });
  } catch (cause) {
    telemetry.event("LedgerUnwritten", { orderId, cause: String(cause) });
  }
}
