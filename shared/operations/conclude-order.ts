// The end of an order, and what the shop hears on the way: tells it, and leaves a notice where it can't be told now (P15, P16).
import { remainingByHand } from "../domain/plan.ts";
import { wakeOf } from "../domain/recovery.ts";
import type { OrderError, OrderStatus, StateRecord, Steps } from "../domain/state-record.ts";
import { clearNotices, type Ending, leaveNotice } from "../domain/transitions.ts";
import type { Workflow } from "../domain/workflow.ts";
import { instant, type Ports, type Telemetry } from "./ports.ts";

/** How an order ends whose plan is done: forward it is Processed; an undone one is in Error, and says what is left to do. */
export function endingOf(workflow: Workflow, undone: Undone | null, now: string): Ending {
  if (!undone) return { processState: "Processed" };
  const remaining = remainingByHand(workflow, undone.steps);
  const left = remaining.length > 0;
  const what = left ? `to be undone by hand: ${remaining.join(", ")}` : "all that was done is undone";
  const message = undone.cause ? `${what}; the cause: ${undone.cause.message}` : what;
  const kind = left ? "notUndone" : "undone";
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

/** The record says that the order has ended: tells the shop. */
export async function concludeOrder(record: StateRecord, ports: Ports, telemetry: Telemetry): Promise<void> {
  if (record.processState === "Processed") await concludeProcessed(record, ports, telemetry);
  else await concludeError(record, ports, telemetry);
}

/** The record is Pending in its next attempt: tells the scheduler. The sweep does it again if that fails. */
export async function passOn(record: StateRecord, ports: Ports, telemetry: Telemetry): Promise<void> {
  const { orderId, attempt, error } = record;
  telemetry.event("OrderToBeUndone", { orderId, attempt, message: error?.message ?? null });
  await ports.messenger.wake(wakeOf(record));
}

/** A step is completed. What of this gets lost, the shop can do without: the order's end is told in any case. */
export async function tellStep(record: StateRecord, step: string, ports: Ports, telemetry: Telemetry): Promise<void> {
  const { orderId, attempt, updatedAt } = record;
  const status = "StepCompleted";
  try {
    const told = await ports.messenger.tell(record, { orderId, attempt, status, step, at: updatedAt });
    if (told === "no-such-queue") undeliverable(record, status, telemetry);
  } catch (cause) {
    telemetry.event("StatusDelayed", { orderId, status, cause: String(cause) });
  }
}

/** The record is Processed. Where telling fails, a notice is written, which the sweep sends. */
async function concludeProcessed(record: StateRecord, ports: Ports, telemetry: Telemetry): Promise<void> {
  const { orderId, attempt, createdAt, updatedAt } = record;
  const criticalMs = Date.parse(updatedAt) - Date.parse(createdAt);
  telemetry.event("OrderProcessed", { orderId, attempt, criticalMs });
  try {
    await tellEnd(record, ports, telemetry);
  } catch (cause) {
    telemetry.event("StatusDelayed", { orderId, status: "Completed", cause: String(cause) });
    const notice = leaveNotice({ attempt, processState: "Processed" }, "Completed", instant(ports.now()));
    await ports.store.change(orderId, notice);
  }
}

/** The record says Error and carries its notice: tells the shop, then clears the notice. The sweep does what fails here. */
async function concludeError(record: StateRecord, ports: Ports, telemetry: Telemetry): Promise<void> {
  const { orderId, attempt } = record;
  reportError(record, telemetry);
  try {
    await tellEnd(record, ports, telemetry);
    await ports.store.change(orderId, clearNotices({ attempt, processState: "Error" }));
  } catch (cause) {
    telemetry.event("StatusDelayed", { orderId, status: endStatus(record), cause: String(cause) });
  }
}

/** The events that alert an operator: an order in Error, or undone as it should be. */
export function reportError({ orderId, attempt, error }: StateRecord, telemetry: Telemetry): void {
  const { kind = null, step = null, agent = null, message = null } = error ?? {};
  telemetry.event(kind === "undone" ? "OrderUndone" : "OrderErrored", { orderId, attempt, kind, step, agent, message });
}

/** Sends the status message that an ended order's record stands for. */
export async function tellEnd(record: StateRecord, ports: Ports, telemetry: Telemetry): Promise<void> {
  const { orderId, attempt, error, updatedAt } = record;
  const status = endStatus(record);
  const detail = error ? { detail: error.message } : {};
  const told = await ports.messenger.tell(record, { orderId, attempt, status, at: updatedAt, ...detail });
  if (told === "no-such-queue") undeliverable(record, status, telemetry);
}

function endStatus({ processState, error }: StateRecord): OrderStatus {
  if (processState === "Processed") return "Completed";
  return error?.kind === "undone" ? "Undone" : "Failed";
}

function undeliverable({ orderId, replyTo }: StateRecord, status: OrderStatus, telemetry: Telemetry): void {
  telemetry.event("StatusUndeliverable", { orderId, status, queue: replyTo });
}
