// The agent of the inventory service: reserves stock for an order, and takes returned goods back into it.
import { defineAgent, idAs, statusAs, whatToCompensate } from "@scheduler-agent-supervisor/core/agents";
import { z } from "zod";
import { goods, type Order } from "../contracts/order.ts";

const piece = z.object({ sku: z.string(), quantity: z.int() });

export const inventoryAgent = defineAgent({
  name: "inventory",
  service: { setting: "InventoryEndpoints", local: "http://127.0.0.1:7080;capacity=64" },
  seen: ({ orderId, lines }: Order) => ({ orderId, lines: goods(lines) }),
  answers: [
    /** The goods are being counted, and can be had again when that is done. */
    { status: 423, means: "later" },
    { status: 404, code: "not-found", means: "rejected" },
    { status: 409, means: "rejected" },
    { status: 422, means: "rejected" },
  ],
  /** A step that is done for each line gets that one. */
  items: { reserve: piece, restock: piece },
  results: {
    reserve: idAs("reservationId"),
    release: statusAs("status"),
    restock: idAs("restockId"),
    withdraw: statusAs("status"),
  },
  operations: {
    reserve: ({ job, item }) => ({ path: "reservations", body: { ...job, ...(item && { lines: [item] }) } }),
    /** Compensates `reserve`. */
    release: (call) => ({
      path: `reservations/${whatToCompensate(call, "reservationId")}/release`,
      body: { orderId: call.job.orderId },
    }),
    restock: ({ job, item }) => ({ path: "restocks", body: { ...job, ...(item && { lines: [item] }) } }),
    /** Compensates `restock`. */
    withdraw: (call) => ({
      path: `restocks/${whatToCompensate(call, "restockId")}/withdraw`,
      body: { orderId: call.job.orderId },
    }),
  },
});
