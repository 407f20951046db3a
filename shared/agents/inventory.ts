// The agent of the inventory service: reserves stock for an order, and takes returned goods back into it.
import type { Order } from "../domain/order.ts";
import type { Agent, AgentReply, AgentRequest } from "./agent.ts";
import { callService, keepId, keepStatus, type ServiceCall, whatToUndo } from "./http-service.ts";

export const inventoryAgent = {
  name: "inventory",
  operations: {
    reserve: (request) =>
      inventory(request, { path: "reservations", body: goods(request.order), keep: keepId("reservationId") }),
    /** Undoes `reserve`. */
    release: (request) =>
      inventory(request, {
        path: `reservations/${whatToUndo(request, "reservationId")}/release`,
        body: { orderId: request.order.orderId },
        keep: keepStatus,
      }),
    restock: (request) =>
      inventory(request, { path: "restocks", body: goods(request.order), keep: keepId("restockId") }),
    /** Undoes `restock`. */
    withdraw: (request) =>
      inventory(request, {
        path: `restocks/${whatToUndo(request, "restockId")}/withdraw`,
        body: { orderId: request.order.orderId },
        keep: keepStatus,
      }),
  },
} as const satisfies Agent;

/** 423 Locked: the goods are being counted, and can be had again when that is done. */
function inventory(request: AgentRequest, call: ServiceCall): Promise<AgentReply> {
  return callService({ ...call, isFinal: (status) => status !== 423 }, request);
}

function goods({ orderId, lines }: Order) {
  return { orderId, lines: lines.map(({ sku, quantity }) => ({ sku, quantity })) };
}
