// What a person has to see to, as the console asks for it: read at most once in some seconds, however many operators look.
import { MOST_ORDERS } from "../domain/bulk.ts";
import type { Attention, AttentionPage, Overview } from "../messaging/console-contract.ts";
import type { OpenOrders, ReadOpenOrders } from "../store/open-orders.ts";
import type { OrderCount } from "../store/order-gauges.ts";
import { type GroupedOrders, groupOrders } from "./group-orders.ts";
import { instant } from "./ports.ts";
import { remembered } from "./remembered.ts";

export interface AttentionPorts {
  readonly openOrders: ReadOpenOrders;
  readonly orderGauges: readonly OrderCount[];
  readonly clockSkewMs: number;
  readonly now: () => number;
}

export interface AttentionView {
  overview(): Promise<Overview>;
  groups(): Promise<Attention>;
  /** @param group a group's id; absent for all */
  page(group: string | undefined, from: number, limit: number): Promise<AttentionPage>;
  /** The orders of a group, by their ids; not all where there are more than were counted. */
  members(group: string): Promise<{ readonly orderIds: readonly string[]; readonly isAll: boolean }>;
  /** After an action nobody should be shown what was before it. */
  forget(): void;
}

interface Seen extends OpenOrders, GroupedOrders {
  readonly asOf: string;
}

export function createAttention({ openOrders, orderGauges, clockSkewMs, now }: AttentionPorts): AttentionView {
  const seen = remembered(now, async (): Promise<Seen> => {
    const asOf = now();
    const open = await openOrders(MOST_ORDERS);
    return { ...open, ...groupOrders(open.orders, asOf), asOf: instant(asOf) };
  });

  const counted = remembered(now, async (): Promise<Overview> => {
    const asOf = now();
    const found = await Promise.all(
      orderGauges.map(async ({ of, count }) => ({ of, count: await count(instant(asOf - clockSkewMs)) })),
    );
    return {
      asOf: instant(asOf),
      counts: found.flatMap(({ of, count }) => (of === "overdue" ? [] : [{ ...of, count }])),
      overdue: found.find(({ of }) => of === "overdue")?.count ?? 0,
    };
  });

  return {
    overview: counted.read,
    async groups() {
      const { asOf, orders, isAll, groups } = await seen.read();
      return { asOf, count: orders.length, isAll, groups };
    },
    async page(group, from, limit) {
      const { asOf, orders, isAll, groupOf } = await seen.read();
      const members = group === undefined ? orders : orders.filter(({ orderId }) => groupOf.get(orderId) === group);
      const next = from + limit < members.length ? { next: from + limit } : {};
      return { asOf, count: members.length, isAll, orders: members.slice(from, from + limit), ...next };
    },
    async members(group) {
      const { orders, groupOf, isAll } = await seen.read();
      return { orderIds: orders.flatMap(({ orderId }) => (groupOf.get(orderId) === group ? [orderId] : [])), isAll };
    },
    forget() {
      seen.forget();
      counted.forget();
    },
  };
}
