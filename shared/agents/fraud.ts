// The agent of the fraud service: has an order checked. A check changes nothing, so there is nothing to undo.
import { orderTotal } from "../domain/order.ts";
import type { Agent } from "./agent.ts";
import { callService, keepId } from "./http-service.ts";

export const fraudAgent = {
  name: "fraud",
  operations: {
    /** Every client error is final: the service refuses a suspicious order, and an operator looks at it. */
    check: (request) => {
      const { orderId, customer, currency, shipTo } = request.order;
      return callService(
        {
          path: "checks",
          body: {
            orderId,
            customerId: customer.id,
            email: customer.email,
            amount: orderTotal(request.order),
            currency,
            country: shipTo.country,
          },
          keep: keepId("checkId"),
        },
        request,
      );
    },
  },
} as const satisfies Agent;
