// The agent of the fraud service: has an order checked. A check changes nothing, so there is nothing to compensate.
import { defineAgent, idAs } from "@scheduler-agent-supervisor/core/agents";
import { amounts, type Order, orderTotal } from "../contracts/order.ts";

export const fraudAgent = defineAgent({
  name: "fraud",
  service: { setting: "FraudEndpoints", local: "http://127.0.0.1:7083;capacity=64" },
  seen: ({ orderId, customer, lines, currency, shipTo }: Order) => ({
    orderId,
    customer,
    lines: amounts(lines),
    currency,
    shipTo: { country: shipTo.country },
  }),
  /** The service rejects a suspicious order, and an operator looks at it. */
  answers: [
    // A gateway that rejects our credential answers 403 too: the service's own is known by its code.
    { status: 403, code: "rejected", means: "rejected" },
    { status: 422, means: "rejected" },
  ],
  results: { check: idAs("checkId") },
  operations: {
    check: ({ job: { orderId, customer, lines, currency, shipTo } }) => ({
      path: "checks",
      body: {
        orderId,
        customerId: customer.id,
        email: customer.email,
        amount: orderTotal({ lines }),
        currency,
        country: shipTo.country,
      },
    }),
  },
});
