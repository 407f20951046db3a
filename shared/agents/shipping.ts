// The agent of the shipping service: arranges a shipment of what was reserved, and has returned goods picked up.
import { defineAgent, idAs, serviceId, statusAs, whatToCompensate } from "@scheduler-agent-supervisor/core/agents";
import { z } from "zod";
import { goods, type Order } from "../contracts/order.ts";

export const shippingAgent = defineAgent({
  name: "shipping",
  service: { setting: "ShippingEndpoints", local: "http://127.0.0.1:7082;capacity=64" },
  seen: ({ orderId, lines, shipTo }: Order) => ({ orderId, lines: goods(lines), shipTo }),
  reads: { reserveStock: z.object({ reservationId: serviceId }) },
  /** An address that can't be reached, or a parcel that is already on its way. */
  answers: [
    { status: 404, code: "not-found", means: "rejected" },
    { status: 409, means: "rejected" },
    { status: 422, means: "rejected" },
  ],
  results: {
    arrange: idAs("shipmentId"),
    cancel: statusAs("status"),
    pickUp: idAs("pickupId"),
    cancelPickUp: statusAs("status"),
  },
  operations: {
    arrange: ({ job: { orderId, shipTo }, results, completion }) => ({
      path: "shipments",
      // Where the step may wait, a carrier that collects later answers 202. It reports there that it has, or says when to ask it.
      body: { orderId, shipTo, reservationId: results.reserveStock?.reservationId ?? null, reportTo: completion?.url },
      mayBeDoneLater: completion !== undefined,
    }),
    /** Compensates `arrange`. */
    cancel: (call) => ({
      path: `shipments/${whatToCompensate(call, "shipmentId")}/cancel`,
      body: { orderId: call.job.orderId },
    }),
    pickUp: ({ job: { orderId, shipTo, lines } }) => ({ path: "pickups", body: { orderId, pickUpAt: shipTo, lines } }),
    /** Compensates `pickUp`. */
    cancelPickUp: (call) => ({
      path: `pickups/${whatToCompensate(call, "pickupId")}/cancel`,
      body: { orderId: call.job.orderId },
    }),
  },
  policies: {
    arrange: { poll: (_, reference = "") => ({ path: `shipments/${encodeURIComponent(reference)}` }) },
  },
});
