// The agent of the inventory service: reserves stock for an order, and takes returned goods back into it.

import {
  type AgentCall,
  type AgentReply,
  type AnswerRule,
  callService,
  defineAgent,
  keepId,
  keepStatus,
  type ServiceCall,
  serviceId,
  statusResult,
  whatToCompensate,
} from "@scheduler-agent-supervisor/core/agents";
import { z } from "zod";
import type { Order, OrderLine } from "../contracts/order.ts";

const answers: readonly AnswerRule[] = [
  /** The goods are being counted, and can be had again when that is done. */
  { status: 423, means: "later" },
  { status: 404, code: "not-found", means: "rejected" },
  { status: 409, means: "rejected" },
  { status: 422, means: "rejected" },
];

/** What it gets of an order. */
interface Seen extends Pick<Order, "orderId"> {
  readonly lines: readonly Pick<OrderLine, "sku" | "quantity">[];
}

const seen = ({ orderId, lines }: Order): Seen => ({
  orderId,
  lines: lines.map(({ sku, quantity }) => ({ sku, quantity })),
});

export const inventoryAgent = defineAgent({
  name: "inventory",
  service: { setting: "InventoryEndpoints", local: "http://127.0.0.1:7080;capacity=64" },
  seen,
  results: {
    reserve: z.object({ reservationId: serviceId }),
    release: statusResult,
    restock: z.object({ restockId: serviceId }),
    withdraw: statusResult,
  },
  operations: {
    reserve: (call) => inventory(call, { path: "reservations", body: goods(call), keep: keepId("reservationId") }),
    /** Compensates `reserve`. */
    release: (call) =>
      inventory(call, {
        path: `reservations/${whatToCompensate(call, "reservationId")}/release`,
        body: { orderId: call.job.orderId },
        keep: keepStatus,
      }),
    restock: (call) => inventory(call, { path: "restocks", body: goods(call), keep: keepId("restockId") }),
    /** Compensates `restock`. */
    withdraw: (call) =>
      inventory(call, {
        path: `restocks/${whatToCompensate(call, "restockId")}/withdraw`,
        body: { orderId: call.job.orderId },
        keep: keepStatus,
      }),
  },
});

function inventory(call: AgentCall<Seen, unknown>, service: Omit<ServiceCall, "answers">): Promise<AgentReply> {
  return callService({ ...service, answers }, call);
}

/** Of a step that is done for each line, that one alone. */
function goods({ job: { orderId, lines }, item }: AgentCall<Seen, unknown>) {
  return { orderId, lines: item ? [item] : lines.map(({ sku, quantity }) => ({ sku, quantity })) };
}
