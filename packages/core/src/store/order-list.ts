// Listing orders: the filter, and what a page shows of each.
import {
  type OrderError,
  type ProcessState,
  RECORD_VERSION,
  type StateRecord,
  type StepState,
} from "../domain/state-record.ts";
import type { Scanned } from "./order-scan.ts";
import { recordOf } from "./record-versions.ts";

export interface OrderFilter {
  readonly processState?: ProcessState | undefined;
  /** Why it is in Error. */
  readonly kind?: OrderError["kind"] | undefined;
  /** The name of a workflow. */
  readonly workflow?: string | undefined;
  /** Of the workflow. */
  readonly version?: number | undefined;
  /** The orders that stand at this step: it is running, forward or back, or it failed. */
  readonly step?: string | undefined;
  /** Part of an order id or of a correlation id, in any case. */
  readonly text?: string | undefined;
  readonly time?: TimeFilter | undefined;
  readonly key?: { readonly name: string; readonly value: string } | undefined;
}

/**
 * `received`: recorded. `sent`: taken by the broker. `changed`: the record's last change. `ended`: Processed, or in Error; of an order that is
 * closed, when it was closed.
 */
export interface TimeFilter {
  readonly of: "received" | "sent" | "changed" | "ended";
  /** Instants: from the first, and before the second. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
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
  /** Where no index finds what is wanted: through how many orders this page has looked, and down to which instant. */
  readonly looked?: { readonly orders: number; readonly downTo: string };
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

export const listedMembers = (): string => MEMBERS.map((member) => `c.${member}`).join(", ");

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

/** Of a search that looked through a part of what is stored. */
export function scannedPage({ found, looked, goOnAt }: Scanned<Listed>, query: OrderQuery): OrderPage {
  const page = pageOf(found, query);
  if (page.next) return { ...page, looked: { orders: looked, downTo: page.next.createdAt } };
  if (goOnAt === null) return page;
  const downTo = new Date(goOnAt).toISOString();
  return { ...page, next: { createdAt: downTo, shown: [] }, looked: { orders: looked, downTo } };
}

/** What a query would answer of a record. */
export function listedOf(record: StateRecord): Listed {
  return Object.fromEntries(MEMBERS.map((member) => [member, record[member]])) as unknown as Listed;
}

export function summaryOf(found: Listed): OrderSummary {
  const { schemaVersion = 0 } = found;
  const { schemaVersion: _today, steps, ...listed } = schemaVersion < RECORD_VERSION ? recordOf({ ...found }) : found;
  const known = schemaVersion > RECORD_VERSION ? {} : steps;
  const states = Object.entries(known).map(([name, { state }]): [string, StepState] => [name, state]);
  return { ...listed, schemaVersion, steps: Object.fromEntries(states) };
}
