// The end of an order (P15, P16): that it is told.
import { wakeOf } from "../domain/recovery.ts";
import type { StateRecord } from "../domain/state-record.ts";
import type { Versioned } from "../store/order-store.ts";
import type { Ports, Telemetry } from "./ports.ts";
import { endStatus, settleNotices, tellBeforeWake, tellOrLeave, tellSteps } from "./tell.ts";

/**
 * The record says that the order has ended: tells the shop. The sweep does what fails here. Before an Error the completed steps
 * are told again: beside the one that was refused another may have been recorded by who then died, and one that was at work when an undo began ends it.
 */
export async function concludeOrder(ended: Versioned, ports: Ports, telemetry: Telemetry): Promise<void> {
  const { orderId, attempt, workflow, processState, notices } = ended.record;
  if (processState === "Processed") {
    const { createdAt, enqueuedAt = createdAt, updatedAt } = ended.record;
    const criticalMs = Date.parse(updatedAt) - Date.parse(enqueuedAt);
    telemetry.event("OrderProcessed", { orderId, attempt, workflow: workflow.name, criticalMs });
    if (!notices.some(({ status }) => status === "Completed")) {
      await tellOrLeave(ended, "Completed", null, ports, telemetry);
      return;
    }
  } else reportError(ended.record, telemetry);
  try {
    await tellSteps(ended.record, ports, telemetry);
    await settleNotices(ended, ports, telemetry);
  } catch (cause) {
    telemetry.event("StatusDelayed", { orderId, status: endStatus(ended.record), cause: String(cause) });
  }
}

/** The record is Pending in its next attempt: tells the scheduler. The sweep does it again if that fails. */
export async function passOn(pending: Versioned, ports: Ports, telemetry: Telemetry): Promise<void> {
  const { record } = pending;
  const { orderId, attempt, error } = record;
  telemetry.event("OrderToBeUndone", { orderId, attempt, message: error?.message ?? null });
  await tellBeforeWake(pending, ports, telemetry);
  await ports.messenger.wake(wakeOf(record));
}

/** The events that alert an operator: an order in Error, or undone as it should be. */
export function reportError({ orderId, attempt, error }: StateRecord, telemetry: Telemetry): void {
  const { kind = null, step = null, agent = null, message = null } = error ?? {};
  const isAtRest = kind === "undone" || kind === "cancelled";
  telemetry.event(isAtRest ? "OrderUndone" : "OrderErrored", { orderId, attempt, kind, step, agent, message });
}
