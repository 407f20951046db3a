// The agent of the inventory service: reserves stock for an order's lines.
import type { Agent } from "./agent.ts";
import { callService } from "./http-service.ts";

export function inventoryAgent(endpoint: string): Agent {
  return {
    name: "inventory",
    call: (request) =>
      callService(
        {
          endpoint,
          path: "reservations",
          body: {
            orderId: request.order.orderId,
            lines: request.order.lines.map(({ sku, quantity }) => ({ sku, quantity })),
          },
          keep: ({ id }) => ({ reservationId: String(id) }),
        },
        request,
      ),
  };
}
