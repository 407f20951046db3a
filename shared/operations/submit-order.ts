// Submission (P1): records the order, says that it is received, and gives back what starts its first attempt.
import type { Wake } from "../domain/attempt.ts";
import { type Order, type Priority, type ReplyAddress, sameOrder } from "../domain/order.ts";
import { wakeOf } from "../domain/recovery.ts";
import { newStateRecord, type StateRecord } from "../domain/state-record.ts";
import { type Envelope, parseSubmission } from "../messaging/submission-message.ts";
import { instant, type Ports, type Telemetry } from "./ports.ts";
import { tell } from "./tell.ts";

export interface SubmittedMessage {
  readonly body: unknown;
  readonly envelope: Envelope;
  readonly traceparent: string | null;
  /** When it came into its queue; an ISO 8601 instant. */
  readonly enqueuedAt?: string | undefined;
}

const HOLD_MS = 100;
/** Well below the time for which a message's lock is renewed; then the order is taken all the same. */
const LONGEST_HOLD_MS = 60_000;

/**
 * Order of writes: order and record in one batch, then the Received message, then (by the caller) the start. After a
 * death in between the message is delivered again, and the duplicate does what is left.
 * @returns what to start, or undefined where nothing is to be started.
 */
export async function submitOrder(
  message: SubmittedMessage,
  ports: Ports,
  telemetry: Telemetry,
): Promise<Wake | undefined> {
  const parsed = parseSubmission(message.body, message.envelope, ports.rules);
  if (parsed.kind === "invalid") return quarantine(message, parsed.faults, ports, telemetry);
  const { order, reply } = parsed;
  await admission(order.priority, ports);

  const draft = draftRecord(order, reply, message, ports);
  const created = await ports.store.create(order, draft);
  if (created.kind === "duplicate" && !sameOrder(created.order, order)) {
    return quarantine(message, [`orderId: "${order.orderId}" is the id of another order`], ports, telemetry);
  }
  const record = created.kind === "created" ? draft : created.record;
  const { orderId, attempt, processState } = record;
  telemetry.event(created.kind === "created" ? "OrderSubmitted" : "DuplicateSubmission", { orderId, processState });

  await tell(record, { status: "Received", attempt: 1, at: record.createdAt }, ports, telemetry);
  return processState === "Pending" && attempt === 1 ? wakeOf(record) : undefined;
}

/** While there is too much to do the order stays where it is, in its queue, for a while: nothing is written yet. */
async function admission(priority: Priority, { pressure, now, pause }: Ports): Promise<void> {
  const latest = now() + LONGEST_HOLD_MS;
  while (pressure.isHigh(priority) && now() < latest) await pause(HOLD_MS);
}

function draftRecord(order: Order, reply: ReplyAddress, message: SubmittedMessage, ports: Ports): StateRecord {
  const workflow = ports.workflows.newest(order.workflow);
  if (!workflow) throw new Error(`no workflow ${order.workflow}, though the submission rules name it`);
  const now = ports.now();
  const { orderId, priority } = order;
  const { traceparent, enqueuedAt } = message;
  const submission = { orderId, priority, ...reply, traceparent, enqueuedAt };
  return newStateRecord(submission, workflow, instant(now), instant(now + ports.timing.claimWithinMs));
}

async function quarantine(
  { body, envelope }: SubmittedMessage,
  faults: readonly string[],
  ports: Ports,
  telemetry: Telemetry,
): Promise<undefined> {
  const [messageId, correlationId, replyTo, replyToSessionId] = [
    envelope.messageId,
    envelope.correlationId,
    envelope.replyTo,
    envelope.replyToSessionId,
  ].map((value) => (typeof value === "string" ? value : undefined));
  const kept = { body, faults, messageId, correlationId, replyTo, replyToSessionId };
  await ports.messenger.quarantine({ subject: "InvalidOrder", ...kept });
  telemetry.event("OrderQuarantined", {
    messageId: messageId ?? null,
    faultCount: faults.length,
    firstFault: faults[0] ?? "",
  });
}
