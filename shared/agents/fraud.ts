// The agent of the fraud service: has an order checked. A check changes nothing, so there is nothing to compensate.

import { type AnswerRule, callService, defineAgent, keepId, serviceId } from "@scheduler-agent-supervisor/core/agents";
import { z } from "zod";
import { type Address, type Order, type OrderLine, orderTotal } from "../contracts/order.ts";

/** The service rejects a suspicious order, and an operator looks at it. */
const answers: readonly AnswerRule[] = [
  // A gateway that rejects our credential answers 403 too: the service's own is known by its code.
  { status: 403, code: "rejected", means: "rejected" },
  { status: 422, means: "rejected" },
];

/** What it gets of an order. */
interface Seen extends Pick<Order, "orderId" | "customer" | "currency"> {
  readonly lines: readonly Pick<OrderLine, "quantity" | "unitPrice">[];
  readonly shipTo: Pick<Address, "country">;
}

const seen = ({ orderId, customer, lines, currency, shipTo }: Order): Seen => ({
  orderId,
  customer,
  lines: lines.map(({ quantity, unitPrice }) => ({ quantity, unitPrice })),
  currency,
  shipTo: { country: shipTo.country },
});

export const fraudAgent = defineAgent({
  name: "fraud",
  service: { setting: "FraudEndpoints", local: "http://127.0.0.1:7083;capacity=64" },
  seen,
  results: { check: z.object({ checkId: serviceId }) },
  operations: {
    check: (call) => {
      const { orderId, customer, currency, shipTo } = call.job;
      return callService(
        {
          path: "checks",
          body: {
            orderId,
            customerId: customer.id,
            email: customer.email,
            amount: orderTotal(call.job),
            currency,
            country: shipTo.country,
          },
          keep: keepId("checkId"),
          answers,
        },
        call,
      );
    },
  },
});
