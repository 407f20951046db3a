// The agent of the shipping service: arranges a shipment of what was reserved, and has returned goods picked up.

import {
  type AgentCall,
  type AgentReply,
  type AnswerRule,
  callService,
  defineAgent,
  keepId,
  keepStatus,
  lookUp,
  notYet,
  referenceId,
  type ServiceCall,
  serviceId,
  statusResult,
  whatToCompensate,
} from "@scheduler-agent-supervisor/core/agents";
import { z } from "zod";
import type { Order, OrderLine } from "../contracts/order.ts";

/** An address that can't be reached, or a parcel that is already on its way. */
const answers: readonly AnswerRule[] = [
  { status: 404, code: "not-found", means: "rejected" },
  { status: 409, means: "rejected" },
  { status: 422, means: "rejected" },
];

/** What it gets of an order. */
interface Seen extends Pick<Order, "orderId" | "shipTo"> {
  readonly lines: readonly Pick<OrderLine, "sku" | "quantity">[];
}

const seen = ({ orderId, lines, shipTo }: Order): Seen => ({
  orderId,
  lines: lines.map(({ sku, quantity }) => ({ sku, quantity })),
  shipTo,
});

export const shippingAgent = defineAgent({
  name: "shipping",
  service: { setting: "ShippingEndpoints", local: "http://127.0.0.1:7082;capacity=64" },
  seen,
  reads: { reserveStock: z.object({ reservationId: serviceId }) },
  results: {
    arrange: z.object({ shipmentId: serviceId }),
    cancel: statusResult,
    pickUp: z.object({ pickupId: serviceId }),
    cancelPickUp: statusResult,
  },
  operations: {
    arrange: (call) => {
      const { orderId, shipTo } = call.job;
      const reservationId = call.results.reserveStock?.reservationId ?? null;
      return shipping(call, {
        path: "shipments",
        // Where the step may wait, a carrier that collects later answers 202. It reports there that it has, or says when to ask it.
        body: { orderId, shipTo, reservationId, reportTo: call.completion?.url },
        keep: keepId("shipmentId"),
        ...(call.completion && { reference: referenceId, isPolled: true }),
      });
    },
    /** Compensates `arrange`. */
    cancel: (call) =>
      shipping(call, {
        path: `shipments/${whatToCompensate(call, "shipmentId")}/cancel`,
        body: { orderId: call.job.orderId },
        keep: keepStatus,
      }),
    pickUp: (call) => {
      const { orderId, shipTo, lines } = call.job;
      const goods = lines.map(({ sku, quantity }) => ({ sku, quantity }));
      return shipping(call, {
        path: "pickups",
        body: { orderId, pickUpAt: shipTo, lines: goods },
        keep: keepId("pickupId"),
      });
    },
    /** Compensates `pickUp`. */
    cancelPickUp: (call) =>
      shipping(call, {
        path: `pickups/${whatToCompensate(call, "pickupId")}/cancel`,
        body: { orderId: call.job.orderId },
        keep: keepStatus,
      }),
  },
  policies: {
    arrange: {
      poll: async (call, reference = "") => {
        const path = `shipments/${encodeURIComponent(reference)}`;
        return notYet(await lookUp({ path, keep: keepId("shipmentId"), answers, isPolled: true }, call));
      },
    },
  },
});

function shipping(call: AgentCall<Seen, unknown>, service: Omit<ServiceCall, "answers">): Promise<AgentReply> {
  return callService({ ...service, answers }, call);
}
