// Groups the orders that a person has to see to by their cause: whoever fixes a cause has the whole group done with.
import { createHash } from "node:crypto";
import { FINGERPRINT_VERSION, fingerprintOf } from "../domain/fingerprint.ts";
import type { StateRecord } from "../domain/state-record.ts";
import type { Attention, CauseGroup } from "../messaging/console-contract.ts";
import type { OpenOrder } from "../store/open-orders.ts";

export interface GroupedOrders {
  readonly groups: Attention["groups"];
  /** The group that each order is in, by its id. */
  readonly groupOf: ReadonlyMap<string, string>;
}

/** What fits no other group, and all groups beyond the limit. */
const OTHER = "other";
const MOST_GROUPS = 50;
const HOUR_MS = 3_600_000;
const HOURS = 24;

type Caused = Pick<OpenOrder, "workflow"> & { readonly error: OpenOrder["error"] | null };
type Cause = Pick<CauseGroup, "id" | "workflow" | "step" | "kind" | "cause">;

/** @param now milliseconds since 1970 */
export function groupOrders(orders: readonly OpenOrder[], now: number): GroupedOrders {
  const members = new Map<string, { readonly cause: Cause; readonly orders: OpenOrder[] }>();
  for (const order of orders) {
    const cause = causeOf(order);
    const known = members.get(cause.id);
    if (known) known.orders.push(order);
    else members.set(cause.id, { cause, orders: [order] });
  }
  const largestFirst = [...members.values()].sort((one, other) => other.orders.length - one.orders.length);
  const own = largestFirst.filter(({ cause }, place) => cause.id !== OTHER && place < MOST_GROUPS);
  const rest = largestFirst.filter((entry) => !own.includes(entry)).flatMap((entry) => entry.orders);
  const shown = rest.length > 0 ? [...own, { cause: NO_CAUSE, orders: rest }] : own;
  return {
    groups: shown.map(({ cause, orders }) => groupOf(cause, orders, now)),
    groupOf: new Map(shown.flatMap(({ cause, orders }) => orders.map(({ orderId }) => [orderId, cause.id] as const))),
  };
}

const NO_CAUSE: Cause = { id: OTHER, workflow: null, step: null, kind: null, cause: null };

/** The group that an order's fault belongs to, however many groups there are. */
export const causeIdOf = (order: Pick<StateRecord, "workflow" | "error">): string => causeOf(order).id;

function causeOf({ workflow, error }: Caused): Cause {
  const cause = error && fingerprintOf(error.message);
  if (!cause) return NO_CAUSE;
  const { step, kind } = error;
  const parts = [FINGERPRINT_VERSION, workflow.name, step, kind, cause];
  const id = createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);
  return { id, workflow: workflow.name, step, kind, cause };
}

function groupOf(cause: Cause, orders: readonly OpenOrder[], now: number): CauseGroup {
  const instants = orders.map(({ error }) => error.at).sort();
  const hours = Array.from({ length: HOURS }, () => 0);
  for (const at of instants) {
    const hour = HOURS - 1 - Math.floor((now - Date.parse(at)) / HOUR_MS);
    if (hours[hour] !== undefined) hours[hour] += 1;
  }
  return {
    ...cause,
    example: orders[0]?.error.message ?? "",
    count: orders.length,
    firstSeen: instants[0] ?? "",
    lastSeen: instants.at(-1) ?? "",
    hours,
  };
}
