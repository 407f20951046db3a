// Keeps orders that were stored or read lately: a revision of an order does not change while a step may need it, so a step costs no read of it.
import type { Order } from "../domain/order.ts";

export interface OrderCache {
  put(orderId: string, order: Order, revision: number): void;
  /** All revisions up to this one: they are changed in the store. */
  forget(orderId: string, revisions: number): void;
  get(orderId: string, revision: number, read: (orderId: string, revision: number) => Promise<Order>): Promise<Order>;
}

/** @param size the number of orders kept; the one stored first goes first. */
export function createOrderCache(size: number): OrderCache {
  const kept = new Map<string, Order>();
  const put = (orderId: string, order: Order, revision: number): void => {
    keep(kept, size, keyOf(orderId, revision), order);
  };
  return {
    put,
    forget(orderId, revisions) {
      for (let revision = 1; revision <= revisions; revision += 1) kept.delete(keyOf(orderId, revision));
    },
    async get(orderId, revision, read) {
      const known = kept.get(keyOf(orderId, revision));
      if (known) return known;
      const order = await read(orderId, revision);
      put(orderId, order, revision);
      return order;
    },
  };
}

/** Where there are more than so many, the one kept first goes. */
export function keep<T>(kept: Map<string, T>, size: number, key: string, value: T): void {
  kept.set(key, value);
  if (kept.size > size) for (const oldest of kept.keys()) return void kept.delete(oldest);
}

const keyOf = (orderId: string, revision: number): string => `${orderId}#${revision}`;
