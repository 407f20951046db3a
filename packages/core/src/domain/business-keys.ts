// By which of its own names people know an order: what the console finds orders by, beside their ids.
import type { Order } from "./order.ts";

/**
 * Each is a number of the client's own, which says nothing of a person to who has not the client's books. An e-mail address is none of them, and neither is its
 * hash: there are so few addresses that one can try them all.
 */
export const BUSINESS_KEYS = ["customer", "returnOf"] as const;

export type BusinessKey = (typeof BUSINESS_KEYS)[number];
/** Those that the order has. */
export type BusinessKeys = { readonly [name in BusinessKey]?: string };

export function businessKeysOf({ customer, returnOf }: Pick<Order, "customer" | "returnOf">): BusinessKeys {
  return { customer: customer.id, ...(returnOf !== undefined && { returnOf }) };
}
