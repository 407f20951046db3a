// Submission (P1): records the order, says that it is received, and gives back what starts its first attempt.
import type { Wake } from "../domain/attempt.ts";
import { type Order, type ReplyAddress, sameOrder } from "../domain/order.ts";
import { wakeOf } from "../domain/recovery.ts";
import { newStateRecord, type StateRecord } from "../domain/state-record.ts";
import { type Envelope, parseSubmission } from "../messaging/submission-message.ts";
import { instant, type Ports, type Telemetry } from "./ports.ts";

export interface SubmittedMessage {
  readonly body: unknown;
  readonly envelope: Envelope;
  readonly traceparent: string | null;
}

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

  const draft = draftRecord(order, reply, message.traceparent, ports);
  const created = await ports.store.create(order, draft);
  if (created.kind === "duplicate" && !sameOrder(created.order, order)) {
    return quarantine(message, [`orderId: "${order.orderId}" is the id of another order`], ports, telemetry);
  }
  const record = created.kind === "created" ? draft : created.record;
  const { orderId, attempt, processState } = record;
  telemetry.event(created.kind === "created" ? "OrderSubmitted" : "DuplicateSubmission", { orderId, processState });

  const told = await ports.messenger.tell(record, { orderId, attempt: 1, status: "Received", at: record.createdAt });
  if (told === "no-such-queue")
    telemetry.event("StatusUndeliverable", { orderId, status: "Received", queue: record.replyTo });
  return processState === "Pending" && attempt === 1 ? wakeOf(record) : undefined;
}

function draftRecord(order: Order, reply: ReplyAddress, traceparent: string | null, ports: Ports): StateRecord {
  const workflow = ports.workflows.newest(order.workflow);
  if (!workflow) throw new Error(`no workflow ${order.workflow}, though the submission rules name it`);
  const now = ports.now();
  const { orderId, priority } = order;
  const submission = { orderId, priority, ...reply, traceparent };
  return newStateRecord(submission, workflow, instant(now), instant(now + ports.timing.claimWithinMs));
}

async function quarantine(
  { body, envelope }: SubmittedMessage,
  faults: readonly string[],
  ports: Ports,
  telemetry: Telemetry,
): Promise<undefined> {
  const messageId = typeof envelope.messageId === "string" ? envelope.messageId : undefined;
  const correlationId = typeof envelope.correlationId === "string" ? envelope.correlationId : undefined;
  await ports.messenger.quarantine({ body, faults, messageId, correlationId });
  telemetry.event("OrderQuarantined", {
    messageId: messageId ?? null,
    faultCount: faults.length,
    firstFault: faults[0] ?? "",
  });
}
