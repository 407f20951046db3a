// The agent of the hotel service, which books later: it answers 202, and reports within minutes what came of it.

import {
  type AgentCall,
  type AgentReply,
  type AnswerRule,
  callService,
  defineAgent,
  keepId,
  keepStatus,
  referenceId,
  type ServiceCall,
  serviceId,
  statusResult,
  whatToCompensate,
} from "@scheduler-agent-supervisor/core/agents";
import { z } from "zod";
import type { Order, OrderLine } from "../contracts/order.ts";

const answers: readonly AnswerRule[] = [
  { status: 404, code: "not-found", means: "rejected" },
  /** No room is free. */
  { status: 409, means: "rejected" },
  { status: 422, means: "rejected" },
];

/** What it gets of an order. */
interface Seen extends Pick<Order, "orderId"> {
  readonly lines: readonly Pick<OrderLine, "sku" | "quantity">[];
}

export const hotelAgent = defineAgent({
  name: "hotel",
  service: { setting: "HotelEndpoints", local: "http://127.0.0.1:7085", isOptional: true },
  seen: ({ orderId, lines }: Order): Seen => ({
    orderId,
    lines: lines.map(({ sku, quantity }) => ({ sku, quantity })),
  }),
  results: { book: z.object({ bookingId: serviceId }), cancel: statusResult },
  operations: {
    book: (call) => {
      const { orderId, lines } = call.job;
      return hotel(call, {
        path: "bookings",
        body: { orderId, lines, reportTo: call.completion?.url },
        keep: keepId("bookingId"),
        reference: referenceId,
      });
    },
    /** Compensates `book`, also of a booking that the hotel has not confirmed yet. */
    cancel: (call) =>
      hotel(call, {
        path: `bookings/${whatToCompensate(call, "bookingId")}/cancel`,
        body: { orderId: call.job.orderId },
        keep: keepStatus,
      }),
  },
});

function hotel(call: AgentCall<Seen, unknown>, service: Omit<ServiceCall, "answers">): Promise<AgentReply> {
  return callService({ ...service, answers }, call);
}
