// What a client orders: the business content, which the scheduler carries but never reads.
import { canonicalJson } from "./canonical-json.ts";

export interface OrderLine {
  readonly sku: string;
  readonly quantity: number;
  /** In the currency's smallest unit. */
  readonly unitPrice: number;
}

export interface Address {
  readonly name: string;
  readonly street: string;
  readonly city: string;
  readonly postalCode: string;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
}

export type Priority = "normal" | "high";

export interface Order {
  readonly orderId: string;
  /** The name of the workflow that fulfils it. */
  readonly workflow: string;
  readonly priority: Priority;
  /** Of a return: the order that was sold. */
  readonly returnOf?: string | undefined;
  readonly customer: { readonly id: string; readonly email?: string | undefined };
  readonly lines: readonly OrderLine[];
  /** ISO 4217. */
  readonly currency: string;
  readonly paymentToken: string;
  readonly shipTo: Address;
}

/** What the message around an order says of its sender (P15). */
export interface ReplyAddress {
  /** The submitting application's private reply queue. */
  readonly replyTo: string | null;
  /** The session that it listens to there, where the queue has sessions. */
  readonly replyToSessionId: string | null;
  /** The request's own correlation id, which every status message carries. */
  readonly correlationId: string;
}

/** The order's value in its currency's smallest unit. */
export function orderTotal(order: { readonly lines: readonly Pick<OrderLine, "quantity" | "unitPrice">[] }): number {
  return order.lines.reduce((total, line) => total + line.quantity * line.unitPrice, 0);
}

/** Members that are of no use once the order is over, and had better not be kept then. */
export const SECRETS = ["paymentToken"] as const satisfies readonly (keyof Order)[];

/** What stands in the place of a secret that was removed. */
export const REMOVED = "(removed)";

/** What stands in the place of a secret for whoever may not see it. Sent back, it means the secret that is stored. */
export const HIDDEN = "(hidden)";

/** As those see it who may not see its secrets; that one was removed is none. */
export function withHiddenSecrets(order: Order): Order {
  const hidden = SECRETS.flatMap((name) => (order[name] === REMOVED ? [] : [[name, HIDDEN]]));
  return { ...order, ...Object.fromEntries(hidden) };
}

/** The edit of an order by somebody who may not have seen its secrets: those that were not edited stay as they are stored. */
export function keepingHiddenSecrets(edited: Order, stored: Order): Order {
  const kept = SECRETS.flatMap((name) => (edited[name] === HIDDEN ? [[name, stored[name]]] : []));
  return { ...edited, ...Object.fromEntries(kept) };
}

export function withoutSecrets(order: Order): Order {
  return { ...order, ...Object.fromEntries(SECRETS.map((name) => [name, REMOVED])) };
}

export function lacksSecrets(order: Order): boolean {
  return SECRETS.some((name) => order[name] === REMOVED);
}

/** Whether two submissions under one order id ask for the same thing, whatever the order of their members. */
export function sameOrder(one: Order, other: Order): boolean {
  return canonicalJson(one) === canonicalJson(other);
}

/** The same for one that is stored already: what was removed from it can't be compared. */
export function sameAsStored(stored: Order, submitted: Order): boolean {
  return sameOrder(stored, lacksSecrets(stored) ? withoutSecrets(submitted) : submitted);
}
