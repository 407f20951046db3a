// What a shop orders: the business content, which the scheduler carries but never reads.

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
export function orderTotal(order: Order): number {
  return order.lines.reduce((total, line) => total + line.quantity * line.unitPrice, 0);
}

/** Whether two submissions under one order id ask for the same thing, whatever the order of their members. */
export function sameOrder(one: Order, other: Order): boolean {
  return canonical(one) === canonical(other);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    member !== null && typeof member === "object" && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
