// The agent of the car rental.

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
  { status: 404, code: "not-found", means: "rejected" },
  /** No car is free. */
  { status: 409, means: "rejected" },
  { status: 422, means: "rejected" },
];

/** What it gets of an order. */
interface Seen extends Pick<Order, "orderId"> {
  readonly lines: readonly Pick<OrderLine, "sku" | "quantity">[];
}

export const carAgent = defineAgent({
  name: "car",
  service: { setting: "CarEndpoints", local: "http://127.0.0.1:7087", isOptional: true },
  seen: ({ orderId, lines }: Order): Seen => ({
    orderId,
    lines: lines.map(({ sku, quantity }) => ({ sku, quantity })),
  }),
  results: { rent: z.object({ rentalId: serviceId }), cancel: statusResult },
  operations: {
    rent: (call) => {
      const { orderId, lines } = call.job;
      return car(call, { path: "rentals", body: { orderId, lines }, keep: keepId("rentalId") });
    },
    /** Compensates `rent`. */
    cancel: (call) =>
      car(call, {
        path: `rentals/${whatToCompensate(call, "rentalId")}/cancel`,
        body: { orderId: call.job.orderId },
        keep: keepStatus,
      }),
  },
});

function car(call: AgentCall<Seen, unknown>, service: Omit<ServiceCall, "answers">): Promise<AgentReply> {
  return callService({ ...service, answers }, call);
}
