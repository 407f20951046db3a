// Orders of the sample business for tests, each under the id that it is given.
import type { OrderMessage } from "../../shared/contracts/order.ts";

export function madeOrder(orderId: string): OrderMessage {
  return {
    orderId,
    customer: { id: "customer-made" },
    lines: [{ sku: "TEA-100", quantity: 1 + (orderId.length % 3), unitPrice: 450 }],
    currency: "EUR",
    paymentToken: "tok_visa",
    shipTo: { name: "Made Up", street: "1 Sample Street", city: "Springfield", postalCode: "12345", country: "US" },
  };
}
