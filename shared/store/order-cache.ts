// Keeps orders that were stored or read lately: a revision of an order never changes, so a step costs no read of it.
import type { Order } from "../domain/order.ts";

export interface OrderCache {
  put(order: Order, revision: number): void;
  get(orderId: string, revision: number, read: (orderId: string, revision: number) => Promise<Order>): Promise<Order>;
}

/** @param size the number of orders kept; the one stored first goes first. */
export function createOrderCache(size: number): OrderCache {
  const kept = new Map<string, Order>();
  const put = (order: Order, revision: number): void => {
    kept.set(keyOf(order.orderId, revision), order);
    if (kept.size > size) for (const oldest of kept.keys()) return void kept.delete(oldest);
  };
  return {
    put,
    async get(orderId, revision, read) {
      const known = kept.get(keyOf(orderId, revision));
      if (known) return known;
      const order = await read(orderId, revision);
      put(order, revision);
      return order;
    },
  };
}

const keyOf = (orderId: string, revision: number): string => `${orderId}#${revision}`;
