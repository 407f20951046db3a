// The agent of the shipping service: arranges a shipment of what was reserved, and has returned goods picked up.
import type { Agent } from "./agent.ts";
import { callService, keepId, keepStatus, whatToUndo } from "./http-service.ts";

/** Every client error is final: an address that can't be reached, or a parcel that is already on its way. */
export const shippingAgent = {
  name: "shipping",
  operations: {
    arrange: (request) => {
      const { orderId, shipTo } = request.order;
      const reservationId = request.results["reserveStock"]?.["reservationId"] ?? null;
      const call = { path: "shipments", body: { orderId, shipTo, reservationId }, keep: keepId("shipmentId") };
      return callService(call, request);
    },
    /** Undoes `arrange`. */
    cancel: (request) =>
      callService(
        {
          path: `shipments/${whatToUndo(request, "shipmentId")}/cancel`,
          body: { orderId: request.order.orderId },
          keep: keepStatus,
        },
        request,
      ),
    pickUp: (request) => {
      const { orderId, shipTo, lines } = request.order;
      const goods = lines.map(({ sku, quantity }) => ({ sku, quantity }));
      const call = { path: "pickups", body: { orderId, pickUpAt: shipTo, lines: goods }, keep: keepId("pickupId") };
      return callService(call, request);
    },
    /** Undoes `pickUp`. */
    cancelPickUp: (request) =>
      callService(
        {
          path: `pickups/${whatToUndo(request, "pickupId")}/cancel`,
          body: { orderId: request.order.orderId },
          keep: keepStatus,
        },
        request,
      ),
  },
} as const satisfies Agent;
