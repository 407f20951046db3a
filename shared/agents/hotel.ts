// The agent of the hotel service, which books later: it answers 202, and reports within minutes what came of it.

import type { AgentCall, AgentReply, DeclaredAgent } from "@scheduler-agent-supervisor/core/agents/agent";
import {
  callService,
  keepId,
  keepStatus,
  referenceId,
  type ServiceCall,
  whatToCompensate,
} from "@scheduler-agent-supervisor/core/agents/http-service";
import type { AnswerRule } from "@scheduler-agent-supervisor/core/agents/service-answers";
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

export const hotelAgent = {
  name: "hotel",
  seen: ({ orderId, lines }: Order): Seen => ({
    orderId,
    lines: lines.map(({ sku, quantity }) => ({ sku, quantity })),
  }),
  operations: {
    book: (call) => {
      const { orderId, lines } = call.order;
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
        body: { orderId: call.order.orderId },
        keep: keepStatus,
      }),
  },
} as const satisfies DeclaredAgent<Seen>;

function hotel(call: AgentCall<Seen>, service: Omit<ServiceCall, "answers">): Promise<AgentReply> {
  return callService({ ...service, answers }, call);
}
