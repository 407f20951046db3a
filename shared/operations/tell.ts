// What the shop hears (P15): in order for each order, and at least once. What can't be sent now is left as a notice in the record.
import { isWanted, outputsOf } from "../domain/outputs.ts";
import { told } from "../domain/recovery.ts";
import type { Notice, OrderStatus, StateRecord, StepResult } from "../domain/state-record.ts";
import { leaveNotice } from "../domain/transitions.ts";
import type { Versioned } from "../store/order-store.ts";
import { instant, type Ports, type Telemetry } from "./ports.ts";

/** A write, and a look at the record that says where it stands now: the attempt may have gone on meanwhile. */
const TRIES_TO_LEAVE = 3;

/** Sends one status message, if its requester wants that status. Throws once the messenger's bounded retries are used up. */
export async function tell(record: StateRecord, notice: Notice, ports: Ports, telemetry: Telemetry): Promise<void> {
  if (!isWanted(record, notice.status)) return;
  const { orderId, replyTo, error, contentDigest } = record;
  const detail = isEnd(notice.status) && error ? { detail: error.message } : {};
  const content = contentDigest ? { contentDigest } : {};
  const outputs = outputsIn(record, notice, ports);
  const answer = await ports.messenger.tell(record, {
    orderId,
    ...notice,
    ...detail,
    ...content,
    ...(outputs && { outputs }),
  });
  if (answer === "no-such-queue")
    telemetry.event("StatusUndeliverable", { orderId, status: notice.status, queue: replyTo });
}

function outputsIn(record: StateRecord, { status, step }: Notice, { workflows }: Ports): StepResult | undefined {
  if (status !== "Completed" && status !== "StepCompleted") return undefined;
  // After a rollback this app may not have the workflow: what has become of the order is said all the same.
  const workflow = workflows.find(record.workflow);
  return workflow && outputsOf(workflow, record, step);
}

/**
 * What the shop has to have heard before a next attempt begins. Whoever recorded an order or completed a step may have died
 * before it said so, and once another attempt holds the order nobody else would: so it is said again, under the same ids.
 * Returns the record as far as this knows it now.
 */
export async function tellBeforeWake(pending: Versioned, ports: Ports, telemetry: Telemetry): Promise<Versioned> {
  const { record } = pending;
  const received: Notice = { status: "Received", attempt: 1, at: record.createdAt };
  if (record.attempt === 1) await tell(record, received, ports, telemetry);
  await tellSteps(record, ports, telemetry);
  return settleNotices(pending, ports, telemetry);
}

/** Each step that is completed, in the name of the attempt that completed it. */
export async function tellSteps(record: StateRecord, ports: Ports, telemetry: Telemetry): Promise<void> {
  for (const [step, { completedIn: attempt, endedAt }] of Object.entries(record.steps)) {
    if (attempt === undefined) continue;
    await tell(record, { status: "StepCompleted", attempt, at: endedAt ?? record.updatedAt, step }, ports, telemetry);
  }
}

/** Sends all that the record has still to tell, in order. What was sent before goes again under the same message id. */
export async function tellNotices(record: StateRecord, ports: Ports, telemetry: Telemetry): Promise<void> {
  for (const notice of record.notices) await tell(record, notice, ports, telemetry);
}

/**
 * Sends the notices, then takes them out of the record, unless there are others by then: they are sent again otherwise. Before a
 * wake, for the attempt writes the record too. Returns the record as far as this knows it now.
 */
export async function settleNotices(read: Versioned, ports: Ports, telemetry: Telemetry): Promise<Versioned> {
  const { notices, orderId } = read.record;
  if (notices.length === 0) return read;
  await tellNotices(read.record, ports, telemetry);
  let known: Versioned | undefined = read;
  for (let tries = 0; known && tries < TRIES_TO_LEAVE; tries += 1) {
    const written = await ports.store.replace(known, told(known.record, instant(ports.now())));
    if (written.kind === "written") return written;
    // What was at work beside a step that ended the order is recorded too.
    known = await ports.store.state(orderId);
    if (!known || namesOf(known.record.notices) !== namesOf(notices)) return read;
  }
  return read;
}

/** What they are, by what their messages' ids are made of. */
function namesOf(notices: readonly Notice[]): string {
  return notices.map(({ status, attempt, step }) => `${attempt}:${status}:${step ?? ""}`).join();
}

/**
 * A step is completed, or the order is done. What can't be sent is left as a notice, told before the next message or by the
 * sweep: so nothing overtakes it. Returns the record as far as this knows it now.
 */
export async function tellOrLeave(
  written: Versioned,
  status: "StepCompleted" | "Completed",
  step: string | null,
  ports: Ports,
  telemetry: Telemetry,
): Promise<Versioned> {
  const { orderId, updatedAt, steps } = written.record;
  // A step may have been completed for an attempt before the one that holds the order.
  const attempt = (step === null ? undefined : steps[step]?.completedIn) ?? written.record.attempt;
  const notice: Notice = { status, attempt, at: updatedAt, ...(step !== null && { step }) };
  try {
    const settled = await settleNotices(written, ports, telemetry);
    await tell(written.record, notice, ports, telemetry);
    return settled;
  } catch (cause) {
    telemetry.event("StatusDelayed", { orderId, status, cause: String(cause) });
    return leave(written.record, notice, ports);
  }
}

/** Throws where the store can't take it: the attempt then ends in silence, and its step's activity may run again. */
async function leave(seen: StateRecord, notice: Notice, ports: Ports): Promise<Versioned> {
  let record: StateRecord | undefined = seen;
  for (let tries = 0; record && tries < TRIES_TO_LEAVE; tries += 1) {
    const left = await ports.store.change(record.orderId, leaveNotice(record, notice, instant(ports.now())));
    if (left.kind === "written") return left;
    record = (await ports.store.state(record.orderId))?.record;
  }
  throw new Error(`the notice ${notice.status} of order ${seen.orderId} could not be left in its record`);
}

/** The status that an ended order's record stands for. */
export function endStatus({ processState, error }: StateRecord): OrderStatus {
  if (processState === "Processed") return "Completed";
  return error?.kind === "undone" || error?.kind === "cancelled" ? "Undone" : "Failed";
}

function isEnd(status: OrderStatus): boolean {
  return status === "Failed" || status === "Undone";
}
