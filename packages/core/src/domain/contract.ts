// What the core has to know of an app's content: the rest it carries and never reads.
import type { BusinessKeys } from "./business-keys.ts";
import type { Order } from "./order.ts";

export interface ContentFacts<Content extends Order = Order> {
  /** Members that are of no use once the order is over, and had better not be kept then. Texts. */
  readonly secrets: readonly string[];
  /** By which of its own names people know an order: what the console finds orders by, beside their ids. Each has an index. */
  readonly keys: readonly string[];
  /** Those that the order has. */
  readonly keysOf: (content: Content) => BusinessKeys;
}
