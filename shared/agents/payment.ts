// The agent of the payment service: charges the order's total to the shop's payment token.
import { orderTotal } from "../domain/order.ts";
import type { Agent } from "./agent.ts";
import { callService } from "./http-service.ts";

export function paymentAgent(endpoint: string): Agent {
  return {
    name: "payment",
    call: (request) =>
      callService(
        {
          endpoint,
          path: "charges",
          body: {
            orderId: request.order.orderId,
            amount: orderTotal(request.order),
            currency: request.order.currency,
            token: request.order.paymentToken,
          },
          keep: ({ id }) => ({ chargeId: String(id), amount: orderTotal(request.order) }),
        },
        request,
      ),
  };
}
