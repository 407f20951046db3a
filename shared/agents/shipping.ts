// The agent of the shipping service: arranges a shipment of what was reserved.
import type { Agent } from "./agent.ts";
import { callService } from "./http-service.ts";

export function shippingAgent(endpoint: string): Agent {
  return {
    name: "shipping",
    call: (request) =>
      callService(
        {
          endpoint,
          path: "shipments",
          body: {
            orderId: request.order.orderId,
            shipTo: request.order.shipTo,
            reservationId: request.results["reserveStock"]?.["reservationId"] ?? null,
          },
          keep: ({ id }) => ({ shipmentId: String(id) }),
        },
        request,
      ),
  };
}
