// The end of an order (P15, P16): how it ends, and that it is told.
import { isInHand, remainingByHand } from "../domain/plan.ts";
import { wakeOf } from "../domain/recovery.ts";
import type { OrderError, StateRecord, Steps } from "../domain/state-record.ts";
import type { Ending } from "../domain/transitions.ts";
import type { Workflow } from "../domain/workflow.ts";
import type { Versioned } from "../store/order-store.ts";
import { instant, type Ports, type Telemetry } from "./ports.ts";
import { endStatus, settleNotices, tellBeforeWake, tellOrLeave, tellSteps } from "./tell.ts";

/** How an order ends whose plan is done: forward it is Processed; an undone one is in Error, and says what is left to do. */
export function endingOf(workflow: Workflow, undone: Undone | null, now: string): Ending {
  if (!undone) return { processState: "Processed" };
  const remaining = remainingByHand(workflow, undone.steps);
  const left = remaining.length > 0;
  const what = left ? `to be undone by hand: ${remaining.join(", ")}` : "all that was done is undone";
  const message = undone.cause ? `${what}; the cause: ${undone.cause.message}` : what;
  const kind = left ? "notUndone" : undone.cause?.kind === "cancelled" ? "cancelled" : "undone";
  const error: OrderError = {
    kind,
    message,
    step: undone.cause?.step ?? null,
    agent: undone.cause?.agent ?? null,
    at: now,
  };
  return { processState: "Error", error, status: left ? "Failed" : "Undone" };
}

/** What the end of an undo depends on. */
export interface Undone {
  readonly steps: Steps;
  /** Why it was undone. */
  readonly cause: OrderError | null;
}

/**
 * The record says that the order has ended: tells the shop. The sweep does what fails here. Before an Error the completed steps
 * are told again: beside the one that was refused another may have been recorded by who then died.
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
    if (ended.record.direction === "forward") await tellSteps(ended.record, ports, telemetry);
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
  // Two attempts never overlap: a step beside the refused one may be at work until its complete-by.
  const busy = Object.values(record.steps).flatMap((step) => (isInHand(step) ? [step.completeBy ?? ""] : []));
  const until = busy.sort().at(-1);
  const quietAt = until ? Date.parse(until) + ports.timing.clockSkewMs : 0;
  await ports.messenger.wake(wakeOf(record), quietAt > ports.now() ? { at: instant(quietAt) } : {});
}

/** The events that alert an operator: an order in Error, or undone as it should be. */
export function reportError({ orderId, attempt, error }: StateRecord, telemetry: Telemetry): void {
  const { kind = null, step = null, agent = null, message = null } = error ?? {};
  const isAtRest = kind === "undone" || kind === "cancelled";
  telemetry.event(isAtRest ? "OrderUndone" : "OrderErrored", { orderId, attempt, kind, step, agent, message });
}
