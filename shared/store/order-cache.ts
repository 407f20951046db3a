// Keeps orders that were stored or read lately: an order never changes, so a step costs no read of it.
import type { Order } from "../domain/order.ts";

export interface OrderCache {
  put(order: Order): void;
  get(orderId: string, read: (orderId: string) => Promise<Order>): Promise<Order>;
}

/** @param size the number of orders kept; the one stored first goes first. */
export function createOrderCache(size: number): OrderCache {
  const kept = new Map<string, Order>();
  const put = (order: Order): void => {
    kept.set(order.orderId, order);
    if (kept.size > size) for (const oldest of kept.keys()) return void kept.delete(oldest);
  };
  return {
    put,
    async get(orderId, read) {
      const known = kept.get(orderId);
      if (known) return known;
      const order = await read(orderId);
      put(order);
      return order;
    },
  };
}
