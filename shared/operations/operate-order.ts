// What an operator does to one order (P9, P11, P13): decided by the domain, written at the version read, then told.
import { type Decision, decide, type Occasion, type OperatorAction } from "../domain/operator.ts";
import type { Order } from "../domain/order.ts";
import { wakeOf } from "../domain/recovery.ts";
import type { ProcessState, StateRecord } from "../domain/state-record.ts";
import type { Workflow } from "../domain/workflow.ts";
import type { ActionName, OperatorRequest } from "../messaging/operator-request.ts";
import type { Versioned, Written } from "../store/order-store.ts";
import { standpointOf } from "../supervision/rule.ts";
import { instant, type Ports, type Telemetry } from "./ports.ts";
import { tellBeforeWake } from "./tell.ts";

export type Operated =
  /** `told`: false where the scheduler could not be told; the supervisor then wakes the order when it is due. */
  | { readonly kind: "done"; readonly record: StateRecord; readonly startAt: string | null; readonly told: boolean }
  | { readonly kind: "refused"; readonly state: ProcessState; readonly reason: string }
  | { readonly kind: "invalid"; readonly faults: readonly string[] }
  | { readonly kind: "not-found" };

/** One order as an operator sees it. */
export interface Inspection {
  readonly record: StateRecord;
  /** Its content, in the revision that the record names. */
  readonly order: Order;
  /** What may be asked of it now, and why not where it may not. */
  readonly actions: { readonly [name in ActionName]: { readonly allowed: true } | Refusal };
}

type Refusal = { readonly allowed: false; readonly reason: string };

/** Another writer may be faster once, as an agent that completes a step; one that always is leaves nothing to decide on. */
const READS = 2;

/**
 * Order of writes: the record with its history, at the version that was read, then the ledger, then the notices, then the
 * message to the scheduler. After a death in between the record is Pending and comes due, and the sweep does the rest.
 */
export async function operateOrder(
  orderId: string,
  request: OperatorRequest,
  by: string,
  ports: Ports,
  telemetry: Telemetry,
): Promise<Operated> {
  for (let reads = 1; ; reads += 1) {
    const read = await ports.store.state(orderId);
    if (!read) return { kind: "not-found" };
    const { record: before } = read;
    const faults = faultsAgainst(before, request);
    if (faults.length > 0) return { kind: "invalid", faults };

    const occasion = occasionOf(by, ports);
    const decision = decide(before, actionOf(request), workflowOf(before, ports), occasion);
    if (decision.kind === "refused") {
      await enterLedger(before, null, request, `refused: ${decision.reason}`, occasion, ports, telemetry);
      return { kind: "refused", state: before.processState, reason: decision.reason };
    }
    const written = await write(read, decision.record, request, ports);
    if (written.kind === "written") {
      await enterLedger(before, written.record, request, "done", occasion, ports, telemetry);
      const told = await follow(request, written, decision.startAt, ports, telemetry);
      return { kind: "done", record: written.record, startAt: decision.startAt, told };
    }
    if (reads === READS) {
      const reason = "the order changed while this was decided: look at it again";
      await enterLedger(before, null, request, `refused: ${reason}`, occasion, ports, telemetry);
      return { kind: "refused", state: before.processState, reason };
    }
  }
}

/** Undefined where there is no such order. */
export async function inspectOrder(orderId: string, ports: Ports): Promise<Inspection | undefined> {
  const read = await ports.store.state(orderId);
  if (!read) return undefined;
  const { record } = read;
  const occasion = occasionOf("", ports);
  const workflow = workflowOf(record, ports);
  const may = (action: OperatorAction) => permission(decide(record, action, workflow, occasion));
  return {
    record: withoutStoresOwn(record),
    order: await ports.store.order(orderId, record.orderRevision),
    actions: {
      resubmit: may({ kind: "resubmit", reason: "", edited: null }),
      undo: may({ kind: "undo", reason: "" }),
      extend: may({ kind: "extend", reason: "", byMs: 1 }),
      settle: may({ kind: "settle", reason: "" }),
    },
  };
}

/** Ended orders outlive the version of the workflow that they went by. */
function workflowOf(record: StateRecord, { workflows }: Ports): Workflow | undefined {
  try {
    return workflows.of(record.workflow);
  } catch {
    return undefined;
  }
}

function permission(decision: Decision): { readonly allowed: true } | Refusal {
  return decision.kind === "allowed" ? { allowed: true } : { allowed: false, reason: decision.reason };
}

/** What the contract of the request alone can't see. */
function faultsAgainst({ workflow }: StateRecord, request: OperatorRequest): string[] {
  const edited = request.kind === "resubmit" ? request.order : null;
  if (!edited || edited.workflow === workflow.name) return [];
  return [`order: workflow: must stay "${workflow.name}": the order's steps are that workflow's`];
}

function actionOf(request: OperatorRequest): OperatorAction {
  if (request.kind !== "resubmit") return request;
  const { kind, reason, order } = request;
  return { kind, reason, edited: order && { priority: order.priority } };
}

async function write(
  read: Versioned,
  record: StateRecord,
  request: OperatorRequest,
  { store }: Ports,
): Promise<Written> {
  const edited = request.kind === "resubmit" ? request.order : null;
  const written = await (edited ? store.revise(read, record, edited) : store.replace(read, record));
  if (written.kind === "written") return written;
  // A write whose answer was lost was made, and its second try is refused.
  const stored = await store.state(record.orderId);
  return stored && isOwn(stored.record, record) ? { kind: "written", ...stored } : written;
}

function isOwn(stored: StateRecord, intended: StateRecord): boolean {
  const entry = intended.history.at(-1);
  return stored.history.some(({ at, what, by }) => at === entry?.at && what === entry.what && by === entry.by);
}

/** The ledger never stops an operator: the record's own history says the same. */
async function enterLedger(
  before: StateRecord,
  after: StateRecord | null,
  { kind: action, reason }: OperatorRequest,
  outcome: string,
  { by: operator, now: at }: Occasion,
  ports: Ports,
  telemetry: Telemetry,
): Promise<void> {
  const { orderId } = before;
  telemetry.event("OperatorActed", { orderId, attempt: (after ?? before).attempt, action, operator, outcome });
  const standpoints = { before: standpointOf(before), after: after && standpointOf(after) };
  try {
    await ports.supervision.operatorAction({ at, operator, action, orderId, reason, outcome, ...standpoints });
  } catch (cause) {
    telemetry.event("LedgerUnwritten", { orderId, cause: String(cause) });
  }
}

/** @returns whether all was told that had to be. */
async function follow(
  request: OperatorRequest,
  written: Versioned,
  startAt: string | null,
  ports: Ports,
  telemetry: Telemetry,
): Promise<boolean> {
  const { orderId, attempt, error } = written.record;
  switch (request.kind) {
    case "extend":
    case "settle":
      return true;
    case "undo":
      telemetry.event("OrderToBeUndone", { orderId, attempt, message: error?.message ?? null });
      return start(written, startAt, ports, telemetry);
    case "resubmit":
      return start(written, startAt, ports, telemetry);
    default:
      return request satisfies never;
  }
}

/** Tells the shop and the scheduler of the next attempt. */
async function start(written: Versioned, startAt: string | null, ports: Ports, telemetry: Telemetry): Promise<boolean> {
  const { orderId } = written.record;
  try {
    await tellBeforeWake(written, ports, telemetry);
    await ports.messenger.wake(wakeOf(written.record), startAt === null ? {} : { at: startAt });
    return true;
  } catch (cause) {
    telemetry.event("StatusDelayed", { orderId, status: "RetryScheduled", cause: String(cause) });
    return false;
  }
}

function occasionOf(by: string, { now, timing }: Ports): Occasion {
  const { claimWithinMs, clockSkewMs } = timing;
  return { by, now: instant(now()), claimWithinMs, clockSkewMs };
}

/** Cosmos DB hands out members of its own with each document. */
function withoutStoresOwn(record: StateRecord): StateRecord {
  const own = Object.entries(record).filter(([name]) => name !== "id" && !name.startsWith("_"));
  return Object.fromEntries(own) as unknown as StateRecord;
}
