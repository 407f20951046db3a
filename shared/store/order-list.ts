// Listing orders: the filter, what a page shows of each, and the query that finds them.
import {
  type OrderError,
  type ProcessState,
  RECORD_VERSION,
  type StateRecord,
  type StepRecord,
  type StepState,
} from "../domain/state-record.ts";
import { documentPath } from "./document-path.ts";

export interface OrderFilter {
  readonly processState?: ProcessState | undefined;
  /** Why it is in Error. */
  readonly kind?: OrderError["kind"] | undefined;
  /** The name of a workflow. */
  readonly workflow?: string | undefined;
  /** The orders that stand at this step: it is running, forward or back, or it failed. */
  readonly step?: string | undefined;
  /** Part of an order id or of a correlation id, in any case. */
  readonly text?: string | undefined;
}

/** Where a page ended: the next one begins after it. */
export interface ListPosition {
  readonly createdAt: string;
  /** The orders of that very instant that were shown. */
  readonly shown: readonly string[];
}

export interface OrderQuery extends OrderFilter {
  readonly limit: number;
  readonly after?: ListPosition | undefined;
}

export interface OrderSummary
  extends Pick<
    StateRecord,
    | "orderId"
    | "workflow"
    | "processState"
    | "lockedBy"
    | "completeBy"
    | "failureCount"
    | "attempt"
    | "direction"
    | "orderRevision"
    | "priority"
    | "createdAt"
    | "updatedAt"
  > {
  /** Of the record; 0 for one that names none. */
  readonly schemaVersion: number;
  readonly error: OrderError | null;
  /** Empty where a newer version of the app wrote them. */
  readonly steps: { readonly [name: string]: StepState };
}

/** The newest orders first. `next` is absent on the last page. */
export interface OrderPage {
  readonly orders: readonly OrderSummary[];
  readonly next?: ListPosition;
}

/** What a summary is made of. */
export type Listed = Omit<OrderSummary, "steps" | "schemaVersion"> &
  Pick<StateRecord, "steps"> & { readonly schemaVersion?: number };

const MEMBERS = [
  "schemaVersion",
  "orderId",
  "workflow",
  "processState",
  "lockedBy",
  "completeBy",
  "failureCount",
  "attempt",
  "direction",
  "orderRevision",
  "priority",
  "createdAt",
  "updatedAt",
  "error",
  "steps",
] as const satisfies readonly (keyof Listed)[];

/** An identifier, as the workflow's check has it: it becomes part of the query's text. */
const STEP_NAME = /^[A-Za-z][A-Za-z0-9]*$/;

interface Query {
  readonly query: string;
  readonly parameters: { readonly name: string; readonly value: string | string[] }[];
}

/**
 * Pages by position and not by Cosmos DB's continuation token: a token holds for the SDK's own version and partition
 * layout, while a position outlives both, and a page seen again shows the same orders.
 */
export function listQuery({ processState, kind, workflow, step, text, after }: OrderQuery): Query {
  const conditions: string[] = [];
  const parameters: Query["parameters"] = [];
  const add = (condition: string, values: { [name: string]: string | string[] } = {}): void => {
    conditions.push(condition);
    for (const [name, value] of Object.entries(values)) parameters.push({ name: `@${name}`, value });
  };
  // Together with the state it has an index of its own (order-census.ts).
  if (kind) add("c.error.kind = @kind", { kind });
  // Orders' contents stand in the same container: they have no state.
  if (processState) add("c.processState = @state", { state: processState });
  else add("IS_DEFINED(c.processState)");
  if (workflow) add("c.workflow.name = @workflow", { workflow });
  if (step) {
    if (!STEP_NAME.test(step)) throw new Error(`${step} is no name of a step`);
    const states = `("Scheduled", "Running", "Failed")`;
    const forward = `${documentPath("steps", step, "state")} IN ${states}`;
    const undo = `${documentPath("steps", step, "undo", "state")} IN ${states}`;
    add(`(${forward} OR ${undo} OR ${documentPath("error", "step")} = @step)`, { step });
  }
  if (text) add("(CONTAINS(c.orderId, @text, true) OR CONTAINS(c.correlationId, @text, true))", { text });
  if (after) {
    const { createdAt, shown } = after;
    add("c.createdAt <= @at AND NOT ARRAY_CONTAINS(@shown, c.orderId)", { at: createdAt, shown: [...shown] });
  }
  const query = `SELECT ${listedMembers()} FROM c WHERE ${conditions.join(" AND ")} ORDER BY c.createdAt DESC`;
  return { query, parameters };
}

export const listedMembers = (): string => MEMBERS.map((member) => `c.${member}`).join(", ");

/** The same for stores that have to look through their records themselves. */
export function isListed(
  record: StateRecord,
  { processState, kind, workflow, step, text, after }: OrderFilter & Pick<OrderQuery, "after">,
): boolean {
  const { orderId, correlationId, createdAt } = record;
  if (processState && record.processState !== processState) return false;
  if (kind && record.error?.kind !== kind) return false;
  if (workflow && record.workflow.name !== workflow) return false;
  if (step && !standsAt(record, step)) return false;
  if (text && ![orderId, correlationId].some((id) => id.toLowerCase().includes(text.toLowerCase()))) return false;
  return !after || (createdAt <= after.createdAt && !after.shown.includes(orderId));
}

function standsAt({ steps, error }: StateRecord, name: string): boolean {
  const busy = (run: Pick<StepRecord, "state"> | null | undefined) =>
    run?.state === "Scheduled" || run?.state === "Running" || run?.state === "Failed";
  return busy(steps[name]) || busy(steps[name]?.undo) || error?.step === name;
}

/** @param found in their order; one more than a page holds says that there is a next page. */
export function pageOf(found: readonly Listed[], { limit, after }: OrderQuery): OrderPage {
  const orders = found.slice(0, limit).map(summaryOf);
  const last = orders.at(-1);
  if (!last || found.length <= limit) return { orders };
  const { createdAt } = last;
  const before = after?.createdAt === createdAt ? after.shown : [];
  const here = orders.flatMap((order) => (order.createdAt === createdAt ? [order.orderId] : []));
  return { orders, next: { createdAt, shown: [...before, ...here] } };
}

/** What a query would answer of a record. */
export function listedOf(record: StateRecord): Listed {
  return Object.fromEntries(MEMBERS.map((member) => [member, record[member]])) as unknown as Listed;
}

export function summaryOf({ steps, schemaVersion = 0, ...listed }: Listed): OrderSummary {
  const known = schemaVersion > RECORD_VERSION ? {} : steps;
  const states = Object.entries(known).map(([name, { state }]): [string, StepState] => [name, state]);
  return { ...listed, schemaVersion, steps: Object.fromEntries(states) };
}
