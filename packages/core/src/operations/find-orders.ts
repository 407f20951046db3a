// Finds orders for a list: whoever gives a whole order id gets that order at once, however many are stored.
import { NewerSchema } from "../domain/newer-schema.ts";
import { listedOf, type OrderPage, type OrderQuery, type OrderSummary, summaryOf } from "../store/order-list.ts";
import type { OrderStore } from "../store/order-store.ts";

/** Later than every order: what else matches comes on the next page. */
const BEFORE_ALL = "9999-12-31T23:59:59.999Z";

/** Part of an id is looked for in all that is stored: only whoever asks for more than the order of that very id pays for it. */
export async function findOrders(query: OrderQuery, store: Pick<OrderStore, "list" | "state">): Promise<OrderPage> {
  const { text, limit: _limit, ...more } = query;
  const isIdAlone = text !== undefined && Object.values(more).every((value) => value === undefined);
  const order = isIdAlone ? await orderOf(text, store) : undefined;
  if (!order) return store.list(query);
  return { orders: [order], next: { createdAt: BEFORE_ALL, shown: [order.orderId] } };
}

async function orderOf(orderId: string, store: Pick<OrderStore, "state">): Promise<OrderSummary | undefined> {
  try {
    const read = await store.state(orderId);
    return read && summaryOf(listedOf(read.record));
  } catch (cause) {
    // The list shows of it what it can.
    if (cause instanceof NewerSchema) return undefined;
    throw cause;
  }
}
