// The end of an order: tells the shop, and leaves a notice where it can't be told now (P15, P16).
import type { StateRecord } from "../domain/state-record.ts";
import { clearNotices, leaveNotice } from "../domain/transitions.ts";
import { instant, type Ports, type Telemetry } from "./ports.ts";

/** The record says Processed: tells the shop. Where that fails, a notice is written, which the sweep sends. */
export async function concludeProcessed(record: StateRecord, ports: Ports, telemetry: Telemetry): Promise<void> {
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
export async function concludeError(record: StateRecord, ports: Ports, telemetry: Telemetry): Promise<void> {
  const { orderId, attempt, error } = record;
  telemetry.event("OrderErrored", {
    orderId,
    attempt,
    kind: error?.kind ?? null,
    step: error?.step ?? null,
    agent: error?.agent ?? null,
    message: error?.message ?? null,
  });
  try {
    await tellEnd(record, ports, telemetry);
    await ports.store.change(orderId, clearNotices({ attempt, processState: "Error" }));
  } catch (cause) {
    telemetry.event("StatusDelayed", { orderId, status: "Failed", cause: String(cause) });
  }
}

/** Sends the status message that an ended order's record stands for. */
export async function tellEnd(record: StateRecord, ports: Ports, telemetry: Telemetry): Promise<void> {
  const { orderId, attempt, processState, error, updatedAt } = record;
  const status = processState === "Processed" ? "Completed" : "Failed";
  const detail = error ? { detail: error.message } : {};
  const told = await ports.messenger.tell(record, { orderId, attempt, status, at: updatedAt, ...detail });
  if (told === "no-such-queue") telemetry.event("StatusUndeliverable", { orderId, status, queue: record.replyTo });
}
